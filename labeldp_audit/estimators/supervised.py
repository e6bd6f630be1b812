"""Neighbourhoods in a learned metric: rows are near that a model scores alike and whose telling numbers are alike.

Plain distances take every column for as good as any other. Here a row is a point of what models say of it, which saw
no label of the row's fold, and of its numbers, each weighed by what it is worth to what they say. Categories count
through the scores. No label of the fold makes the metric, so those that are counted among neighbours are honest: given
the features and the labels of other folds, what is counted is independent, as the intervals of eta want it. How many
neighbours, and how much the columns weigh beside the scores, is what each row's own label likes best, which its counts
do not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.eta import Eta, Neighborhoods
from ..core.progress import Silent
from ..core.table import Columns
from ..engines.machine import available_cores
from . import crossfit, knn, selection
from .boosted import REPEATABLE, library
from .comparison import Way, losses, ranked, smoothed
from .contract import Estimator, Task, Told
from .inputs import Number, sampled
from .score_windows import Pool
from .stack import Stack

Points = npt.NDArray[np.float32]

WEIGHTS = (0.25, 0.5, 1.0)  # of the columns beside the scores, that are tried
_TELLERS = 8  # classes whose scores tell what columns are worth: those that vary most
_ROUNDS = 30


@dataclass(frozen=True)
class SupervisedNeighbors(Estimator):
    name: ClassVar[str] = "supervised-knn"
    example: ClassVar[str] = "supervised-knn"
    advice: ClassVar[str] = "use --k, --recall and --queries"

    def estimate(self, task: Task) -> Told:
        rows, learners, n = selection.Rows.of(task), (Stack(),), len(task.table.labels)
        queries, most = knn.queries_of(n, task.settings), rows.judges.most(task.settings.k)
        ks = knn.ks_of(n, task.settings, len(queries) * len(task.table.dataset.classes), most)
        [scores] = selection.scored(task, rows, learners).values()
        eta = _eta_of(task, scores, rows.judges, queries, ks)
        ways = crossfit.choices(learners, len(rows.scored.rows))
        return replace(eta, choices=eta.choices * ways), selection.about_rows(task, rows)


# ---- a search in each fold


@dataclass(frozen=True)
class Part:
    """A fold in which rows are asked."""

    rows: Integers  # (m,) of the table
    near: Places
    queries: Integers  # where its rows stand among all that are asked
    asked: Integers  # the same, where they stand among its rows


def _eta_of(task: Task, scores: Floats, pool: Pool, queries: Integers, ks: tuple[int, ...]) -> Eta:
    """scores (r, C)."""
    table, columns = task.table, task.table.columns
    assert columns is not None
    place = np.searchsorted(pool.rows, queries)
    parts = []
    for fold in np.unique(pool.folds[place]):
        mine, here = np.flatnonzero(pool.folds == fold), np.flatnonzero(pool.folds[place] == fold)
        near = places(columns, pool.rows[mine], scores[mine], task.settings.seed)
        parts.append(Part(pool.rows[mine], near, here, np.searchsorted(mine, place[here])))
    names = {weight: f"{SupervisedNeighbors.name}, columns {weight:g}" for weight in WEIGHTS}
    if columns.categorical.all():  # where there is no number, nothing stands beside the scores
        names = {0.0: SupervisedNeighbors.name}
    task.progress.stage("searching", float(len(queries) * len(names)), "rows")
    lost: dict[Way, Floats] = {}
    best: Sequence[Neighborhoods] = ()
    least = np.inf
    for weight, name in names.items():
        for found in _counted(task, parts, weight, ks):
            each = lost[name, found[0].k] = np.empty(len(queries))
            for part, one in zip(parts, found, strict=True):
                each[part.queries] = losses(smoothed(one.counts), table.labels[part.rows[part.asked]])
            if each.mean() < least:
                best, least, by = found, each.mean(), name
    counts, radius = np.empty((len(queries), scores.shape[1]), np.int64), np.empty(len(queries), np.float32)
    for part, one in zip(parts, best, strict=True):
        counts[part.queries], radius[part.queries] = one.counts, one.radius
    tried = ranked(lost)
    share = np.array([len(part.queries) for part in parts]) / len(queries)
    return Eta(
        probability=counts / counts.sum(axis=1, keepdims=True), counts=counts, rows=queries, k=best[0].k,
        n=len(table.labels), estimator=by, log_loss=tried[0].log_loss,
        exact=all(one.exact for one in best), recall=float(share @ [one.recall for one in best]),
        # The true recall of all is no less than that of the worst part, which is above the least limit as surely as
        # above its own.
        recall_low=min(one.recall_low for one in best), radius=radius, metric="learned",
        part=pool.folds[place].astype(np.uint8), unseen=scores[place], tried=tried, choices=len(lost),
    )  # fmt: skip


def _counted(task: Task, parts: Sequence[Part], weight: float, ks: tuple[int, ...]) -> Iterator[list[Neighborhoods]]:
    """For each k, of each part. They are handed out one by one: only the best so far is kept."""
    from .. import neighbors

    table, settings, grids = task.table, task.settings, []
    for part in parts:
        grids.append(
            neighbors.count_grid(
                part.near.points(weight), table.labels[part.rows], len(table.dataset.classes), part.asked, ks=ks,
                recall=settings.recall, seed=settings.seed, threads=settings.threads or available_cores(),
                progress=Silent(),
            )
        )  # fmt: skip
        task.progress.advance(len(part.queries))
    yield from ([grid.at(g) for grid in grids] for g in range(len(ks)))


# ---- where rows are


@dataclass(frozen=True)
class Places:
    """Where the rows of a fold are: by scores, and by the columns that are worth something."""

    scores: Points  # (m, 1), of more than two classes (m, C); a variance of 1 in all
    numbers: Points  # (m, t); of 1 in all if numbers alone told the scores, less if categories tell some of them

    def points(self, weight: float) -> Points:
        """weight: of the columns beside the scores."""
        return np.ascontiguousarray(np.hstack([self.scores, np.float32(weight) * self.numbers]))


def places(columns: Columns, rows: Integers, scores: Floats, seed: int) -> Places:
    """rows (m,) of a fold; scores (m, C) that saw none of their labels.

    Of scores log odds of two classes, log scores of more. Numbers of about one size: heavy tails cut or, where they are
    heavier, by places among all rows; where one is missing, 0.
    """
    logs = np.log(scores)
    line = logs[:, 1:] - logs[:, :1] if scores.shape[1] == 2 else logs
    line = line - line.mean(axis=0)
    spread = np.sqrt((line**2).mean(axis=0).sum())
    line = line / spread if spread > 1e-9 else np.zeros_like(line)
    worth = np.where(columns.categorical, 0, _worth(columns, rows, line, seed))
    kept = np.flatnonzero(worth)
    numbers = np.empty((len(rows), len(kept)), np.float32)
    for at, j in enumerate(kept.tolist()):
        number = Number.of(j, columns.values[:, j], seed)
        filled = np.empty((number.width, len(rows)), np.float32)
        number.fill(columns.values[rows, j], filled)
        numbers[:, at] = np.sqrt(worth[j]) * filled[0 if number.knots is None else 1]
    return Places(line.astype(np.float32), numbers)


def _worth(columns: Columns, rows: Integers, line: Floats, seed: int) -> Floats:
    """(f,) shares: by how much trees that tell the scores from the columns err less with each. They see no label.

    What scores do not depend on is worth little, however many labels it would fit by chance.
    """
    some, gain = sampled(len(rows), seed), np.zeros(len(columns.names))
    told = line[some]
    for c in np.argsort(-line.var(axis=0), kind="stable")[:_TELLERS]:
        if told[:, c].var() >= 1e-9 and len(columns.names):
            gain += _gain(columns, rows[some], told[:, c], seed)
    whole = float(gain.sum())
    return gain / whole if whole > 0 else np.full(len(gain), 1 / max(1, len(gain)))


def _gain(columns: Columns, rows: Integers, target: Floats, seed: int) -> Floats:
    """(f,) less squared error, in all."""
    options = {
        "objective": "regression", "num_leaves": 15, "learning_rate": 0.3,
        "min_data_in_leaf": min(20, 1 + len(rows) // 10), "cat_smooth": 20.0, "seed": seed % (1 << 30),
        "num_threads": 1, **REPEATABLE,
    }  # fmt: skip
    lightgbm, categorical = library(), np.flatnonzero(columns.categorical).tolist() or "auto"
    values, labels = columns.values[rows], target.astype(np.float32)
    told = lightgbm.Dataset(values, labels, params=options, categorical_feature=categorical)
    return np.asarray(lightgbm.train(options, told, _ROUNDS).feature_importance("gain"), np.float64)
