"""The largest loss anybody can have."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.measures import loss, worst_case

quick = settings(deadline=None, max_examples=300, derandomize=True)
shares = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
inside = st.floats(1e-6, 1 - 1e-6)
epsilons = st.one_of(st.floats(0, 20), st.sampled_from([0.0, 1e6, math.inf]))


def at(low, high, p, epsilon):
    return worst_case.nu_max(worst_case.log_ratio_of_min(low), worst_case.log_ratio_of_max(high), p, epsilon)


@quick
@given(st.tuples(inside, inside, inside).map(sorted), st.floats(0, 20))
def test_nu_max_is_the_largest_nu(given_eta, epsilon):
    low, p, high = given_eta
    largest = max(loss.nu(y, said, eta, p, epsilon) for y in (0, 1) for said in (0, 1) for eta in (low, high))
    assert at(low, high, p, epsilon) == pytest.approx(largest, rel=1e-9, abs=1e-9)


@quick
@given(
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(inside, inside, inside).map(sorted),
    epsilons,
)
def test_the_interval_holds_all_that_its_ends_allow(least, most, p, epsilon):
    low, high = worst_case.nu_max_interval((least[0], least[2]), (most[0], most[2]), (p[0], p[2]), epsilon)
    assert epsilon <= low <= at(least[1], most[1], p[1], epsilon) <= high


def test_infinite_where_it_is_infinite():
    assert at(0.0, 0.6, 0.3, 1.0) == math.inf
    assert at(0.2, 1.0, 0.3, 1.0) == math.inf
    assert at(0.2, 0.6, 0.3, math.inf) == math.inf
    assert worst_case.nu_max_interval((0, 0.1), (0.9, 1), (0.4, 0.6), 1.0)[1] == math.inf


def test_a_zero_has_no_sign():
    assert math.copysign(1, worst_case.log_ratio_of_min(0.5)) == 1
    assert math.copysign(1, worst_case.log_ratio_of_max(0.5)) == 1
