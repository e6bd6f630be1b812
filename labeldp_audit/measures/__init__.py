"""The questions, pure: what eta means for the people behind the labels."""
