"""A table that a terminal and a page print in their own ways. Whoever prints the cells escapes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[int]  # columns of words
    note: str
    caption: str = ""
