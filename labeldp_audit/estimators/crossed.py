"""Logistic regression on levels and on pairs of levels: which pairs of columns to cross, labels tell (pairs.py).

Numbers keep their straight effect; cut into bins of equal counts they take part like categories, by themselves where
they are bent, and in pairs.

Ours, because on `levels` and `curved` of tests/worlds.py (20 000 rows, two draws each) LightGBM's linear trees are 1.2
to 1.7 times as far from the best log loss and take 2.5 to 3 times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..core.arrays import Floats, Integers
from . import pairs
from .contract import Learner, Lesson, Scores
from .inputs import SHARED, Category, Codes, Inputs, Values
from .linear import (
    CHOOSING,
    FEWEST,
    Design,
    Fit,
    Linear,
    Plain,
    Weights,
    finished,
    judged,
    main_effects,
    predictor,
    settled,
    some,
)
from .pairs import Found, Left

BINS, FINE_BINS = 8, 32  # of numbers in pairs, and of a bent number by itself
FAR = 1.5  # a factor of a product is not larger
MOST_PAIRS, MOST_COLUMNS, MOST_CLASSES = 12, 50, 8  # classes: that pairs are looked for by
LOOKED_AT = 100_000  # rows among which pairs are looked for
WORK = 250_000_000  # rows times pairs times classes
CELLS, ALL_CELLS = 1 << 16, 1 << 21  # coefficients of a pair, and of all


@dataclass(frozen=True)
class Bins:
    """A number as levels: 0 where it is missing."""

    at: int
    edges: Values

    @classmethod
    def of(cls, at: int, column: Values, many: int) -> Bins:
        known = column[np.isfinite(column)]
        places = np.linspace(0, 1, many + 1)[1:-1]
        edges = np.unique(np.quantile(known, places, method="higher")) if len(known) else known
        return cls(at, edges.astype(np.float32))

    def of_cells(self, column: Values) -> Codes:
        found = 1 + np.searchsorted(self.edges, column, side="right")
        return np.where(np.isnan(column), 0, found).astype(np.int32)

    @property
    def levels(self) -> int:
        return len(self.edges) + 2


@dataclass(frozen=True)
class Known:
    """The levels of a category that the main effects know too."""

    category: Category

    @property
    def at(self) -> int:
        return self.category.at

    def of_cells(self, column: Values) -> Codes:
        return self.category.level[column.astype(np.int64)]

    @property
    def levels(self) -> int:
        return self.category.levels


Part = Bins | Known
"""A column as levels."""


def parts_of(inputs: Inputs, sample: Integers, bins: int) -> list[Part]:
    """Numbers first, as in Inputs."""
    values = inputs.columns.values
    numbers = [Bins.of(number.at, values[sample, number.at], bins) for number in inputs.numbers]
    return [*numbers, *map(Known, inputs.categories)]


@dataclass(frozen=True)
class Term:
    """A column or a pair, with a coefficient for each cell that is frequent enough and one for all others."""

    columns: tuple[int, ...]
    parts: tuple[Part, ...]
    cells: Integers  # ascending
    penalty: float

    @classmethod
    def of(cls, found: Found, parts: Sequence[Part], inputs: Inputs, rows: Integers, counts: Floats, most: int) -> Term:
        term = cls(found.columns, tuple(parts[j] for j in found.columns), np.empty(0, np.int64), found.penalty)
        cells, which = np.unique(term.cell(inputs, rows), return_inverse=True)
        count = np.bincount(which, counts)
        kept = np.argsort(-count, kind="stable")[:most]
        return replace(term, cells=np.sort(cells[kept[count[kept] > 1]]))

    def cell(self, inputs: Inputs, rows: Integers) -> Integers:
        found = np.zeros(len(rows), np.int64)
        for part in self.parts:
            found *= part.levels
            found += part.of_cells(inputs.columns.values[rows, part.at])
        return found

    def codes(self, inputs: Inputs, rows: Integers) -> Codes:
        if not len(self.cells):
            return np.full(len(rows), SHARED, np.int32)
        cell = self.cell(inputs, rows)
        place = np.minimum(np.searchsorted(self.cells, cell), len(self.cells) - 1)
        return np.where(self.cells[place] == cell, 1 + place, SHARED).astype(np.int32)


@dataclass(frozen=True)
class Sight(Plain):
    terms: tuple[Term, ...] = ()
    products: tuple[tuple[int, int], ...] = ()  # of numbers

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the categories, then of the terms."""
        return (*super().sizes, *(1 + len(term.cells) for term in self.terms))

    def dense(self, rows: Integers) -> Values:
        found = super().dense(rows)
        if not self.products:
            return found
        at = self.near(found)
        return np.column_stack([found, *(at[:, a] * at[:, b] for a, b in self.products)])

    def near(self, dense: Values) -> Values:
        return np.clip(dense[:, 1 + self.inputs.main], -np.float32(FAR), np.float32(FAR))

    def codes(self, rows: Integers) -> Codes:
        known = super().codes(rows)
        out = np.empty((len(rows), known.shape[1] + len(self.terms)), np.int32)
        out[:, : known.shape[1]] = known
        starts = np.cumsum([0, *self.sizes])
        for j, term in enumerate(self.terms, known.shape[1]):
            out[:, j] = starts[j] + term.codes(self.inputs, rows)
        return out

    def wider(self, main: Fit) -> Fit:
        """The same scores, with coefficients of 0 for what is new."""
        penalties, weights = main
        dense = np.zeros((len(self.products), weights.dense.shape[1]))
        levels = np.zeros((sum(1 + len(term.cells) for term in self.terms), weights.dense.shape[1]))
        wider = Weights(np.concatenate([weights.dense, dense]), np.concatenate([weights.levels, levels]))
        return np.concatenate([penalties, [term.penalty for term in self.terms]]), wider


