"""What each number and term of a report means, once: help, pages and `labeldp-audit explain` read this list."""

from __future__ import annotations

from collections.abc import Mapping

from . import certified, columns, guesses, letters, losses, releases, verdicts
from .entry import Entry

__all__ = ["ENTRIES", "Entry"]

ENTRIES: Mapping[str, Entry] = {
    entry.quantity: entry
    for part in (losses, guesses, certified, columns, verdicts, letters, releases)
    for entry in part.ENTRIES
}
