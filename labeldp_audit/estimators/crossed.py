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
from .contract import Learner, Lesson, Predictor, inside, shares
from .inputs import SHARED, Category, Codes, Inputs, Values, alone
from .linear import BLOCK, CHOOSING, FEWEST, Design, Problem, Weights, chosen, design_of, judged, softmax, with_one
from .pairs import Found, Left

BINS = 10
MOST_PAIRS, MOST_COLUMNS, MOST_CLASSES = 10, 50, 8  # classes: that pairs are looked for by
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
    def of(cls, at: int, column: Values) -> Bins:
        known = column[np.isfinite(column)]
        places = np.linspace(0, 1, BINS + 1)[1:-1]
        edges = np.unique(np.quantile(known, places, method="higher")) if len(known) else known
        return cls(at, edges.astype(np.float32))

    def level(self, column: Values) -> Codes:
        found = 1 + np.searchsorted(self.edges, column, side="right")
        return np.where(np.isnan(column), 0, found).astype(np.int32)

    @property
    def levels(self) -> int:
        return len(self.edges) + 2


@dataclass(frozen=True)
class Levels:
    """Every column as levels: numbers first, as in Inputs."""

    inputs: Inputs
    parts: tuple[Bins | Category, ...]

    @classmethod
    def of(cls, inputs: Inputs, sample: Integers) -> Levels:
        values = inputs.columns.values
        bins = (Bins.of(number.at, values[sample, number.at]) for number in inputs.numbers)
        return cls(inputs, (*bins, *inputs.categories))

    def of_column(self, j: int, rows: Integers) -> Codes:
        part, column = self.parts[j], self.inputs.columns.values[rows, self.parts[j].at]
        return part.level(column) if isinstance(part, Bins) else part.level[column.astype(np.int64)]

    def at(self, rows: Integers, columns: Sequence[int]) -> Codes:
        out = np.empty((len(rows), len(columns)), np.int32, order="F")
        for k, j in enumerate(columns):
            out[:, k] = self.of_column(j, rows)
        return out

    def cell(self, columns: tuple[int, ...], rows: Integers) -> Integers:
        found = np.zeros(len(rows), np.int64)
        for j in columns:
            found *= self.parts[j].levels
            found += self.of_column(j, rows)
        return found


@dataclass(frozen=True)
class Term:
    """A column or a pair, with a coefficient for each cell that is frequent enough and one for all others."""

    columns: tuple[int, ...]
    cells: Integers  # ascending
    penalty: float

    @classmethod
    def of(cls, found: Found, levels: Levels, rows: Integers, most: int) -> Term:
        cells, count = np.unique(levels.cell(found.columns, rows), return_counts=True)
        kept = np.argsort(-count, kind="stable")[:most]
        return cls(found.columns, np.sort(cells[kept[count[kept] > 1]]), found.penalty)

    def codes(self, levels: Levels, rows: Integers) -> Codes:
        if not len(self.cells):
            return np.full(len(rows), SHARED, np.int32)
        cell = levels.cell(self.columns, rows)
        place = np.minimum(np.searchsorted(self.cells, cell), len(self.cells) - 1)
        return np.where(self.cells[place] == cell, 1 + place, SHARED).astype(np.int32)


@dataclass(frozen=True)
class Sight:
    inputs: Inputs
    levels: Levels
    terms: tuple[Term, ...]

    def codes(self, rows: Integers) -> Codes:
        """Those of the categories, then those of the terms."""
        more, start = [], sum(self.inputs.levels)
        for term in self.terms:
            more.append(start + term.codes(self.levels, rows))
            start += 1 + len(term.cells)
        return np.column_stack([self.inputs.codes(rows), *more]).astype(np.int32)

    def design(self, main: Design, rows: Integers, penalty: float, pull: float) -> Design:
        own = [np.ones(sum(self.inputs.levels))]
        more = [np.full(1 + len(term.cells), pull * term.penalty / penalty) for term in self.terms]
        pulls = np.concatenate([*own, *more])[:, None]
        return replace(main, codes=self.codes(rows), levels=len(pulls), pull=pulls)

    def predict(self, weights: Weights, rows: Integers) -> Floats:
        with alone():
            starts = range(0, max(1, len(rows)), BLOCK)
            parts = [rows[start : start + BLOCK] for start in starts]
            logits = [weights.logits(with_one(self.inputs.dense(part)), self.codes(part)) for part in parts]
            return np.concatenate([softmax(one) for one in logits])


class Crossed(Learner):
    name = "crossed"
    example = "crossed"

    def fit(self, lesson: Lesson) -> Predictor:
        if len(lesson.learn) < FEWEST:
            constant = shares(lesson)
            return lambda rows: inside(np.tile(constant, (len(rows), 1)))
        with alone():
            sight, weights = _fitted(lesson)
        return lambda rows: sight.predict(weights, rows)


