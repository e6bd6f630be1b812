"""Columns as weights can use them: numbers of about one size, and levels of categories that are frequent enough.

Heavy tails are cut, and beside a heavy-tailed number stands its normal score: the place among all rows, bent to a bell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.table import Columns
from .contract import Lesson

Values = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int32]

SAMPLE = 50_000  # rows that tell where the quantiles are
MOST_LEVELS = 4096  # of a category; rarer ones are one level
FREQUENT = 3  # rows to learn from that make a level one of its own
PLACES = np.linspace(0, 1, 65)  # of the quantiles
CUT = 5.0  # standard deviations of the bulk
SHARED = 0  # the level of all that are rare or were never seen


@dataclass(frozen=True)
class Number:
    """Where the bulk of a column is. Missing cells become 0, which is its middle, and an indicator tells them."""

    at: int
    centre: float
    scale: float
    missing: bool
    knots: Floats | None = None  # its quantiles, where the tail is heavy

    @classmethod
    def of(cls, at: int, column: Values, seed: int) -> Number:
        sample = column[sampled(len(column), seed)]
        known = sample[np.isfinite(sample)].astype(np.float64)
        missing = bool(np.isnan(column).any())
        mean, sd = (float(known.mean()), float(known.std())) if len(known) else (0.0, 0.0)
        if sd == 0:
            return cls(at, mean, 1.0, missing)
        low, middle, high = np.quantile(known, [0.1, 0.5, 0.9])
        bulk = float(high - low) / 2.563
        far = float(np.abs(np.quantile(known, [0.001, 0.999]) - middle).max())
        # Is a quantile far out that is not of a bell, or so much that it makes the deviation?
        if bulk > 0 and (far > 2 * 3.09 * bulk or sd > 2 * bulk):
            return cls(at, float(middle), bulk, missing, np.quantile(known, PLACES))
        return cls(at, mean, sd, missing)

    @property
    def width(self) -> int:
        return 1 + (self.knots is not None) + self.missing

    def fill(self, cells: Values, out: Values) -> None:
        """out: (width, rows)."""
        gone = np.isnan(cells)
        whole = np.where(gone, np.float32(self.centre), cells)
        out[0] = np.clip((whole - np.float32(self.centre)) / np.float32(self.scale), -CUT, CUT)
        if self.knots is not None:
            out[1] = np.where(gone, 0, np.interp(whole, *_normal_scores(self.knots)))
        if self.missing:
            out[-1] = gone


def _normal_scores(knots: Floats) -> tuple[Floats, Floats]:
    """Values and their normal scores; equal quantiles are one, at the middle of their places."""
    from scipy.special import ndtri

    places = np.clip(PLACES, 0.25 / len(PLACES), 1 - 0.25 / len(PLACES))
    values, first, count = np.unique(knots, return_index=True, return_counts=True)
    return values, np.asarray(ndtri((places[first] + places[first + count - 1]) / 2))


@dataclass(frozen=True)
class Category:
    at: int
    level: Codes  # of each code; SHARED where it is rare

    @classmethod
    def of(cls, at: int, column: Values, rows: Integers, counts: Floats) -> Category:
        count = np.bincount(column[rows].astype(np.int64), counts, int(column.max()) + 1)
        kept = np.argsort(-count, kind="stable")[:MOST_LEVELS]
        kept = np.sort(kept[count[kept] >= FREQUENT])
        level = np.full(len(count), SHARED, np.int32)
        level[kept] = 1 + np.arange(len(kept))
        return cls(at, level)

    def of_cells(self, cells: Values) -> Codes:
        return self.level[cells.astype(np.int64)]

    @property
    def levels(self) -> int:
        return int(self.level.max()) + 1


@dataclass(frozen=True)
class Inputs:
    columns: Columns
    numbers: tuple[Number, ...]
    categories: tuple[Category, ...]

    @classmethod
    def of(cls, lesson: Lesson) -> Inputs:
        values, marks, counts = lesson.columns.values, lesson.columns.categorical, lesson.counts(lesson.learn)
        numbers = (Number.of(int(j), values[:, j], lesson.seed) for j in np.flatnonzero(~marks))
        categories = (Category.of(int(j), values[:, j], lesson.learn, counts) for j in np.flatnonzero(marks))
        return cls(lesson.columns, tuple(numbers), tuple(one for one in categories if one.levels > 1))

    @property
    def width(self) -> int:
        return sum(number.width for number in self.numbers)

    @property
    def levels(self) -> tuple[int, ...]:
        return tuple(category.levels for category in self.categories)

    @property
    def main(self) -> Integers:
        """The dense column of each number that says where it is: its normal score, where it has one."""
        starts = np.cumsum([0, *(number.width for number in self.numbers)])[:-1]
        scored = [number.knots is not None for number in self.numbers]
        return np.asarray(starts + np.array(scored, np.int64), np.int64)

    def dense(self, rows: Integers) -> Values:
        """(rows, width) of the numbers, in C order."""
        out, start = np.empty((len(rows), self.width), np.float32), 0
        for number in self.numbers:
            number.fill(self.columns.values[rows, number.at], out[:, start : start + number.width].T)
            start += number.width
        return out

    def codes(self, rows: Integers) -> Codes:
        """(rows, categories): those of each category start where those of the one before end."""
        out, start = np.empty((len(rows), len(self.categories)), np.int32), 0
        for j, category in enumerate(self.categories):
            out[:, j] = start + category.of_cells(self.columns.values[rows, category.at])
            start += category.levels
        return out


def sampled(n: int, seed: int) -> Integers:
    if n <= SAMPLE:
        return np.arange(n)
    return np.sort(np.random.default_rng([seed, n]).choice(n, SAMPLE, replace=False))
