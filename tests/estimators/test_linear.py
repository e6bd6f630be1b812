"""Logistic regression whose penalties are what its coefficients ask for."""

from __future__ import annotations

import numpy as np
import pytest
from lessons import both, drawn, excess, lesson, others, said_by
from scipy.optimize import minimize

from labeldp_audit.estimators.linear import (
    Block,
    Design,
    Linear,
    Problem,
    Weights,
    added,
    judged,
    loss,
    loss_of_two,
    main_effects,
    start,
    summed,
)  # fmt: skip


def design(rng, classes, n=300):
    dense = np.concatenate([np.ones((n, 1)), rng.normal(size=(n, 3))], axis=1).astype(np.float32)
    codes = np.stack([rng.integers(4, size=n), 4 + rng.integers(3, size=n)], axis=1).astype(np.int32)
    block = Block(dense, codes, rng.integers(classes, size=n), rng.integers(1, 4, size=n).astype(float))
    return Design((block,), (4, 3), classes)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_slope_is_that_of_the_loss(classes):
    rng = np.random.default_rng(0)
    problem = Problem(design(rng, classes))
    problem.scale(np.array([0.7, 1.5, 3]))
    point = 0.1 * rng.normal(size=problem.coordinates(start(problem.design)).size)
    _, slope = problem.value(point)
    for at in range(0, len(point), 3):
        step = np.zeros(len(point))
        step[at] = 1e-2
        rise = (problem.value(point + step)[0] - problem.value(point - step)[0]) / 2e-2
        assert rise == pytest.approx(slope[at], abs=2e-3)


@pytest.mark.parametrize("classes", [2, 3])
def test_it_finds_what_a_plain_minimiser_finds(classes):
    """Each column with its own penalty, rows as often as they count."""
    one = design(np.random.default_rng(1), classes)
    found = Problem(one).solve(np.array([2.0, 1.0, 5.0]), start(one))
    pull = np.repeat([0, 2.0, 1.0, 5.0], [1, 3, 4, 3])[:, None]

    def value(flat):
        weights = flat.reshape(len(pull), -1)
        return judged(Weights(weights[:4], weights[4:]), one) + (pull * weights**2).sum() / 2

    ours = np.concatenate([found.dense, found.levels]).ravel()
    best = minimize(value, np.zeros(ours.size), method="BFGS").fun
    assert value(ours) <= best + 1e-2


@pytest.mark.parametrize("columns", [0, 3])
def test_sums_over_levels_are_those_of_the_matrix(columns):
    rng = np.random.default_rng(2)
    codes = rng.integers(5, size=(40, columns)).astype(np.int32)
    matrix = np.zeros((40, 5))
    np.add.at(matrix, (np.arange(40)[:, None], codes), 1)
    values, others = rng.normal(size=(5, 2)), rng.normal(size=(40, 2))
    assert added(codes, values) == pytest.approx(matrix @ values)
    assert summed(codes, others, 5) == pytest.approx(matrix.T @ others)


def test_the_loss_of_two_classes_is_that_of_any():
    rng = np.random.default_rng(3)
    odds = np.concatenate([rng.normal(size=(50, 1)), [[0.0], [20.0], [-30.0], [-9.0]]])
    labels, count = rng.integers(2, size=54), rng.random(54)
    slope = np.empty_like(odds)
    whole, by_both = loss(np.concatenate([np.zeros_like(odds), odds], axis=1), labels, count)
    assert loss_of_two(odds, labels, count, slope) == pytest.approx(whole)
    assert slope[:, 0] == pytest.approx(by_both[:, 1])


def test_rows_that_count_twice_are_rows_that_are_there_twice():
    rng = np.random.default_rng(7)
    one = design(rng, 2)
    [block] = one.blocks
    often = np.repeat(np.arange(300), block.count.astype(int))
    twice = Block(block.dense[often], block.codes[often], block.labels[often], np.ones(len(often)))
    penalties = np.array([2.0, 1.0, 5.0])
    whole = Design((twice,), one.sizes, 2)
    first, second = (Problem(each).solve(penalties, start(each)) for each in (one, whole))
    assert first.levels == pytest.approx(second.levels, abs=1e-3)
    assert Problem(one).count == pytest.approx(Problem(whole).count)


@pytest.mark.parametrize("spread", [0.4, 1.5])
def test_each_column_has_the_penalty_that_its_own_effects_ask_for(spread):
    """One over their variance; where a column tells nothing, much."""
    rng = np.random.default_rng(8)
    codes = rng.integers(60, size=(30_000, 3))
    eta = both(rng.normal(0, spread, 60)[codes[:, 0]] + rng.normal(0, 0.8, 60)[codes[:, 1]])
    _, told, other, nothing = main_effects(lesson(codes, drawn(eta, rng), (0, 1, 2)))[1][0]
    assert told == pytest.approx(1 / spread**2, rel=0.6)
    assert other == pytest.approx(1 / 0.8**2, rel=0.5)
    assert nothing > 20 * other


def test_a_straight_eta_in_many_columns():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(8000, 60))
    eta = both(x @ rng.normal(scale=0.3, size=60))
    one = lesson(x, drawn(eta, rng))
    rows = others(one)
    assert excess(eta[rows], said_by(Linear(), one, rows)) < 2 * 61 / (2 * len(one.learn))


def test_rare_levels_are_shrunk():
    rng = np.random.default_rng(4)
    code = np.minimum(rng.geometric(0.01, size=6000), 400) - 1
    effect = rng.normal(size=400)
    eta = both(effect[code])
    one = lesson(code[:, None], drawn(eta, rng), (0,))
    rows = others(one)
    counts = np.stack([np.bincount(code[one.learn][one.labels[one.learn] == c], minlength=400) for c in (0, 1)], axis=1)
    raw = (counts + 0.01) / (counts + 0.01).sum(axis=1, keepdims=True)  # a liar: takes the levels at their word
    mine = excess(eta[rows], said_by(Linear(), one, rows))
    assert mine < 0.4 * excess(eta[rows], np.full((len(rows), 2), 0.5))
    assert mine < 0.8 * excess(eta[rows], raw[code[rows]])


def test_classes():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(6000, 4))
    raised = np.exp(x @ rng.normal(size=(4, 5)))
    eta = raised / raised.sum(axis=1, keepdims=True)
    one = lesson(x, drawn(eta, rng), classes=5)
    rows = others(one)
    said = said_by(Linear(), one, rows)
    assert said.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert excess(eta[rows], said) < 0.005


@pytest.mark.parametrize("rows", [1, 3, 30, 60])
@pytest.mark.parametrize("label", [0, None])
def test_hardly_any_rows(rows, label):
    labels = np.arange(rows) % 2 if label is None else np.full(rows, label)
    said = said_by(Linear(), lesson(np.ones((rows, 2)), labels, (1,)), np.arange(rows))
    assert np.all((said > 0) & (said < 1))
    assert said_by(Linear(), lesson(np.ones((rows, 2)), labels), np.arange(0)).shape == (0, 2)
