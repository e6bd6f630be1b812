"""Limits of shares and means: the equations that define them, and what they cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.bounds.intervals import clopper_pearson, dvoretzky_kiefer_wolfowitz, hoeffding, measure_smoothness
from labeldp_audit.bounds.intervals.mistakes import simultaneous, tolerated
from labeldp_audit.core.errors import AssumptionError

quick = settings(deadline=None, max_examples=100, derandomize=True)
LEVELS = (0.3, 0.05, 1e-5, 1e-9, 1e-12)
SIZES = (1, 2, 30, 141, 10_000)
levels = st.sampled_from(LEVELS)
trials = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# ---- Clopper and Pearson


@pytest.mark.parametrize("miss", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_both_ends_solve_their_equations(n, miss):
    """P(Bin(n, low) >= count) = miss = P(Bin(n, high) <= count); near 1 as exactly as numbers next to 1 allow."""
    count = np.unique(np.round(np.linspace(0, n, 60)).astype(int))
    low, high = clopper_pearson.lower(count, n, miss), clopper_pearson.upper(count, n, miss)
    assert (low[0], high[-1]) == (0, 1)
    tail = binom.sf(count[1:] - 1, n, low[1:])
    assert tail == pytest.approx(np.full(len(tail), miss), rel=1e-7)
    assert np.all(tail <= miss)
    assert np.all(binom.cdf(count[:-1], n, high[:-1]) <= miss)
    assert np.all(binom.cdf(count[:-1], n, high[:-1] - 1e-11) >= miss * (1 - 1e-7))


@pytest.mark.parametrize("n", [10**6, 5 * 10**6, 10**8])
def test_few_of_millions(n):
    """P(Bin(n, high) <= 1) = (1 - high)^n + n high (1 - high)^(n - 1)."""
    for miss in LEVELS:
        high = float(clopper_pearson.upper(1, n, miss))
        tail = math.exp(n * math.log1p(-high)) * (1 + n * high / (1 - high))
        assert miss * (1 - 1e-6) <= tail <= miss


@pytest.mark.parametrize("n", [10**12, 10**15])
def test_where_the_inverse_fails_a_limit_says_nothing(n):
    """As that of scipy 1.15 does for some counts."""
    count = np.array([n // 6, n // 3, 2 * n // 3])
    low, high = clopper_pearson.lower(count, n, 0.01), clopper_pearson.upper(count, n, 0.01)
    assert np.all(low < count / n) and np.all(high > count / n) and np.all(high <= 1)


@quick
@given(trials, levels)
def test_ends_mirror_each_other_round_the_share(trial, miss):
    count, n = trial
    low, high = clopper_pearson.lower(count, n, miss), clopper_pearson.upper(count, n, miss)
    assert 0 <= low <= count / n <= high <= 1
    assert 1 - high == pytest.approx(clopper_pearson.lower(n - count, n, miss), rel=1e-9, abs=3e-15)


def test_a_tiny_level_is_not_lost_and_no_trials_tell_nothing():
    """1 - 1e-17 is 1 in double precision; 36.84 = -log 1e-16."""
    assert (clopper_pearson.lower(0, 0, 0.1), clopper_pearson.upper(0, 0, 0.1)) == (0, 1)
    assert clopper_pearson.upper(0, 1000, 1e-16) == pytest.approx(-np.expm1(-36.841361487904734 / 1000), rel=1e-11)
    assert clopper_pearson.upper(3, 1000, 1e-17) < clopper_pearson.upper(3, 1000, 1e-20) < 0.1


@pytest.mark.parametrize("miss", LEVELS)
@pytest.mark.parametrize("limit", [clopper_pearson.lower, clopper_pearson.upper])
def test_monotone_in_the_count_and_in_n(limit, miss):
    assert np.all(np.diff(limit(np.arange(142), 141, miss)) > -1e-15)
    assert np.all(np.diff(limit(5, np.arange(5, 300), miss)) < 1e-15)


@quick
@given(st.lists(trials, min_size=1, max_size=10), levels.filter(lambda miss: miss < 0.25))
def test_many_counts_are_limited_like_one(many, miss):
    count, n = np.array(many).T
    low, high = clopper_pearson.limits_of_counts(count, n, miss)
    alike = -np.expm1(-miss)
    assert low.tolist() == [float(clopper_pearson.lower(s, k, alike)) for s, k in many]
    assert high.tolist() == [float(clopper_pearson.upper(s, k, alike)) for s, k in many]


def misses(limits, probabilities):
    """How often the mean probability lies below the lower, above the upper limit: exactly."""
    n, mean, law = len(probabilities), float(np.mean(probabilities)), np.ones(1)
    for p in probabilities:
        law = np.convolve(law, [1 - p, p])
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


# ---- means: Hoeffding; Dvoretzky, Kiefer and Wolfowitz

terms = st.lists(st.floats(-2, 40), min_size=1, max_size=60).map(np.array)
mean_lower = dvoretzky_kiefer_wolfowitz.mean_lower


@quick
@given(terms, st.floats(0, 3), st.integers(0, 5), levels)
def test_the_lower_limit_is_below_the_mean_above_the_floor_and_falls_with_doubt(values, below, wrong, miss):
    floor = -2 - below
    low = mean_lower(values, floor, wrong, miss)
    assert floor <= low <= values.mean() + 1e-12
    assert mean_lower(values, floor, wrong + 1, miss) <= low
    assert mean_lower(values, floor, wrong, miss / 2) <= low
    assert mean_lower(values - 0.1, floor - 1, wrong, miss) <= low


def test_by_hand():
    """Ten terms of 1 and ten of 3: share 1 up to 1, share 1/2 up to 3, less e and one in twenty."""
    lost = 1 / 20 + math.sqrt(math.log(1 / 0.1) / 40)
    assert mean_lower(np.repeat([1.0, 3.0], 10), 0, 1, 0.1) == pytest.approx((1 - lost) * 1 + (0.5 - lost) * 2)


@quick
@given(terms, st.integers(0, 5), st.randoms(use_true_random=False))
def test_wrong_terms_are_counted_out(values, wrong, random):
    """Raise `wrong` of the limits as far as you like: the result stays below what the true terms give."""
    raised = values.copy()
    for i in random.sample(range(len(values)), min(wrong, len(values))):
        raised[i] = 1e6
    assert mean_lower(raised, -2, wrong, 0.3) <= mean_lower(values, -2, 0, 0.3) + 1e-9


@pytest.mark.parametrize(("endless", "expected"), [(0, 1.0), (1, 1.0), (400, np.inf)])
def test_a_mean_of_terms_without_an_end_has_none_where_enough_are(endless, expected):
    low = mean_lower(np.concatenate([np.ones(1000 - endless), np.full(endless, np.inf)]), 0.0, 0, 0.01)
    assert low == expected if endless > 1 else 0.9 < low < expected


def miss_rate(limit, share, q, side=1):
    """How often the limit of a mean of coins is on the wrong side of it: exactly."""
    count = np.arange(q + 1)
    wrong = [side * (limit(np.repeat([0.0, 1.0], [q - s, s])) - share) > 0 for s in count]
    return float(binom.pmf(count, q, share)[wrong].sum())


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("q", [1, 5, 40])
def test_limits_miss_no_more_often_than_promised(share, q):
    assert miss_rate(lambda v: mean_lower(v, 0, 0, 0.1), share, q) <= 0.1
    assert miss_rate(lambda v: hoeffding.mean_limits(v, v, 0, 1, 0, 0.1)[0], share, q) <= 0.1
    assert miss_rate(lambda v: -hoeffding.mean_limits(-v, -v, -1, 0, 0, 0.1)[1], share, q) <= 0.1
    assert miss_rate(lambda v: hoeffding.share_lower(float(v.mean()), len(v), 0.1), share, q) <= 0.1
    assert miss_rate(lambda v: hoeffding.share_upper(float(v.mean()), len(v), 0.1), share, q, -1) <= 0.1
    for side in (1, -1):
        assert miss_rate(lambda v: float(v.mean()) - side * 0.3 / math.sqrt(len(v)), 0.5, 40, side) > 0.1, "teeth"  # noqa: B023


def test_hoeffding_by_hand():
    """Half a unit of range, one of hundred terms wrong, e = sqrt(log(1 / miss) / 200); never out of the range."""
    slack = 0.5 * (0.01 + math.sqrt(math.log(20) / 200))
    low, high = hoeffding.mean_limits(np.full(100, 0.7), np.full(100, 0.8), 0.5, 1, 1, 0.05)
    assert (low, high) == (pytest.approx(0.7 - slack), pytest.approx(0.8 + slack))
    assert hoeffding.mean_limits(np.full(5, 0.6), np.full(5, 0.9), 0.5, 1, 1, 0.05) == (0.5, 1)


@quick
@given(st.floats(0, 1), st.integers(1, 5000), levels)
def test_the_limits_of_a_share_solve_their_equations(mean, q, miss):
    for low, at in ((hoeffding.share_lower(mean, q, miss), mean), (1 - hoeffding.share_upper(mean, q, miss), 1 - mean)):
        assert 0 <= low < at or low == at == 0
        if low > 1e-6:
            far = at * math.log(at / low) + ((1 - at) * math.log((1 - at) / (1 - low)) if at < 1 else 0)
            assert far == pytest.approx(math.log(1 / miss) / q, rel=1e-3)


def test_the_limits_of_a_share_at_its_ends():
    assert (hoeffding.share_lower(0.0, 10, 0.01), hoeffding.share_upper(1.0, 10, 0.01)) == (0, 1)
    assert hoeffding.share_lower(1.0, 256, 0.01) == pytest.approx(0.01 ** (1 / 256))
    assert hoeffding.share_lower(0.97, 256, 0.01) > hoeffding.mean_limits(*[np.full(256, 0.97)] * 2, 0, 1, 0, 0.01)[0]


# ---- many intervals at once, and how large neighbourhoods may be


@quick
@given(st.integers(1, 10_000_000), st.floats(1e-9, 0.5))
def test_markov(q, miss):
    """P(more than `allowed` wrong) <= q miss_each / (allowed + 1) = miss; and the allowance costs a thousandth."""
    none, few = simultaneous(q, miss), tolerated(q, miss)
    for mistakes in (none, few):
        assert q * mistakes.miss_each / (mistakes.allowed + 1) == pytest.approx(miss)
    assert 0 == none.allowed <= few.allowed == q // 1000
    assert none.miss_each <= few.miss_each <= miss


@pytest.mark.parametrize("queries", [1, 1000, 10**7])
@pytest.mark.parametrize("miss", [0.05, 5e-4])
def test_no_ball_is_larger_than_twice_its_share(queries, miss):
    """P(fewer than k of n rows in mass 2 k / n) at any query. ERRATA A8: the printed k forgets how many there are."""
    n, k = 10**6, measure_smoothness.required_k(queries, miss)
    assert queries * binom.cdf(k - 1, n, 2 * k / n) <= miss
    printed = math.ceil(4 * math.log(2 / 0.01))
    assert n * binom.cdf(printed - 1, n, 2 * printed / n) > 1


def test_k_must_be_large_enough():
    k = measure_smoothness.required_k(1000, 0.01)
    measure_smoothness.check(k, 1000, 0.01)
    with pytest.raises(AssumptionError, match=f"needs k of at least {k} for 1000 queries, not {k - 1}"):
        measure_smoothness.check(k - 1, 1000, 0.01)


def test_widening():
    assert measure_smoothness.widening(50, 10_000, 2.0, 0.5) == pytest.approx(2 * math.sqrt(0.01))
    assert measure_smoothness.widening(900, 1000, 0.3, 1.0) == pytest.approx(0.3)  # no mass is above 1
