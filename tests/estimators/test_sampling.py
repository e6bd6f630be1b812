"""What is decided from the table where nothing is asked for."""

import itertools

import numpy as np
import pytest

from labeldp_audit.core.settings import Settings
from labeldp_audit.estimators import knn
from labeldp_audit.estimators import sampling as who


@pytest.mark.parametrize(
    ("rows", "k"),
    [(2, 1), (20, 19), (31, 30), (900, 30), (20_000, 141), (10**6, 1000), (10**8, 10_000), (10**10, 10_000)],
)
def test_k_is_about_the_square_root_of_the_rows(rows, k):
    assert who.default_k(rows) == k


@pytest.mark.parametrize(
    ("rows", "ks"),
    [
        (2, (1,)),
        (3, (2,)),
        (100, (10, 20, 40)),
        (1000, (30, 61, 126)),
        (200_000, (30, 59, 117, 232, 458, 905, 1789)),
        (10**10, (30, 62, 128, 265, 548, 1132, 2340, 4838, 10_000)),
    ],
)
def test_k_that_are_tried(rows, ks):
    assert who.ks(rows) == ks


@pytest.mark.parametrize("rows", [*range(2, 60), 899, 900, 901, 12_345, 6_250_000, 6_260_000, 10**9])
def test_k_are_tried_from_few_to_many_by_factors_of_about_two(rows):
    ks = who.ks(rows)
    assert 1 <= ks[0] <= 30
    assert ks[-1] == min(rows - 1, 10_000, round(4 * rows**0.5))
    assert all(1 < more / k <= 3 for k, more in itertools.pairwise(ks))


def test_one_k_where_it_is_said_or_where_a_choice_costs_too_much():
    assert knn._ks(1000, Settings(), 2000) == (30, 61, 126)
    assert knn._ks(1000, Settings(k=77), 2000) == (77,)
    assert knn._ks(1000, Settings(smoothness="1,1"), 2000) == (who.default_k(1000),)
    assert knn._ks(200_000, Settings(), 200_000 * 512) == (who.default_k(200_000),), "counts of many classes"


@pytest.mark.parametrize(
    ("rows", "queries", "asked"),
    [
        (200_000, None, 200_000),
        (200_001, None, 200_000),
        (300_000, 0, 300_000),
        (300_000, 250_000, 250_000),
        (300, 400, 300),
    ],
)
def test_so_many_rows_are_asked(rows, queries, asked):
    found = who.queries_of(rows, Settings(queries=queries))
    assert len(found) == asked
    assert np.all(np.diff(found) > 0)
    assert 0 <= found[0] <= found[-1] < rows


def test_a_sample_is_uniform():
    """60 samples of a third: the halves of the table differ by 63, a row's 20 times by 3.7 (standard deviations)."""
    samples = [who.queries_of(300, Settings(queries=100, seed=seed)) for seed in range(60)]
    times = np.bincount(np.concatenate(samples), minlength=300)
    assert abs(times[:150].sum() - times[150:].sum()) < 5 * 63
    assert 20 - 5 * 3.7 < times.min() <= times.max() < 20 + 5 * 3.7
