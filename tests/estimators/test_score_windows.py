"""What pairs of rows are made of: parts of the rows by a number, and whether scores tell people apart."""

from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.estimators import score_windows


@pytest.mark.parametrize(("values", "parts"), [(2, 2), (255, 255), (256, score_windows.PARTS), (4000, 8)])
@pytest.mark.parametrize("missing", [0, 3])
def test_few_values_are_parts_and_many_fall_into_even_ones(values, parts, missing):
    """Parts are counted in bytes: 255 values and one more part for rows without."""
    column = np.append(np.repeat(np.arange(values, dtype=np.float32), 4), np.full(missing, np.nan, np.float32))
    found = score_windows._parts(column)
    count = np.bincount(found[: 4 * values])
    assert np.count_nonzero(count) == parts and count.max() <= 1.2 * count.min()
    assert len(np.unique(found)) == parts + (missing > 0)


def test_a_column_without_any_number_is_one_part():
    assert len(np.unique(score_windows._parts(np.full(9, np.nan, np.float32)))) == 1


@pytest.mark.parametrize(("far", "apart"), [(0.0, False), (0.3, True)])
def test_scores_tell_people_apart_beyond_chance(far, apart):
    rng = np.random.default_rng(1)
    eta = 0.5 + far * rng.choice([-1, 1], 400)
    noise = np.clip(eta + rng.normal(0, 0.05, 400), 0.01, 0.99)
    assert score_windows._tell_apart(noise, rng.random(400) < eta) == apart
