"""The share of rows that have a label, where it rises with a score: isotonic regression (Barlow and Brunk 1972).

At either end it leaves a run of rows with one label only, where it would say 0 or 1. It may, if the scores themselves
had expected labels of the other kind there and none came: that is a region which gives the label away. Otherwise the
run is just as long as the first such label takes to come, and the straight line in the log-odds goes on instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model import Floats, Integers
from .log_odds import log_odds, logistic

EXPECTED = 10.0  # labels of the other kind that did not come: by chance once in e^10


@dataclass(frozen=True)
class Known:
    """Different scores in order, and how many rows and positives each has."""

    score: Floats
    rows: Integers
    positives: Integers

    @classmethod
    def of(cls, in_order: Floats, is_class: npt.NDArray[np.bool_]) -> Known:
        score, first, rows = np.unique(in_order, return_index=True, return_counts=True)
        return cls(score, rows, np.add.reduceat(is_class.astype(np.int64), first))


def said(known: Known, line: Floats, asked: Floats) -> Floats:
    """Of each score asked, that of the nearest known. line: constant and slope of the straight one."""
    return _fitted(known, line)[_nearest(log_odds(known.score), log_odds(asked))]


def _fitted(known: Known, line: Floats) -> Floats:
    from scipy.optimize import isotonic_regression

    level = np.asarray(isotonic_regression(known.positives / known.rows, weights=known.rows.astype(np.float64)).x)
    straight = logistic(line[0] + line[1] * log_odds(known.score))
    level = _beginning(level, straight, known.score * known.rows)
    return 1 - _beginning(1 - level[::-1], 1 - straight[::-1], ((1 - known.score) * known.rows)[::-1])[::-1]


def _beginning(level: Floats, straight: Floats, expected: Floats) -> Floats:
    """The run of zeros."""
    end = int(np.searchsorted(level, 0.0, side="right"))
    if end == 0 or expected[:end].sum() >= EXPECTED:
        return level
    return np.concatenate([np.minimum(straight[:end], level[end] if end < len(level) else 1.0), level[end:]])


def _nearest(known: Floats, asked: Floats) -> Integers:
    right = np.searchsorted(known, asked).clip(0, len(known) - 1)
    left = (right - 1).clip(0)
    return np.asarray(np.where(asked - known[left] <= known[right] - asked, left, right))
