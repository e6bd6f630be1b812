"""How much people with like scores differ, as far as labels of rows that share a level tell.

Few rows of a level teach a model little about it: it gives them the average of all, though their labels agree more than
chance makes them. With r = y - m what a score m leaves, v = m (1 - m), and log-odds that levels move by an effect of
variance s, E[r_i r_k] = s v_i v_k for two rows of a level: the sum over all pairs tells s of many levels together,
where no level tells its own effect. It is told for each column and each size of level; effects of columns add up. Rows
with equal features share all effects. What levels do not tell, such as bends of numbers, is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model import Floats, Integers

SIZES = (2, 8, 32, 128, 512, 2048)  # rows of a level, from so many on
CLEAR = 2.0  # standard errors: what is not that clear is nothing, and what is is taken for so much more
MOST = 9.0  # a variance of log-odds
_FEWEST = 20  # rows of a size

Codes = npt.NDArray[np.integer[Any]]


def variance(
    columns: Iterable[Codes], same: Codes, score: Floats, positive: npt.NDArray[np.bool_], fold: Codes
) -> Floats:
    """(n,) an upper estimate for the log-odds of each row about those of its score.

    columns: levels of each category, (n,); same (n,): equal where all features are. Pairs are of one fold, whose labels
    no model of it has seen.
    """
    left, weight = positive - score, score * (1 - score)
    apart = sum((_of_levels(codes, left, weight, fold) for codes in columns), start=np.zeros(len(score)))
    return np.asarray(np.minimum(MOST, np.maximum(apart, _of_levels(same, left, weight, fold))))


def _of_levels(codes: Codes, left: Floats, weight: Floats, fold: Codes) -> Floats:
    """(n,) of the effects of these levels."""
    level, size = _numbered(codes)
    cell, _ = _numbered(level * (int(fold.max()) + 1) + fold)
    which = np.digitize(size[level], SIZES)
    told = [_told(cell[mine], left[mine], weight[mine]) for mine in (which == one for one in range(1, len(SIZES) + 1))]
    return np.asarray(np.array([0.0, *told])[which])


def _told(cell: Integers, left: Floats, weight: Floats) -> float:
    """Over all pairs of rows in a cell; 0 where chance explains it."""
    if len(cell) < _FEWEST:
        return 0.0
    agreeing, room = _pairs(cell, left), _pairs(cell, weight)
    if room <= 0 or agreeing <= CLEAR * np.sqrt(2 * room):
        return 0.0
    return float((agreeing + CLEAR * np.sqrt(2 * room)) / room)


def _pairs(cell: Integers, value: Floats) -> float:
    """The sum of products over ordered pairs of different rows."""
    return float((np.bincount(cell, value) ** 2).sum() - (value**2).sum())


def _numbered(codes: Codes) -> tuple[Integers, Integers]:
    """Levels from 0, and the rows of each."""
    _, number, count = np.unique(codes, return_inverse=True, return_counts=True)
    return number.reshape(-1), count
