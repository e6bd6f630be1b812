"""Logistic regression on levels and on pairs of levels: which pairs of columns to cross, labels tell (pairs.py).

Numbers keep their straight effect; cut into bins of equal counts they take part like categories, by themselves where
they are bent, and in pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..model import Floats, Integers
from . import pairs
from .contract import Fitting, Lesson, Predictor, constant
from .inputs import SHARED, Category, Codes, Inputs, Values, alone
from .linear import BLOCK, CHOOSING, FEWEST, Design, Problem, Weights, chosen, judged, softmax, with_one
from .pairs import Found, Left

BINS, FINE_BINS = 8, 32  # of numbers in pairs, and of a bent number by itself
FAR = 1.5  # a factor of a product is not larger
MOST_PAIRS, MOST_COLUMNS, MOST_CLASSES = 12, 50, 8  # classes: that pairs are looked for by
LOOKED_AT = 100_000  # rows among which pairs are looked for
WORK = 250_000_000  # rows times pairs times classes
CELLS, ALL_CELLS = 1 << 16, 1 << 21  # coefficients of a pair, and of all
PULLS = (4.0, 1.0, 0.25)  # of the penalties that pairs deserve by their own account


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
    def of(cls, found: Found, parts: Sequence[Part], inputs: Inputs, rows: Integers, most: int) -> Term:
        term = cls(found.columns, tuple(parts[j] for j in found.columns), np.empty(0, np.int64), found.penalty)
        cells, count = np.unique(term.cell(inputs, rows), return_counts=True)
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
class Sight:
    inputs: Inputs
    terms: tuple[Term, ...] = ()
    products: tuple[tuple[int, int], ...] = ()  # of numbers

    def dense(self, rows: Integers) -> Values:
        found = with_one(self.inputs.dense(rows))
        if not self.products:
            return found
        at = self.near(found)
        return np.column_stack([found, *(at[:, a] * at[:, b] for a, b in self.products)])

    def near(self, dense: Values) -> Values:
        return np.clip(dense[:, 1 + self.inputs.main], -np.float32(FAR), np.float32(FAR))

    def codes(self, rows: Integers) -> Codes:
        """Those of the categories, then those of the terms."""
        known = self.inputs.codes(rows)
        out = np.empty((len(rows), known.shape[1] + len(self.terms)), np.int32, order="F")
        out[:, : known.shape[1]] = known
        start = sum(self.inputs.levels)
        for j, term in enumerate(self.terms, known.shape[1]):
            out[:, j] = start + term.codes(self.inputs, rows)
            start += 1 + len(term.cells)
        return out

    def pulls(self, penalty: float, pull: float) -> Floats:
        """(levels, 1) times the penalty of the main effects."""
        terms = [np.full(1 + len(term.cells), pull * term.penalty / penalty) for term in self.terms]
        return np.concatenate([np.ones(sum(self.inputs.levels)), *terms])[:, None]

    def design(self, lesson: Lesson, rows: Integers) -> Design:
        levels = sum(self.inputs.levels) + sum(1 + len(term.cells) for term in self.terms)
        labels = lesson.labels[rows].astype(np.int64)
        return Design(self.dense(rows), self.codes(rows), labels, levels, lesson.classes)

    def wider(self, main: Weights) -> Weights:
        """The same scores, with coefficients of 0 for what is new."""
        dense = np.zeros((len(self.products), main.dense.shape[1]))
        levels = np.zeros((sum(1 + len(term.cells) for term in self.terms), main.dense.shape[1]))
        return Weights(np.concatenate([main.dense, dense]), np.concatenate([main.levels, levels]))

    def predict(self, weights: Weights, rows: Integers) -> Floats:
        with alone():
            starts = range(0, max(1, len(rows)), BLOCK)
            parts = [rows[start : start + BLOCK] for start in starts]
            return np.concatenate([softmax(weights.logits(self.dense(part), self.codes(part))) for part in parts])


class Crossed(Fitting):
    name = "crossed"
    example = "crossed"

    def fit(self, lesson: Lesson) -> Predictor:
        if len(lesson.learn) < FEWEST:
            return constant(lesson)
        with alone():
            sight, weights = _fitted(lesson)
        return lambda rows: sight.predict(weights, rows)


def _fitted(lesson: Lesson) -> tuple[Sight, Weights]:
    """Terms and penalties are chosen among some rows; all of them then say what the coefficients are."""
    plain, rng = Sight(Inputs.of(lesson)), np.random.default_rng([lesson.seed, 3])
    rows = lesson.learn[_some(len(lesson.learn), CHOOSING, rng)]
    learn, judge = plain.design(lesson, rows), plain.design(lesson, lesson.judge)
    penalty, main = chosen(learn, judge)
    terms, products = _found(plain, lesson, main, rng)
    sight = replace(plain, terms=terms, products=products)
    pulls, weights = np.ones((learn.levels, 1)), main
    if terms or products:
        lost, pull, with_terms = _pulled(sight, lesson, rows, penalty, main)
        if lost < judged(main, judge):
            pulls, weights = sight.pulls(penalty, pull), with_terms
        else:
            sight = plain
    if len(rows) < len(lesson.learn):
        weights = Problem(replace(sight.design(lesson, lesson.learn), pull=pulls)).solve(penalty, weights)
    return sight, weights


def _some(n: int, many: int, rng: np.random.Generator) -> Integers:
    return np.arange(n) if n <= many else np.sort(rng.choice(n, many, replace=False))


def _found(
    plain: Sight, lesson: Lesson, main: Weights, rng: np.random.Generator
) -> tuple[tuple[Term, ...], tuple[tuple[int, int], ...]]:
    """Bent numbers and pairs; products of numbers."""
    inputs = plain.inputs
    numbers, many = len(inputs.numbers), len(inputs.numbers) + len(inputs.categories)
    columns = min(many, MOST_COLUMNS)
    work = max(1, columns * (columns - 1) // 2) * min(lesson.classes, MOST_CLASSES)
    rows = lesson.learn[_some(len(lesson.learn), max(20_000, min(LOOKED_AT, WORK // work)), rng)]
    fine, coarse = parts_of(inputs, rows, FINE_BINS), parts_of(inputs, rows, BINS)
    design = plain.design(lesson, rows)
    left = _left(design, main, rng)
    bent = pairs.singles(_levels(inputs, fine[:numbers], rows), range(numbers), left)
    useful = _useful(inputs, design, main, bent)[:columns]
    crossed = pairs.pairs(_levels(inputs, coarse, rows), sorted(useful), left)[:MOST_PAIRS]
    most = min(CELLS, ALL_CELLS // (design.logits * max(1, len(crossed))))
    singles = [Term.of(found, fine, inputs, lesson.learn, most) for found in bent]
    terms = (*singles, *(Term.of(found, coarse, inputs, lesson.learn, most) for found in crossed))
    return terms, pairs.products(plain.near(design.dense), left)[:MOST_PAIRS]


def _levels(inputs: Inputs, parts: Sequence[Part], rows: Integers) -> Codes:
    out = np.empty((len(rows), len(parts)), np.int32, order="F")
    for j, part in enumerate(parts):
        out[:, j] = pairs.frequent(part.of_cells(inputs.columns.values[rows, part.at]))
    return out


def _left(design: Design, main: Weights, rng: np.random.Generator) -> Left:
    said = softmax(main.logits(design.dense, design.codes)).T  # (classes, rows)
    often = np.argsort(-np.bincount(design.labels, minlength=design.classes), kind="stable")
    which = [1] if design.classes == 2 else often[:MOST_CLASSES]
    mine = np.asarray(said[which])
    residual = (design.labels == np.asarray(which)[:, None]) - mine
    half = rng.permutation(len(design.labels)) % 2
    return Left(residual, mine * (1 - mine), half)


def _useful(inputs: Inputs, design: Design, main: Weights, bent: list[Found]) -> list[int]:
    """Columns, those first whose own effect varies most."""
    starts = np.cumsum([1, *(number.width for number in inputs.numbers)])
    straight = [float((design.dense[:, a:b] @ main.dense[a:b]).var(axis=0).sum()) for a, b in pairwise(starts)]
    spread = straight + [float(main.levels[code].var(axis=0).sum()) for code in design.codes.T]
    for found in bent:
        spread[found.columns[0]] += 4 * found.gain / len(design.labels)
    return [int(j) for j in np.argsort(-np.asarray(spread), kind="stable")]


def _pulled(
    sight: Sight, lesson: Lesson, rows: Integers, penalty: float, main: Weights
) -> tuple[float, float, Weights]:
    """What is lost with the pull that judges best, the pull, and its coefficients."""
    learn, judge = sight.design(lesson, rows), sight.design(lesson, lesson.judge)
    tried, weights = [], sight.wider(main)
    for pull in PULLS:
        weights = Problem(replace(learn, pull=sight.pulls(penalty, pull))).solve(penalty, weights)
        tried.append((judged(weights, judge), pull, weights))
    return min(tried, key=lambda one: one[0])
