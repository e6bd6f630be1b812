"""Distances that scores teach: what columns are worth, and where rows are."""

from __future__ import annotations

import numpy as np
import pytest
from lessons import both, lesson

from labeldp_audit.estimators import supervised

ROWS = np.arange(3000)


def places(values, logit, categorical=()):
    one = lesson(values, np.zeros(len(values)), categorical)
    return supervised.places(one.columns, ROWS, both(logit), 0)


def spread(points):
    return points.astype(np.float64).var(axis=0)


def test_columns_are_worth_what_scores_depend_on_them():
    """Of log odds 2 a + b the one number tells four fifths, the other one fifth, and the rest nothing."""
    x = np.random.default_rng(0).normal(size=(3000, 30))
    found = places(x, 2 * x[:, 4] + x[:, 9])
    told = np.sort(spread(found.numbers))[::-1]
    assert told[:2] == pytest.approx([0.8, 0.2], abs=0.05)
    assert told[2:].sum() < 0.03
    assert np.abs(np.corrcoef(found.numbers.T, x[:, 4])[-1, :-1]).max() > 0.99


def test_columns_that_tell_only_together_are_worth_something():
    x = np.random.default_rng(1).normal(size=(3000, 6))
    told = spread(places(x, np.sign(x[:, 0] * x[:, 1])).numbers)
    assert np.sort(told)[::-1][:2].sum() > 0.9


def test_categories_count_through_the_scores_alone():
    rng = np.random.default_rng(2)
    code, x = rng.integers(4, size=3000), rng.normal(size=3000)
    found = places(np.stack([code, x], axis=1), 3 * (code == 1) + x, (0,))
    assert found.numbers.shape == (3000, 1)
    assert spread(found.numbers) == pytest.approx([1 / (1 + 9 * 3 / 16)], abs=0.06)
    alone = places(code[:, None], code - 1.0, (0,))
    assert alone.points(1.0).shape == (3000, 1)


def test_scores_are_one_coordinate_of_variance_one_and_weights_are_of_the_columns():
    x = np.random.default_rng(3).normal(size=(3000, 2))
    found = places(x, 5 * x[:, 0] - 2)
    assert found.scores[:, 0] == pytest.approx((x[:, 0] - x[:, 0].mean()) / x[:, 0].std(), abs=1e-4)
    assert np.array_equal(found.points(0.5)[:, 0], found.scores[:, 0])
    assert spread(found.points(0.5))[1:].sum() == pytest.approx(0.25, rel=0.05)
    points = found.points(0.5)
    assert points.dtype == np.float32
    assert points.flags.c_contiguous


def test_more_classes_have_a_coordinate_each():
    logit = np.random.default_rng(4).normal(size=(3000, 3))
    scores = np.exp(logit) / np.exp(logit).sum(axis=1, keepdims=True)
    found = supervised.places(lesson(logit, np.zeros(3000)).columns, ROWS, scores, 0)
    assert found.scores.shape == (3000, 3)
    assert spread(found.scores).sum() == pytest.approx(1)
    assert spread(found.numbers) == pytest.approx([1 / 3] * 3, abs=0.05)


def test_a_missing_cell_is_in_the_middle_and_no_cell_is_far_out():
    x = np.exp(3 * np.random.default_rng(5).normal(size=(3000, 1)))
    x[::10] = np.nan
    seen = np.where(np.isnan(x[:, 0]), 0, np.log(np.where(np.isnan(x[:, 0]), 1, x[:, 0])))
    [numbers] = places(x, seen).numbers.T
    assert np.all(numbers[::10] == 0)
    assert np.abs(numbers).max() <= 5


@pytest.mark.parametrize("rows", [1, 2, 6, 30])
def test_scores_that_say_nothing_leave_columns_alike(rows):
    x = np.random.default_rng(6).normal(size=(50, 4))
    found = supervised.places(lesson(x, np.zeros(50)).columns, np.arange(rows), np.full((rows, 2), 0.5), 0)
    assert not found.scores.any()
    assert found.numbers.shape == (rows, 4)
    assert np.isfinite(found.points(1.0)).all()
