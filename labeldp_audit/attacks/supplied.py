"""Guesses of the user's own, from a column of the table: made without these labels, or the comparison says nothing."""

from __future__ import annotations

from typing import ClassVar

from ..core.finding import Knows
from .contract import Attack, Guesses, Seen


class Supplied(Attack):
    name: ClassVar[str] = "guess"
    example: ClassVar[str] = "guess"
    summary: ClassVar[str] = "guesses of your own, in the column that --guess names"
    knows: ClassVar[Knows] = Knows.SUPPLIED

    def unfit(self, seen: Seen) -> str:
        return "" if seen.supplied is not None else "no column of guesses is named: --guess COLUMN"

    def read(self, seen: Seen) -> Guesses:
        assert seen.supplied is not None
        return Guesses(seen.supplied)
