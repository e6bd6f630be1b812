"""What was noticed about the rows, as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Remarks about the rows of a table.
UNANSWERED = (
    "rows-repeat"  # equal rows that coincidence does not explain, and that were not said to be people or copies
)
REFUTED = "rows-in-multiples"  # equal rows were said to be people, and their numbers say otherwise
LEFT_OUT = "copies-left-out"  # rows beyond the first of each record
ONE_EACH = "one-row-of-each-person"  # judges
FITTED_BEFORE = "fitted-before"  # eta is that of a classifier fitted to unknown rows
DOUBTS = (UNANSWERED, REFUTED, FITTED_BEFORE)  # under which no limit holds


@dataclass(frozen=True)
class Remark:
    """Something that was noticed, as a code that logic reads and values; only reports make a sentence of it."""

    code: str
    values: Mapping[str, str | int | float] = field(default_factory=dict)
