"""Pairs of equal rows, and what their labels prove."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.certificates import repeated_rows
from labeldp_audit.bounds.intervals import clopper_pearson

quick = settings(deadline=None, max_examples=100, derandomize=True)
groups = st.lists(st.integers(-3, 6), min_size=1, max_size=60)


@quick
@given(groups, st.integers(0, 5))
def test_pairs_are_disjoint_equal_and_as_many_as_can_be(group, seed):
    values = np.array(group, np.int64)
    pairs = repeated_rows.drawn(values, np.random.default_rng(seed))
    used = [*pairs.first.tolist(), *pairs.second.tolist()]
    assert len(set(used)) == len(used)
    assert np.array_equal(values[pairs.first], values[pairs.second])
    assert len(pairs.first) == sum(times // 2 for times in Counter(group).values())
    assert pairs.share == pytest.approx(len(used) / len(group))


def test_pairs_are_drawn_by_lot():
    """In a file sorted by label, neighbours agree; pairs by lot do not."""
    labels = np.repeat([0, 1], 500)
    pairs = repeated_rows.drawn(np.zeros(1000, np.int64), np.random.default_rng(0))
    assert 0.4 < np.mean(labels[pairs.first] != labels[pairs.second]) < 0.6


def test_by_hand():
    """Of 4 rows in 2 pairs among 5, one pair differs."""
    pairs = repeated_rows.Pairs(np.array([0, 2]), np.array([1, 3]), 5)
    low = pairs.rarely_differ(np.array([0, 1, 1, 1, 0]), 0.2)
    assert low == pytest.approx(float(clopper_pearson.lower(1, 2, 1 - math.exp(-0.2))))
    missed = (1 - math.sqrt(1 - 2 * low)) / 2
    assert repeated_rows.error_of_rows(pairs, low) == pytest.approx(0.8 * missed)
    assert repeated_rows.error_of_rows(pairs, low, 0.02) == pytest.approx(0.8 * (missed - 0.02))
    assert repeated_rows.error_of_rows(pairs, low, 0.4) == 0


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 0.5))
def test_the_mean_of_the_missed_is_at_least_that_at_the_mean(etas, pi):
    eta = np.array(etas)
    pairs = repeated_rows.Pairs(np.arange(len(eta)), np.arange(len(eta)) + len(eta), 2 * len(eta))
    gained = np.mean(np.maximum(0, np.minimum(eta, 1 - eta) - pi))
    at_mean = repeated_rows.error_of_rows(pairs, min(0.5, float(np.mean(2 * eta * (1 - eta)))), pi)
    assert at_mean <= gained + 1e-9
    assert at_mean >= max(0.0, float(np.mean(eta * (1 - eta))) - pi) - 1e-9  # the paper's, L / 2 for g(L)


def test_without_pairs_nothing_is_said():
    pairs = repeated_rows.drawn(np.arange(7), np.random.default_rng(0))
    assert (len(pairs.first), pairs.rarely_differ(np.zeros(7, np.int64), 0.1)) == (0, 0)
    assert repeated_rows.error_of_rows(pairs, 0.0) == 0


def test_to_people():
    assert repeated_rows.of_people(0.0, 0.1, 50, 0.01) == 0
    assert repeated_rows.of_people(0.0, 0.5, 50, 0.01) == 0
    assert repeated_rows.of_people(0.4, 0.1, 256, 0.01) == pytest.approx(0.4 * 0.01 ** (1 / 256))
    assert 0.19 < repeated_rows.of_people(0.2, 0.1, 10**6, 0.01) < 0.2
