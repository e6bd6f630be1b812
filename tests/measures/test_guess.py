"""Guesses from the features alone, and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.measures import guess
from labeldp_audit.mechanisms import RandomizedResponse

quick = settings(deadline=None, max_examples=100, derandomize=True)
payoffs = st.lists(st.floats(0.1, 20), min_size=2, max_size=5).map(np.array)


@quick
@given(payoffs, st.integers(0, 1000))
def test_what_guesses_can_miss_and_must_get(payoff, seed):
    eta = np.random.default_rng(seed).dirichlet(np.full(len(payoff), 0.5), 300)
    worth = guess.worth(eta, payoff)
    assert worth.min() >= guess.least_worth(payoff) * (1 - 1e-12)
    assert ((eta * payoff).sum(axis=1) - worth).max() <= guess.most_missed(payoff) * (1 + 1e-12)


def test_both_extremes_are_reached_and_balanced_payoffs_make_classes_count_alike():
    for payoff in (np.ones(2), np.array([0.5, 10.0]), np.ones(4)):
        even = (1 / payoff) / (1 / payoff).sum()
        assert guess.worth(even[None], payoff)[0] == pytest.approx(guess.least_worth(payoff))
        assert (even * payoff).sum() - guess.least_worth(payoff) == pytest.approx(guess.most_missed(payoff))
    assert guess.balanced([0.9, 0.1]) == pytest.approx([1 / 1.8, 5])


def test_ties_share_what_a_guess_is_worth():
    eta = np.array([[0.5, 0.5], [0.2, 0.8], [0.2, 0.8]])
    assert guess.right(eta, np.array([0, 1, 0]), np.ones(2)).tolist() == [0.5, 1.0, 0.0]
    assert guess.right(eta, np.array([0, 1, 0]), np.array([4.0, 1.0])).tolist() == [4.0, 0.5, 2.0]


def test_after_a_release_the_label_that_was_said_counts():
    eta, labels, ones = np.array([[0.6, 0.4], [0.99, 0.01]]), np.array([1, 1]), np.ones(2)
    clear, noisy = RandomizedResponse(np.inf).channel(2), RandomizedResponse(1.0).channel(2)
    assert (
        guess.right_after(eta, clear, labels, ones).tolist() == guess.worth_after(eta, clear, ones).tolist() == [1, 1]
    )
    assert guess.right_after(eta, noisy, labels, ones) == pytest.approx([1 / (1 + np.exp(-1)), 0.0])
    assert guess.worth_after(eta, noisy, ones) == pytest.approx([1 / (1 + np.exp(-1)), 0.99])
