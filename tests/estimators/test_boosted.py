"""Scores of trees that never saw the labels they are judged by."""

from __future__ import annotations

import numpy as np
import pytest
from lessons import lesson

from labeldp_audit.estimators import crossfit
from labeldp_audit.estimators.boosted import Boosted


def scores(values, labels, classes=2, categorical=(), folds=5):
    one = lesson(values, labels, categorical, classes)
    rows = np.arange(len(one.labels))
    found = crossfit.scores(
        (Boosted(),), one.columns, one.labels, classes, rows=rows, folds=rows % folds, people=rows, same=rows,
        seed=3, each=map, threads=1, note=lambda rows: None,
    )  # fmt: skip
    return found["boosted"]


def test_one_telling_column_among_noise_is_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6000, 20))
    eta = 1 / (1 + np.exp(-2 * x[:, 7]))
    found = scores(x, rng.random(6000) < eta)
    assert np.corrcoef(found[:, 1], eta)[0, 1] > 0.95
    assert found.sum(axis=1) == pytest.approx(np.ones(6000))
    assert found.min() > 0


def test_many_levels_and_missing_cells():
    rng = np.random.default_rng(1)
    code = rng.integers(300, size=9000)
    eta = np.where(code % 3 == 0, 0.9, 0.1)
    noise = rng.normal(size=9000)
    noise[::7] = np.nan
    found = scores(np.stack([code, noise], axis=1), rng.random(9000) < eta, categorical=(0,))
    assert np.corrcoef(found[:, 1], eta)[0, 1] > 0.9


def test_more_classes():
    rng = np.random.default_rng(3)
    x = rng.random((3000, 2))
    eta = np.stack([x[:, 0], (1 - x[:, 0]) / 2, (1 - x[:, 0]) / 2], axis=1)
    labels = (rng.random(3000)[:, None] > eta.cumsum(axis=1)[:, :2]).sum(axis=1)
    found = scores(x, labels, classes=3)
    assert found.shape == (3000, 3)
    assert np.corrcoef(found[:, 0], eta[:, 0])[0, 1] > 0.9


@pytest.mark.parametrize("rows", [2, 3, 7])
def test_hardly_any_rows(rows):
    labels = np.arange(rows) % 2
    found = scores(np.arange(rows)[:, None], labels, folds=min(5, rows // 2 or 1))
    assert np.all((found > 0) & (found < 1))


def test_nothing_is_grown_where_nobody_says_when_to_stop():
    alone = lesson(np.arange(100.0)[:, None], np.arange(100) % 4 == 0, cut=1.0)
    assert not len(alone.judge)
    said = Boosted().fit(alone)(np.arange(80, 100))
    assert said == pytest.approx(np.tile([60.5 / 81, 20.5 / 81], (20, 1)))
