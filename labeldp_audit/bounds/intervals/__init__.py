"""Limits of shares, means and monotone curves, from counts. Each file states its theorem."""