class Crossed(Learner):
    name = "crossed"
    example = "crossed"

    def scores(self, lesson: Lesson) -> Scores:
        """Where nothing is worth crossing, those of the linear learner."""
        if len(lesson.learn) < FEWEST or (found := _fitted(lesson)) is None:
            return lesson.scores(Linear())
        return finished(*found, lesson)


def _fitted(lesson: Lesson) -> tuple[Sight, Fit] | None:
    """Terms and penalties are chosen among some rows; whether they are worth it, those to judge say."""
    plain, main = main_effects(lesson)
    sight = _found(plain, lesson, main[1])
    if not (sight.terms or sight.products):
        return None
    rows = some(lesson.learn, CHOOSING, np.random.default_rng([lesson.seed, 1]))
    judge = Design.of(sight, lesson, lesson.judge)
    wider = sight.wider(main)
    fit = settled(Design.of(sight, lesson, rows), wider)
    return (sight, fit) if judged(fit[1], judge) < judged(wider[1], judge) else None


def _found(plain: Plain, lesson: Lesson, main: Weights) -> Sight:
    """Bent numbers and pairs; products of numbers."""
    inputs, rng = plain.inputs, np.random.default_rng([lesson.seed, 3])
    numbers, many = len(inputs.numbers), len(inputs.numbers) + len(inputs.categories)
    columns = min(many, MOST_COLUMNS)
    work = max(1, columns * (columns - 1) // 2) * min(lesson.classes, MOST_CLASSES)
    rows = some(lesson.learn, max(20_000, min(LOOKED_AT, WORK // work)), rng)
    fine, coarse = parts_of(inputs, rows, FINE_BINS), parts_of(inputs, rows, BINS)
    rows, left = _left(plain, lesson, rows, main, rng)
    dense, codes, counts = plain.dense(rows), plain.codes(rows), lesson.counts(lesson.learn)
    bent = pairs.singles(_levels(inputs, fine[:numbers], rows), range(numbers), left)
    useful = _useful(inputs, dense, codes, main, bent)[:columns]
    crossed = pairs.pairs(_levels(inputs, coarse, rows), sorted(useful), left)[:MOST_PAIRS]
    most = min(CELLS, ALL_CELLS // (main.dense.shape[1] * max(1, len(crossed))))
    singles = [Term.of(found, fine, inputs, lesson.learn, counts, most) for found in bent]
    terms = (*singles, *(Term.of(found, coarse, inputs, lesson.learn, counts, most) for found in crossed))
    sight = Sight(inputs, terms)
    return replace(sight, products=pairs.products(sight.near(dense), left)[:MOST_PAIRS])


def _levels(inputs: Inputs, parts: Sequence[Part], rows: Integers) -> Codes:
    out = np.empty((len(rows), len(parts)), np.int32, order="F")
    for j, part in enumerate(parts):
        out[:, j] = pairs.frequent(part.of_cells(inputs.columns.values[rows, part.at]))
    return out


def _left(
    plain: Plain, lesson: Lesson, rows: Integers, main: Weights, rng: np.random.Generator
) -> tuple[Integers, Left]:
    """What the main effects leave of these rows, in two halves by lot; a row that stands for many is in both."""
    rows, count, half = _halves(lesson, rows, rng)
    labels = lesson.labels[rows]
    said = np.asarray(predictor(plain, main)(rows)).T  # (classes, rows)
    often = np.argsort(-np.bincount(labels, count, lesson.classes), kind="stable")
    which = [1] if lesson.classes == 2 else often[:MOST_CLASSES]
    mine = np.asarray(said[which])
    residual = (labels == np.asarray(which)[:, None]) - mine
    return rows, Left(residual * count, mine * (1 - mine) * count, half)


def _halves(lesson: Lesson, rows: Integers, rng: np.random.Generator) -> tuple[Integers, Floats, Integers]:
    if lesson.repeats is None:
        return rows, np.ones(len(rows)), rng.permutation(len(rows)) % 2
    whole = lesson.repeats[rows]
    first = rng.binomial(whole, 0.5)
    count = np.concatenate([first, whole - first]).astype(np.float64)
    return np.tile(rows, 2), count, np.repeat([0, 1], len(rows))


def _useful(inputs: Inputs, dense: Values, codes: Codes, main: Weights, bent: list[Found]) -> list[int]:
    """Columns, those first whose own effect varies most."""
    starts = np.cumsum([1, *(number.width for number in inputs.numbers)])
    straight = [float((dense[:, a:b] @ main.dense[a:b]).var(axis=0).sum()) for a, b in pairwise(starts)]
    spread = straight + [float(main.levels[code].var(axis=0).sum()) for code in codes.T]
    for found in bent:
        spread[found.columns[0]] += 4 * found.gain / len(dense)
    return [int(j) for j in np.argsort(-np.asarray(spread), kind="stable")]
