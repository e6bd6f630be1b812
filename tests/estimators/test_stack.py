"""What is built on others: a stack, as good as its best member or better, and frequencies where rows repeat."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lessons import both

from labeldp_audit.core.table import Columns
from labeldp_audit.estimators import auto
from labeldp_audit.estimators.atoms import Atoms
from labeldp_audit.estimators.contract import Fitting, Lesson
from labeldp_audit.estimators.stack import Stack

ROWS = 6000


class Says(Fitting):
    """What it was told."""

    def __init__(self, name, said):
        self.name, self._said = name, said

    def fit(self, lesson):
        return lambda rows: self._said[rows]


def lesson(labels, classes=2):
    n = len(labels)
    columns = Columns(np.zeros((n, 1), np.float32, order="F"), np.zeros(1, bool), ("x",))
    rows = np.arange(n)
    return Lesson(columns, np.asarray(labels, np.uint8), classes, rows[:1], rows[1 : n // 2], 0, 1, rows[n // 2 :])


def loss(said, labels):
    return float(-np.log(said[np.arange(len(labels)), labels]).mean())


def worlds(seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, ROWS))
    labels = (rng.random(ROWS) < both(a + b)[:, 1]).astype(int)
    return labels, both(a), both(b), both(a + b)


def test_members_that_see_different_things_add_up():
    labels, first, second, truth = worlds()
    found = Stack(built_on=(Says("a", first), Says("b", second))).scores(lesson(labels)).asked
    mine = labels[ROWS // 2 :]
    assert loss(found, mine) < loss(truth[ROWS // 2 :], mine) + 0.002
    assert loss(found, mine) < min(loss(one[ROWS // 2 :], mine) for one in (first, second)) - 0.05


def test_a_member_that_knows_nothing_does_no_harm():
    labels, _, _, truth = worlds()
    noise = both(np.random.default_rng(1).normal(size=ROWS))
    found = Stack(built_on=(Says("truth", truth), Says("noise", noise))).scores(lesson(labels)).asked
    assert loss(found, labels[ROWS // 2 :]) < loss(truth[ROWS // 2 :], labels[ROWS // 2 :]) + 0.001


def test_a_member_that_is_too_sure_is_taken_back():
    labels, _, _, truth = worlds()
    sure = both(3 * np.log(truth[:, 1] / truth[:, 0]))
    found = Stack(built_on=(Says("sure", sure),)).scores(lesson(labels)).asked
    assert loss(found, labels[ROWS // 2 :]) == pytest.approx(loss(truth[ROWS // 2 :], labels[ROWS // 2 :]), abs=0.002)


def test_few_rows_give_the_average():
    labels, first, second, _ = worlds()
    few = Stack(built_on=(Says("a", first), Says("b", second))).scores(lesson(labels[:6]))
    middle = both((np.log(first[3:6, 1] / first[3:6, 0]) + np.log(second[3:6, 1] / second[3:6, 0])) / 2)
    assert few.asked == pytest.approx(middle, abs=0.15)


def test_more_classes():
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(ROWS, 4)) * 1.5
    truth = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (rng.random(ROWS)[:, None] > truth.cumsum(axis=1)[:, :-1]).sum(axis=1)
    biased = truth * [4, 1, 1, 1]
    biased /= biased.sum(axis=1, keepdims=True)
    found = Stack(built_on=(Says("biased", biased),)).scores(lesson(labels, 4)).asked
    assert found.sum(axis=1) == pytest.approx(np.ones(ROWS // 2))
    assert (
        loss(found, labels[ROWS // 2 :]) < loss(truth[ROWS // 2 :], labels[ROWS // 2 :]) + 0.004
    )  # five weights, 3000 rows


# ---- atoms: frequencies at the row itself, where rows repeat


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
