"""Neighbours along a line: rows whose score is most like that of a row. Ties at the k-th distance are included."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers


def count(score: Floats, labels: npt.NDArray[np.integer], classes: int, k: int) -> tuple[Integers, Floats]:
    """(n, C) class counts among the k nearest other rows of each, and (n,) the distance of the k-th; 1 <= k < n."""
    n, order = len(score), np.argsort(score, kind="stable")
    line = score[order]
    radius = _radius(line, k)
    first = np.searchsorted(line, line - radius, side="left")
    last = np.searchsorted(line, line + radius, side="right")
    # Adding and subtracting the radius is rounded: a row at exactly that distance must not fall out.
    outer, beyond = np.maximum(first - 1, 0), np.minimum(last, n - 1)
    reaches = (first > 0) & (line - line[outer] <= radius)
    first = np.where(reaches, np.searchsorted(line, line[outer], side="left"), first)
    reaches = (last < n) & (line[beyond] - line <= radius)
    last = np.where(reaches, np.searchsorted(line, line[beyond], side="right"), last)
    counts, distance = np.empty((n, classes), np.int64), np.empty(n)
    for c in range(classes):
        is_class = labels[order] == c
        upto = np.concatenate([[0], np.cumsum(is_class)])
        counts[order, c] = upto[last] - upto[first] - is_class
    distance[order] = radius
    return counts, distance


def _radius(line: Floats, k: int) -> Floats:
    """Radius of the smallest window of k + 1 consecutive rows that holds the row itself: k others lie within it."""
    n, i = len(line), np.arange(len(line))
    low, high = np.maximum(i - k, 0), np.minimum(i, n - 1 - k)  # where such a window may begin
    begin, end = low, high
    while np.any(begin < end):  # the first at which the right end is as far away as the left one
        middle = (begin + end) // 2
        farther = line[middle + k] - line >= line - line[middle]
        end = np.where(farther, middle, end)
        begin = np.where(farther, begin, np.minimum(middle + 1, end))
    one, other = (np.maximum(line[at + k] - line, line - line[at]) for at in (begin, np.maximum(begin - 1, low)))
    return np.asarray(np.minimum(one, other))
