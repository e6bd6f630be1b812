"""Logistic regression: numbers with a coefficient each, categories with one for each level, all of them shrunk.

The penalty lambda |w|^2 / 2 is a belief of where the coefficients are, so it does not grow with the rows: it is chosen
once, among few rows where there are many, and holds for all. The constant is not shrunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..model import Floats, Integers
from .contract import Fitting, Lesson, Predictor, constant, inside
from .inputs import Codes, Inputs, Values, alone

FEWEST = 20  # rows to learn from
BLOCK = 8192  # rows whose sums stay in the cache
PENALTIES = tuple(4.0**power for power in range(6, -4, -1))
CHOOSING = 40_000  # rows that the penalty is chosen among
FOLDED, FOLDS = 10_000, 5  # up to so many rows, all of them judge in turn
WIDE = 1500  # from here on, only the diagonal of the curvature is known
CLOSE = {"m": 12, "factr": 1e8, "pgtol": 0.03, "maxiter": 60}  # a slope of 0.03 is a loss of 0.0005 nats


@dataclass(frozen=True)
class Design:
    """Rows as the coefficients see them, the first number being 1."""

    dense: Values  # (n, w)
    codes: Codes  # (n, categories)
    labels: Integers
    levels: int
    classes: int
    pull: Floats | None = None  # (levels, 1) how many times the penalty each level has; once, where nothing is said

    @property
    def logits(self) -> int:
        """Of two classes only the second has one."""
        return 1 if self.classes == 2 else self.classes

    def at(self, rows: Integers) -> Design:
        return replace(self, dense=self.dense[rows], codes=self.codes[rows], labels=self.labels[rows])

    def blocks(self) -> Iterator[tuple[Values, Codes, Integers]]:
        for start in range(0, len(self.labels), BLOCK):
            rows = slice(start, start + BLOCK)
            yield self.dense[rows], self.codes[rows], self.labels[rows]


@dataclass(frozen=True)
class Weights:
    dense: Floats  # (w, logits)
    levels: Floats  # (levels, logits)

    def logits(self, dense: Values, codes: Codes) -> Floats:
        """(rows, classes), up to a constant of each row."""
        found = (dense @ self.dense.astype(np.float32)).astype(np.float64)
        for code in codes.T:
            for c, level in enumerate(self.levels.T):
                found[:, c] += level.take(code)
        return found if found.shape[1] > 1 else np.concatenate([np.zeros_like(found), found], axis=1)


def loss(logits: Floats, labels: Integers) -> tuple[float, Floats]:
    """The sum of -log P(label), and its slope by the logits."""
    top = logits.max(axis=1, keepdims=True)
    raised = np.exp(logits - top)
    total = raised.sum(axis=1, keepdims=True)
    at = np.arange(len(labels))
    lost = float((np.log(total[:, 0]) + top[:, 0] - logits[at, labels]).sum())
    raised /= total
    raised[at, labels] -= 1
    return lost, raised


def judged(weights: Weights, design: Design) -> float:
    """Sum of -log P(label) over its rows."""
    return sum(loss(weights.logits(dense, codes), labels)[0] for dense, codes, labels in design.blocks())


class Problem:
    """Of the best coefficients, in coordinates in which it is about as curved in every direction."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.penalty = 1.0
        share = np.bincount(design.labels, minlength=design.classes) / len(design.labels)
        self.curvature = np.maximum(share * (1 - share), 1e-4)[-design.logits :]
        self.width = design.dense.shape[1]
        self.count = np.bincount(design.codes.ravel(), minlength=design.levels).astype(np.float64)
        self.pull = np.ones((design.levels, 1)) if design.pull is None else design.pull
        self.spans = [(int(code.min()), int(code.max()) + 1) for code in design.codes.T] if len(design.codes) else []
        self.gram = self._gram()

    def _gram(self) -> Floats:
        if self.width > WIDE:
            return np.diag((self.design.dense.astype(np.float64) ** 2).sum(axis=0))
        found = np.zeros((self.width, self.width))
        for dense, _, _ in self.design.blocks():
            found += dense.T @ dense
        return found

    def solve(self, penalty: float, start: Weights) -> Weights:
        from scipy.optimize import fmin_l_bfgs_b

        self._scale(penalty)
        found, *_ = fmin_l_bfgs_b(self._value, self._coordinates(start), **CLOSE)
        return self._weights(found)

    def _scale(self, penalty: float) -> None:
        self.penalty = penalty
        ridge = np.full(self.width, penalty)
        ridge[0] = 1e-6 * len(self.design.labels)
        self.root = [np.linalg.cholesky(self.gram * curve + np.diag(ridge)) for curve in self.curvature]
        self.spread = np.sqrt(self.count[:, None] * self.curvature + penalty * self.pull)

    def _weights(self, point: Floats) -> Weights:
        from scipy.linalg import solve_triangular

        dense = point[: self.width * len(self.root)].reshape(len(self.root), self.width)
        levels = point[dense.size :].reshape(self.spread.shape)
        solved = [solve_triangular(root, one, lower=True, trans=1) for root, one in zip(self.root, dense, strict=True)]
        return Weights(np.stack(solved, axis=1), levels / self.spread)

    def _coordinates(self, weights: Weights) -> Floats:
        dense = [root.T @ one for root, one in zip(self.root, weights.dense.T, strict=True)]
        return np.concatenate([*dense, (weights.levels * self.spread).ravel()])

    def _value(self, point: Floats) -> tuple[float, Floats]:
        weights = self._weights(point)
        lost, slope = self._sums(weights)
        lost += self.penalty / 2 * float((weights.dense[1:] ** 2).sum() + (self.pull * weights.levels**2).sum())
        slope.dense[1:] += self.penalty * weights.dense[1:]
        return lost, self._slope(Weights(slope.dense, slope.levels + self.penalty * self.pull * weights.levels))

    def _slope(self, slope: Weights) -> Floats:
        from scipy.linalg import solve_triangular

        dense = [solve_triangular(root, one, lower=True) for root, one in zip(self.root, slope.dense.T, strict=True)]
        return np.concatenate([*dense, (slope.levels / self.spread).ravel()])

    def _sums(self, weights: Weights) -> tuple[float, Weights]:
        lost, by_dense, by_level = 0.0, np.zeros_like(weights.dense), np.zeros_like(weights.levels)
        for dense, codes, labels in self.design.blocks():
            more, slope = loss(weights.logits(dense, codes), labels)
            slope = slope[:, -weights.dense.shape[1] :]
            lost += more
            by_dense += dense.T @ slope.astype(np.float32)
            for code, (low, high) in zip(codes.T, self.spans, strict=True):
                for c, one in enumerate(slope.T):
                    by_level[low:high, c] += np.bincount(code - low, one, high - low)
        return lost, Weights(by_dense, by_level)


