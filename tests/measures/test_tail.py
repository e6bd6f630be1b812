"""J(tau): the share of people whose loss is above tau."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.measures import tail

quick = settings(deadline=None, max_examples=200, derandomize=True)
values = st.one_of(st.floats(-3, 12), st.sampled_from([math.inf, 0.0, 1.0]))
triples = st.lists(st.tuples(values, values, values).map(sorted), min_size=1, max_size=40)
TAUS = np.concatenate([[-math.inf], np.linspace(-4, 13, 35), [math.inf]])


def losses(rows):
    low, estimate, high = np.array(rows, float).T
    return tail.Losses.of(estimate, low, high)


@quick
@given(triples, st.integers(0, 3), st.sampled_from([0.2, 1e-3, 1e-12]))
def test_the_estimate_is_inside_and_all_fall_with_tau(rows, wrong, miss):
    estimate, low, high = tail.share_above(losses(rows), TAUS, wrong, miss)
    assert np.all((low >= 0) & (low <= estimate) & (estimate <= high) & (high <= 1))
    for curve in (estimate, low, high):
        assert np.all(np.diff(curve) <= 1e-15)


@quick
@given(triples, st.sampled_from([0.2, 1e-3]))
def test_more_allowance_and_less_risk_widen(rows, miss):
    _, low, high = tail.share_above(losses(rows), TAUS, 0, miss)
    for wrong, level in ((2, miss), (0, miss / 100)):
        _, lower, higher = tail.share_above(losses(rows), TAUS, wrong, level)
        assert np.all(lower <= low)
        assert np.all(higher >= high)


def test_above_is_strict():
    estimate, _, _ = tail.share_above(losses([[1, 1, 1], [2, 2, 2]]), np.array([0.9, 1.0, 2.0]), 0, 0.1)
    assert estimate.tolist() == [1.0, 0.5, 0.0]


def test_an_infinite_loss_is_above_everything():
    estimate, _, _ = tail.share_above(losses([[math.inf] * 3, [0, 0, 0]]), np.array([1e300]), 0, 0.1)
    assert estimate.tolist() == [0.5]


def test_an_interval_counts_for_the_limit_that_it_reaches():
    """Low is above tau for one point, high for two."""
    given_losses = losses([[3, 4, 5], [1, 2, 4], [0, 1, 2]])
    _, low, high = tail.share_above(given_losses, np.array([2.5]), 0, 0.05)
    assert binom.sf(0, 3, low[0]) == pytest.approx(0.05, rel=1e-9)
    assert binom.cdf(2, 3, high[0]) == pytest.approx(0.05, rel=1e-9)


def test_intervals_that_may_be_wrong_are_counted_out():
    """Six of ten are above tau; two of them may not be, and two others may."""
    given_losses = losses([[3, 4, 5]] * 6 + [[0, 1, 2]] * 4)
    _, low, high = tail.share_above(given_losses, np.array([2.5]), 2, 0.05)
    assert binom.sf(3, 10, low[0]) == pytest.approx(0.05, rel=1e-9)
    assert binom.cdf(8, 10, high[0]) == pytest.approx(0.05, rel=1e-9)


def miss_rates(limits, q, j):
    """How often J lies below the lower, above the upper limit: exactly, over the law of the number above tau."""
    below = above = 0.0
    for count in range(q + 1):
        known = losses([[1, 1, 1]] * count + [[0, 0, 0]] * (q - count))
        low, high = limits(known)
        below += binom.pmf(count, q, j) * (j < low)
        above += binom.pmf(count, q, j) * (j > high)
    return below, above


@pytest.mark.parametrize("j", [0.003, 0.05, 0.31, 0.5, 0.97])
def test_each_limit_misses_no_more_often_than_promised(j):
    def honest(known):
        _, low, high = tail.share_above(known, np.array([0.5]), 0, 0.05)
        return low[0], high[0]

    assert max(miss_rates(honest, 60, j)) <= 0.05


def test_and_that_test_has_teeth():
    def liar(known):
        share, _, _ = tail.share_above(known, np.array([0.5]), 0, 0.05)
        half = 1.645 * math.sqrt(share[0] * (1 - share[0]) / 60)  # Wald
        return share[0] - half, share[0] + half

    assert max(miss_rates(liar, 60, 0.05)) > 0.05


def test_mass_above():
    value, weight = np.array([3.0, 1.0, np.inf, 1.0]), np.array([0.2, 0.3, 0.1, 0.4])
    found = tail.mass_above(value, weight, np.array([0.0, 1.0, 2.9, 3.0, 50.0]))
    assert found == pytest.approx([1.0, 0.3, 0.3, 0.1, 0.1])
    assert tail.mass_above(np.arange(10.0), np.full(10, 0.1), np.array([-1.0]))[0] == 1
