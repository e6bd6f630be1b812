"""The questions that an audit asks, in the order of its report. One line here for each.

Loads no mathematics: help, `explain` and the judge of a stored report read here what numbers there are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..core.finding import Finding
from ..core.quantity import Quantity
from ..core.registry import Named, there
from . import quantities
from .contract import Question
from .quantities import ADVANTAGES, RANGE_OF_ETA, TAIL, WORST_CASE

CERTIFIED = "certified_"  # before the name of a quantity whose other limits it moves (audits/doubts.py)
_OURS = {one.name: one for one in (WORST_CASE, TAIL, RANGE_OF_ETA, ADVANTAGES)}


def _quantities(questions: Iterable[Question]) -> dict[str, Quantity]:
    """And those that no question answers. Who declares a name first is right."""
    found = dict(quantities.QUANTITIES)
    for one in (one for question in questions for one in question.quantities):
        found.setdefault(one.name, one)
    return found


def _faults(name: str, question: object) -> Iterator[str]:
    """What would replace a number of ours, or move one, is none of a stranger's questions."""
    if not isinstance(question, Question):
        yield f"{question!r} is no Question"
        return
    if question.name != name:
        yield f"it calls itself {question.name!r}"
    if question.share is None or not 0 < question.share <= 1:
        yield "its share of the reserve is not between 0 and 1"
    own, known = {one.name for one in question.quantities}, _quantities(_OURS.values())
    for one in sorted(own):
        if one in known:
            yield f"a quantity is called {one} already"
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", one):
            yield f"{one!r} is no name of a quantity"
        if one.startswith(CERTIFIED) and one.removeprefix(CERTIFIED) not in own:
            yield f"{one} would move a number that is not its own"
    if not own:
        yield "it has no quantity"


QUESTIONS: Named[Question] = Named(
    "question", there(_OURS), "questions", lambda name, question: next(_faults(name, question), "")
)
# Those of a stranger's question that cannot be loaded are not among them.
QUANTITIES: Mapping[str, Quantity] = _quantities(QUESTIONS)


def fitting(classes: int, quantities: Collection[str] | None = None) -> tuple[Question, ...]:
    """Those that can be put of a label with so many classes; quantities: that are wanted, None for all."""
    return tuple(
        question
        for question in QUESTIONS
        if question.fits(classes) and (quantities is None or any(one.name in quantities for one in question.quantities))
    )


def checked(found: Sequence[Finding], question: Question, whole: float, part: float) -> Sequence[Finding]:
    """A stranger's numbers stand beside ours in every report, and replace none. They hold with the confidence of their
    part, as all together do with the whole, or claim no more than that."""
    known = {one.name for one in question.quantities}
    for one in found:
        if one.quantity not in known:
            raise ValueError(f"it answers {one.quantity}, which it does not declare")
        for value in (one.bound.estimate, one.bound.low, one.bound.high):
            if value is not None and (not isinstance(value, float | int) or math.isnan(value)):
                raise ValueError(f"{one.quantity} is {value!r}")
        if one.confidence != part and not 0 <= one.confidence <= whole:
            raise ValueError(f"{one.quantity} claims a confidence of {one.confidence!r}, and the report has {whole}")
    return found
