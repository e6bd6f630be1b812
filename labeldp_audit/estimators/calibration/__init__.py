"""What labels make of scores."""
