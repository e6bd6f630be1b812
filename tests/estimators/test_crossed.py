"""Logistic regression that finds the pairs of columns worth crossing."""

from __future__ import annotations

import numpy as np
import pytest
from lessons import both, drawn, excess, lesson, others, said_by

from labeldp_audit.estimators import crossed
from labeldp_audit.estimators.crossed import Crossed, Left, Sight
from labeldp_audit.estimators.linear import Linear, main_effects


def sight_of(one) -> Sight:
    found = crossed._fitted(one)
    return found[0] if found else Sight(main_effects(one)[0].inputs)


def coded(rng, n, sizes):
    return np.stack([rng.integers(size, size=n) for size in sizes], axis=1)


def world(rng, n=20_000, sizes=(4, 8, 12, 30), pair=(1, 2), spread=1.0):
    """Own effects of each column, and of each pair of levels of two of them."""
    codes = coded(rng, n, sizes)
    score = sum(rng.normal(size=size)[codes[:, j]] for j, size in enumerate(sizes))
    joint = rng.normal(scale=spread, size=(sizes[pair[0]], sizes[pair[1]]))
    return codes, both(0.7 * score + joint[codes[:, pair[0]], codes[:, pair[1]]])


@pytest.mark.parametrize("pair", [(1, 2), (0, 3)])
def test_it_finds_the_pair_and_comes_near_eta(pair):
    rng = np.random.default_rng(0)
    codes, eta = world(rng, pair=pair)
    one = lesson(codes, drawn(eta, rng), range(4))
    rows = others(one)
    assert [term.columns for term in sight_of(one).terms] == [pair]
    assert excess(eta[rows], said_by(Crossed(), one, rows)) < 0.15 * excess(eta[rows], said_by(Linear(), one, rows))


def test_without_pairs_it_is_the_linear_learner():
    rng = np.random.default_rng(1)
    codes, eta = world(rng, spread=0.0)
    one = lesson(codes, drawn(eta, rng), range(4))
    rows = others(one)
    assert sight_of(one).terms == ()
    assert np.abs(said_by(Crossed(), one, rows) - said_by(Linear(), one, rows)).max() < 0.01


@pytest.mark.parametrize("seed", range(2))
def test_labels_that_nothing_tells_cross_nothing(seed):
    rng = np.random.default_rng(seed)
    values = np.column_stack([coded(rng, 6000, (3, 40, 200, 500)), rng.normal(size=(6000, 8))])
    assert sight_of(lesson(values, rng.integers(2, size=6000), range(4))).terms == ()


def test_bins_of_numbers_take_part():
    rng = np.random.default_rng(2)
    x, code = rng.normal(size=(20_000, 3)), rng.integers(5, size=20_000)
    x[rng.random(20_000) < 0.1, 1] = np.nan
    eta = both(np.abs(x[:, 0]) * 1.5 + np.where(code == 2, 2, -1) * np.nan_to_num(x[:, 1], nan=2.0))
    one = lesson(np.column_stack([x, code]), drawn(eta, rng), (3,))
    rows = others(one)
    assert {(0,), (1, 3)} <= {term.columns for term in sight_of(one).terms}
    assert excess(eta[rows], said_by(Crossed(), one, rows)) < 0.15 * excess(eta[rows], said_by(Linear(), one, rows))


def test_classes():
    rng = np.random.default_rng(3)
    codes, joint = coded(rng, 16_000, (6, 6, 20)), rng.normal(size=(6, 6, 4))
    raised = np.exp(joint[codes[:, 0], codes[:, 1]])
    eta = raised / raised.sum(axis=1, keepdims=True)
    one = lesson(codes, drawn(eta, rng), range(3), classes=4)
    rows = others(one)
    said = said_by(Crossed(), one, rows)
    assert said.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert excess(eta[rows], said) < 0.05 * excess(eta[rows], said_by(Linear(), one, rows))


@pytest.mark.parametrize("spread", [0.2, 0.6])
def test_the_penalty_is_one_over_the_variance(spread):
    """Where labels keep to r = b v, which logits do as long as they are small."""
    rng = np.random.default_rng(4)
    codes, joint = coded(rng, 100_000, (30, 40)), rng.normal(scale=spread, size=(30, 40))
    labels = rng.random(100_000) < 0.5 + 0.25 * joint[codes[:, 0], codes[:, 1]]
    left = Left((labels - 0.5)[None], np.full((1, 100_000), 0.25), rng.permutation(100_000) % 2)
    [found] = crossed.pairs(codes.astype(np.int32), (0, 1), left)
    assert found.penalty == pytest.approx(1 / spread**2, rel=0.2)


