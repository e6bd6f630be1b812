"""Neighbours along a line, against all distances written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.neighbors import on_a_line

quick = settings(deadline=None, max_examples=300, derandomize=True)
# Quarters: their differences are exact, so that ties are ties.
scores = st.lists(st.integers(-40, 40).map(lambda quarter: quarter / 4), min_size=2, max_size=40)


def written_out(score, labels, classes, k):
    away = np.abs(score[:, None] - score)
    np.fill_diagonal(away, np.inf)
    radius = np.sort(away, axis=1)[:, k - 1]
    near = away <= radius[:, None]
    return np.stack([(near & (labels == c)).sum(axis=1) for c in range(classes)], axis=1), radius


@quick
@given(scores, st.data())
def test_counts_and_radii(score, data):
    score = np.array(score)
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(score), max_size=len(score))))
    k = data.draw(st.integers(1, len(score) - 1))
    counts, radius = on_a_line.count(score, labels, 3, k)
    expected, far = written_out(score, labels, 3, k)
    assert np.array_equal(counts, expected)
    assert np.array_equal(radius, far)


def test_where_all_scores_are_alike_everybody_else_counts():
    counts, radius = on_a_line.count(np.zeros(50), np.arange(50) % 2, 2, 3)
    assert np.all(counts.sum(axis=1) == 49)
    assert np.all(radius == 0)


@pytest.mark.parametrize("k", [1, 7, 300])
def test_at_least_k_in_floating_point(k):
    score = np.random.default_rng(0).normal(size=1000) * 1e8
    counts, _ = on_a_line.count(score, np.zeros(1000, int), 1, k)
    assert counts.min() >= k
    assert counts.max() <= k + 1
