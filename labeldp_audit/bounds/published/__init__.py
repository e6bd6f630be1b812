"""Bounds on an advantage that papers give."""
