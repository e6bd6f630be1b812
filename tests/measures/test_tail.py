"""J(tau): the share of people whose loss is above tau."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.measures import tail

quick = settings(deadline=None, max_examples=100, derandomize=True)
values = st.one_of(st.floats(-3, 12), st.sampled_from([math.inf, 0.0, 1.0]))
triples = st.lists(st.tuples(values, values, values).map(sorted), min_size=1, max_size=40)
TAUS = np.concatenate([[-math.inf], np.linspace(-4, 13, 35), [math.inf]])


def losses(rows):
    low, estimate, high = np.array(rows, float).T
    return tail.Losses.of(estimate, low, high)


@quick
@given(triples, st.integers(0, 3), st.sampled_from([0.2, 1e-3, 1e-12]))
def test_the_estimate_is_inside_all_fall_with_tau_and_doubt_widens(rows, wrong, miss):
    estimate, low, high = tail.share_above(losses(rows), TAUS, wrong, miss)
    assert np.all((low >= 0) & (low <= estimate) & (estimate <= high) & (high <= 1))
    for curve in (estimate, low, high):
        assert np.all(np.diff(curve) <= 1e-15)
    for more, level in ((wrong + 2, miss), (wrong, miss / 100)):
        _, lower, higher = tail.share_above(losses(rows), TAUS, more, level)
        assert np.all(lower <= low) and np.all(higher >= high)


def test_above_is_strict_and_an_infinite_loss_is_above_everything():
    known = losses([[1, 1, 1], [2, 2, 2], [math.inf] * 3, [math.inf] * 3])
    estimate, _, _ = tail.share_above(known, np.array([0.9, 1.0, 2.0, 1e300]), 0, 0.1)
    assert estimate.tolist() == [1.0, 0.75, 0.5, 0.5]


@pytest.mark.parametrize(
    ("rows", "wrong", "surely", "possibly"),
    [([[3, 4, 5], [1, 2, 4], [0, 1, 2]], 0, 1, 2), ([[3, 4, 5]] * 6 + [[0, 1, 2]] * 4, 2, 4, 8)],
)
def test_an_interval_counts_for_the_limit_that_it_reaches_but_for_those_that_may_be_wrong(
    rows, wrong, surely, possibly
):
    _, low, high = tail.share_above(losses(rows), np.array([2.5]), wrong, 0.05)
    assert binom.sf(surely - 1, len(rows), low[0]) == pytest.approx(0.05, rel=1e-9)
    assert binom.cdf(possibly, len(rows), high[0]) == pytest.approx(0.05, rel=1e-9)


def test_parts_and_people_widen():
    """Whichever part of what is unknown is true: one of its rows holds. People may be fewer or more than rows."""
    one = np.array([1.0, 2.0, 3.0, 4.0])
    parted = tail.Losses.of(one, np.stack([one - 2, one]), np.stack([one, one + 2]))
    single = [tail.share_above(tail.Losses.of(one, one + by, one + by), np.array([2.5]), 0, 0.1) for by in (-2, 2)]
    _, low, high = tail.share_above(parted, np.array([2.5]), 0, 0.1)
    assert (low, high) == (single[0][1], single[1][2])
    flat = tail.Losses.of(one, one, one)
    for people, surely, possibly in (((0.3, 0.8), 1, 4), ((0.9, 0.1), 2, 2)):
        ends = np.array([people[0]]), np.array([people[1]])
        _, low, high = tail.share_above(flat, np.array([2.5]), 0, 0.1, ends)
        assert binom.sf(surely - 1, 4, low[0]) == pytest.approx(0.1, rel=1e-9)
        assert high[0] == 1 if possibly == 4 else binom.cdf(possibly, 4, high[0]) == pytest.approx(0.1, rel=1e-9)


def miss_rates(limits, q, j):
    """How often J lies below the lower, above the upper limit: exactly, over the law of the number above tau."""
    below = above = 0.0
    for count in range(q + 1):
        low, high = limits(losses([[1, 1, 1]] * count + [[0, 0, 0]] * (q - count)))
        below += binom.pmf(count, q, j) * (j < low)
        above += binom.pmf(count, q, j) * (j > high)
    return below, above


def test_each_limit_misses_no_more_often_than_promised():
    def honest(known):
        _, low, high = tail.share_above(known, np.array([0.5]), 0, 0.05)
        return low[0], high[0]

    def liar(known):
        share, _, _ = tail.share_above(known, np.array([0.5]), 0, 0.05)
        half = 1.645 * math.sqrt(share[0] * (1 - share[0]) / 60)  # Wald
        return share[0] - half, share[0] + half

    for j in (0.003, 0.05, 0.5, 0.97):
        assert max(miss_rates(honest, 60, j)) <= 0.05
    assert max(miss_rates(liar, 60, 0.05)) > 0.05, "the test has teeth"


def test_mass_above():
    value, weight = np.array([3.0, 1.0, np.inf, 1.0]), np.array([0.2, 0.3, 0.1, 0.4])
    found = tail.mass_above(value, weight, np.array([0.0, 1.0, 2.9, 3.0, 50.0]))
    assert found == pytest.approx([1.0, 0.3, 0.3, 0.1, 0.1])
    assert tail.mass_above(np.arange(10.0), np.full(10, 0.1), np.array([-1.0]))[0] == 1
