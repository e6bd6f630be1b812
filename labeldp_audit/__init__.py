"""Measures how much a release of protected labels still tells about each person."""

__version__ = "0.1.0"
