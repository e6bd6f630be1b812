"""Rows that were written more than once: whoever counts copies as people takes chance for knowledge.

They show themselves in two ways. In a table written three times, or one whose positives stand there five times, numbers
of equal rows have a common divisor: tables of few values have equal rows too, but hardly ever that. And where rows were
drawn again at random, those of one label repeat, yet hardly ever stand beside an equal row with another label, as
different people who look the same do now and then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..model import Table

FEWEST = 20  # different rows of a class; so many random numbers have a common divisor once in a million tables
MOSTLY = 0.6  # of all rows: equal rows of a class that is so common say nothing where they have its label
SELDOM = 0.02  # of the rows that repeat, those that stand beside another label
_DEPENDENT = (
    "copies are no people of their own, so limits are too narrow, plain neighbours find copies of themselves, and "
    "nothing is certified"
)


def warnings(table: Table) -> tuple[str, ...]:
    """One for all classes, or for each whose rows are copies."""
    classes, members = table.dataset.classes, _members(table)
    repeats = _repeats(members)
    if min(repeats) > 1 and len(set(repeats)) == 1:
        return (f"every row is there {repeats[0]} times or a multiple of that: {_DEPENDENT}",)
    return tuple(_of_classes(classes, repeats, members))


def _of_classes(classes: Sequence[str], repeats: Sequence[int], members: npt.NDArray[np.integer]) -> Iterator[str]:
    for name, times, again in zip(classes, repeats, _drawn_again(members), strict=True):
        if times > 1:
            yield f"every row with the label {name} is there {times} times or a multiple of that: {_DEPENDENT}"
        elif again:
            yield (
                f"{again:,} different rows with the label {name} are there more than once, and hardly ever beside an "
                f"equal row with another label: unless features give this label away, they are copies, and {_DEPENDENT}"
            )


def noticed(warnings: Sequence[str]) -> bool:
    return any(_DEPENDENT in one for one in warnings)


def _members(table: Table) -> npt.NDArray[np.int64]:
    """(m, C) labels of the rows that have the same features."""
    assert table.fingerprints is not None
    classes = len(table.dataset.classes)
    order = np.argsort(table.fingerprints)
    placed = table.fingerprints[order]
    number = np.cumsum(np.concatenate([[False], placed[1:] != placed[:-1]]))
    points = int(number[-1]) + 1
    return np.bincount(number * classes + table.labels[order], minlength=points * classes).reshape(-1, classes)


def _repeats(members: npt.NDArray[np.integer]) -> tuple[int, ...]:
    """For each class the common divisor of its rows at each point; 1 where too few points tell."""
    there = (count[count > 0] for count in members.T)
    return tuple(int(np.gcd.reduce(count)) if len(count) >= FEWEST else 1 for count in there)


def _drawn_again(members: npt.NDArray[np.integer]) -> tuple[int, ...]:
    """For each class how many of its rows repeat without another label beside them; 0 where that is no wonder."""
    rows, found = members.sum(axis=1), []
    for count in members.T:
        repeated = (rows > 1) & (count > 0)
        pure = int((repeated & (count == rows)).sum())
        odd = pure >= FEWEST and repeated.sum() - pure <= SELDOM * pure and count.sum() <= MOSTLY * rows.sum()
        found.append(pure if odd else 0)
    return tuple(found)
