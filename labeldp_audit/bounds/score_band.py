"""A band for eta along a score, from the labels of all rows that judge (INTERVALS 2). Two classes.

Rows are sorted by a score that was made without their labels. Assume

    M:  m(s) = P(positive | score = s) does not fall as s rises.

Given the scores, labels are independent and row i is positive with probability m(score i). A window is a run of rows in
that order. Its mean of m is at most m of its last row and of all rows after it, at least m of its first row and of all
rows before it. Let l and u be Clopper-Pearson limits of the mean over a window. If those of all windows hold,

    low_i = max l(window that ends with i or before)  <=  m(score i)  <=  min u(window that begins with i or after) = high_i

for all rows at once. The windows of one length share its part of the level evenly, and a window that is false spoils
all rows beyond it, so all of them must hold.

Rows with equal scores are one group, which no window divides: nothing depends on the order of the file. Where people
with equal scores differ in eta, the band is about their average. Assumes independent labels given the features.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model import Floats, Integers
from . import clopper_pearson

SHORTEST = 24  # rows of the shortest windows
GROWTH = 1.35  # of the length, from one to the next
STARTS = 8  # windows that begin within the length of one

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Band:
    """Limits for eta of each row, averaged over the people with its score: all hold at once."""

    low: Floats  # (n,)
    high: Floats  # (n,)


@dataclass(frozen=True)
class Windows:
    """Runs order[start:stop] of rows by score, with like lengths."""

    start: Integers  # (m,)
    stop: Integers  # (m,)


def of_rows(score: Floats, positive: Flags, miss: float) -> Band:
    """Limits for eta of each row, in the order of the rows; any of them is false with probability at most `miss`."""
    order = np.argsort(score, kind="stable")
    edges = _edges(score[order])
    total = np.concatenate([[0], np.cumsum(positive[order], dtype=np.int64)])
    low, high = np.zeros(len(score) + 1), np.ones(len(score) + 1)
    families = list(windows(edges))
    for one in families:
        count, each = total[one.stop] - total[one.start], miss / len(families) / len(one.start)
        least, most = clopper_pearson.limits_of_counts(count, one.stop - one.start, each / 2)
        np.maximum.at(low, one.stop, least)
        np.minimum.at(high, one.start, most)
    return _spread(order, edges, np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1])


def windows(edges: Integers) -> Iterator[Windows]:
    """Windows of each length, from the shortest to the whole table; they depend on no label."""
    n = int(edges[-1])
    length = float(min(SHORTEST, n))
    while length < n:
        begin = np.append(np.arange(0, n - length, length / STARTS), n - length).astype(np.int64)
        yield _snapped(begin, begin + int(length), edges)
        length *= GROWTH
    yield Windows(edges[:1], edges[-1:])


def _edges(score: Floats) -> Integers:
    """(groups + 1,) where a group of equal scores begins, and the end."""
    return np.concatenate([[0], np.flatnonzero(score[1:] != score[:-1]) + 1, [len(score)]])


def _snapped(begin: Integers, end: Integers, edges: Integers) -> Windows:
    """Widened to whole groups; each window once."""
    first = np.searchsorted(edges, begin, side="right") - 1
    last = np.searchsorted(edges, end)
    base = len(edges) + 1
    first, last = np.divmod(np.unique(first * base + last), base)
    return Windows(edges[first], edges[last])


def _spread(order: Integers, edges: Integers, low: Floats, high: Floats) -> Band:
    """low[b]: of the windows that end at b or before; high[a]: of those that begin at a or after."""
    rows = np.diff(edges)
    least, most = np.empty(len(order)), np.empty(len(order))
    least[order], most[order] = np.repeat(low[edges[1:]], rows), np.repeat(high[edges[:-1]], rows)
    return Band(least, most)