def chosen(design: Design, judge: Design) -> tuple[float, Weights]:
    """The penalty of the least loss in rows that were not fitted, and the coefficients with it."""
    few = len(design.labels) <= FOLDED
    parts = _folds(design) if few else []
    problems = [(Problem(design), judge)] + [(Problem(fit), held) for fit, held in parts]
    weights = [_start(problem.design) for problem, _ in problems]
    best, kept, since = np.inf, (PENALTIES[0], weights[0]), 0
    for penalty in PENALTIES:
        weights = [problem.solve(penalty, start) for (problem, _), start in zip(problems, weights, strict=True)]
        lost = sum(judged(one, held) for one, (_, held) in zip(weights, problems, strict=True))
        if lost < best:
            best, kept, since = lost, (penalty, weights[0]), 0
        else:
            since += 1
        if since == 2:
            break
    return kept


def _folds(design: Design) -> list[tuple[Design, Design]]:
    fold = np.arange(len(design.labels)) % FOLDS
    return [(design.at(np.flatnonzero(fold != f)), design.at(np.flatnonzero(fold == f))) for f in range(FOLDS)]


def _start(design: Design) -> Weights:
    """The shares of the classes."""
    share = (np.bincount(design.labels, minlength=design.classes) + 0.5) / (len(design.labels) + 0.5 * design.classes)
    dense = np.zeros((design.dense.shape[1], design.logits))
    dense[0] = np.log(share[1] / share[0]) if design.classes == 2 else np.log(share)
    return Weights(dense, np.zeros((design.levels, design.logits)))


def fitted(design: Design, judge: Design, rng: np.random.Generator) -> Weights:
    if len(design.labels) <= CHOOSING:
        return chosen(design, judge)[1]
    some = np.sort(rng.choice(len(design.labels), CHOOSING, replace=False))
    penalty, weights = chosen(design.at(some), judge)
    return Problem(design).solve(penalty, weights)


class Linear(Fitting):
    name = "linear"
    example = "linear"

    def fit(self, lesson: Lesson) -> Predictor:
        if len(lesson.learn) < FEWEST:
            return constant(lesson)
        with alone():
            inputs = Inputs.of(lesson)
            learn, judge = (design_of(inputs, lesson, rows) for rows in (lesson.learn, lesson.judge))
            weights = fitted(learn, judge, np.random.default_rng([lesson.seed, 1]))
        return lambda rows: _predicted(inputs, weights, rows)


def design_of(inputs: Inputs, lesson: Lesson, rows: Integers) -> Design:
    labels = lesson.labels[rows].astype(np.int64)
    return Design(with_one(inputs.dense(rows)), inputs.codes(rows), labels, sum(inputs.levels), lesson.classes)


def with_one(dense: Values) -> Values:
    return np.concatenate([np.ones((len(dense), 1), np.float32), dense], axis=1)


def _predicted(inputs: Inputs, weights: Weights, rows: Integers) -> Floats:
    with alone():
        starts = range(0, max(1, len(rows)), BLOCK)
        return np.concatenate([_block(inputs, weights, rows[start : start + BLOCK]) for start in starts])


def _block(inputs: Inputs, weights: Weights, rows: Integers) -> Floats:
    return softmax(weights.logits(with_one(inputs.dense(rows)), inputs.codes(rows)))


def softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return inside(raised / raised.sum(axis=1, keepdims=True))
