"""Two small networks on top of a sum."""

from __future__ import annotations

import numpy as np
import pytest
from lessons import both, drawn, excess, lesson, others

from labeldp_audit.estimators.network import Network
from labeldp_audit.estimators.perceptron import Adam, Perceptron, Size, begin, silu, surprise

SIZE = Size(numbers=3, categories=2, levels=7, classes=4, vector=2, hidden=5)


def batch(rng, n=40):
    numbers = rng.normal(size=(n, 3)).astype(np.float32)
    codes = np.stack([rng.integers(4, size=n), 4 + rng.integers(3, size=n)], axis=1).astype(np.int32)
    return numbers, codes, rng.normal(size=(n, 4)).astype(np.float32), rng.integers(4, size=n)


def test_the_slope_is_that_of_the_loss():
    rng = np.random.default_rng(0)
    net = Perceptron(SIZE, begin(SIZE, rng))
    net.flat[:] = rng.normal(scale=0.5, size=net.flat.size)
    numbers, codes, offset, labels = batch(rng)

    def lost():
        logits = (net.logits(numbers, codes) + offset).astype(np.float64)
        return np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(labels)), labels])

    net.learn(numbers, codes, offset, labels)
    for at in range(len(net.flat)):
        kept = net.flat[at]
        net.flat[at] = kept + 0.02
        up = lost()
        net.flat[at] = kept - 0.02
        rise = (up - lost()) / 0.04
        net.flat[at] = kept
        assert rise == pytest.approx(net.slope[at], abs=2e-4)


def test_silu_at_its_ends():
    value, slope = silu(np.array([-200, 0, 200], np.float32))
    assert value.tolist() == [0, 0, 200]
    assert slope.tolist() == [0, 0.5, 1]


def test_surprise_of_huge_logits():
    found = surprise(np.array([[1e4, -1e4], [0, 0]], np.float32), np.array([1, 0]))
    assert found.tolist() == [[0.5, -0.5], [-0.25, 0.25]]


def test_nothing_is_said_before_anything_is_learnt_and_then_less_is_lost():
    rng = np.random.default_rng(1)
    net = Perceptron(SIZE, begin(SIZE, rng))
    numbers, codes, offset, labels = batch(rng)
    assert np.all(net.logits(numbers, codes) == 0)
    adam, at = Adam(net, 0.0), np.arange(len(labels))
    for _ in range(300):
        net.learn(numbers, codes, offset, labels)
        adam.step(0.01)
    assert np.mean((net.logits(numbers, codes) + offset).argmax(axis=1) == labels[at]) > 0.9


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


def test_threads_and_labels_of_others_change_nothing():
    x, _, labels = curved(800, 4)
    one, changed = lesson(x, labels), labels.copy()
    rows = others(one)
    changed[rows] = 1 - changed[rows]
    first = Network().fit(one)(rows)
    assert np.array_equal(first, Network().fit(lesson(x, changed, threads=2))(rows))
    changed[one.learn[::2]] = 1 - changed[one.learn[::2]]
    assert not np.array_equal(first, Network().fit(lesson(x, changed))(rows))


@pytest.mark.parametrize("seed", [0, 1])
def test_labels_that_nothing_tells(seed):
    rng = np.random.default_rng(seed)
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
