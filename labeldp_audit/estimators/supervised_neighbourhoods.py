"""eta from neighbourhoods of scores and columns together, in each fold by itself.

The scores of a fold, and so its distances, come from models that saw no label of it: given the features and the labels
of other folds, what is counted is independent, as the intervals of eta want it. How many neighbours, and how much the
columns weigh beside the scores, is what each row's own label likes best, which its counts do not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.eta import Eta, Neighborhoods
from ..core.progress import Progress, Silent
from ..core.settings import Settings
from ..core.table import Table
from ..engines.machine import available_cores
from . import neighbour_numbers, sampling
from .comparison import Way, losses, ranked, smoothed
from .contract import Estimator
from .score_windows import Pool
from .supervised import Places, places


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


def check(table: Table, pool: Pool, settings: Settings) -> None:
    """Known before anything is learnt."""
    _ks(table, pool, settings)


def eta_of(
    table: Table, scores: Floats, pool: Pool, estimator: Estimator, settings: Settings, progress: Progress
) -> Eta:
    """scores (r, C)."""
    queries, ks = sampling.queries_of(len(table.labels), settings), _ks(table, pool, settings)
    parts, names = _parts(table, scores, pool, queries, settings), _names(table, estimator)
    progress.stage("searching", float(len(queries) * len(names)), "rows")
    lost: dict[Way, Floats] = {}
    best: Found | None = None
    least = np.inf
    for weight, name in names.items():
        for near in _counted(table, parts, weight, ks, settings, progress):
            mine = _losses(table, parts, near, len(queries))
            lost[name, near[0].k] = mine
            if mine.mean() < least:
                best, least = Found(name, near), mine.mean()
    assert best is not None
    return _made(table, scores, pool, parts, queries, best, lost)


def _ks(table: Table, pool: Pool, settings: Settings) -> tuple[int, ...]:
    """As for plain neighbourhoods of the whole table, where a fold has so many rows."""
    n, most = len(table.labels), pool.most(settings.k)
    if settings.k is not None:
        return (settings.k,)
    ks = tuple(dict.fromkeys(min(k, most) for k in neighbour_numbers.ks(n)))
    counts = len(ks) * len(sampling.queries_of(n, settings)) * len(table.dataset.classes)
    return ks if counts <= neighbour_numbers.MOST_COUNTS else (min(sampling.default_k(n), most),)


def _names(table: Table, estimator: Estimator) -> dict[float, str]:
    """By what columns weigh. Where there is no number, nothing stands beside the scores."""
    assert table.columns is not None
    if table.columns.categorical.all():
        return {0.0: estimator.name}
    return {weight: f"{estimator.name}, columns {weight:g}" for weight in estimator.columns_weigh}


def _parts(table: Table, scores: Floats, pool: Pool, queries: Integers, settings: Settings) -> list[Part]:
    """Those in which rows are asked."""
    assert table.columns is not None
    place = np.searchsorted(pool.rows, queries)
    found = []
    for fold in np.unique(pool.folds[place]):
        mine, here = np.flatnonzero(pool.folds == fold), np.flatnonzero(pool.folds[place] == fold)
        near = places(table.columns, pool.rows[mine], scores[mine], settings.seed)
        found.append(Part(pool.rows[mine], near, here, np.searchsorted(mine, place[here])))
    return found


def _counted(
    table: Table, parts: Sequence[Part], weight: float, ks: tuple[int, ...], settings: Settings,
    progress: Progress,
) -> Iterator[list[Neighborhoods]]:  # fmt: skip
    """For each k, of each part. They are handed out one by one: only the best so far is kept."""
    from .. import neighbors

    grids = []
    for part in parts:
        grids.append(
            neighbors.count_grid(
                part.near.points(weight), table.labels[part.rows], len(table.dataset.classes), part.asked, ks=ks,
                recall=settings.recall, seed=settings.seed, threads=settings.threads or available_cores(),
                progress=Silent(),
            )
        )  # fmt: skip
        progress.advance(len(part.queries))
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
