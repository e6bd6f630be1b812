"""Columns as weights can use them."""

from __future__ import annotations

from dataclasses import replace

import lessons
import numpy as np
import pytest
from scipy.stats import norm

from labeldp_audit.estimators.inputs import CUT, Inputs


def lesson(values, categorical=(), learn=None):
    one = lessons.lesson(values, np.arange(len(values)) % 2, categorical)
    return replace(one, learn=np.arange(len(values)) if learn is None else learn, seed=3)


def test_a_bell_stays_as_it_is():
    x = np.random.default_rng(0).normal(size=(5000, 1))
    dense = Inputs.of(lesson(x)).dense(np.arange(5000))
    assert dense.shape == (5000, 1)
    assert np.corrcoef(dense[:, 0], x[:, 0])[0, 1] > 0.9999


def test_a_heavy_tail_is_cut_and_its_normal_score_stands_beside():
    x = np.random.default_rng(1).normal(size=20_000)
    heavy = np.exp(3 * x)
    inputs = Inputs.of(lesson(((heavy - heavy.mean()) / heavy.std())[:, None]))
    dense = inputs.dense(np.arange(len(x)))
    assert dense.shape == (len(x), 2)
    assert dense.max() == CUT
    middle = np.abs(x) < 2
    assert dense[middle, 1] == pytest.approx(x[middle], abs=0.15)
    assert inputs.main.tolist() == [1]


def test_an_atom_has_one_score_in_the_middle_of_its_places():
    x = np.concatenate([np.zeros(600), np.exp(4 * np.random.default_rng(2).normal(size=400))])
    dense = Inputs.of(lesson(x[:, None])).dense(np.arange(1000))
    assert dense[:600, -1] == pytest.approx(np.full(600, norm.ppf(0.3)), abs=0.05)


def test_missing_cells_are_told_and_take_the_middle():
    x = np.random.default_rng(3).normal(5, 2, size=(1000, 2))
    x[::4, 1] = np.nan
    dense = Inputs.of(lesson(x)).dense(np.arange(1000))
    assert dense.shape == (1000, 3)
    assert np.array_equal(dense[:, 2], np.arange(1000) % 4 == 0)
    assert np.all(dense[::4, 1] == 0)


def test_a_column_of_one_value_and_one_of_none():
    x = np.stack([np.full(50, 3.0), np.full(50, np.nan)], axis=1)
    assert np.array_equal(Inputs.of(lesson(x)).dense(np.arange(50)), np.tile([0, 0, 1], (50, 1)))


def test_rare_and_unseen_levels_are_one():
    code = np.repeat([0, 1, 2, 3], [20, 10, 2, 5])
    learn = np.flatnonzero(code < 3)
    inputs = Inputs.of(lesson(np.stack([code, code], axis=1), (0, 1), learn=learn))
    assert inputs.levels == (3, 3)
    codes = inputs.codes(np.arange(len(code)))
    assert [np.unique(codes[code == c, 0]).tolist() for c in range(4)] == [[1], [2], [0], [0]]
    assert np.array_equal(codes[:, 1], codes[:, 0] + 3)
