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
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.eta import Eta, Neighborhoods
from ..core.progress import Silent
from ..core.table import Columns, Table
from ..engines.machine import available_cores
from . import crossfit, sampling, selection
from .boosted import library
from .comparison import Way, losses, ranked, smoothed
from .contract import Estimator, Task, Told
from .inputs import SAMPLE, Number
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
        rows, learners = selection.Rows.of(task), (Stack(),)
        ks = _ks(task, rows.judges)  # refused before anything is learnt
        [scores] = selection.scored(task, rows, learners).values()
        eta = eta_of(task, scores, rows.judges, ks)
        ways = crossfit.choices(learners, len(rows.scored.rows))
        return replace(eta, choices=eta.choices * ways), selection.about_rows(task, rows)


# ---- a search in each fold


@dataclass(frozen=True)
class Part:
    """A fold."""

    rows: Integers  # (m,) of the table
    near: Places
    queries: Integers  # where its rows stand among all that are asked
    asked: Integers  # the same, where they stand among its rows


@dataclass(frozen=True)
class Found:
    """The best so far: what was counted in each part."""

    name: str
    near: Sequence[Neighborhoods]


def eta_of(task: Task, scores: Floats, pool: Pool, ks: tuple[int, ...]) -> Eta:
    """scores (r, C)."""
    table = task.table
    queries, names = sampling.queries_of(len(table.labels), task.settings), _names(table)
    parts = _parts(table, scores, pool, queries, task.settings.seed)
    task.progress.stage("searching", float(len(queries) * len(names)), "rows")
    lost: dict[Way, Floats] = {}
    best: Found | None = None
    least = np.inf
    for weight, name in names.items():
        for near in _counted(task, parts, weight, ks):
            mine = _losses(table, parts, near, len(queries))
            lost[name, near[0].k] = mine
            if mine.mean() < least:
                best, least = Found(name, near), mine.mean()
    assert best is not None
    return _made(table, scores, pool, parts, queries, best, lost)


def _ks(task: Task, pool: Pool) -> tuple[int, ...]:
    """As for plain neighbourhoods of the whole table, where a fold has so many rows."""
    n, settings = len(task.table.labels), task.settings
    most = pool.most(settings.k)
    if settings.k is not None:
        return (settings.k,)
    ks = tuple(dict.fromkeys(min(k, most) for k in sampling.ks(n)))
    counts = len(ks) * len(sampling.queries_of(n, settings)) * len(task.table.dataset.classes)
    return ks if counts <= sampling.MOST_COUNTS else (min(sampling.default_k(n), most),)


def _names(table: Table) -> dict[float, str]:
    """By what columns weigh. Where there is no number, nothing stands beside the scores."""
    assert table.columns is not None
    if table.columns.categorical.all():
        return {0.0: SupervisedNeighbors.name}
    return {weight: f"{SupervisedNeighbors.name}, columns {weight:g}" for weight in WEIGHTS}


def _parts(table: Table, scores: Floats, pool: Pool, queries: Integers, seed: int) -> list[Part]:
    """Those in which rows are asked."""
    assert table.columns is not None
    place = np.searchsorted(pool.rows, queries)
    found = []
    for fold in np.unique(pool.folds[place]):
        mine, here = np.flatnonzero(pool.folds == fold), np.flatnonzero(pool.folds[place] == fold)
        near = places(table.columns, pool.rows[mine], scores[mine], seed)
        found.append(Part(pool.rows[mine], near, here, np.searchsorted(mine, place[here])))
    return found


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


def _losses(table: Table, parts: Sequence[Part], near: Sequence[Neighborhoods], queries: int) -> Floats:
    """(q,) of each row's own label."""
    found = np.empty(queries)
    for part, one in zip(parts, near, strict=True):
        found[part.queries] = losses(smoothed(one.counts), table.labels[part.rows[part.asked]])
    return found


def _made(
    table: Table, scores: Floats, pool: Pool, parts: Sequence[Part], queries: Integers, best: Found,
    lost: dict[Way, Floats],
) -> Eta:  # fmt: skip
    place = np.searchsorted(pool.rows, queries)
    counts = np.empty((len(queries), scores.shape[1]), np.int64)
    radius = np.empty(len(queries), np.float32)
    for part, near in zip(parts, best.near, strict=True):
        counts[part.queries], radius[part.queries] = near.counts, near.radius
    tried = ranked(lost)
    share = np.array([len(part.queries) for part in parts]) / len(queries)
    return Eta(
        probability=counts / counts.sum(axis=1, keepdims=True), counts=counts, rows=queries, k=best.near[0].k,
        n=len(table.labels), estimator=best.name, log_loss=tried[0].log_loss,
        exact=all(near.exact for near in best.near), recall=float(share @ [near.recall for near in best.near]),
        # The true recall of all is no less than that of the worst part, which is above the least limit as surely as
        # above its own.
        recall_low=min(near.recall_low for near in best.near), radius=radius, metric="learned",
        part=pool.folds[place].astype(np.uint8), unseen=scores[place], tried=tried, choices=len(lost),
    )  # fmt: skip


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
