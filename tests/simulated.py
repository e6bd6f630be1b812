"""Reports of commands on tables and neighbourhoods made up in memory."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np

from labeldp_audit import neighbors
from labeldp_audit.audits import evidence, run
from labeldp_audit.core.eta import Eta, Neighborhoods
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.report import Report
from labeldp_audit.core.settings import Settings
from labeldp_audit.core.table import Columns, Dataset, Table
from labeldp_audit.data.encode import NumberAxis
from labeldp_audit.estimators import knn
from labeldp_audit.questions import advantage, eta_range, tail, worst_case

COMMANDS = (eta_range, worst_case, tail)
ALL = (*COMMANDS, advantage)
ANSWERS = {eta_range: run.estimate_eta, worst_case: run.nu_max, tail: run.estimate_j, advantage: run.gains}


def table_of(labels, points=None):
    labels = np.asarray(labels, np.uint8)
    counts = (int((labels == 0).sum()), int((labels == 1).sum()))
    about = Dataset("made up", "", len(labels), len(labels), "y", "1", ("0", "1"), counts, ())
    points = np.zeros((len(labels), 0), np.float32) if points is None else points
    same = np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)
    return replace(with_columns(Table(labels, about), points), fingerprints=same.astype(np.uint64))


def with_columns(table, values, categorical=()):
    """The table with these numbers, (n, d), as its features; the points of its rows are the same numbers."""
    places = range(values.shape[1])
    columns = Columns(
        np.asfortranarray(values, np.float32), np.isin(places, categorical), tuple(f"c{j}" for j in places)
    )
    return replace(table, columns=columns, axes=tuple(NumberAxis(j, 0.0, 1.0, gaps=False) for j in places))


def eta_of(positives, sizes, labels):
    """Of the first rows of the table, one for each count; half of each count is in the other half."""
    positives, sizes = np.asarray(positives, np.int64), np.asarray(sizes, np.int64)
    q, counts = len(positives), np.stack([sizes - positives, positives], axis=1)
    near = Neighborhoods(
        rows=np.arange(q), counts=counts, radius=np.zeros(q, np.float32), k=int(sizes.min()), n=len(labels),
        exact=True, recall=1.0, recall_low=1.0, probes=1,
        part=(np.arange(q) % 2).astype(np.uint8), other=counts // 2,
    )  # fmt: skip
    return knn.frequencies(near, np.asarray(labels, np.uint8))


def scored(n, seed=0, folds=5, metric="score", law=(0.02, 0.4, 0.95)):
    """A table, and scores that are right."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(law, n)
    labels = rng.random(n) < truth
    table, fold = table_of(labels), rng.permutation(np.arange(n) % folds)
    counts = np.stack([10 * (1 - truth), 10 * truth], axis=1).round().astype(np.int64)
    eta = Eta(
        np.stack([1 - truth, truth], axis=1), counts, np.arange(n), 10, n, "made up", 0.4, True, 1.0,
        np.zeros(n, np.float32), metric=metric, part=fold.astype(np.uint8),
        unseen=np.stack([1 - truth, truth], axis=1),
    )  # fmt: skip
    return table, eta


def given(table, eta):
    return table, replace(eta, counts=None, k=None, radius=None, metric=None, part=np.zeros(eta.queries, np.uint8))


def searched(points, labels, *ks):
    """The true neighbourhoods of every row, at the k that guesses labels best."""
    part = np.random.default_rng(0).integers(2, size=len(labels), dtype=np.uint8)
    grid = neighbors.count_grid(
        points, labels, 2, np.arange(len(labels)), ks=ks, recall=1.0, seed=0, threads=1, progress=Silent(),
        part=part,
    )  # fmt: skip
    return knn.chosen(grid, labels)


def three_classes(n=400, seed=4):
    """Points that tell nothing of labels a, b and c, and their neighbourhoods."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, 1), np.float32)
    labels = rng.integers(3, size=n).astype(np.uint8)
    about = Dataset("made up", "", n, n, "y", None, ("a", "b", "c"), tuple(np.bincount(labels).tolist()), ())
    part = rng.integers(2, size=n, dtype=np.uint8)
    grid = neighbors.count_grid(
        points, labels, 3, np.arange(n), ks=(30,), recall=1.0, seed=0, threads=1, progress=Silent(), part=part
    )
    return replace(table_of(labels % 2, points), labels=labels, dataset=about), knn.chosen(grid, labels)


def report(command, table, eta, **settings) -> Report:
    with patch.object(evidence, "read_and_estimate", return_value=(table, eta)):
        found = ANSWERS[command]("", Settings(**settings), Silent())
    return found[0] if isinstance(found, tuple) else found


def findings(command, table, eta, **settings):
    return report(command, table, eta, **settings).findings
