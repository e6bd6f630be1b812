"""eta from models that learn: scores of rows that they did not learn from, and the labels of rows with scores alike.

A row's neighbours are the rows of its own fold with the nearest scores. One model, which saw no label of the fold, gave
all of these scores, so given the features the labels counted are independent, as the intervals of eta want it. The
estimate itself is finer than such a count: with two classes it rises with the score (measures/monotone.py).
"""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .. import engine
from ..errors import DataError, SpecError
from ..estimators import crossfit
from ..estimators.comparison import Way, losses, ranked
from ..estimators.contract import Estimator, Learner
from ..measures import monotone
from ..model import Eta, Floats, Integers, Table, Tried
from ..randomness import for_audit
from . import asked, copies, near
from .settings import Settings

GLIMPSE = 10_000  # rows at which neighbourhoods are tried
CLEARLY = 2.0  # standard errors


def of_table(
    table: Table, estimator: Estimator, settings: Settings, progress: engine.Progress, halves: bool
) -> tuple[Eta, tuple[str, ...]]:
    """By what guesses labels best that it has not seen; and warnings."""
    from ..neighbors import distinct

    classes = table.dataset.classes
    alike = distinct.collapse(table.points, table.labels, len(classes))
    people = np.arange(len(table.labels)) if table.groups is None else table.groups
    folds = folds_of(people, settings.seed)
    same = alike.point_of_row.astype(np.int64)
    scores = _scores(table, estimator.learners(), folds, same, people, settings, progress)
    lost: dict[Way, Floats] = {(name, None): losses(one, table.labels) for name, one in scores.items()}
    tried = ranked(lost)
    if estimator.looks_around and table.groups is None:
        beside = _beside(table, tried, lost, settings, progress)
        tried = tuple(sorted((*tried, beside), key=lambda one: one.behind))
        if beside.behind < -CLEARLY * beside.behind_error:
            return _nearby(table, tried, settings, progress, halves)
    best = next(one for one in tried if one.k is None)
    eta = eta_of(table, scores[best.name], folds, people, best, settings, progress)
    if len(tried) > 1:
        eta = replace(eta, tried=tried, choices=len(tried))
    return eta, (*copies.warnings(classes, distinct.repeats(alike.members)), *_about_people(table))


def _about_people(table: Table) -> list[str]:
    if table.groups is None:
        return []
    number = int(table.groups.max()) + 1
    return [f"{len(table.groups):,} rows are of {number:,} people: limits take rows as independent, and are too narrow"]


def _scores(
    table: Table, learners: tuple[Learner, ...], folds: Integers, same: Integers, people: Integers,
    settings: Settings,     progress: engine.Progress,
) -> dict[str, Floats]:  # fmt: skip
    assert table.columns is not None
    leaves = {leaf.name for learner in learners for leaf in learner.leaves()}
    progress.stage(f"fitting {', '.join(sorted(leaves))}", float(len(folds) * len(leaves)), "rows")
    threads = settings.threads or engine.available_cores()
    return crossfit.scores(
        learners, table.columns, table.labels, len(table.dataset.classes), folds, settings.seed,
        each=functools.partial(engine.run, threads=threads), threads=max(1, threads // (len(leaves) * crossfit.FOLDS)),
        note=progress.advance, same=same, people=people,
    )  # fmt: skip


def _beside(
    table: Table, tried: tuple[Tried, ...], lost: dict[Way, Floats], settings: Settings, progress: engine.Progress
) -> Tried:
    """Neighbourhoods beside the best learner, at the same few rows."""
    n = len(table.labels)
    rows = np.sort(for_audit(settings.seed, "glimpse").permutation(n)[:GLIMPSE])
    eta = near.glimpse(table, rows, settings, progress)
    assert eta.counts is not None
    smoothed = (eta.counts + 0.5) / (eta.counts + 0.5).sum(axis=1, keepdims=True)
    first = losses(smoothed, table.labels[rows]) - lost[tried[0].name, None][rows]
    error = float(first.std() / np.sqrt(len(rows)))
    behind = float(first.mean())
    return Tried(eta.estimator, tried[0].log_loss + behind, error, eta.k, behind, error)


def _nearby(
    table: Table, tried: tuple[Tried, ...], settings: Settings, progress: engine.Progress, halves: bool
) -> tuple[Eta, tuple[str, ...]]:
    eta, said = near.of_table(table, settings, progress, halves)
    return replace(eta, tried=tried, choices=eta.choices + len(tried)), said


def folds_of(people: Integers, seed: int) -> Integers:
    """By lot, never by what a row holds; everybody's rows together, and as many people in each as can be.

    people (n,): the same number for rows of one person.
    """
    number = int(people.max()) + 1
    if number < 2:
        raise DataError("all rows are of one person", hint="--group COLUMN names whose row it is")
    folds = min(crossfit.FOLDS, number // 2) or 1
    return for_audit(seed, "folds").permutation(np.arange(number) % folds)[people]


def eta_of(
    table: Table,
    scores: Floats,
    folds: Integers,
    people: Integers,
    by: Tried,
    settings: Settings,
    progress: engine.Progress,
) -> Eta:
    n = len(table.labels)
    rows = asked.queries_of(n, settings)
    smallest = int(np.bincount(folds).min())
    if settings.k is not None and settings.k >= smallest:
        raise SpecError(f"k = {settings.k} needs more than {settings.k} rows in each of {int(folds.max()) + 1} folds")
    k = min(asked.default_k(n), smallest - 1) if settings.k is None else settings.k
    counts, radius = _counted(table, scores, folds, k, settings, progress)
    probability = _calibrated(scores, table.labels, people, settings.seed)
    return Eta(
        probability=probability[rows], counts=counts[rows], rows=rows, k=k, n=n, estimator=by.name,
        log_loss=by.log_loss, exact=True, recall=1.0, radius=radius[rows].astype(np.float32), metric="score",
        part=folds[rows].astype(np.uint8), unseen=scores[rows],
    )  # fmt: skip


def _calibrated(scores: Floats, labels: npt.NDArray[np.uint8], people: Integers, seed: int) -> Floats:
    if scores.shape[1] != 2:
        return scores
    eta = monotone.calibrated(scores[:, 1], labels == 1, people, for_audit(seed, "calibration"))
    return np.column_stack([1 - eta, eta])


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
