"""Teachers who vote: what a label moves, and what all queries spend."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binomtest

from labeldp_audit.core.release import Guide
from labeldp_audit.mechanisms import Pate
from labeldp_audit.mechanisms.pate import delta_of, epsilon_at, shares


def enumerated(epsilon, each, times):
    """Of all answers of so many randomized responses."""
    own = math.exp(each) / (1 + math.exp(each))
    delta = 0.0
    for answers in itertools.product((0, 1), repeat=times):
        here, there = (math.prod(own if one == true else 1 - own for one in answers) for true in (0, 1))
        delta += max(0.0, here - math.exp(epsilon) * there)
    return delta


@pytest.mark.parametrize(("each", "times"), [(0.1, 1), (0.5, 4), (2.0, 7), (0.3, 10)])
def test_the_composition_is_that_of_randomized_response(each, times):
    for epsilon in (0.0, 0.3 * each * times, 0.9 * each * times):
        assert delta_of(epsilon, each, times) == pytest.approx(enumerated(epsilon, each, times), abs=2e-12)
    least = epsilon_at(0.01, each, times)
    assert enumerated(least, each, times) <= 0.01 < enumerated(least * 0.999 - 1e-9, each, times) or least < 1e-9


def test_much_less_is_spent_with_a_delta():
    pure, composed = Pate(20.0, 100, 2000, 1e-6).guarantees(2)
    assert (pure.epsilon, pure.delta) == (20.0, 0.0)
    assert composed.delta == 1e-6 and composed.epsilon < 3


def test_a_query_without_votes_left_says_nothing():
    assert shares(np.array([[-3, -1], [4, -2], [1, 3]])).tolist() == [[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]]


class Learns:
    """A model that says the share of each class among its labels, and keeps what the student was taught."""

    def __call__(self, rows, soft, others):
        self.taught = soft
        return np.tile(soft.mean(axis=0), (len(others), 1))


def test_the_student_learns_from_votes_and_everybody_is_told():
    labels = (np.arange(600) % 4 == 0).astype(int)
    learn = Learns()
    found = Pate(500.0, 20, 50).release(labels, Guide(2, learn=learn), rng=np.random.default_rng(0))
    assert found.view.shape == (600, 2) and learn.taught.shape == (50, 2)
    assert learn.taught[:, 1].mean() == pytest.approx(0.25, abs=0.06)
    loud = Pate(0.01, 20, 50).release(labels, Guide(2, learn=learn), rng=np.random.default_rng(0))
    assert abs(learn.taught[:, 1].mean() - 0.5) < 0.25 and Pate(0.01, 20, 50).learner(loud, 2)["queries"] == 50


def seen_shares(kind, label, runs):
    """How often the student of one query was taught nothing but class 0."""
    rng, certain = np.random.default_rng(1), 0
    for _ in range(runs):
        taught = []
        learn = lambda rows, soft, others: (taught.append(soft), np.tile(soft[0], (len(others), 1)))[1]  # noqa: B023, E731
        kind(1.0, 2, 1).release(np.array([0, label]), Guide(2, learn=learn), rng=rng)
        certain += bool(taught[-1][0, 0] == 1)
    return certain


class HalfTheNoise(Pate):
    """Takes a vote that moves for one count that changes, not for two."""

    def release(self, labels, guide, *, rng):
        return Pate(2 * self.epsilon, self.teachers, self.queries).release(labels, guide, rng=rng)


@pytest.mark.parametrize(("kind", "holds"), [(Pate, True), (HalfTheNoise, False)])
def test_one_label_moves_what_is_taught_by_no_more_than_epsilon(kind, holds):
    runs = 6000
    here, there = (seen_shares(kind, label, runs) for label in (0, 1))
    low = binomtest(here, runs).proportion_ci(0.999).low
    high = binomtest(there, runs).proportion_ci(0.999).high
    assert (math.log(low / high) <= 1.0) is holds
