"""Limits for means: Hoeffding; Dvoretzky, Kiefer and Wolfowitz."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.bounds.intervals import dvoretzky_kiefer_wolfowitz, hoeffding

quick = settings(deadline=None, max_examples=200, derandomize=True)
terms = st.lists(st.floats(-2, 40), min_size=1, max_size=60).map(np.array)
levels = st.sampled_from([0.4, 0.05, 1e-9])


@quick
@given(terms, st.floats(0, 3), st.integers(0, 5), levels)
def test_the_lower_limit_is_below_the_mean_and_above_the_floor(values, below, wrong, miss):
    floor = -2 - below
    low = dvoretzky_kiefer_wolfowitz.mean_lower(values, floor, wrong, miss)
    assert floor <= low <= values.mean() + 1e-12


@quick
@given(terms, levels)
def test_it_falls_with_doubt(values, miss):
    low = dvoretzky_kiefer_wolfowitz.mean_lower(values, -2, 0, miss)
    assert dvoretzky_kiefer_wolfowitz.mean_lower(values, -2, 1, miss) <= low
    assert dvoretzky_kiefer_wolfowitz.mean_lower(values, -2, 0, miss / 2) <= low
    assert dvoretzky_kiefer_wolfowitz.mean_lower(values - 0.1, -3, 0, miss) <= low


def test_by_hand():
    """Ten terms of 1 and ten of 3: share 1 up to 1, share 1/2 up to 3, less e and one in twenty."""
    lost = 1 / 20 + math.sqrt(math.log(1 / 0.1) / 40)
    low = dvoretzky_kiefer_wolfowitz.mean_lower(np.repeat([1.0, 3.0], 10), 0, 1, 0.1)
    assert low == pytest.approx((1 - lost) * 1 + (0.5 - lost) * 2)


@quick
@given(terms, st.integers(0, 5), st.randoms(use_true_random=False))
def test_wrong_terms_are_counted_out(values, wrong, random):
    """Raise `wrong` of the limits as far as you like: the result stays below what the true terms give."""
    raised = values.copy()
    for i in random.sample(range(len(values)), min(wrong, len(values))):
        raised[i] = 1e6
    low = dvoretzky_kiefer_wolfowitz.mean_lower(raised, -2, wrong, 0.3)
    assert low <= dvoretzky_kiefer_wolfowitz.mean_lower(values, -2, 0, 0.3) + 1e-9


def miss_rate(limit, share, q):
    """How often the limit of a mean of coins exceeds it: exactly."""
    count = np.arange(q + 1)
    wrong = [limit(np.repeat([0.0, 1.0], [q - s, s])) > share for s in count]
    return float(binom.pmf(count, q, share)[wrong].sum())


def upper_miss_rate(limit, share, q):
    count = np.arange(q + 1)
    wrong = [limit(np.repeat([0.0, 1.0], [q - s, s])) < share for s in count]
    return float(binom.pmf(count, q, share)[wrong].sum())


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("q", [1, 5, 40])
def test_limits_miss_no_more_often_than_promised(share, q):
    assert miss_rate(lambda v: dvoretzky_kiefer_wolfowitz.mean_lower(v, 0, 0, 0.1), share, q) <= 0.1
    assert miss_rate(lambda v: hoeffding.mean_limits(v, v, 0, 1, 0, 0.1)[0], share, q) <= 0.1
    assert miss_rate(lambda v: -hoeffding.mean_limits(-v, -v, -1, 0, 0, 0.1)[1], share, q) <= 0.1
    assert miss_rate(lambda v: hoeffding.share_lower(float(v.mean()), len(v), 0.1), share, q) <= 0.1
    assert upper_miss_rate(lambda v: hoeffding.share_upper(float(v.mean()), len(v), 0.1), share, q) <= 0.1


def test_and_that_test_has_teeth():
    assert miss_rate(lambda v: float(v.mean()) - 0.3 / math.sqrt(len(v)), 0.5, 40) > 0.1
    assert upper_miss_rate(lambda v: float(v.mean()) + 0.3 / math.sqrt(len(v)), 0.5, 40) > 0.1


@quick
@given(st.lists(st.tuples(st.floats(0.5, 1), st.floats(0.5, 1)).map(sorted), min_size=1), st.integers(0, 3), levels)
def test_hoeffding_stays_in_range_and_round_the_means(rows, wrong, miss):
    low_terms, high_terms = np.array(rows).T
    low, high = hoeffding.mean_limits(low_terms, high_terms, 0.5, 1, wrong, miss)
    assert 0.5 <= low <= low_terms.mean() + 1e-12
    assert high_terms.mean() - 1e-12 <= high <= 1


def test_hoeffding_by_hand():
    """Half a unit of range, one of hundred terms wrong, e = sqrt(log(1 / miss) / 200)."""
    slack = 0.5 * (0.01 + math.sqrt(math.log(20) / 200))
    low, high = hoeffding.mean_limits(np.full(100, 0.75), np.full(100, 0.75), 0.5, 1, 1, 0.05)
    assert (low, high) == (pytest.approx(0.75 - slack), pytest.approx(0.75 + slack))


@quick
@given(st.floats(0.001, 1), st.integers(1, 5000), levels)
def test_the_limit_of_a_share_solves_its_equation(mean, q, miss):
    low = hoeffding.share_lower(mean, q, miss)
    assert 0 <= low < mean
    if low > 1e-6:
        divergence = mean * math.log(mean / low) + ((1 - mean) * math.log((1 - mean) / (1 - low)) if mean < 1 else 0)
        assert divergence == pytest.approx(math.log(1 / miss) / q, rel=1e-3)


def test_the_limit_of_a_share_at_its_ends():
    assert hoeffding.share_lower(0.0, 10, 0.01) == 0
    assert hoeffding.share_lower(1.0, 256, 0.01) == pytest.approx(0.01 ** (1 / 256))
    assert hoeffding.share_lower(0.97, 256, 0.01) > hoeffding.mean_limits(*[np.full(256, 0.97)] * 2, 0, 1, 0, 0.01)[0]


@quick
@given(st.floats(0, 0.999), st.integers(1, 5000), levels)
def test_the_upper_limit_of_a_share_solves_its_equation(mean, q, miss):
    high = hoeffding.share_upper(mean, q, miss)
    assert mean < high <= 1
    if high < 1 - 1e-6:
        divergence = (mean * math.log(mean / high) if mean else 0) + (1 - mean) * math.log((1 - mean) / (1 - high))
        assert divergence == pytest.approx(math.log(1 / miss) / q, rel=1e-3)


def test_the_upper_limit_of_a_share_at_its_ends():
    assert hoeffding.share_upper(1.0, 10, 0.01) == 1
    assert hoeffding.share_upper(0.0, 256, 0.01) == pytest.approx(1 - 0.01 ** (1 / 256))


@pytest.mark.parametrize(("endless", "expected"), [(0, 1.0), (1, 1.0), (400, np.inf)])
def test_a_mean_of_terms_without_an_end_has_none_where_enough_are(endless, expected):
    terms = np.concatenate([np.ones(1000 - endless), np.full(endless, np.inf)])
    low = dvoretzky_kiefer_wolfowitz.mean_lower(terms, 0.0, 0, 0.01)
    assert low == expected if endless > 1 else 0.9 < low < expected
