"""A report as text: for people, pages and programs."""
