"""Neighbours along a line: rows whose score is most like that of a row. Ties at the k-th distance are included."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers


def count(score: Floats, labels: npt.NDArray[np.integer], classes: int, k: int) -> tuple[Integers, Floats]:
    """(n, C) class counts among the k nearest other rows of each, and (n,) the distance of the k-th; 1 <= k < n."""
    order = np.argsort(score, kind="stable")
    line = score[order]
    radius = _radius(line, k)
    first = np.searchsorted(line, line - radius, side="left")
    last = np.searchsorted(line, line + radius, side="right")
    first, last = _with_ends(line, radius, first, last)
    counts = np.empty((len(line), classes), np.int64)
    for c in range(classes):
        upto = np.concatenate([[0], np.cumsum(labels[order] == c)])
        counts[order, c] = upto[last] - upto[first] - (labels[order] == c)
    distance = np.empty(len(line))
    distance[order] = radius
    return counts, distance


def _radius(line: Floats, k: int) -> Floats:
    """Radius of the smallest window of k + 1 consecutive rows that holds the row itself: k others lie within it."""
    n, i = len(line), np.arange(len(line))
    low, high = np.maximum(i - k, 0), np.minimum(i, n - 1 - k)  # where such a window may begin
    begin = low.copy()
    end = high.copy()
    while np.any(begin < end):  # the first at which the right end is as far away as the left one
        middle = (begin + end) // 2
        farther = line[middle + k] - line >= line - line[middle]
        end = np.where(farther, middle, end)
        begin = np.where(farther, begin, np.minimum(middle + 1, end))
    before = np.maximum(begin - 1, low)
    return np.minimum(_reach(line, begin, k), _reach(line, before, k))


def _reach(line: Floats, begin: Integers, k: int) -> Floats:
    return np.maximum(line[begin + k] - line, line - line[begin])


def _with_ends(line: Floats, radius: Floats, first: Integers, last: Integers) -> tuple[Integers, Integers]:
    """Adding and subtracting the radius is rounded: a row at exactly that distance must not fall out."""
    n = len(line)
    outer = np.maximum(first - 1, 0)
    first = np.where(
        (first > 0) & (line - line[outer] <= radius), np.searchsorted(line, line[outer], side="left"), first
    )
    beyond = np.minimum(last, n - 1)
    reaches = (last < n) & (line[beyond] - line <= radius)
    return first, np.where(reaches, np.searchsorted(line, line[beyond], side="right"), last)
