"""Two small networks on top of a sum."""

from __future__ import annotations

import numpy as np
import pytest
from lessons import both, drawn, excess, lesson, others

from labeldp_audit.estimators import perceptron
from labeldp_audit.estimators.network import Course, Network
from labeldp_audit.estimators.perceptron import Descent, Perceptron, Size, begin, silu, silu_and_slope

SIZE = Size(numbers=3, categories=2, levels=7, classes=4, vector=2, hidden=5)


def batch(rng, n=40):
    numbers = rng.normal(size=(n, 3)).astype(np.float32)
    codes = np.stack([rng.integers(4, size=n), 4 + rng.integers(3, size=n)], axis=1).astype(np.int32)
    return numbers, codes, rng.normal(size=(n, 4)).astype(np.float32), rng.integers(4, size=n)


def test_the_slope_is_that_of_the_loss():
    rng = np.random.default_rng(0)
    flat = rng.normal(scale=0.5, size=begin(SIZE, rng).size).astype(np.float32)
    numbers, codes, offset, labels = batch(rng)

    def lost(flat):
        logits = (Perceptron(SIZE, flat).logits(numbers, codes) + offset).astype(np.float64)
        return np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(labels)), labels])

    found = np.full_like(flat, 7)
    perceptron.slopes(flat, found, SIZE.shape, numbers, codes, offset, labels)
    for at in range(len(flat)):
        up, down = flat.copy(), flat.copy()
        up[at] += 0.02
        down[at] -= 0.02
        assert (lost(up) - lost(down)) / 0.04 == pytest.approx(found[at], abs=2e-4)


def test_silu_is_the_same_where_it_is_learnt_and_where_it_is_used():
    at = np.append(np.linspace(-30, 30, 40_001, dtype=np.float32), np.float32([-200, 0, 200]))[None]
    value, slope = silu_and_slope(at.copy(), np.zeros(at.shape[1], np.float32))
    assert value == pytest.approx(silu(at), rel=1e-6, abs=1e-6)
    assert value[0, -3:].tolist() == [pytest.approx(0, abs=1e-30), 0, 200]
    assert slope[0, -3:].tolist() == [pytest.approx(0, abs=1e-30), 0.5, 1]


def test_surprise_of_huge_logits():
    logits, bias = np.array([[1e4, -1e4], [0, 1]], np.float32), np.array([0, -1], np.float32)
    found = perceptron.surprise(logits, bias, np.zeros((2, 2), np.float32), np.array([1, 0]))
    assert found.tolist() == [[0.5, -0.5], [-0.25, 0.25]]


def test_a_step_is_that_of_adam():
    """Loshchilov and Hutter 2019, algorithm 2: biases do not shrink."""
    rng = np.random.default_rng(3)
    flat, (numbers, codes, offset, labels) = begin(SIZE, rng), batch(rng)
    expected, mean, square = flat.astype(np.float64), 0.0, 0.0
    state, slope = Descent(SIZE, flat, 0.5), np.empty_like(flat)
    shrinks = np.arange(len(flat)) < SIZE.shrinking
    assert (~shrinks).sum() == 5 + 5 + 4
    for step, rate in enumerate((0.01, 0.02), start=1):
        perceptron.slopes(expected.astype(np.float32), slope, SIZE.shape, numbers, codes, offset, labels)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope.astype(np.float64) ** 2
        expected *= np.where(shrinks, 1 - rate * 0.5, 1)
        expected -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        state.learn(numbers, codes, offset, labels, len(labels), np.array([rate]))
        assert state.weights == pytest.approx(expected, abs=1e-5)


def test_stretches_are_epochs_in_pieces():
    course, n = Course(batch=10, epochs=3), 10 * 2000 + 7
    stretches = list(course.stretches(n, np.random.default_rng(0)))
    rows = np.concatenate([which for which, _, _ in stretches]).reshape(3, -1)
    assert all(len(np.unique(of_epoch)) == 20_000 for of_epoch in rows)
    assert all(len(which) == 10 * len(rates) for which, rates, _ in stretches)
    rates = np.concatenate([rates for _, rates, _ in stretches])
    assert rates == pytest.approx(course.rates(np.arange(1, 6001) / 6000))
    assert sum(judged for _, _, judged in stretches) == 25
    assert list(Course(10, 1).stretches(530, np.random.default_rng(0)))[-1][2], "at last, whatever was judged before"


def test_nothing_is_said_before_anything_is_learnt_and_then_less_is_lost():
    rng = np.random.default_rng(1)
    state = Descent(SIZE, begin(SIZE, rng), 0.0)
    numbers, codes, offset, labels = batch(rng)
    assert np.all(Perceptron(SIZE, state.average).logits(numbers, codes) == 0)
    for _ in range(300):
        state.learn(numbers, codes, offset, labels, len(labels), np.array([0.01]))
    said = Perceptron(SIZE, state.average).logits(numbers, codes) + offset
    assert np.mean(said.argmax(axis=1) == labels) > 0.9


def curved(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    eta = both(1.5 * x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]))
    return x, eta, drawn(eta, rng)


def test_products_and_curves():
    x, eta, labels = curved(4000, 2)
    one = lesson(x, labels)
    rows = others(one)
    blind = excess(eta[rows], np.full((len(rows), 2), 0.5))
    said = Network().fit(one)(rows)
    assert said.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert excess(eta[rows], said) < 0.2 * blind


def test_pairs_of_levels():
    """What two categories do together is a product of what each level stands for."""
    rng = np.random.default_rng(3)
    codes, sign = rng.integers(20, size=(5000, 2)), rng.choice([-2.0, 2.0], size=(2, 20))
    eta = both(sign[0, codes[:, 0]] * sign[1, codes[:, 1]] / 2)
    one = lesson(codes, drawn(eta, rng), (0, 1))
    rows = others(one)
    blind = excess(eta[rows], np.full((len(rows), 2), 0.5))
    assert excess(eta[rows], Network().fit(one)(rows)) < 0.25 * blind


def test_labels_that_nothing_tells():
    rng = np.random.default_rng(1)
    one = lesson(rng.normal(size=(3000, 8)), rng.random(3000) < 0.3)
    rows = others(one)
    eta = np.tile([0.7, 0.3], (len(rows), 1))
    assert excess(eta, Network().fit(one)(rows)) < 0.005


@pytest.mark.parametrize("rows", [1, 3, 64, 130])
@pytest.mark.parametrize("label", [0, None])
def test_hardly_any_rows(rows, label):
    labels = np.arange(rows) % 3 if label is None else np.full(rows, label)
    values = np.stack([np.full(rows, np.nan), np.arange(rows) % 2], axis=1)
    predict = Network().fit(lesson(values, labels, (1,), classes=3))
    said = predict(np.arange(rows))
    assert said.shape == (rows, 3)
    assert np.all((said > 0) & (said < 1))
    assert predict(np.arange(0)).shape == (0, 3)


def test_nobody_judges():
    x, _, labels = curved(400, 5)
    said = Network().fit(lesson(x, labels, cut=1.0))(np.arange(400))
    assert np.all((said > 0) & (said < 1))
