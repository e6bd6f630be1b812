"""Frequencies at the row itself, where rows repeat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_stack import Says, lesson

from labeldp_audit.estimators import auto
from labeldp_audit.estimators.atoms import Atoms


def made(kinds, rows, blind, seed=0):
    """Each kind with an eta of its own, of which the model knows nothing or all."""
    rng = np.random.default_rng(seed)
    eta = rng.beta(0.5, 1.0, kinds)
    same = rng.integers(kinds, size=rows)
    labels = (rng.random(rows) < eta[same]).astype(np.uint8)
    said = np.full(rows, eta.mean()) if blind else eta[same].clip(1e-4, 1 - 1e-4)
    one = replace(lesson(labels), learn=np.arange(rows // 3), judge=np.arange(rows // 3, rows // 2), same=same)
    found = Atoms(built_on=(Says("model", np.stack([1 - said, said], axis=1)),)).scores(one).asked
    return eta[same][rows // 2 :], found[:, 1], said[rows // 2 :]


def test_many_rows_speak_for_themselves():
    eta, found, _ = made(40, 20_000, blind=True)
    assert np.abs(found - eta).mean() < 0.02


def test_few_rows_hardly_change_a_model_that_is_right():
    eta, found, said = made(3000, 9000, blind=False)
    assert np.abs(found - eta).mean() < 0.03
    assert np.abs(found - said).mean() < 0.03


@pytest.mark.parametrize(("repeating", "there"), [(0.0, False), (0.5, True)])
def test_they_are_tried_where_rows_repeat(repeating, there):
    assert ("atoms" in [one.name for one in auto.among(1000, 2, repeating)]) == there


def test_nothing_is_learnt_where_scores_would_fill_the_memory():
    assert auto.among(10**6, 255, 0.0) == ()
    assert auto.among(2_200_000, 2, 0.0) != ()
