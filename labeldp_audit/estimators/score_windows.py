"""From scores to eta: what their own fold's labels make of them, and the labels of the rows with scores alike.

A row's neighbours are the rows of its own fold with the nearest scores. One model, which saw no label of the fold, gave
all of these scores, so given the features the labels counted are independent, as the intervals of eta want it. The
estimate itself is finer than such a count: with two classes it is what labels make of the score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import score_band
from ..core.arrays import Floats, Integers
from ..core.errors import SpecError
from ..core.eta import Eta, Tried
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Table
from ..engines.machine import available_cores
from ..measures.eta_law import unresolved
from . import calibration
from .knn import default_k, queries_of

Labels = npt.NDArray[np.uint8]

MOST_PAIRED = 500_000  # rows whose levels are compared
PARTS = 8  # of the rows, by a number that scores may make nothing of
MOST_BINS = 255  # of different numbers that trees tell apart


@dataclass(frozen=True)
class Pool:
    """The rows that are scored, in order: all of them, but where there are millions."""

    rows: Integers  # (r,)
    folds: Integers  # (r,)
    people: Integers  # (r,) the same number, from 0, for rows of one person

    def most(self, k: int | None) -> int:
        """Neighbours that every row has in its fold; k: so many are asked for."""
        smallest, folds = int(np.bincount(self.folds).min()), int(self.folds.max()) + 1
        if k is not None and k >= smallest:
            raise SpecError(f"k = {k} needs more than {k} rows in each of {folds} folds")
        return smallest - 1


def eta_of(
    table: Table, scores: Floats, pool: Pool, by: Tried, settings: Settings, progress: Progress,
    apart: Floats | None = None,
) -> Eta:  # fmt: skip
    """scores (r, C); apart (r,): as in unresolved.of_model, of two classes."""
    n, labels, two = len(table.labels), table.labels[pool.rows], scores.shape[1] == 2
    queries = queries_of(n, settings)
    place = np.searchsorted(pool.rows, queries)
    most = pool.most(settings.k)
    k = max(1, min(default_k(n), most)) if settings.k is None else settings.k
    counts, radius = _counted(scores, labels, pool.folds, k, settings, progress)
    counts, radius = counts[place], radius[place]  # before probabilities take as much again
    probability = calibrated(scores, labels, pool.people, settings.seed)
    return Eta(
        probability=probability[place], counts=counts, rows=queries, k=k, n=n, estimator=by.name,
        log_loss=by.log_loss, exact=True, recall=1.0, radius=radius.astype(np.float32), metric="score",
        part=pool.folds[place].astype(np.uint8), unseen=scores[place],
        order_p=order(scores[place], labels[place], pool.folds[place]) if two else None,
        unresolved=_unresolved(table, scores, probability, pool, place, apart) if two else None,
    )  # fmt: skip


def _unresolved(
    table: Table, scores: Floats, probability: Floats, pool: Pool, asked: Integers, apart: Floats | None
) -> Floats:
    """What scores leave open for the rows asked, by category, number and equal rows; in large tables among these. What
    they may be wrong about counts for limits."""
    assert table.columns is not None and table.fingerprints is not None
    small = len(pool.rows) <= MOST_PAIRED
    mine = np.arange(len(pool.rows)) if small else asked
    rows, columns, positive = pool.rows[mine], table.columns, table.labels[pool.rows[mine]] == 1
    levels, parts = [], []
    for j, categorical in enumerate(columns.categorical):
        column = columns.values[rows, j]
        # Numbers may be names, such as those of hospitals: too many for models to look at each, and yet most of them
        # there several times.
        if categorical or MOST_BINS < len(np.unique(column)) <= len(column) / 2:
            levels.append(np.unique(column, return_inverse=True)[1].astype(np.int32))
        else:
            parts.append(_parts(column))
    both = unresolved.variance(
        levels, parts, table.fingerprints[rows], probability[mine, 1], positive, pool.folds[mine],
        blind=not _tell_apart(scores[mine, 1], positive),
    )  # fmt: skip
    found = np.column_stack(both)[asked] if small else np.column_stack(both)
    if apart is not None:
        odds = calibration.log_odds(scores[:, 1])
        found[:, 1] += unresolved.of_model(odds, table.labels[pool.rows] == 1, probability[:, 1], apart)[asked]
    return found


def _tell_apart(score: Floats, positive: npt.NDArray[np.bool_]) -> bool:
    """Do the scores guess labels better than their mean does, beyond chance?"""
    from scipy.special import xlogy

    mean = positive.mean()
    better = xlogy(positive, score / mean) + xlogy(~positive, (1 - score) / (1 - mean))
    return bool(better.mean() > 2 * better.std() / math.sqrt(len(score)))


def _parts(column: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """Of the rows by a number: its values where they are few, otherwise about equal parts; rows without one are one."""
    known = column[~np.isnan(column)]
    values = np.unique(known)
    edges = values[1:] if len(values) <= MOST_BINS else np.quantile(known, np.arange(1, PARTS) / PARTS)
    place = np.searchsorted(edges, column, side="right")
    return np.where(np.isnan(column), len(edges) + 1, place).astype(np.uint8)


def order(scores: Floats, labels: Labels, folds: Integers) -> float:
    """p-value that eta rises with the score, of two classes: a fall in every fold may hide in their mixture."""
    parts = [folds == fold for fold in np.unique(folds)]
    each = [score_band.order_p_value(scores[mine, 1], labels[mine] == 1) for mine in parts]
    together = score_band.order_p_value(scores[:, 1], labels == 1)
    return min(1.0, 2 * together, 2 * len(each) * min(each))


def calibrated(scores: Floats, labels: Labels, people: Integers, seed: int) -> Floats:
    if scores.shape[1] != 2:
        return scores
    eta = calibration.calibrated(scores[:, 1], labels == 1, people, for_audit(seed, "calibration"))
    return np.column_stack([1 - eta, eta])


def _counted(
    scores: Floats, labels: Labels, folds: Integers, k: int, settings: Settings, progress: Progress
) -> tuple[Integers, Floats]:
    """Among the k rows of the same fold whose scores are nearest, (r, C), and the distance of the k-th.

    Two classes have one score; more have a point of log scores.
    """
    from .. import neighbors
    from ..neighbors import on_a_line

    classes, threads = scores.shape[1], settings.threads or available_cores()
    counts, radius = np.empty(scores.shape, np.int64), np.empty(len(scores))
    progress.stage("counting", len(scores), "rows")
    for fold in range(int(folds.max()) + 1):
        mine = np.flatnonzero(folds == fold)
        logs = np.log(scores[mine])
        if classes == 2:
            counts[mine], radius[mine] = on_a_line.count(logs[:, 1] - logs[:, 0], labels[mine], classes, k)
        else:
            near = neighbors.count_grid(
                np.ascontiguousarray(logs, np.float32), labels[mine], classes, np.arange(len(mine)), ks=(k,),
                recall=1.0, seed=settings.seed, threads=threads, progress=Silent(),
            ).at(0)  # fmt: skip
            counts[mine], radius[mine] = near.counts, near.radius
        progress.advance(len(mine))
    return counts, radius
