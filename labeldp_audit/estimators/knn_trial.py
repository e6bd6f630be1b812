"""How k-NN does beside another estimator: tried among so few rows that no command becomes slow by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.eta import Eta, KnnTrial, Tried
from ..core.randomness import for_audit
from . import knn
from .comparison import losses, predicted, smoothed
from .contract import SURE, Task

MOST_ROWS, MOST_ASKED = 100_000, 10_000
MOST_NUMBERS = 1 << 25  # coordinates and classes of the rows searched, which are held twice in four bytes each
MOST_STEPS = 5 * 10**10  # rows asked times rows searched times coordinates: about a second on one core


def with_knn(task: Task, eta: Eta) -> Eta:
    """Return eta with how k-NN does: as the estimator itself, or beside it."""
    if eta.knn is not None or not task.table.width or len(task.table.labels) < 2:
        return eta
    if eta.k is not None and eta.metric == "l2":
        return replace(eta, knn=KnnTrial(eta.k, eta.recall, eta.log_loss, eta.n))
    return replace(eta, knn=trial(task, eta.rows, predicted(eta))[0])


def trial(task: Task, rows: Integers, probability: Floats, times: int = 1) -> tuple[KnnTrial, Tried]:
    """Compare k-NN with probabilities (r, C) at some of those r rows.

    The log loss is that of k-NN at these rows, and what the probabilities lose more at all r rows than at these.
    times: so much more than usual may it cost.
    """
    table, settings = task.table, task.settings
    n, width, chance = len(table.labels), table.width, for_audit(settings.seed, "k-NN beside")
    most = times * min(MOST_ROWS, MOST_NUMBERS // (width + len(table.dataset.classes)))
    among = min(n, max(most, (settings.k or 1) + 1))
    few = min(len(rows), among, MOST_ASKED, max(1, times * MOST_STEPS // (among * width)))
    place = np.sort(chance.choice(len(rows), few, replace=False, shuffle=False))
    asked, searched = rows[place], table
    if among < n:
        others = chance.choice(np.delete(np.arange(n), asked), among - few, replace=False, shuffle=False)
        kept = np.union1d(asked, others)
        asked, searched = np.searchsorted(kept, asked), table.at(kept)
    eta = knn.glimpse(searched, asked, settings, task.progress)
    assert eta.counts is not None and eta.k is not None
    beside = losses(np.maximum(probability, SURE), table.labels[rows])
    behind = losses(smoothed(eta.counts), searched.labels[asked]) - beside[place]
    mean, error = float(behind.mean()), float(behind.std() / np.sqrt(few))
    found = max(0.0, float(beside.mean()) + mean)
    own = float(np.hypot(beside.std() / np.sqrt(len(rows)), error))
    return KnnTrial(eta.k, eta.recall, found, eta.n), Tried(eta.estimator, found, own, eta.k, mean, error)
