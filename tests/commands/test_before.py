"""What is decided from the table where nothing is asked for."""

import numpy as np
import pytest

from labeldp_audit.commands import before
from labeldp_audit.commands.settings import Settings


@pytest.mark.parametrize(
    ("rows", "k"),
    [(2, 1), (20, 19), (31, 30), (900, 30), (20_000, 141), (10**6, 1000), (10**8, 10_000), (10**10, 10_000)],
)
def test_k_is_about_the_square_root_of_the_rows(rows, k):
    assert before.default_k(rows) == k


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
    found = before.queries_of(rows, Settings(queries=queries))
    assert len(found) == asked
    assert np.all(np.diff(found) > 0)
    assert 0 <= found[0] <= found[-1] < rows


def test_a_sample_is_uniform():
    """60 samples of a third: the halves of the table differ by 63, a row's 20 times by 3.7 (standard deviations)."""
    samples = [before.queries_of(300, Settings(queries=100, seed=seed)) for seed in range(60)]
    times = np.bincount(np.concatenate(samples), minlength=300)
    assert abs(times[:150].sum() - times[150:].sum()) < 5 * 63
    assert 20 - 5 * 3.7 < times.min() <= times.max() < 20 + 5 * 3.7
