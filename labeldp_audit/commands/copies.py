"""Rows that were written more than once: limits that count copies as people are too narrow.

A table written twelve times, or one whose positives were drawn again to balance it, shows itself: the numbers of rows
with the same features and label have a common divisor. Features of few values have many equal rows too, but hardly
ever that.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model import Table

FEWEST = 20  # different rows of a class; so many random numbers have a common divisor once in a million tables


def warnings(table: Table, distinct: int) -> tuple[str, ...]:
    """`distinct` of the rows have different features."""
    if distinct == len(table.labels):
        return ()
    from ..neighbors.distinct import collapse

    classes = table.dataset.classes
    times = [repeated(count) for count in collapse(table.points, table.labels, len(classes)).members.T]
    if min(times) > 1 and len(set(times)) == 1:
        return (said("every row", times[0]),)
    return tuple(said(f"every row with the label {classes[c]}", n) for c, n in enumerate(times) if n > 1)


def repeated(count: npt.NDArray[np.int32]) -> int:
    """The common divisor of the rows of one class at each point; 1 where there are too few to tell."""
    there = count[count > 0]
    return int(np.gcd.reduce(there)) if len(there) >= FEWEST else 1


def said(which: str, times: int) -> str:
    return (
        f"{which} is there {times} times or a multiple of that: copies are not independent, and limits are too narrow"
    )
