"""How much people with like scores differ, as far as labels of rows that share a level tell.

Few rows of a level teach a model little about it: it gives them the average of all, though their labels agree more than
chance makes them. With r = y - m what a score m leaves, v = m (1 - m), and log-odds that levels move by an effect of
variance s, E[r_i r_k] is about s v_i v_k for two rows of a level: the sum over all pairs tells s of many levels
together, where no level tells its own effect. It is told for each column and each size of level; effects of columns add
up. Rows with equal features share all effects. Parts of the rows by a number are levels too: they tell whether models
make too little of it. What neither tells, such as where numbers cross, is not seen.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers

SIZES = (2, 8, 32, 128, 512, 2048)  # rows of a level, from so many on
LIKELY, CLEAR = 1.0, 2.0  # standard errors: less is taken for nothing; what is clear may be so much more
BAND = 0.25  # a deviation of half a unit of log-odds moves shares less than the width of a band does
MOST, FAR = 9.0, 4.0  # a variance, and a deviation of log-odds
ROOM = 2.0  # fewer pairs tell a variance of 1 no better than by 1
NODES, STEPS, GRID = 15, 12, 0.02  # grid: of log-odds and of their deviation
# Rows of like score: at least so many for the error of the model, a fifth of which have one, and for slopes, which
# reach so many errors to either side.
FOLDED, WINDOW, REACH = 500, 150, 1.5
STEP, ROOM_LEAST, NEARLY_EQUAL = 4.0, 0.02, 1e-7
_FEWEST = 20  # rows of a size

Codes = npt.NDArray[np.integer[Any]]
Both = tuple[Floats, Floats]
"""An estimate of a variance, and what it may be at most."""


@dataclass(frozen=True)
class Told:
    """What pairs of rows tell of effects that add up, for each row."""

    likely: Floats  # (n,) a variance, where it is beyond chance
    found: Floats  # what pairs make of it
    square: Floats  # of its standard error; errors of columns add in squares
    largest: Floats  # what the column that may move most may do

    @property
    def most(self) -> Floats:
        return np.maximum(self.largest, self.found + CLEAR * np.sqrt(self.square))

    @property
    def clear(self) -> bool:
        """Over all rows, and more than a band along the score is wide."""
        found = float(self.found.mean())
        return found > max(BAND, CLEAR * math.sqrt(float(self.square.mean())))

    def where_clear(self) -> Told:
        """Row by row, beyond chance."""
        there = self.found > CLEAR * np.sqrt(self.square)
        return Told(self.likely, *(np.where(there, one, 0.0) for one in (self.found, self.square, self.largest)))

    def beside(self, other: Told) -> Told:
        return Told(self.likely + other.likely, self.found + other.found, self.square + other.square,
                    np.maximum(self.largest, other.largest))  # fmt: skip


def variance(
    columns: Sequence[Codes], parts: Sequence[Codes], same: Codes, score: Floats, positive: npt.NDArray[np.bool_],
    fold: Codes, *, blind: bool = False,
) -> Both:  # fmt: skip
    """(n,) each, of the log-odds of each row about those of its score.

    columns: levels of each category, (n,); parts: of the rows, by each number; same (n,): equal where all features are.
    Pairs are of one fold, whose labels no model of it has seen. What they clearly tell counts; of numbers, which models
    see best, what all of them tell together. Where scores are blind, what pairs cannot exclude counts as well: then
    they alone tell whether there is anything to see. Rows with equal features share all effects: where they tell as
    much as columns, what they tell is all there is. Rows equal in all categories share those of categories, crossed
    ones too.
    """
    residuals = Residuals.of(score, positive, fold)
    nothing = Told(*np.zeros((4, len(score))))

    def told(codes: Codes, tests: int = len(columns) + 2) -> Told:
        return _of_levels(codes, residuals, math.sqrt(2 * math.log(tests * len(SIZES))))

    def counted(codes: Codes) -> Told:
        return told(codes) if blind else told(codes).where_clear()

    by_level, alike = functools.reduce(Told.beside, map(counted, columns), nothing), counted(same)
    by_part = functools.reduce(Told.beside, (told(one, len(parts)) for one in parts), nothing)
    crossed = told(_together(columns)).where_clear() if len(columns) > 1 else nothing
    if blind or by_part.clear:
        by_level = by_level.beside(by_part)
    enough = (alike.square > 0) & (alike.square <= by_level.square)
    likely = np.maximum.reduce([by_level.likely, crossed.likely, alike.likely])
    most = np.where(enough, alike.most, np.maximum.reduce([by_level.most, crossed.most, alike.where_clear().most]))
    return np.minimum(MOST, likely), np.maximum(likely, most)


def of_model(odds: Floats, positive: npt.NDArray[np.bool_], eta: Floats, apart: Floats) -> Floats:
    """Return the variance of log-odds about those of the score that the model's own error makes, (n,).

    odds (n,): of the score; apart (n,): of two models that learnt from disjoint halves, NaN where there are none. Half
    a difference is as large as the error of a model of all rows, which moves people along the slope of their share. At
    the centre of a step in eta the variance is pi / 2 times what the slope says, and more beside it: STEP covers that.
    What is less than a band is wide counts nothing.
    """
    n, order = len(odds), np.argsort(odds, kind="stable")
    place, at, ours = np.arange(n), odds[order] - odds.mean(), positive[order].astype(np.float64)
    square = apart[order] ** 2 / 4
    known = ~np.isnan(square)

    def windows(values: Floats, low: Integers, high: Integers) -> Floats:
        sums = np.concatenate([[0.0], np.cumsum(values)])
        return np.asarray(sums[high] - sums[low])

    half = max(FOLDED, n // 20) // 2
    wide = np.maximum(place - half, 0), np.minimum(place + half + 1, n)
    error = windows(np.where(known, square, 0.0), *wide) / np.maximum(windows(known.astype(float), *wide), 1)
    reach = REACH * np.sqrt(error)
    low = np.minimum(np.searchsorted(at, at - reach), np.maximum(place - WINDOW // 2, 0))
    high = np.maximum(np.searchsorted(at, at + reach, side="right"), np.minimum(place + WINDOW // 2 + 1, n))
    mean = windows(at, low, high) / (high - low)
    spread = windows(at**2, low, high) - (high - low) * mean**2
    rising = np.maximum(windows(at * ours, low, high) - mean * windows(ours, low, high), 0)
    slope = np.where(spread > NEARLY_EQUAL * (high - low), rising / np.maximum(spread, NEARLY_EQUAL), 0.0)
    room = np.maximum(eta * (1 - eta), ROOM_LEAST)
    found = np.empty(n)
    found[order] = slope**2 * error
    return np.where(found > BAND * room**2, STEP * found / room**2, 0.0)


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


@dataclass(frozen=True)
class Residuals:
    """What scores leave of labels, but for what a fold's model is off by on average."""

    left: Floats  # (n,)
    weight: Floats  # m (1 - m)
    fold: Codes
    drawn_in: float  # what the subtracted average takes from each pair's product, as a variance

    @classmethod
    def of(cls, score: Floats, positive: npt.NDArray[np.bool_], fold: Codes) -> Residuals:
        left, weight = positive - score, score * (1 - score)
        room = np.maximum(np.bincount(fold, weight), np.finfo(float).tiny)
        off = np.bincount(fold, left) / room
        return cls(left - weight * off[fold], weight, fold, float((1 / room[fold]).mean()))

    def told(self, cell: Integers, rows: npt.NDArray[np.bool_] | slice = slice(None)) -> tuple[float, float]:
        """A variance and its standard error by chance alone, over all pairs of rows in a cell."""
        cell, left, weight = cell[rows], self.left[rows], self.weight[rows]
        room = _pairs(cell, weight)
        if len(cell) < _FEWEST or room < ROOM:
            return 0.0, math.inf
        # the product of what is left of two rows has variance v_i v_k
        return _pairs(cell, left) / room + self.drawn_in, math.sqrt(2 / room)


