"""A table is read, eta estimated once, and questions are put to both within one budget of confidence."""
