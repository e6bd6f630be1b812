"""Numbers of equal rows that independent draws do not give, whatever people are like: tables written several times.

However people are distributed, a record of probability q is there about Poisson(n q) times. So if f_j records are there
j times, (j! E f_j)^2 <= (j - 1)! E f_{j-1} (j + 1)! E f_{j+1} (Cauchy-Schwarz over records): among f_{j-1}, f_j,
f_{j+1} the middle cannot stand out. In a table written three times, or twice in a third of its rows, it does.

Whatever is read off each row by itself is an independent draw too, so it holds of rows without any one column:
copies that a `source`, a `wave` or a little noise tells apart are seen. And of a uniform sample of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from .fingerprints import Words

FEWEST = 10  # rows beyond the first of each record, and
MATERIAL = 0.005  # as a share of their class: fewer change nothing
IMPLAUSIBLE = 40.0  # twice a difference in log-likelihood: one table in about a thousand million has more
LONGEST = 400  # counts of a record that are looked at


@dataclass(frozen=True)
class Repeated:
    """How often rows repeat in one class of the label."""

    label: int
    rows: int  # beyond the first of each record
    of: int  # rows of the class
    surely: bool  # by counts that independent draws do not give, whatever people are like
    but: str | None = None  # the column in which they may differ


def material(rows: int, of: int) -> bool:
    return rows >= max(FEWEST, MATERIAL * of)


def in_class(words: Words, labels: npt.NDArray[np.integer], label: int, but: str) -> Repeated:
    """How often rows of a class surely repeat; words (n,): the same where rows are, but for one column."""
    mine = words[labels == label]
    return Repeated(label, len(mine) - len(np.unique(mine)), len(mine), True, but)


def most_repeated(words: Words, labels: npt.NDArray[np.integer]) -> Repeated | None:
    """The class whose rows repeat most, people or not; None where none repeats enough to matter."""
    found = (
        replace(in_class(words, labels, label, ""), surely=False, but=None) for label in np.unique(labels).tolist()
    )
    return max((one for one in found if material(one.rows, one.of)), key=lambda one: one.rows / one.of, default=None)


def but_one(
    words: Words, cells: npt.NDArray[np.uint64], labels: npt.NDArray[np.integer]
) -> tuple[int, int] | None:  # fmt: skip
    """The class, and the column without which its rows repeat most, where in numbers that no people come in.

    words (m,): of whole rows; cells (m, columns): what each column adds to them.
    """
    found = max(_repeats_but_one(words, cells, labels), default=None)
    return None if found is None else (found[1], found[2])


def _repeats_but_one(
    words: Words, cells: npt.NDArray[np.uint64], labels: npt.NDArray[np.integer]
) -> Iterator[tuple[float, int, int]]:
    """Share of the rows beyond the first of each record, class and column."""
    for label in np.unique(labels).tolist():
        mine = labels == label
        whole, column = words[mine], cells[mine]
        for j in range(cells.shape[1]):
            counts = np.unique(whole - column[:, j], return_counts=True)[1]
            if len(whole) - len(counts) >= FEWEST and not plausible(counts):
                yield 1 - len(counts) / len(whole), label, j


def plausible(counts: Integers) -> bool:
    """Whether different people can be there so often; counts (records,)."""
    often = np.bincount(np.minimum(counts, LONGEST + 2), minlength=LONGEST + 3)
    there = np.flatnonzero(often[: LONGEST + 1]).tolist()
    return all(excess(often[j - 1 : j + 2], j) < IMPLAUSIBLE for j in there if j >= 2)


def excess(often: Integers, j: int) -> float:
    """How much the middle of three neighbours stands out: twice the log-likelihood that it costs to take them for
    Poisson with any one rate, which is where the middle is largest; 0 where it does not stand out.

    often (3,): records that are there j - 1, j and j + 1 times.
    """
    below, at, above = often.astype(float).tolist()
    if at**2 * j <= below * above * (j + 1):
        return 0.0
    rate = _rate(below, at, above, j)
    share = np.array([j / rate, 1.0, rate / (j + 1)])
    share /= share.sum()
    seen = np.array([below, at, above])
    some = seen > 0
    return float(2 * (seen[some] @ np.log(seen[some] / seen.sum() / share[some])))


def _rate(below: float, at: float, above: float, j: int) -> float:
    """The likeliest: it makes above - below what it is among the three, which is a quadratic equation."""
    move = (above - below) / (below + at + above)
    a, c = (1 - move) / (j + 1), -(1 + move) * j
    rate = (move + np.sqrt(move**2 - 4 * a * c)) / (2 * a) if a > 0 else np.inf
    return float(np.clip(rate, 1e-9 * j, 1e9 * j))
