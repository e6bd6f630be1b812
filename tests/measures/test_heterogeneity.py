"""How much labels hang on features inside clusters, and limits of it that hold in any world."""

from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.measures.heterogeneity import heterogeneity, limits

WEIGHT = np.full(8, 1 / 8)
CLUSTER = np.repeat([0, 1], 4)
WORLDS = {
    "labels hang on the cluster alone": np.repeat([0.1, 0.7], 4),
    "features decide": np.array([0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]),
    "something between": np.array([0.1, 0.3, 0.5, 0.7, 0.2, 0.2, 0.9, 0.2]),
}


def drawn(eta, n, rng):
    atom = rng.integers(0, 8, n)
    return (rng.random(n) < eta[atom]).astype(int), CLUSTER[atom], atom


@pytest.mark.parametrize("eta", WORLDS.values(), ids=WORLDS)
def test_limits_hold_what_is_true(eta):
    truth = heterogeneity(WEIGHT, np.column_stack([1 - eta, eta]), CLUSTER)
    rng = np.random.default_rng(0)
    for _ in range(200):
        low, high = limits(*drawn(eta, 2000, rng), 2, 0.01, rng)
        assert low <= truth <= high


def test_they_are_near_where_features_decide_and_wide_where_nothing_can_tell():
    rng = np.random.default_rng(0)
    truth = heterogeneity(WEIGHT, np.column_stack([1 - WORLDS["features decide"], WORLDS["features decide"]]), CLUSTER)
    low, high = limits(*drawn(WORLDS["features decide"], 200_000, rng), 2, 0.01, rng)
    assert truth == pytest.approx(0.875) and truth - 0.05 < low and high < truth + 0.05
    low, high = limits(*drawn(WORLDS["labels hang on the cluster alone"], 200_000, rng), 2, 0.01, rng)
    assert low == 0 and high == pytest.approx(0.18 + 0.42, abs=0.05)


def test_signs_of_the_rows_that_judge_would_be_caught():
    """Where cells tell nothing, the excess of one half over the other is noise; seen by the rows that chose, it is
    gain."""
    rng = np.random.default_rng(1)
    labels, cluster = rng.integers(0, 2, 4000), np.zeros(4000, int)
    cell = rng.integers(0, 2000, 4000)
    low, _ = limits(labels, cluster, cell, 2, 0.01, rng)
    naive = np.bincount(cell, labels) / np.maximum(np.bincount(cell), 1)
    assert low == 0 and 2 * np.abs(naive[cell] - labels.mean()).mean() > 0.5


def test_small_and_odd_tables():
    rng = np.random.default_rng(1)
    assert limits(np.array([1]), np.array([0]), np.array([0]), 2, 0.01, rng) == (0.0, 2.0)
    assert limits(np.array([1, 0, 1]), np.array([0, 1, 2]), None, 2, 0.01, rng) == (0.0, 2.0)
