"""The band along a score: what its windows are, how often it is false, and whether a fall of eta is found."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.bounds.intervals import clopper_pearson, score_band

quick = settings(deadline=None, max_examples=40, derandomize=True)
tables = st.lists(st.tuples(st.integers(0, 25), st.booleans()), min_size=1, max_size=90)


def split(table):
    score, positive = (np.array(column) for column in zip(*table, strict=True))
    return score.astype(np.float64), positive


def edges_of(score):
    return score_band.Line.of(score, np.zeros(len(score), bool)).edges


def direct(score, positive, miss):
    """The definition, row by row and window by window."""
    in_order = np.sort(score)
    low, high = np.zeros(len(score)), np.ones(len(score))
    for one in score_band.windows(edges_of(score)):
        for start, stop in zip(one.start, one.stop, strict=True):
            inside = (score >= in_order[start]) & (score <= in_order[stop - 1])
            assert inside.sum() == stop - start  # whole groups
            level = miss * one.share / len(one.start) / 2
            least, most = clopper_pearson.limits_of_counts(positive[inside].sum(), inside.sum(), level)
            after, before = score >= score[inside].max(), score <= score[inside].min()
            low[after], high[before] = np.maximum(low[after], least), np.minimum(high[before], most)
    return low, high


@quick
@given(tables, st.sampled_from([0.4, 0.01, 1e-6]))
def test_the_band_is_the_best_of_all_windows(table, miss):
    score, positive = split(table)
    band = score_band.of_rows(score, positive, miss)
    low, high = direct(score, positive, miss)
    assert band.low == pytest.approx(low, abs=1e-12)
    assert band.high == pytest.approx(high, abs=1e-12)


@quick
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_file_changes_nothing(table, random):
    score, positive = split(table)
    other = np.array(random.sample(range(len(score)), len(score)))
    here, there = (score_band.of_rows(score[rows], positive[rows], 0.1) for rows in (np.arange(len(score)), other))
    assert np.array_equal(here.low[other], there.low)
    assert np.array_equal(here.high[other], there.high)
    p_value = score_band.order_p_value(score, positive)
    assert p_value == score_band.order_p_value(score[other], positive[other])


@pytest.mark.parametrize("n", [1, 2, 23, 24, 25, 100, 5000])
def test_all_of_the_level_is_spent_and_no_more(n):
    for groups in (np.arange(n), np.zeros(n), np.arange(n) // 7):
        families = list(score_band.windows(edges_of(groups.astype(np.float64))))
        assert sum(one.share for one in families) == pytest.approx(1)
        assert (families[-1].start.tolist(), families[-1].stop.tolist()) == ([0], [n])
        for one in families:
            assert len(set(zip(one.start.tolist(), one.stop.tolist(), strict=True))) == len(one.start)


@pytest.mark.parametrize("n", [1, 500])
@pytest.mark.parametrize("label", [True, False])
def test_one_class(n, label):
    band = score_band.of_rows(np.arange(n, dtype=np.float64), np.full(n, label), 0.1)
    assert np.all(band.high == 1) if label else np.all(band.low == 0)
    assert np.all(band.low < 1) and np.all(band.high > 0)
    assert score_band.order_p_value(np.arange(n, dtype=np.float64), np.full(n, label)) == 1


# ---- how often it is false, exactly: three groups of equal scores, whose counts are binomial

GROUPS = (3, 24, 4)
SCORE = np.repeat(np.arange(3.0), GROUPS)
RISING = [(0.3, 0.3, 0.3), (0.9, 0.9, 0.9), (0.02, 0.5, 0.5), (0.1, 0.6, 0.97)]
CLAIMED = 0.02


def counts():
    return itertools.product(*(range(n + 1) for n in GROUPS))


def labels_of(count):
    return np.concatenate([np.arange(n) < k for n, k in zip(GROUPS, count, strict=True)])


def chances(eta):
    parts = (binom.pmf(np.arange(n + 1), n, e) for n, e in zip(GROUPS, eta, strict=True))
    return np.array([np.prod(chance) for chance in itertools.product(*parts)])


def most_often_false(miss):
    last = np.cumsum(GROUPS) - 1
    every = (score_band.of_rows(SCORE, labels_of(count), miss) for count in counts())
    bands = np.array([(band.low[last], band.high[last]) for band in every])  # (tables, 2, groups)
    return max(float(chances(eta)[((bands[:, 0] > eta) | (bands[:, 1] < eta)).any(axis=1)].sum()) for eta in RISING)


def test_the_band_is_false_no_oftener_than_it_says():
    assert most_often_false(CLAIMED) <= CLAIMED
    assert most_often_false(10 * CLAIMED) > CLAIMED, "the test has teeth"


# ---- does eta fall?


def most_often_below(p_values, alpha):
    return max(float(chances(eta)[p_values <= alpha].sum()) for eta in RISING)


def test_the_order_is_contradicted_no_oftener_than_the_p_value_says():
    p_values = np.array([score_band.order_p_value(SCORE, labels_of(count)) for count in counts()])
    for alpha in (0.5, 0.2, 0.05, 0.01):
        assert most_often_below(p_values, alpha) <= alpha
    assert most_often_below(p_values / 10, CLAIMED) > CLAIMED  # a liar is caught


@pytest.mark.parametrize(
    "eta", [lambda s: abs(2 * s - 1), lambda s: 0.9 - 0.8 * s, lambda s: np.where(s > 0.97, 0.3, s)]
)
def test_a_fall_is_found(eta):
    rng, score = np.random.default_rng(2), np.linspace(0, 1, 4000)
    assert score_band.order_p_value(score, rng.random(4000) < eta(score)) < 1e-3


@pytest.mark.parametrize("eta", [lambda s: s, lambda s: 0.2 + 0 * s, lambda s: np.where(s > 0.97, 1.0, 0.01)])
def test_no_fall_is_found_where_there_is_none(eta):
    rng, score = np.random.default_rng(3), np.linspace(0, 1, 4000)
    assert score_band.order_p_value(score, rng.random(4000) < eta(score)) > 0.1


@pytest.mark.parametrize(("labels", "expected"), [([1, 0], 1 / 2), ([1, 1, 0, 0], 1 / 6), ([0, 0, 1, 1], 1)])
def test_fisher_by_hand(labels, expected):
    score = np.arange(len(labels), dtype=np.float64)
    assert score_band.order_p_value(score, np.array(labels, bool)) == pytest.approx(expected)
