"""Averages over neighbours that are off on the whole, or shrunk, are put right by the rows' own labels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from labeldp_audit.core.eta import Law
from labeldp_audit.measures.eta_law import deconvolution
from labeldp_audit.measures.eta_law.recalibration import recalibrated

K = 60


def sample(rng, shift, shrink, rows=20_000):
    """eta of rows, and counts whose averages are expit(shift + shrink logit eta)."""
    eta = rng.beta(1, 3, rows)
    successes = rng.binomial(K, expit(shift + shrink * logit(eta)))
    return eta, successes, np.full(rows, K), (rng.random(rows) < eta).astype(np.uint8)


def doubt(law):
    return float(law.weight @ law.eta.min(axis=1))


@pytest.mark.parametrize(("shift", "shrink"), [(-0.5, 1.0), (0.0, 0.5), (0.3, 0.7), (0.0, 1.0)])
def test_a_law_that_is_off_is_put_right(shift, shrink):
    eta, successes, trials, labels = sample(np.random.default_rng(4), shift, shrink)
    found = deconvolution.law(successes, trials)
    right = recalibrated(found, successes, trials, labels, labels.mean())
    true = float(np.minimum(eta, 1 - eta).mean())
    assert doubt(right) == pytest.approx(true, abs=0.006)
    assert right.weight @ right.eta[:, 1] == pytest.approx(labels.mean(), abs=1e-9)
    if shrink != 1:
        assert abs(doubt(found) - true) > 0.02  # what it mends


def test_labels_that_have_nothing_to_do_with_counts_leave_no_doubt_that_they_do_not():
    rng = np.random.default_rng(5)
    _, successes, trials, _ = sample(rng, 0.0, 1.0)
    labels = (rng.random(len(trials)) < 0.3).astype(np.uint8)
    right = recalibrated(deconvolution.law(successes, trials), successes, trials, labels, labels.mean())
    assert doubt(right) == pytest.approx(0.3, abs=0.02)


def test_chance_in_few_rows_is_not_made_into_knowledge():
    """Nobody can be told apart; the fit may follow 30 labels no further than belief beforehand lets it."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        successes, labels = rng.binomial(K, 0.5, 30), rng.integers(2, size=30)
        law = Law(np.array([0.5, 0.5]), np.array([[0.52, 0.48], [0.48, 0.52]]))
        right = recalibrated(law, successes, np.full(30, K), labels, 0.5)
        assert np.ptp(right.eta[:, 1]) < 0.1


@pytest.mark.parametrize("labels", [[0, 1], [1, 1], [0, 0]])
def test_extremes(labels):
    """Two rows, averages of 0 and 1, labels for or against them."""
    law = Law(np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    right = recalibrated(law, np.array([0, 5]), np.array([5, 5]), np.array(labels, np.uint8), 0.4)
    assert np.all((right.eta > 0) & (right.eta < 1))
    assert right.eta.sum(axis=1) == pytest.approx([1, 1])
    assert right.eta[0, 1] < right.eta[1, 1]


def test_many_rows_are_as_quick_as_some():
    """Each with a number of neighbours of its own, as ties make them."""
    rng = np.random.default_rng(6)
    trials = rng.integers(100, 4000, 200_000)
    eta = rng.beta(1, 3, len(trials))
    successes, labels = rng.binomial(trials, eta), (rng.random(len(trials)) < eta).astype(np.uint8)
    law = Law(np.full(50, 0.02), np.stack([1 - np.linspace(0.01, 0.99, 50), np.linspace(0.01, 0.99, 50)], axis=1))
    right = recalibrated(law, successes, trials, labels, labels.mean())
    assert np.all(np.diff(right.eta[:, 1]) > 0)


@pytest.mark.parametrize("period", [2, 3, 4])
def test_the_order_of_the_rows_has_no_part_in_it(period):
    """Matched cases and controls stand in turns; taking every so-manieth row would find one class only."""
    rng = np.random.default_rng(7)
    _, successes, trials, labels = sample(rng, -0.5, 0.8, rows=60_000)
    order = np.argsort(rng.random(len(labels)) + np.where(labels == 1, 0.0, 2.0), kind="stable")
    turns = np.argsort(np.argsort(labels[order], kind="stable") % (len(labels) // period), kind="stable")
    shuffled, in_turns = rng.permutation(len(labels)), order[turns]
    law = deconvolution.law(successes, trials)
    one, other = (
        recalibrated(law, successes[some], trials[some], labels[some], labels.mean()) for some in (shuffled, in_turns)
    )
    assert doubt(one) == pytest.approx(doubt(other), rel=1e-6)
