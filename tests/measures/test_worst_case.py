"""The largest loss anybody can have."""

from __future__ import annotations

import math

import pytest
from channels import flipping, largest_loss, of_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.measures import loss, worst_case

quick = settings(deadline=None, max_examples=300, derandomize=True)
shares = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
inside = st.floats(1e-6, 1 - 1e-6)
epsilons = st.one_of(st.floats(0, 20), st.sampled_from([0.0, 1e6, math.inf]))


def at(low, high, p, epsilon):
    return worst_case.nu_max(worst_case.log_ratio_of_min(low), worst_case.log_ratio_of_max(high), p, flipping(epsilon))


@quick
@given(st.tuples(inside, inside, inside).map(sorted), st.floats(0, 20))
def test_nu_max_is_the_largest_nu(given_eta, epsilon):
    low, p, high = given_eta
    largest = max(loss.nu(y, said, eta, p) for y in (0, 1) for said in (-epsilon, epsilon) for eta in (low, high))
    assert at(low, high, p, epsilon) == pytest.approx(largest, rel=1e-9, abs=1e-9)


@quick
@given(
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(inside, inside, inside).map(sorted),
    epsilons,
)
def test_the_interval_holds_all_that_its_ends_allow(least, most, p, epsilon):
    low, high = worst_case.nu_max_interval((least[0], least[2]), (most[0], most[2]), (p[0], p[2]), flipping(epsilon))
    assert epsilon <= low <= at(least[1], most[1], p[1], epsilon) <= high


def test_infinite_where_it_is_infinite():
    assert at(0.0, 0.6, 0.3, 1.0) == math.inf
    assert at(0.2, 1.0, 0.3, 1.0) == math.inf
    assert at(0.2, 0.6, 0.3, math.inf) == math.inf
    assert worst_case.nu_max_interval((0, 0.1), (0.9, 1), (0.4, 0.6), flipping(1.0))[1] == math.inf


def test_a_zero_has_no_sign():
    assert math.copysign(1, worst_case.log_ratio_of_min(0.5)) == 1
    assert math.copysign(1, worst_case.log_ratio_of_max(0.5)) == 1


# ---- any way of replacing labels one by one

rows = st.tuples(*[st.lists(st.floats(0.001, 1) | st.just(0.0), min_size=3, max_size=3)] * 2).filter(
    lambda both: all(sum(row) > 0.01 for row in both)
)


@quick
@given(st.tuples(shares, inside, shares).map(sorted), rows)
def test_nu_max_under_a_channel_is_the_largest_nu(given_eta, channel):
    """Of anybody, whatever the label and what is said of it; the ends may be 0 and 1."""
    low, p, high = given_eta
    channel = [[cell / math.fsum(row) for cell in row] for row in channel]
    if not 0 < p < 1:
        return
    found = worst_case.nu_max(worst_case.log_ratio_of_min(low), worst_case.log_ratio_of_max(high), p, of_rows(channel))
    assert found == pytest.approx(largest_loss((low, p, high), p, channel), rel=1e-9, abs=1e-9)


def test_the_direction_matters():
    """Whoever is surely negative is told so by what 99 of 100 negatives hear; a positive answer tells as much."""
    told = of_rows(((0.99, 0.01), (0.5, 0.5)))
    assert (told.most_of_negative, told.most_of_positive) == pytest.approx((math.log(1.98), math.log(50)))
    at = [worst_case.nu_max(low, high, 0.5, told) for low, high in ((4.0, 0.5), (0.5, 4.0))]
    assert at == pytest.approx([math.log(1.98) + 4, math.log(50) + 4])
    assert at[0] < told.most + 4, "the epsilon of the release and the longest odds belong to different people"


@quick
@given(
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(inside, inside, inside).map(sorted),
    st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)),
)
def test_so_does_the_interval_of_a_channel(least, most, p, kept):
    noise = of_rows(((kept[0], 1 - kept[0]), (1 - kept[1], kept[1])))
    low, high = worst_case.nu_max_interval((least[0], least[2]), (most[0], most[2]), (p[0], p[2]), noise)
    ratios = worst_case.log_ratio_of_min(least[1]), worst_case.log_ratio_of_max(most[1])
    assert noise.most <= low <= worst_case.nu_max(*ratios, p[1], noise) <= high
