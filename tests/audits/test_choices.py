"""Labels that choose between estimates choose lucky ones: the limits must hold for every one that was tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from simulated import eta_of, table_of

from labeldp_audit.bounds.intervals import clopper_pearson
from labeldp_audit.bounds.intervals.mistakes import simultaneous
from labeldp_audit.core.eta import KnnTrial, Tried
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.estimators import auto
from labeldp_audit.estimators.contract import Task
from labeldp_audit.estimators.knn import Neighbors
from labeldp_audit.questions import guessing, intervals
from labeldp_audit.questions.guessing import Payoffs

TIMES, MISS = 400, 0.4
SAME = Payoffs(np.ones(2), np.ones(2), np.ones(2))


def most_misses():
    """More than this many happen to honest limits once in a million."""
    return binom.isf(1e-6, TIMES, MISS)


def test_each_interval_has_its_part_of_the_miss():
    labels = np.arange(40) % 2
    eta = replace(eta_of([3, 9], [20, 20], labels), choices=5)
    found = intervals.of_windows(eta, 1, simultaneous(2, 0.1), 0.0)
    low, high = clopper_pearson.limits_of_counts(np.array([3, 9]), np.array([20, 20]), 0.1 / 2 / 2 / 5)
    assert found.low == pytest.approx(low)
    assert found.high == pytest.approx(high)


def misses_of_intervals(told):
    """eta is a half; of 8 tries the count that lies farthest from it is chosen."""
    rng, missed = np.random.default_rng(1), 0
    for _ in range(TIMES):
        tries = rng.binomial(100, 0.5, 8)
        chosen = tries[np.abs(tries - 50).argmax()]
        eta = replace(eta_of([chosen], [100], np.arange(101) % 2), choices=told)
        box = intervals.of_windows(eta, 1, simultaneous(1, MISS), 0.0)
        missed += not box.low[0] <= 0.5 <= box.high[0]
    return missed


def misses_of_guesses(told):
    """Labels are fair coins; of 200 sets of guesses made by coins too, those that seem best are chosen."""
    rng, n, missed = np.random.default_rng(2), 400, 0
    for _ in range(TIMES):
        labels = rng.integers(2, size=n)
        tries = rng.integers(2, size=(200, n))
        chosen = tries[(tries == labels).sum(axis=1).argmax()]
        eta = eta_of(np.full(n, 10), np.full(n, 20), labels)
        unseen = np.where(chosen[:, None] == np.arange(2), 0.9, 0.1)
        one = replace(eta, unseen=unseen, part=np.zeros(n, np.uint8), choices=told)
        missed += guessing.missed(table_of(labels), one, SAME, MISS) < 0.5
    return missed


@pytest.mark.parametrize(("misses", "tries"), [(misses_of_intervals, 8), (misses_of_guesses, 200)])
def test_limits_hold_for_the_luckiest_of_many_and_that_test_has_teeth(misses, tries):
    assert misses(tries) <= most_misses()
    assert misses(1) > most_misses(), "a liar keeps quiet about the choice"


def test_guesses_after_a_release_pay_for_the_choice_too():
    labels = np.arange(400) % 2
    eta = eta_of(np.where(labels == 1, 18, 2), np.full(400, 20), labels)
    channel = np.array([[0.8, 0.2], [0.2, 0.8]])
    found = [
        guessing.missed_after(table_of(labels), replace(eta, choices=choices), channel, SAME, 0.1)
        for choices in (1, 4, 16)
    ]
    assert found == sorted(set(found))


def test_learners_and_all_k_that_labels_might_have_chosen_share_one_level(monkeypatch):
    """Each of five ways to score pays for six, and neighbourhoods at one of seven k for what that leaves."""
    labels, ways, ks = np.arange(40) % 2, 5, 7
    counted = replace(eta_of([3, 9], [20, 20], labels), choices=ks)
    monkeypatch.setattr(Neighbors, "estimate", lambda *given: (counted, ()))
    monkeypatch.setattr(auto.selection, "scored", lambda task, rows, learners: {"a": np.full((40, 2), 0.5)})
    monkeypatch.setattr(auto.crossfit, "choices", lambda learners, rows: ways)
    beside = KnnTrial(9, 1.0, 0.5, 40), Tried("knn", 0.5, 0.01, None, -1.0, 0.01)
    monkeypatch.setattr(auto, "trial", lambda *given: beside)
    table = table_of(labels)
    eta, _ = auto.Auto().estimate(Task(table, table, Settings(), Silent()))
    assert [one.name for one in eta.tried] == ["knn", "a"]
    assert ways / (ways + 1) + ks / eta.choices == pytest.approx(1)
