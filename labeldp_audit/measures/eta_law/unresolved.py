"""How much people with like scores differ, as far as labels of rows that share a level tell.

Few rows of a level teach a model little about it: it gives them the average of all, though their labels agree more than
chance makes them. With r = y - m what a score m leaves, v = m (1 - m), and log-odds that levels move by an effect of
variance s, E[r_i r_k] is about s v_i v_k for two rows of a level: the sum over all pairs tells s of many levels
together, where no level tells its own effect. It is told for each column and each size of level; effects of columns add
up. Rows with equal features share all effects. What levels do not tell, such as bends of numbers, is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers

SIZES = (2, 8, 32, 128, 512, 2048)  # rows of a level, from so many on
LIKELY, CLEAR = 1.0, 2.0  # standard errors: less is taken for nothing; what is clear may be so much more
MOST, FAR = 9.0, 4.0  # a variance, and a deviation of log-odds
ROOM = 2.0  # fewer pairs tell a variance of 1 no better than by 1
NODES, STEPS, GRID = 15, 12, 0.02  # grid: of log-odds and of their deviation
_FEWEST = 20  # rows of a size

Codes = npt.NDArray[np.integer[Any]]
Both = tuple[Floats, Floats]
"""An estimate of a variance, and what it may be at most."""


def variance(
    columns: Iterable[Codes], same: Codes, score: Floats, positive: npt.NDArray[np.bool_], fold: Codes
) -> Both:
    """(n,) each, of the log-odds of each row about those of its score.

    columns: levels of each category, (n,); same (n,): equal where all features are. Pairs are of one fold, whose labels
    no model of it has seen.
    """
    left, weight, every = positive - score, score * (1 - score), [*columns, same]
    beyond_chance = math.sqrt(2 * math.log(len(every) * len(SIZES)))
    told = [_of_levels(codes, left, weight, fold, beyond_chance) for codes in every]
    apart = sum(told[:-1], start=np.zeros((2, len(score))))
    estimate, most = np.maximum(apart, told[-1])
    return np.minimum(MOST, estimate), most


def of_eta(variance: Floats, score: Floats) -> Floats:
    """The variance of eta about the score; nobody's exceeds m (1 - m)."""
    room = score * (1 - score)
    return np.asarray(np.minimum(variance * room**2, room))


def people(mean: Floats, variance: Floats) -> Floats:
    """(NODES, n) equally likely probabilities for each row, normal in log-odds, with that mean m and, as pairs of rows
    tell it, with the variance `variance` m^2 (1 - m)^2."""
    from scipy.special import expit, logit

    every, odds = np.tile(mean, (NODES, 1)), logit(mean)
    spread = np.flatnonzero((variance > 0) & np.isfinite(odds))
    near = np.round(np.stack([odds[spread], np.sqrt(variance[spread])]) / GRID).astype(np.int64)
    pairs, place = np.unique(near, axis=1, return_inverse=True)
    shift, far = _solved(*(pairs * GRID))[:, place.reshape(-1)]
    every[:, spread] = expit(odds[spread] + shift + _nodes() * far)
    return every


def _solved(odds: Floats, deviation: Floats) -> Floats:
    """(2, pairs) by how much the middle of the log-odds is away from those of the mean, and their deviation."""
    from scipy.special import expit, logit

    shift, far, target = np.zeros(len(odds)), np.maximum(deviation, GRID), np.maximum(deviation, GRID) ** 2
    for _ in range(STEPS):  # both settle by factors of two and more a step
        found = expit(odds + shift + _nodes() * far)
        now = found.mean(axis=0)
        short = target * (now * (1 - now)) ** 2 / found.var(axis=0)
        far = np.minimum(FAR, far * np.sqrt(np.clip(short, 0.5, 2)))
        shift -= logit(now) - odds
    return np.stack([shift, far])


def _nodes() -> Floats:
    """(NODES, 1) of mean 0 and variance 1."""
    from scipy.special import ndtri

    node = ndtri((np.arange(NODES) + 0.5) / NODES)[:, None]
    return np.asarray(node / node.std())


def _of_levels(codes: Codes, left: Floats, weight: Floats, fold: Codes, beyond_chance: float) -> Floats:
    """(2, n) of the effects of these levels. They are estimated where one of the sizes tells more than the luckiest of
    all columns would by chance; that they may be there takes less."""
    level, size = _numbered(codes)
    cell, _ = _numbered(level * (int(fold.max()) + 1) + fold)
    which = np.digitize(size[level], SIZES)
    told = [_told(cell[mine], left[mine], weight[mine]) for mine in (which == one for one in range(1, len(SIZES) + 1))]
    surely = max(found / error for found, error in told) > beyond_chance
    both = [(0.0, 0.0), *(_taken(found, error, surely) for found, error in told)]
    return np.array(both).T[:, which]


def _taken(found: float, error: float, surely: bool) -> tuple[float, float]:
    """The estimate, and what may be."""
    estimate = found if surely and found > LIKELY * error else 0.0
    return estimate, found + CLEAR * error if found > CLEAR * error else estimate


def _told(cell: Integers, left: Floats, weight: Floats) -> tuple[float, float]:
    """A variance and its standard error by chance alone, over all pairs of rows in a cell."""
    agreeing, room = _pairs(cell, left), _pairs(cell, weight)
    if len(cell) < _FEWEST or room < ROOM:
        return 0.0, math.inf
    return agreeing / room, math.sqrt(2 / room)  # the product of what is left of two rows has variance v_i v_k


def _pairs(cell: Integers, value: Floats) -> float:
    """The sum of products over ordered pairs of different rows."""
    return float((np.bincount(cell, value) ** 2).sum() - (value**2).sum())


def _numbered(codes: Codes) -> tuple[Integers, Integers]:
    """Levels from 0, and the rows of each."""
    _, number, count = np.unique(codes, return_inverse=True, return_counts=True)
    return number.reshape(-1), count
