"""Logistic regression on levels and on pairs of levels: which pairs of columns to cross, labels tell.

Numbers keep their straight effect; cut into bins of equal counts they take part like categories, by themselves where
they are bent, and in pairs.

Which pairs tell more together than their own effects add up to: what main effects leave, r = (y == c) - P(c), is summed
in every cell of a pair, in each of two halves of the rows. Chance makes the sums of the halves differ; an effect of the
cell makes them agree. With v the sum of P(c)(1 - P(c)), r of a cell is about b v and noise of variance v. For b of mean
0 and variance s, E[r_A r_B] = s v_A v_B: chance adds nothing to what s is found by, and 1 / s is the penalty that the
coefficients of the pair deserve.

Ours, because on `levels` and `curved` of tests/worlds.py (20 000 rows, two draws each) LightGBM's linear trees are 1.2
to 1.7 times as far from the best log loss and take 2.5 to 3 times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.compiled import compiled
from . import linear
from .contract import Learner, Lesson, Scores
from .inputs import SHARED, Category, Codes, Inputs, Values
from .linear import Design, Fit, Linear, Plain, Weights

BINS, FINE_BINS = 8, 32  # of numbers in pairs, and of a bent number by itself
FAR = 1.5  # a factor of a product is not larger
MOST_PAIRS, MOST_COLUMNS, MOST_CLASSES = 12, 50, 8  # classes: that pairs are looked for by
LOOKED_AT = 100_000  # rows among which pairs are looked for
WORK = 250_000_000  # rows times pairs times classes
CELLS, ALL_CELLS = 1 << 16, 1 << 21  # coefficients of a pair, and of all
LEVELS = 256  # of a column, while pairs are looked for; rarer ones are one
CLEAR = 4.0  # standard errors; products of sums have longer tails than a bell
START, WEAK, STRONG = 10.0, 1e4, 0.1  # penalties
ROUNDS = 4


class Crossed(Learner):
    name = "crossed"
    example = "crossed"

    def scores(self, lesson: Lesson) -> Scores:
        """Where nothing is worth crossing, those of the linear learner."""
        if lesson.rows_learnt < linear.FEWEST or (found := _fitted(lesson)) is None:
            return lesson.scores(Linear())
        return linear.finished(*found, lesson)


# ---- columns and pairs of them as levels


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


Part = Bins | Category
"""A column as levels."""


@dataclass(frozen=True)
class Found:
    columns: tuple[int, ...]
    gain: float  # nats, of one half by what the other taught
    errors: float  # how many standard errors above chance
    penalty: float


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


# ---- which of them to cross


@dataclass(frozen=True)
class Left:
    """What main effects leave."""

    residual: Floats  # (classes, rows)
    variance: Floats  # (classes, rows)
    half: Integers  # (rows,) 0 or 1


def _fitted(lesson: Lesson) -> tuple[Sight, Fit] | None:
    """Terms and penalties are chosen among some rows; whether they are worth it, those to judge say."""
    plain, main = linear.main_effects(lesson)
    sight = _found(plain, lesson, main[1])
    if not (sight.terms or sight.products):
        return None
    rows = linear.some(lesson.learn, linear.CHOOSING, np.random.default_rng([lesson.seed, 1]))
    judge = Design.of(sight, lesson, lesson.judge)
    wider = sight.wider(main)
    fit = linear.settled(Design.of(sight, lesson, rows), wider)
    return (sight, fit) if linear.judged(fit[1], judge) < linear.judged(wider[1], judge) else None


def _found(plain: Plain, lesson: Lesson, main: Weights) -> Sight:
    """Bent numbers and pairs; products of numbers."""
    inputs, rng = plain.inputs, np.random.default_rng([lesson.seed, 3])
    numbers, many = len(inputs.numbers), len(inputs.numbers) + len(inputs.categories)
    columns = min(many, MOST_COLUMNS)
    work = max(1, columns * (columns - 1) // 2) * min(lesson.classes, MOST_CLASSES)
    rows = linear.some(lesson.learn, max(20_000, min(LOOKED_AT, WORK // work)), rng)
    values = inputs.columns.values
    levels: list[list[Part]] = [
        [*(Bins.of(one.at, values[rows, one.at], bins) for one in inputs.numbers), *inputs.categories]
        for bins in (FINE_BINS, BINS)
    ]
    fine, coarse = levels
    rows, left = _left(plain, lesson, rows, main, rng)
    dense, codes, counts = plain.dense(rows), plain.codes(rows), lesson.counts(lesson.learn)
    bent = singles(_levels(inputs, fine[:numbers], rows), range(numbers), left)
    useful = _useful(inputs, dense, codes, main, bent)[:columns]
    crossed = pairs(_levels(inputs, coarse, rows), sorted(useful), left)[:MOST_PAIRS]
    most = min(CELLS, ALL_CELLS // (main.dense.shape[1] * max(1, len(crossed))))
    each = [(one, fine) for one in bent] + [(one, coarse) for one in crossed]
    sight = Sight(inputs, tuple(Term.of(one, parts, inputs, lesson.learn, counts, most) for one, parts in each))
    return replace(sight, products=products(sight.near(dense), left)[:MOST_PAIRS])


def _levels(inputs: Inputs, parts: Sequence[Part], rows: Integers) -> Codes:
    """The most frequent levels of each, numbered anew; 0 are all the others."""
    out = np.empty((len(rows), len(parts)), np.int32, order="F")
    for j, part in enumerate(parts):
        column = part.of_cells(inputs.columns.values[rows, part.at])
        count = np.bincount(column)
        kept = np.argsort(-count, kind="stable")[: LEVELS - 1]
        new = np.zeros(len(count), np.int32)
        new[kept] = 1 + np.arange(len(kept))
        out[:, j] = new[column]
    return out


def _left(
    plain: Plain, lesson: Lesson, rows: Integers, main: Weights, rng: np.random.Generator
) -> tuple[Integers, Left]:
    """What the main effects leave of these rows, in two halves by lot; a row that stands for many is in both."""
    count, half = np.ones(len(rows)), np.repeat([0, 1], len(rows))
    if lesson.repeats is None:
        half = rng.permutation(len(rows)) % 2
    else:
        whole = lesson.repeats[rows]
        first = rng.binomial(whole, 0.5)
        rows, count = np.tile(rows, 2), np.concatenate([first, whole - first]).astype(np.float64)
    labels = lesson.labels[rows]
    said = np.asarray(linear.predictor(plain, main)(rows)).T  # (classes, rows)
    often = np.argsort(-np.bincount(labels, count, lesson.classes), kind="stable")
    which = [1] if lesson.classes == 2 else often[:MOST_CLASSES]
    mine = np.asarray(said[which])
    residual = (labels == np.asarray(which)[:, None]) - mine
    return rows, Left(residual * count, mine * (1 - mine) * count, half)


def _useful(inputs: Inputs, dense: Values, codes: Codes, main: Weights, bent: list[Found]) -> list[int]:
    """Columns, those first whose own effect varies most."""
    starts = np.cumsum([1, *(number.width for number in inputs.numbers)])
    straight = [float((dense[:, a:b] @ main.dense[a:b]).var(axis=0).sum()) for a, b in pairwise(starts)]
    spread = straight + [float(main.levels[code].var(axis=0).sum()) for code in codes.T]
    for found in bent:
        spread[found.columns[0]] += 4 * found.gain / len(dense)
    return [int(j) for j in np.argsort(-np.asarray(spread), kind="stable")]


# ---- what cells tell


def singles(levels: Codes, columns: Iterable[int], left: Left) -> list[Found]:
    """Columns whose levels tell more than what was fitted, the best first."""
    return _clear([_judged((j,), *_sums(levels[:, [j]], left)) for j in columns])


def pairs(levels: Codes, columns: Iterable[int], left: Left) -> list[Found]:
    """The best first."""
    found = []
    for one, other in combinations(columns, 2):
        sums, sizes = _sums(levels[:, [one, other]], left)
        for axis in (3, 2, 3, 2):  # takes out what each tells by itself, which shrunk coefficients leave a part of
            size = sizes.sum(axis=axis, keepdims=True)
            sums -= sizes * (sums.sum(axis=axis, keepdims=True) / np.maximum(size, 1e-12))
        found.append(_judged((one, other), sums, sizes))
    return _clear(found)


def products(numbers: Values, left: Left) -> tuple[tuple[int, int], ...]:
    """Two numbers whose product goes along with what is left, the clearest first. Cells find bent pairs, but spread
    their evidence over all cells; one coefficient needs far less. Under chance, sum r x is about N(0, sum v x^2)."""
    squares, most = numbers * numbers, np.zeros((numbers.shape[1], numbers.shape[1]))
    for residual, variance in zip(left.residual, left.variance, strict=True):
        told = numbers.T @ (numbers * residual[:, None].astype(np.float32))
        error = squares.T @ (squares * variance[:, None].astype(np.float32))
        most = np.maximum(most, told**2 / np.maximum(error, 1e-6))
    one, other = np.triu_indices(len(most), 1)
    order = np.argsort(-most[one, other], kind="stable")
    kept = order[most[one, other][order] > CLEAR**2]
    return tuple(zip(one[kept].tolist(), other[kept].tolist(), strict=True))


def _clear(found: list[Found]) -> list[Found]:
    kept = [one for one in found if one.errors > CLEAR and one.gain > 0]
    return sorted(kept, key=lambda one: (-one.gain, one.columns))


def _sums(levels: Codes, left: Left) -> tuple[Floats, Floats]:
    """(2, classes, levels of the first, levels of the second) of residuals and of variances."""
    first = np.ascontiguousarray(levels[:, 0])
    second = np.ascontiguousarray(levels[:, 1]) if levels.shape[1] == 2 else np.zeros_like(first)
    shape = (2, len(left.residual), int(first.max()) + 1, int(second.max()) + 1)
    sums, sizes = np.zeros(shape), np.zeros(shape)
    _add(first, second, left.half, left.residual, left.variance, sums, sizes)
    return sums, sizes


@compiled
def _add(
    first: Codes, second: Codes, half: Integers, residual: Floats, variance: Floats, sums: Floats, sizes: Floats
) -> None:  # fmt: skip
    for c in range(len(residual)):
        for i in range(len(first)):
            sums[half[i], c, first[i], second[i]] += residual[c, i]
            sizes[half[i], c, first[i], second[i]] += variance[c, i]


def _judged(columns: tuple[int, ...], sums: Floats, sizes: Floats) -> Found:
    seen = (sizes[0] > 0) & (sizes[1] > 0)
    (one, other), (v, w) = sums[:, seen], sizes[:, seen]
    both, room, penalty = one * other, v * w, START
    for _ in range(ROUNDS):
        weight = 1 / ((v + penalty) * (w + penalty))
        share = float((weight * both).sum()) / max(float((weight * room).sum()), 1e-300)
        if share <= 1 / WEAK:
            return Found(columns, 0.0, 0.0, WEAK)
        penalty = max(1 / share, STRONG)
    errors = float((weight * both).sum() / np.sqrt((weight**2 * room).sum()))
    # b r - b^2 v / 2, to the second order the fall of the loss; each half taught by the other, in turn.
    first, second = one / (v + penalty), other / (w + penalty)
    gain = (first * other - first**2 * w / 2 + second * one - second**2 * v / 2).sum() / 2
    return Found(columns, float(gain), errors, penalty)
