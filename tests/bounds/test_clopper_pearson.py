"""Limits of a binomial probability: the equations that define them, and what they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.bounds.intervals import clopper_pearson

quick = settings(deadline=None, max_examples=200, derandomize=True)
LEVELS = (0.3, 0.05, 1e-5, 1e-9, 1e-12)
SIZES = (1, 2, 30, 141, 1000, 10_000)
levels = st.sampled_from(LEVELS)
trials = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def counts(n):
    return np.unique(np.round(np.linspace(0, n, 60)).astype(int))


@pytest.mark.parametrize("miss", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_the_lower_end_solves_its_equation(n, miss):
    """P(Bin(n, low) >= count) = miss."""
    count = counts(n)[1:]
    tail = binom.sf(count - 1, n, clopper_pearson.lower(count, n, miss))
    assert tail == pytest.approx(np.full(len(count), miss), rel=1e-7)
    assert np.all(tail <= miss)


@pytest.mark.parametrize("miss", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_the_upper_end_solves_its_equation(n, miss):
    """P(Bin(n, high) <= count) = miss; near 1 as exactly as numbers next to 1 allow."""
    count = counts(n)[:-1]
    high = clopper_pearson.upper(count, n, miss)
    assert np.all(binom.cdf(count, n, high) <= miss)
    assert np.all(binom.cdf(count, n, high - 1e-11) >= miss * (1 - 1e-7))


@quick
@given(trials, levels)
def test_ends_mirror_each_other(trial, miss):
    """Successes and failures change places."""
    count, n = trial
    high = clopper_pearson.upper(count, n, miss)
    assert 1 - high == pytest.approx(clopper_pearson.lower(n - count, n, miss), rel=1e-9, abs=3e-15)


@pytest.mark.parametrize("miss", LEVELS)
def test_closed_forms_where_nothing_or_everything_succeeded(miss):
    n = np.array(SIZES)
    assert np.all(clopper_pearson.lower(0, n, miss) == 0)
    assert np.all(clopper_pearson.upper(n, n, miss) == 1)
    assert clopper_pearson.upper(0, n, miss) == pytest.approx(-np.expm1(np.log(miss) / n), rel=1e-11)
    assert clopper_pearson.lower(n, n, miss) == pytest.approx(miss ** (1 / n), rel=1e-11)


def test_a_tiny_level_is_not_lost():
    """1 - 1e-17 is 1 in double precision; 36.84 = -log 1e-16."""
    assert clopper_pearson.upper(0, 1000, 1e-16) == pytest.approx(-np.expm1(-36.841361487904734 / 1000), rel=1e-11)
    assert clopper_pearson.upper(3, 1000, 1e-17) < clopper_pearson.upper(3, 1000, 1e-20) < 0.1


@quick
@given(trials, levels)
def test_inside_the_unit_interval_and_round_the_share(trial, miss):
    count, n = trial
    low, high = clopper_pearson.lower(count, n, miss), clopper_pearson.upper(count, n, miss)
    assert 0 <= low <= count / n <= high <= 1


@pytest.mark.parametrize("miss", LEVELS)
@pytest.mark.parametrize("limit", [clopper_pearson.lower, clopper_pearson.upper])
def test_monotone_in_the_count_and_in_n(limit, miss):
    assert np.all(np.diff(limit(np.arange(142), 141, miss)) > -1e-15)
    assert np.all(np.diff(limit(5, np.arange(5, 300), miss)) < 1e-15)


@pytest.mark.parametrize("n", SIZES)
def test_monotone_in_the_level(n):
    low = [clopper_pearson.lower(counts(n), n, miss) for miss in LEVELS]
    high = [clopper_pearson.upper(counts(n), n, miss) for miss in LEVELS]
    assert np.all(np.diff(low, axis=0) <= 0)
    assert np.all(np.diff(high, axis=0) >= 0)


def test_no_trials_tell_nothing():
    assert (clopper_pearson.lower(0, 0, 0.1), clopper_pearson.upper(0, 0, 0.1)) == (0, 1)


@quick
@given(st.lists(trials, min_size=1, max_size=30), levels.filter(lambda miss: miss < 0.25))
def test_many_counts_are_limited_like_one(many, miss):
    count, n = np.array(many).T
    low, high = clopper_pearson.limits_of_counts(count, n, miss)
    alike = -np.expm1(-miss)
    assert low.tolist() == [float(clopper_pearson.lower(s, k, alike)) for s, k in many]
    assert high.tolist() == [float(clopper_pearson.upper(s, k, alike)) for s, k in many]


# ---- coverage, exactly


def law_of_count(probabilities):
    """P(S = s) for a sum of independent trials that are not alike."""
    law = np.ones(1)
    for p in probabilities:
        law = np.convolve(law, [1 - p, p])
    return law


def misses(limits, probabilities):
    """How often the mean probability lies below the lower, above the upper limit."""
    n, mean, law = len(probabilities), float(np.mean(probabilities)), law_of_count(probabilities)
    low, high = limits(np.arange(n + 1), np.full(n + 1, n))
    return law[low > mean].sum(), law[high < mean].sum()


def populations(n, miss):
    rng = np.random.default_rng(8)
    yield np.full(n, 0.3)
    yield np.r_[0.999 * miss, np.zeros(n - 1)]  # a single success is as good as impossible, yet happens
    yield 1 - np.r_[0.999 * miss, np.zeros(n - 1)]
    yield np.r_[1.02 * miss, np.zeros(n - 1)]
    for shape in (0.05, 0.3, 1, 5):
        yield from (rng.beta(shape, shape * skew, n) for skew in (0.1, 1, 10))


@pytest.mark.parametrize("miss", [0.2, 0.05, 1e-3])
@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_covers_the_mean_of_people_who_are_not_alike(n, miss):
    for probabilities in populations(n, miss):
        assert max(misses(lambda s, k: clopper_pearson.limits_of_counts(s, k, miss), probabilities)) <= miss


def test_and_that_test_has_teeth():
    """Without 1 - e^-miss, the one success that hardly ever happens is too much."""

    def liar(s, k):
        return clopper_pearson.lower(s, k, 0.05), clopper_pearson.upper(s, k, 0.05)

    assert max(misses(liar, np.r_[1.02 * 0.05, np.zeros(29)])) > 0.05
