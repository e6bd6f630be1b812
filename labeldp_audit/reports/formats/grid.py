"""A table that a terminal and a page print in their own ways. Whoever prints the cells escapes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Grid:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[int]  # columns of words
    note: str
    caption: str = ""

    def split(self, beside: int) -> Iterator[Grid]:
        """Into tables that have room for so many columns of numbers; those of words before them are in each."""
        kept = 1
        while kept in self.left and kept < len(self.header):
            kept += 1
        for start in range(kept, len(self.header), beside):
            end = min(start + beside, len(self.header))
            rows = [[*row[:kept], *row[start:end]] for row in self.rows]
            note = self.note if end == len(self.header) else ""
            yield replace(self, header=(*self.header[:kept], *self.header[start:end]), rows=rows, note=note)
