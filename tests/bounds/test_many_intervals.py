"""Many intervals at once: how many may be wrong, and how large neighbourhoods may be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.bounds.intervals import measure_smoothness
from labeldp_audit.bounds.intervals.mistakes import simultaneous, tolerated
from labeldp_audit.core.errors import AssumptionError

quick = settings(deadline=None, derandomize=True)
sizes = st.integers(1, 10_000_000)
levels = st.floats(1e-9, 0.5)


@quick
@given(sizes, levels)
def test_markov(q, miss):
    """P(more than `allowed` wrong) <= q miss_each / (allowed + 1) = miss."""
    for mistakes in (simultaneous(q, miss), tolerated(q, miss)):
        assert q * mistakes.miss_each / (mistakes.allowed + 1) == pytest.approx(miss)
        assert mistakes.miss_each <= miss


@quick
@given(sizes, levels)
def test_the_allowance_costs_a_thousandth(q, miss):
    assert tolerated(q, miss).allowed <= q / 1000
    assert tolerated(q, miss).miss_each >= simultaneous(q, miss).miss_each
    assert simultaneous(q, miss).allowed == 0


def test_markov_needs_no_independence():
    """The worst case is reached: all of one group of intervals fail together, or none does."""
    q, miss = 5000, 0.1
    mistakes = tolerated(q, miss)
    group = mistakes.allowed + 1
    groups = q // group
    wrong_too_often = groups * mistakes.miss_each  # each interval fails with its group, at most one group at a time
    assert wrong_too_often <= miss * (1 + 1e-9)
    assert wrong_too_often > 0.99 * miss


@pytest.mark.parametrize("queries", [1, 1000, 10**7])
@pytest.mark.parametrize("miss", [0.05, 5e-4])
def test_no_ball_is_larger_than_twice_its_share(queries, miss):
    """P(fewer than k of n rows in mass 2 k / n) at any query. ERRATA A8: the printed k forgets how many there are."""
    n, k = 10**6, measure_smoothness.required_k(queries, miss)
    assert queries * binom.cdf(k - 1, n, 2 * k / n) <= miss


def test_and_that_test_has_teeth():
    n, k = 10**6, math.ceil(4 * math.log(2 / 0.01))
    assert n * binom.cdf(k - 1, n, 2 * k / n) > 1


def test_k_must_be_large_enough():
    k = measure_smoothness.required_k(1000, 0.01)
    measure_smoothness.check(k, 1000, 0.01)
    with pytest.raises(AssumptionError, match=f"needs k of at least {k} for 1000 queries, not {k - 1}"):
        measure_smoothness.check(k - 1, 1000, 0.01)


def test_widening():
    assert measure_smoothness.widening(50, 10_000, 2.0, 0.5) == pytest.approx(2 * math.sqrt(0.01))
    assert measure_smoothness.widening(900, 1000, 0.3, 1.0) == pytest.approx(0.3)  # no mass is above 1
    assert np.all(np.diff([measure_smoothness.widening(k, 1000, 1.0, 0.7) for k in range(1, 999)]) >= 0)