def _fitted(lesson: Lesson) -> tuple[Sight, Weights]:
    inputs, rng = Inputs.of(lesson), np.random.default_rng([lesson.seed, 3])
    learn, judge = (design_of(inputs, lesson, rows) for rows in (lesson.learn, lesson.judge))
    some = _some(len(lesson.learn), CHOOSING, rng)
    penalty, main = chosen(learn.at(some), judge)
    main = Problem(learn).solve(penalty, main) if len(some) < len(lesson.learn) else main
    levels = Levels.of(inputs, lesson.learn[_some(len(lesson.learn), LOOKED_AT, rng)])
    plain = Sight(inputs, levels, ())
    terms = _terms(plain, lesson, learn, main, rng)
    if not terms:
        return plain, main
    sight = replace(plain, terms=terms)
    weights, lost = _with_terms(sight, lesson, (learn, judge), (penalty, main), some)
    return (sight, weights) if lost < judged(main, judge) else (plain, main)


def _some(n: int, many: int, rng: np.random.Generator) -> Integers:
    return np.arange(n) if n <= many else np.sort(rng.choice(n, many, replace=False))


def _terms(plain: Sight, lesson: Lesson, learn: Design, main: Weights, rng: np.random.Generator) -> tuple[Term, ...]:
    """Bent numbers and pairs."""
    numbers, many = len(plain.inputs.numbers), len(plain.levels.parts)
    columns = min(many, MOST_COLUMNS)
    work = max(1, columns * (columns - 1) // 2) * min(learn.logits, MOST_CLASSES)
    some = _some(len(lesson.learn), max(20_000, min(LOOKED_AT, WORK // work)), rng)
    left = _left(learn.at(some), main, rng)
    seen = pairs.rarest_together(plain.levels.at(lesson.learn[some], range(many)))
    bent = pairs.singles(seen, range(numbers), left)
    useful = _useful(plain, learn.at(some), main, bent)[:columns]
    crossed = pairs.pairs(seen, sorted(useful), left)[:MOST_PAIRS]
    most = min(CELLS, ALL_CELLS // (learn.logits * max(1, len(crossed))))
    return tuple(Term.of(found, plain.levels, lesson.learn, most) for found in (*bent, *crossed))


def _left(design: Design, main: Weights, rng: np.random.Generator) -> Left:
    said = softmax(main.logits(design.dense, design.codes)).T  # (classes, rows)
    often = np.argsort(-np.bincount(design.labels, minlength=design.classes), kind="stable")
    which = [1] if design.classes == 2 else often[:MOST_CLASSES]
    mine = np.asarray(said[which])
    residual = (design.labels == np.asarray(which)[:, None]) - mine
    half = rng.permutation(len(design.labels)) % 2
    return Left(residual, mine * (1 - mine), half)


def _useful(plain: Sight, design: Design, main: Weights, bent: list[Found]) -> list[int]:
    """Columns, those first whose own effect varies most."""
    numbers, codes = plain.inputs.numbers, design.codes
    starts = np.cumsum([1, *(number.width for number in numbers)])
    spread = [float((design.dense[:, a:b] @ main.dense[a:b]).var(axis=0).sum()) for a, b in pairwise(starts)] + [
        float(main.levels[code].var(axis=0).sum()) for code in codes.T
    ]
    for found in bent:
        spread[found.columns[0]] += 2 * found.gain / len(codes)
    return [int(j) for j in np.argsort(-np.asarray(spread), kind="stable")]


def _with_terms(
    sight: Sight, lesson: Lesson, main: tuple[Design, Design], found: tuple[float, Weights], some: Integers
) -> tuple[Weights, float]:
    """The coefficients with the pull that judges best, and what they lose."""
    (learn, judge), (penalty, weights) = main, found
    more = np.zeros((sum(1 + len(term.cells) for term in sight.terms), learn.logits))
    start = Weights(weights.dense, np.concatenate([weights.levels, more]))
    tried = []
    held = sight.design(judge, lesson.judge, penalty, 1.0)
    for pull in PULLS:
        design = sight.design(learn.at(some), lesson.learn[some], penalty, pull)
        start = Problem(design).solve(penalty, start)
        tried.append((judged(start, held), pull, start))
    lost, pull, best = min(tried, key=lambda one: one[0])
    if len(some) < len(lesson.learn):
        best = Problem(sight.design(learn, lesson.learn, penalty, pull)).solve(penalty, best)
        lost = judged(best, held)
    return best, lost
