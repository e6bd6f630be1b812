"""The questions that an audit asks, in the order of its report. One line here for each.

Loads no mathematics: help, `explain` and the judge of a stored report read here what numbers there are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .contract import Question
from .quantities import ADVANTAGES, QUANTITIES, RANGE_OF_ETA, TAIL, WORST_CASE

__all__ = ["CERTIFIED", "QUANTITIES", "QUESTIONS", "fitting"]

CERTIFIED = "certified_"  # before the name of a quantity whose other limits it moves (audits/doubts.py)
QUESTIONS: Mapping[str, Question] = {one.name: one for one in (WORST_CASE, TAIL, RANGE_OF_ETA, ADVANTAGES)}


def fitting(classes: int, quantities: Collection[str] | None = None) -> tuple[Question, ...]:
    """Those that can be put of a label with so many classes; quantities: that are wanted, None for all."""
    return tuple(
        question
        for question in QUESTIONS.values()
        if question.fits(classes) and (quantities is None or any(one.name in quantities for one in question.quantities))
    )
