"""Boosted trees that challenge the model that a user insists on: a named estimator or supplied probabilities.

Limits that assume the model are worth what the best available model sees. Trees, mixed with a logistic regression that
sees levels of few rows, are cross-fitted on all columns that are to be published, and compared with the model on labels
that neither has seen. They only refute: trees that are no better prove nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.eta import Eta
from ..core.randomness import for_audit
from ..core.remark import BEATEN, UNBEATEN, Remark
from ..core.table import Columns, Table
from . import selection
from .atoms import Atoms
from .auto import Auto
from .boosted import Boosted, Brisk
from .comparison import predicted
from .contract import Estimator, Labels, Task
from .linear import Linear
from .stack import Stack

MOST_ROWS = 200_000
CHALLENGER = Stack(built_on=(Linear(), Brisk()))
LEVEL = 0.001  # of the one test of a report, half of it for each score
_CLIP = 1e-6


def has_trees(estimator: Estimator, eta: Eta) -> bool:
    """Return whether boosted trees took part in the estimate. `auto` may count neighbours alone in a huge table."""
    learners = any(one.k is None for one in eta.tried)
    return isinstance(estimator, Boosted | Stack | Atoms) or (isinstance(estimator, Auto) and learners)


def challenge(task: Task, eta: Eta) -> Remark:
    """Return whether trees predict better than the model, or the smallest difference that could have been seen."""
    whole = task.whole
    rows = eta.rows if whole.judges is None else whole.judges[eta.rows]
    if eta.counts is None:
        whole = _with_probabilities(whole, rows, eta.probability)
    place = np.arange(len(rows))
    if len(whole.labels) > MOST_ROWS:  # rows that judge first
        lot = for_audit(task.settings.seed, "challenger").permutation(len(whole.labels))
        kept = np.sort(lot[np.argsort(~np.isin(lot, rows), kind="stable")][:MOST_ROWS])
        place = np.flatnonzero(np.isin(rows, kept))
        rows, whole = np.searchsorted(kept, rows[place]), whole.at(kept)
    alone = replace(task, whole=replace(whole, judges=None))
    [scores] = selection.scored(alone, selection.Rows.of(alone), (CHALLENGER,)).values()
    return _verdict(predicted(eta)[place], scores[rows], whole.labels[rows])


def _with_probabilities(table: Table, rows: Integers, probability: Floats) -> Table:
    """Return the table with the supplied probabilities as columns, as these have seen no label: trees correct them."""
    n, more = len(table.labels), probability.shape[1] - 1
    known = table.columns or Columns(np.empty((n, 0), np.float32), np.empty(0, bool), ())
    extra = np.full((n, more), np.nan, np.float32)
    extra[rows] = np.log(np.maximum(probability[:, 1:], np.finfo(np.float32).tiny))
    columns = Columns(
        np.asfortranarray(np.hstack([known.values, extra])), np.append(known.categorical, np.zeros(more, bool)),
        (*known.names, *(f"supplied {i}" for i in range(more))),
    )  # fmt: skip
    return replace(table, columns=columns, fingerprints=np.arange(n, dtype=np.uint64))


def _verdict(model: Floats, trees: Floats, labels: Labels) -> Remark:
    """Test on the same rows, one a person, whether trees have the smaller Brier score or log loss.

    By Student's quantile, with the variance among the rows or, if larger, the one that the model gives them, as rows
    may show no rare label. A loss that is not finite counts as worse.
    """
    from scipy.special import stdtrit

    n, beaten, smallest = len(labels), False, 0.0
    mine, each = (np.arange(n), labels), float(stdtrit(max(1, n - 1), 1 - LEVEL / 2)) / math.sqrt(n)
    for score in (_brier_scores, _log_losses):
        behind = score(model) - score(trees)
        expected = (model * behind).sum(axis=1)
        by_model = float(((model * behind**2).sum(axis=1) - expected**2).mean())
        smallest = each * math.sqrt(max(float(behind[mine].var()), by_model))
        beaten |= not behind[mine].mean() <= smallest
    if not beaten:
        return Remark(UNBEATEN, rows=n, smallest=smallest)
    lost = [float(_log_losses(one)[mine].mean()) for one in (model, trees)]
    return Remark(BEATEN, rows=n, log_loss=lost[0], trees=lost[1])


def _log_losses(probability: Floats) -> Floats:
    """Return the clipped log loss of each row for each label, (n, C)."""
    return np.asarray(-np.log(np.clip(probability, _CLIP, 1.0)))


def _brier_scores(probability: Floats) -> Floats:
    """Return the Brier score of each row for each label, (n, C)."""
    return np.asarray((probability**2).sum(axis=1, keepdims=True) - 2 * probability + 1)
