"""Neighbourhoods in a learned metric: rows are near that a model scores alike and whose telling numbers are alike.

Plain distances take every column for as good as any other. Here a row is a point of what models say of it, which saw
no label of the row's fold, and of its numbers, each weighed by what it is worth to what they say. Categories count
through the scores. No label of the fold makes the metric, so those that are counted among neighbours are honest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.table import Columns
from .boosted import library
from .contract import About, Estimator, Learner
from .inputs import SAMPLE, Number
from .stack import Stack

Points = npt.NDArray[np.float32]

_TELLERS = 8  # classes whose scores tell what columns are worth: those that vary most
_ROUNDS = 30


@dataclass(frozen=True)
class SupervisedNeighbors(Estimator):
    name: ClassVar[str] = "supervised-knn"
    example: ClassVar[str] = "supervised-knn"
    advice: ClassVar[str] = "use --k, --recall and --queries"
    columns_weigh: ClassVar[tuple[float, ...]] = (0.25, 0.5, 1.0)

    def learners(self, about: About) -> tuple[Learner, ...]:
        return (Stack(),)


@dataclass(frozen=True)
class Places:
    """Where the rows of a fold are: by scores, and by the columns that are worth something."""

    scores: Points  # (m, 1), of more than two classes (m, C); a variance of 1 in all
    numbers: Points  # (m, t); of 1 in all if numbers alone told the scores, less if categories tell some of them

    def points(self, weight: float) -> Points:
        """weight: of the columns beside the scores."""
        return np.ascontiguousarray(np.hstack([self.scores, np.float32(weight) * self.numbers]))


def places(columns: Columns, rows: Integers, scores: Floats, seed: int) -> Places:
    """rows (m,) of a fold; scores (m, C) that saw none of their labels."""
    line = _line(scores)
    worth = np.where(columns.categorical, 0, _worth(columns, rows, line, seed))
    kept = np.flatnonzero(worth)
    numbers = np.empty((len(rows), len(kept)), np.float32)
    for at, j in enumerate(kept.tolist()):
        numbers[:, at] = np.sqrt(worth[j]) * _even(columns, j, rows, seed)
    return Places(line.astype(np.float32), numbers)


def _line(scores: Floats) -> Floats:
    """Log odds of two classes, log scores of more."""
    logs = np.log(scores)
    line = logs[:, 1:] - logs[:, :1] if scores.shape[1] == 2 else logs
    line = line - line.mean(axis=0)
    spread = np.sqrt((line**2).mean(axis=0).sum())
    return np.asarray(line / spread if spread > 1e-9 else np.zeros_like(line))


def _even(columns: Columns, j: int, rows: Integers, seed: int) -> Points:
    """A number of about one size: heavy tails cut or, where they are heavier, by places among all rows. Missing: 0."""
    column = columns.values[:, j]
    number = Number.of(j, column, column[_some(np.arange(len(column)), seed)])
    filled = np.empty((number.width, len(rows)), np.float32)
    number.fill(column[rows], filled)
    return np.asarray(filled[0 if number.knots is None else 1])


def _some(rows: Integers, seed: int) -> Integers:
    if len(rows) <= SAMPLE:
        return rows
    return np.sort(np.random.default_rng([seed, len(rows)]).choice(rows, SAMPLE, replace=False))


# ---- what columns are worth


def _worth(columns: Columns, rows: Integers, line: Floats, seed: int) -> Floats:
    """(f,) shares: by how much trees that tell the scores from the columns err less with each. They see no label.

    What scores do not depend on is worth little, however many labels it would fit by chance.
    """
    some = _some(np.arange(len(rows)), seed)
    varied = np.argsort(-line.var(axis=0), kind="stable")[:_TELLERS]
    gain = sum((_gain(columns, rows[some], line[some, c], seed) for c in varied), np.zeros(len(columns.names)))
    whole = float(gain.sum())
    return np.asarray(gain / whole) if whole > 0 else np.full(len(gain), 1 / max(1, len(gain)))


def _gain(columns: Columns, rows: Integers, target: Floats, seed: int) -> Floats:
    """(f,) less squared error, in all."""
    if target.var() < 1e-9 or not len(columns.names):
        return np.zeros(len(columns.names))
    lightgbm = library()
    options = _options(len(rows), seed)
    told = lightgbm.Dataset(
        columns.values[rows], target.astype(np.float32), params=options,
        categorical_feature=np.flatnonzero(columns.categorical).tolist() or "auto",
    )  # fmt: skip
    model: Any = lightgbm.train(options, told, _ROUNDS)
    return np.asarray(model.feature_importance("gain"), np.float64)


def _options(rows: int, seed: int) -> dict[str, object]:
    return {
        "objective": "regression", "num_leaves": 15, "learning_rate": 0.3, "min_data_in_leaf": min(20, 1 + rows // 10),
        "cat_smooth": 20.0, "verbose": -1, "seed": seed % (1 << 30), "deterministic": True, "force_row_wise": True,
        "num_threads": 1,
    }  # fmt: skip
