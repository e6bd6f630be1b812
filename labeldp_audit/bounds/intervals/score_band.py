"""A band for eta along a score, from the labels of all rows that judge, and a test of what it assumes. Two classes.

Rows are sorted by a score that was made without their labels. Assume

    M:  m(s) = P(positive | score = s) does not fall as s rises.

Given the scores, labels are independent and row i is positive with probability m(score i), whatever eta is among the
people with this score. A window is a run of rows in that order. Its mean of m is at most m of its last row and of all
rows after it, at least m of its first row and of all rows before it. Let l and u be Clopper-Pearson limits of the mean
over a window. If those of all windows hold,

    low_i  = max l(window that ends with i or before)    <=  m(score i)
    high_i = min u(window that begins with i or after)   >=  m(score i)

for all rows at once. One false window spoils all rows beyond it, so all of them must hold: each length gets a share of
the level that depends on the number of rows alone, and its windows even shares of that.

Rows with equal scores are one group, which no window divides, so nothing depends on the order of the file. Where people
with equal scores differ in eta, the band is about their average. Assumes independent rows, and miss < 1/2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from . import clopper_pearson

SHORTEST = 24  # rows of the shortest windows
GROWTH = 1.35  # of the length, from one to the next
STARTS = 8  # windows that begin within the length of one
# Where eta rises evenly from 0 to 1, a window of w rows loses w / 2n by its length and z sigma / sqrt(w) by chance:
# least at w = (n z sigma)^(2/3), and z sigma is about 2.2.
BEST = 1.7  # lengths of n^(2/3) rows
SPREAD = 0.5  # in log lengths. With even shares the limits of J are 2 % farther apart

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Band:
    """Limits for eta of each row, averaged over the people with its score: all hold at once."""

    low: Floats  # (n,)
    high: Floats  # (n,)


@dataclass(frozen=True)
class Windows:
    """Runs [start, stop) of sorted rows, all of about one length, and their part of the level."""

    start: Integers  # (m,)
    stop: Integers  # (m,)
    share: float

    @property
    def share_each(self) -> float:
        return self.share / len(self.start)


@dataclass(frozen=True)
class Line:
    """Rows sorted by score."""

    order: Integers  # (n,)
    edges: Integers  # (groups + 1,) where a group of equal scores begins, and the end
    positives: Integers  # (n + 1,) among the first rows

    @classmethod
    def of(cls, score: Floats, positive: Flags) -> Line:
        order = np.argsort(score, kind="stable")
        in_order = score[order]
        edges = np.concatenate([[0], np.flatnonzero(in_order[1:] != in_order[:-1]) + 1, [len(score)]])
        return cls(order, edges, np.concatenate([[0], np.cumsum(positive[order], dtype=np.int64)]))

    def count(self, start: Integers, stop: Integers) -> Integers:
        """Positives of each window."""
        return np.asarray(self.positives[stop] - self.positives[start])

    def of_groups(self, value: Floats) -> Floats:
        """Values (groups,) for each row, in the order of the table."""
        rows = np.empty(len(self.order))
        rows[self.order] = np.repeat(value, np.diff(self.edges))
        return rows


def of_rows(score: Floats, positive: Flags, miss: float) -> Band:
    """Limits for eta of each row; with probability at most `miss`, one of them is false."""
    line = Line.of(score, positive)
    low, high = np.zeros(len(score) + 1), np.ones(len(score) + 1)  # of windows that end there; that begin there
    for one in windows(line.edges):
        count, each = line.count(one.start, one.stop), miss * one.share_each
        least, most = clopper_pearson.limits_of_counts(count, one.stop - one.start, each / 2)
        np.maximum.at(low, one.stop, least)
        np.minimum.at(high, one.start, most)
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return Band(line.of_groups(low[line.edges[1:]]), line.of_groups(high[line.edges[:-1]]))


def windows(edges: Integers) -> Iterator[Windows]:
    """Windows of each length, the last one the whole table; they depend on no label."""
    n = int(edges[-1])
    lengths = _lengths(n)
    for length, share in zip(lengths, _shares(lengths, n), strict=True):
        begin = np.append(np.arange(0, n - length, length / STARTS), n - length).astype(np.int64)
        start, stop = _widened(begin, begin + length, edges)
        yield Windows(start, stop, share)


def order_p_value(score: Floats, positive: Flags) -> float:
    """The p-value of M: does the first half of a window have more positives than its second half, beyond chance?

    Under M some c is at least every m of the first half and at most every m of the second. Against labels that are all
    positive with probability c, the first half has fewer positives and the second more, and Fisher's exact p-value
    falls with the former and rises with the latter: so it is valid here too. Each window has its share of the level;
    one window of each length is looked at, the one that falls most, which can only raise the p-value.
    """
    line = Line.of(score, positive)
    return min(1.0, *(_fall(line, one) / one.share_each for one in windows(line.edges)))


def _lengths(n: int) -> list[int]:
    lengths, length = [], float(SHORTEST)
    while length < n:
        lengths.append(int(length))
        length *= GROWTH
    return [*lengths, n]


def _shares(lengths: list[int], n: int) -> list[float]:
    away = np.log(np.array(lengths) / (BEST * n ** (2 / 3))) / SPREAD
    weight = 1 / (1 + away**2)
    return list(map(float, weight / weight.sum()))


def _widened(begin: Integers, end: Integers, edges: Integers) -> tuple[Integers, Integers]:
    """To whole groups, each window once."""
    first, last = np.searchsorted(edges, begin, side="right") - 1, np.searchsorted(edges, end)
    base = len(edges)
    first, last = np.divmod(np.unique(first * base + last), base)
    return edges[first], edges[last]


def _fall(line: Line, one: Windows) -> float:
    """Fisher's p-value of the window that falls most, P(X >= positives of its first half), X hypergeometric (Fisher
    1935); 1 where no window has two groups of scores."""
    from scipy.stats import hypergeom

    middle = line.edges[np.searchsorted(line.edges, (one.start + one.stop) // 2)]
    middle = np.where(middle < one.stop, middle, line.edges[np.searchsorted(line.edges, one.stop) - 1])
    a, b = middle - one.start, one.stop - middle
    first, second = line.count(one.start, middle), line.count(middle, one.stop)
    mean = (first + second) / (a + b)
    with np.errstate(divide="ignore", invalid="ignore"):
        fall = (first / a - second / b) / np.sqrt(mean * (1 - mean) * (1 / a + 1 / b))
    worst = int(np.argmax(np.where(np.isfinite(fall), fall, -np.inf)))
    rows, positives = a[worst] + b[worst], first[worst] + second[worst]
    return float(hypergeom.sf(first[worst] - 1, rows, positives, a[worst]))
