"""Files, folders and streams as batches of a table."""
