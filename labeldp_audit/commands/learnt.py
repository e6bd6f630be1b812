"""eta from a model that learns: scores of rows that it did not learn from, and the labels of rows with scores alike.

A row's neighbours are the rows of its own fold with the nearest scores. One model, which saw no label of the fold, gave
all of these scores, so given the features the labels counted are independent, as the intervals of eta want it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .. import engine, tables
from ..errors import SpecError
from ..estimators.boosted import FOLDS, Boosted
from ..measures import calibration
from ..model import Eta, Floats, Integers, Table
from ..randomness import for_audit
from . import copies, reporting
from .settings import Settings


def estimated(
    data: str, options: tables.ReadOptions, estimator: Boosted, settings: Settings, progress: engine.Progress
) -> tuple[Table, Eta]:
    if settings.smoothness is not None:
        raise SpecError("--smoothness is about neighbourhoods of features: use --estimator knn")
    table = tables.read(data, replace(options, columns=True), progress)
    assert table.columns is not None
    n, classes = len(table.labels), len(table.dataset.classes)
    reporting.mechanisms(settings, classes)  # refused before anything is learnt
    folds = folds_of(n, settings.seed)
    progress.stage("learning", n, "rows")
    threads = settings.threads or engine.available_cores()
    scores = estimator.scores(table.columns, table.labels, classes, folds, settings.seed, threads, progress.advance)
    eta = eta_of(table, scores, folds, estimator.name, settings, progress)
    from .. import neighbors

    said = copies.warnings(table.dataset.classes, neighbors.copied(table.points, table.labels, classes))
    return replace(table, warnings=(*table.warnings, *said)), eta


def folds_of(n: int, seed: int) -> Integers:
    """By lot, never by what a row holds; as even as can be."""
    folds = min(FOLDS, n // 2) or 1
    return for_audit(seed, "folds").permutation(np.arange(n) % folds)


def eta_of(
    table: Table, scores: Floats, folds: Integers, name: str, settings: Settings, progress: engine.Progress
) -> Eta:
    from . import before

    n = len(table.labels)
    rows = before.queries_of(n, settings)
    smallest = int(np.bincount(folds).min())
    if settings.k is not None and settings.k >= smallest:
        raise SpecError(f"k = {settings.k} needs more than {settings.k} rows in each of {int(folds.max()) + 1} folds")
    k = min(before.default_k(n), smallest - 1) if settings.k is None else settings.k
    counts, radius = _counted(table, scores, folds, k, settings, progress)
    probability = counts / counts.sum(axis=1, keepdims=True)
    smoothed = (counts + 0.5) / (counts + 0.5).sum(axis=1, keepdims=True)
    return Eta(
        probability=probability[rows], counts=counts[rows], rows=rows, k=k, n=n, estimator=name,
        log_loss=calibration.log_loss(smoothed, table.labels), exact=True, recall=1.0,
        radius=radius[rows].astype(np.float32), metric="score", part=folds[rows].astype(np.uint8), unseen=scores[rows],
    )  # fmt: skip


def _counted(
    table: Table, scores: Floats, folds: Integers, k: int, settings: Settings, progress: engine.Progress
) -> tuple[Integers, Floats]:
    """Among the k rows of the same fold whose scores are nearest, (n, C), and the distance of the k-th."""
    n, classes = scores.shape
    counts, radius = np.empty((n, classes), np.int64), np.empty(n)
    progress.stage("counting", n, "rows")
    for fold in range(int(folds.max()) + 1):
        mine = np.flatnonzero(folds == fold)
        counts[mine], radius[mine] = _of_fold(scores[mine], table.labels[mine], classes, k, settings)
        progress.advance(len(mine))
    return counts, radius


def _of_fold(
    scores: Floats, labels: npt.NDArray[np.uint8], classes: int, k: int, settings: Settings
) -> tuple[Integers, Floats]:  # fmt: skip
    """Two classes have one score; more have a point of log scores."""
    from .. import neighbors
    from ..neighbors import along

    if classes == 2:
        return along.count(np.log(scores[:, 1]) - np.log(scores[:, 0]), labels, classes, k)
    near = neighbors.count(
        np.ascontiguousarray(np.log(scores), np.float32), labels, classes, np.arange(len(labels)), k=k, recall=1.0,
        seed=settings.seed, threads=settings.threads or engine.available_cores(), progress=engine.Silent(),
    )  # fmt: skip
    return near.counts, near.radius.astype(np.float64)