def _of_levels(codes: Codes, residuals: Residuals, beyond_chance: float) -> Told:
    """Of the effects of these levels. They are likely where one of the sizes tells more than the luckiest of all
    columns would by chance. A size of which too few pairs tell takes what all sizes of the column tell, and so do rows
    alone in their level. Where most levels are such, they are names, and pairs exclude nothing."""
    level, size = _numbered(codes)
    cell, _ = _numbered(level * (int(residuals.fold.max()) + 1) + residuals.fold)
    which = np.digitize(size[level], SIZES)
    told = [residuals.told(cell, which == one) for one in range(1, len(SIZES) + 1)]
    surely = max(found / error for found, error in told) > beyond_chance
    likely = [found if surely and found > LIKELY * error else 0.0 for found, error in told]
    together = (0.0, math.inf) if len(size) > len(level) / 2 else residuals.told(cell)
    known = np.array([together, *(together if math.isinf(error) else (found, error) for found, error in told)])
    found, error = known.T
    return Told(*(one[which] for one in (np.array([0.0, *likely]), found, error**2, found + CLEAR * error)))


def _together(columns: Sequence[Codes]) -> Integers:
    """Levels of rows that are equal in all of these."""
    level = np.zeros(len(columns[0]), np.int64)
    for codes in columns:
        level, _ = _numbered(level * (int(codes.max()) + 1) + codes)
    return level


def _pairs(cell: Integers, value: Floats) -> float:
    """The sum of products over ordered pairs of different rows."""
    return float((np.bincount(cell, value) ** 2).sum() - (value**2).sum())


def _numbered(codes: Codes) -> tuple[Integers, Integers]:
    """Levels from 0, and the rows of each."""
    _, number, count = np.unique(codes, return_inverse=True, return_counts=True)
    return number.reshape(-1), count
