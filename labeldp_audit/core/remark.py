"""What was noticed about the rows, as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Remarks about the rows of a table.
UNANSWERED = "rows-repeat"  # equal rows that coincidence does not explain, and nobody said what they are
REFUTED = "rows-in-multiples"  # somebody said that equal rows are people, and their numbers say otherwise
LEFT_OUT = "copies-left-out"  # rows beyond the first of each record
ONE_EACH = "one-row-of-each-person"  # judges
FITTED_BEFORE = "fitted-before"  # eta is a classifier's that somebody fitted, to nobody knows which rows
DOUBTS = (UNANSWERED, REFUTED, FITTED_BEFORE)  # under which no limit holds


@dataclass(frozen=True)
class Remark:
    """Something that was noticed, as a code that logic reads and values; only reports make a sentence of it."""

    code: str
    values: Mapping[str, str | int | float] = field(default_factory=dict)
