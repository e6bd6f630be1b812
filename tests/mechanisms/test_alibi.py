"""Soft labels: the noise below them, what a reader makes of them, and what they add to guesses."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare

from labeldp_audit.core.release import Guide
from labeldp_audit.mechanisms import Alibi, RandomizedResponse
from labeldp_audit.mechanisms.alibi import STEPS
from labeldp_audit.mechanisms.per_record import gain_of_channel

MISS = 1e-4


def places(mechanism, label, n=100_000):
    """u_1 - u_0 + m of released labels of two classes."""
    release = mechanism.release(np.full(n, label), Guide(2), rng=np.random.default_rng(label))
    logs = np.log(release.view)
    return np.rint((logs[:, 1] - logs[:, 0]) * STEPS / mechanism.epsilon).astype(int) + STEPS


def surprise(mechanism, label):
    """p-value of what is released, by the channel."""
    law = Alibi(1.0).channel(2)[label]
    seen = np.bincount(places(mechanism, label), minlength=len(law))
    return chisquare(seen, law * seen.sum()).pvalue


class Narrow(Alibi):
    """Noise for numbers that one label moves by 1, not by 2."""

    @property
    def each(self):
        return super().each * 2


@pytest.mark.parametrize("label", [0, 1])
def test_the_channel_of_two_classes_is_what_is_released(label):
    assert surprise(Alibi(1.0), label) > MISS


def test_and_half_of_the_noise_is_noticed():
    assert surprise(Narrow(1.0), 1) < MISS**2
    low = np.log(np.bincount(places(Narrow(1.0), 1))[-1] / np.bincount(places(Narrow(1.0), 0), minlength=33)[-1])
    assert low > 1.5  # twice the epsilon


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 8.0, 20.0])
def test_log_ratios_are_those_of_the_channel_and_no_more_than_epsilon(epsilon):
    mechanism = Alibi(epsilon)
    negative, positive = np.log(mechanism.channel(2))
    assert mechanism.log_ratios() == pytest.approx(positive - negative, rel=1e-9, abs=1e-9)
    assert mechanism.log_ratios()[-1] == epsilon == 2 * STEPS * float(mechanism.each)


def by_hand(mechanism, eta, payoff):
    """Over all that may be seen of three classes."""
    other = mechanism._law()
    seen = np.array(list(itertools.product(range(STEPS + 1), repeat=3)))
    laws = np.prod(other[seen], axis=1)[:, None] * np.exp(float(mechanism.each) * (2 * seen - STEPS))
    assert laws.sum(axis=0) == pytest.approx(np.ones(3))
    return float(np.max(payoff * eta * laws, axis=1).sum() - np.max(payoff * eta))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_gain_is_that_of_all_that_may_be_seen(epsilon):
    rng, mechanism = np.random.default_rng(0), Alibi(epsilon)
    eta = np.vstack([rng.dirichlet([0.7] * 3, 20), np.eye(3)[:1], np.full((1, 3), 1 / 3)])
    for payoff in (np.ones(3), np.array([1.0, 4.0, 2.0])):
        expected = [by_hand(mechanism, row, payoff) for row in eta]
        assert mechanism.gain(eta[:, None], payoff)[:, 0] == pytest.approx(expected, abs=1e-12)


def test_the_gain_of_two_classes_is_that_of_the_channel():
    eta = np.random.default_rng(1).dirichlet([0.5, 0.5], 100)
    for epsilon in (0.01, 1.0, 20.0):
        mechanism = Alibi(epsilon)
        expected = gain_of_channel(eta, mechanism.channel(2), np.array([1.0, 3.0]))
        assert mechanism.gain(eta, np.array([1.0, 3.0])) == pytest.approx(expected, rel=1e-9, abs=1e-15)
        worst = gain_of_channel(eta, RandomizedResponse(epsilon).channel(2), np.array([1.0, 3.0]))
        assert np.all(expected <= worst + 1e-12)


def test_what_is_published_is_a_law_for_each_record():
    release = Alibi(2.0).release(np.array([0, 1, 2, 2]), Guide(3), rng=np.random.default_rng(0))
    assert release.view.shape == (4, 3) and release.view.sum(axis=1) == pytest.approx(np.ones(4))
    assert math.log(np.max(release.view.max(axis=1) / release.view.min(axis=1))) <= 2.0 + 1e-12