def test_chance_is_not_clear_and_a_liar_is():
    """A liar sums the same rows twice, and takes for an effect whatever they happen to say."""
    rng = np.random.default_rng(5)
    codes, residual = coded(rng, 4000, (30, 40)).astype(np.int32), rng.choice([-0.5, 0.5], (1, 4000))
    quarter, half = np.full((1, 4000), 0.25), np.arange(4000) % 2
    assert crossed.pairs(codes, (0, 1), Left(residual, quarter, half)) == []
    twice = Left(np.repeat(residual[:, ::2], 2, axis=1), quarter, half)
    assert len(crossed.pairs(np.repeat(codes[::2], 2, axis=0), (0, 1), twice)) == 1


def test_own_effects_are_no_pair():
    rng = np.random.default_rng(6)
    codes = coded(rng, 20_000, (5, 7)).astype(np.int32)
    residual = 0.2 * (rng.normal(size=5)[codes[:, 0]] + rng.normal(size=7)[codes[:, 1]]) + rng.choice(
        [-0.5, 0.5], 20_000
    )
    left = Left(residual[None], np.full((1, 20_000), 0.25), rng.permutation(20_000) % 2)
    assert crossed.pairs(codes, (0, 1), left) == []
    assert [found.columns for found in crossed.singles(codes, (0, 1), left)] != []


def test_labels_of_others_threads_and_order_of_asking_change_nothing():
    rng = np.random.default_rng(8)
    codes, eta = world(rng, n=8000)
    labels = drawn(eta, rng)
    one = lesson(codes, labels, range(4))
    rows, changed = others(one), labels.copy()
    changed[rows] = 1 - changed[rows]
    first = said_by(Crossed(), one, rows)
    second = said_by(Crossed(), lesson(codes, changed, range(4), threads=2), rows[::-1])
    assert sight_of(one).terms != ()
    assert np.array_equal(first, second[::-1])
    changed[one.learn] = 1 - changed[one.learn]
    assert not np.array_equal(first, said_by(Crossed(), lesson(codes, changed, range(4)), rows))


def test_rare_cells_share_one_coefficient(monkeypatch):
    rng = np.random.default_rng(9)
    codes, eta = world(rng)
    one = lesson(codes, drawn(eta, rng), range(4))
    monkeypatch.setattr(crossed, "CELLS", 10)
    sight = sight_of(one)
    found = sight.codes(one.learn)[:, -1] - sum(sight.inputs.levels)
    assert [len(term.cells) for term in sight.terms] == [10]
    count = np.bincount(found)
    assert len(count) == 11
    assert count[0] > count[1:].max()


def test_with_many_columns_the_useful_ones_are_crossed(monkeypatch):
    rng = np.random.default_rng(10)
    codes = coded(rng, 20_000, [8] * 12)
    one, other = codes[:, 4] > 3, codes[:, 7] > 3
    eta = both(one + other + 2.0 * (one & other) - 2)
    monkeypatch.setattr(crossed, "MOST_COLUMNS", 4)
    terms = sight_of(lesson(codes, drawn(eta, rng), range(12))).terms
    assert [term.columns for term in terms] == [(4, 7)]


@pytest.mark.parametrize("rows", [1, 3, 30, 60])
@pytest.mark.parametrize("label", [0, None])
def test_hardly_any_rows(rows, label):
    labels = np.arange(rows) % 2 if label is None else np.full(rows, label)
    values = np.column_stack([np.ones(rows), np.arange(rows) % 3, np.full(rows, np.nan)])
    said = said_by(Crossed(), lesson(values, labels, (1,)), np.arange(rows))
    assert np.all((said > 0) & (said < 1))
    assert said_by(Crossed(), lesson(values, labels, (1,)), np.arange(0)).shape == (0, 2)


def test_a_product_too_weak_for_cells():
    rng = np.random.default_rng(12)
    x = rng.normal(size=(10_000, 12))
    eta = both(0.5 * x[:, 1] + 0.4 * x[:, 2] * x[:, 7])
    one = lesson(x, drawn(eta, rng))
    rows = others(one)
    assert sight_of(one).products == ((2, 7),)
    assert excess(eta[rows], said_by(Crossed(), one, rows)) < 0.3 * excess(eta[rows], said_by(Linear(), one, rows))


def test_products_of_several_classes_the_clearest_first():
    rng = np.random.default_rng(13)
    x = rng.normal(size=(8000, 4)).astype(np.float32)
    noise = rng.choice([-0.5, 0.5], (2, 8000))
    noise[0] += 0.1 * x[:, 0] * x[:, 1]
    noise[1] += 0.2 * x[:, 2] * x[:, 3]
    assert crossed.products(x, Left(noise, np.full((2, 8000), 0.25), np.arange(8000) % 2)) == ((2, 3), (0, 1))
    assert crossed.products(x[:, :0], Left(noise, np.full((2, 8000), 0.25), np.arange(8000) % 2)) == ()
