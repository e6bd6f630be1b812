"""What can be asked of a table: each file answers one family of questions with findings."""
