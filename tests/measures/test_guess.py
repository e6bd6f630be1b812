"""Guesses from the features alone, and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.estimators import reliability
from labeldp_audit.measures import guess
from labeldp_audit.mechanisms.randomized_response import RandomizedResponse

quick = settings(deadline=None, max_examples=200, derandomize=True)
payoffs = st.lists(st.floats(0.1, 20), min_size=2, max_size=5).map(np.array)


def test_balanced_payoffs_make_classes_count_alike():
    payoff = guess.balanced([0.9, 0.1])
    assert payoff == pytest.approx([1 / 1.8, 5])
    assert payoff * [0.9, 0.1] == pytest.approx([0.5, 0.5])


@quick
@given(payoffs, st.integers(0, 1000))
def test_what_guesses_can_miss_and_must_get(payoff, seed):
    eta = np.random.default_rng(seed).dirichlet(np.full(len(payoff), 0.5), 300)
    worth = guess.worth(eta, payoff)
    assert worth.min() >= guess.least_worth(payoff) * (1 - 1e-12)
    assert ((eta * payoff).sum(axis=1) - worth).max() <= guess.most_missed(payoff) * (1 + 1e-12)


def test_both_extremes_are_reached():
    for payoff in (np.ones(2), np.array([0.5, 10.0]), np.ones(4)):
        even = (1 / payoff) / (1 / payoff).sum()
        assert guess.worth(even[None], payoff)[0] == pytest.approx(guess.least_worth(payoff))
        assert (even * payoff).sum() - guess.least_worth(payoff) == pytest.approx(guess.most_missed(payoff))


def test_ties_share_what_a_guess_is_worth():
    eta = np.array([[0.5, 0.5], [0.2, 0.8], [0.2, 0.8]])
    assert guess.right(eta, np.array([0, 1, 0]), np.ones(2)).tolist() == [0.5, 1.0, 0.0]
    assert guess.right(eta, np.array([0, 1, 0]), np.array([4.0, 1.0])).tolist() == [4.0, 0.5, 2.0]


def test_after_a_release_the_label_that_was_said_counts():
    eta, labels = np.array([[0.6, 0.4], [0.99, 0.01]]), np.array([1, 1])
    clear = RandomizedResponse(np.inf).channel(2)
    assert guess.right_after(eta, clear, labels, np.ones(2)).tolist() == [1.0, 1.0]
    noisy = guess.right_after(eta, RandomizedResponse(1.0).channel(2), labels, np.ones(2))
    assert noisy == pytest.approx([1 / (1 + np.exp(-1)), 0.0])


# ---- do labels fit given probabilities?


def wrong(probability, labels, miss=0.01):
    both = np.stack([1 - probability, probability], axis=1)
    return list(reliability.faults(both, labels, ("no", "yes"), miss))


def test_true_probabilities_are_rarely_doubted():
    rng = np.random.default_rng(8)
    doubted = 0
    for _ in range(300):
        eta = rng.beta(0.3, 1, 500)
        doubted += bool(wrong(eta, rng.random(500) < eta, 0.2))
    assert doubted <= 80  # 60 are allowed; by one in a hundred thousand there are more


@pytest.mark.parametrize("bent", [lambda eta: eta / 2, lambda eta: eta**3, lambda eta: (eta > 0.5) * 1.0])
def test_and_that_test_has_teeth(bent):
    rng = np.random.default_rng(9)
    eta = rng.random(20_000)
    [fault] = wrong(bent(eta), rng.random(20_000) < eta)
    assert "have the label yes" in fault


def test_few_rows_are_not_told_apart():
    assert wrong(np.array([0.2, 0.9]), np.array([False, True])) == []
    [fault] = wrong(np.array([0.0, 0.0]), np.array([False, True]))
    assert fault.startswith("among 2 rows")


def test_an_impossible_label_is_infinitely_surprising():
    probability = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert reliability.log_loss(probability, np.array([0, 1])) == pytest.approx(np.log(2) / 2)
    assert reliability.log_loss(probability, np.array([1, 1])) == np.inf
