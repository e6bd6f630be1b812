"""Held-out log loss of the learners beside the best possible, on populations whose eta is known.

python -m benchmarks.learners [ROWS]: some minutes. Where scikit-learn is installed, its logistic regression and network
and LightGBM's linear trees stand beside ours.
Log loss is the expected one of 10 000 other rows, in thousandths of a nat, over the entropy of their eta: 0 is the
best possible. "blind" knows how common the classes are and nothing else. Seconds are of all cores together.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from labeldp_audit.core.arrays import Floats
from labeldp_audit.core.table import Columns
from labeldp_audit.engines.machine import available_cores
from labeldp_audit.engines.threads import one_blas_thread
from labeldp_audit.estimators.contract import Learner, Lesson
from labeldp_audit.estimators.crossed import Crossed
from labeldp_audit.estimators.linear import Linear
from labeldp_audit.estimators.network import Network
from labeldp_audit.estimators.scikit import Sklearn

OTHERS = 10_000

Drawn = tuple[Floats, list[int], Floats]  # features, which are categories, eta (n, C)
World = Callable[[np.random.Generator, int], Drawn]


def binary(logit: Floats) -> Floats:
    eta = 1 / (1 + np.exp(-np.clip(logit, -30, 30)))
    return np.stack([1 - eta, eta], axis=1)


def softmax(logit: Floats) -> Floats:
    raised = np.exp(logit - logit.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def correlated(rng: np.random.Generator, n: int, d: int) -> Floats:
    made = np.random.default_rng(7)
    return np.asarray(rng.normal(size=(n, 6)) @ made.normal(size=(6, d)) / 2.5 + 0.5 * rng.normal(size=(n, d)))


def curved(rng: np.random.Generator, n: int) -> Drawn:
    x = correlated(rng, n, 18)
    logit = 2 * np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + np.abs(x[:, 3]) - x[:, 4] ** 2 + 0.5 * x[:, 5:9].sum(axis=1)
    return x, [], binary(logit)


def region(rng: np.random.Generator, n: int) -> Drawn:
    x = rng.normal(size=(n, 18))
    logit = 0.5 * x[:, 0] - 0.5 * x[:, 1] * x[:, 2] + 0.3 * np.sin(3 * x[:, 3])
    return x, [], binary(np.where((x[:, 4] > 0.8) & (x[:, 5] > -0.5), np.where(x[:, 6] > 0, 9, -9), logit))


def zipf(rng: np.random.Generator, n: int, levels: int, exponent: float = 1.1) -> npt.NDArray[np.int64]:
    share = np.arange(1, levels + 1) ** -exponent
    return rng.choice(levels, size=n, p=share / share.sum())


def additive(rng: np.random.Generator, n: int) -> Drawn:
    made, codes = np.random.default_rng(8), []
    logit = np.full(n, -0.5)
    for levels in (3, 20, 100, 300, 500, 800):
        codes.append(zipf(rng, n, levels))
        logit += made.normal(scale=0.8, size=levels)[codes[-1]]
    return np.stack(codes, axis=1).astype(float), list(range(6)), binary(logit)


def interacting(rng: np.random.Generator, n: int) -> Drawn:
    made = np.random.default_rng(9)
    codes = np.stack([zipf(rng, n, levels) for levels in (8, 40, 200, 400, 600)], axis=1)
    one, other = made.normal(size=(600, 5, 2)), made.normal(size=(600, 5))
    hidden = np.stack([one[codes[:, j], j] for j in range(5)], axis=1)
    logit = (hidden[:, 0] * hidden[:, 1] + hidden[:, 2] * hidden[:, 3]).sum(axis=1)
    logit += 0.5 * sum(other[codes[:, j], j] for j in range(5))
    x = rng.normal(size=(n, 3))
    logit += x[:, 0] * other[codes[:, 1], 2]
    return np.column_stack([codes, x]), list(range(5)), binary(0.7 * logit)


def independent(rng: np.random.Generator, n: int) -> Drawn:
    codes = np.stack([zipf(rng, n, 300) for _ in range(3)], axis=1)
    return np.column_stack([rng.normal(size=(n, 12)), codes]), [12, 13, 14], binary(np.full(n, -1.0))


def straight100(rng: np.random.Generator, n: int) -> Drawn:
    x = rng.normal(size=(n, 100))
    return x, [], binary(x @ np.random.default_rng(10).normal(scale=0.2, size=100))


def quadratic100(rng: np.random.Generator, n: int) -> Drawn:
    x, made = rng.normal(size=(n, 100)), np.random.default_rng(11)
    return x, [], binary(x @ made.normal(scale=0.1, size=100) + (x**2 - 1) @ made.normal(scale=0.15, size=100))


def scales(rng: np.random.Generator, n: int) -> Drawn:
    x = rng.normal(size=(n, 50))
    logit = 1.5 * x[:, 0] + x[:, 1] * x[:, 2] + 1.5 * np.cos(2 * x[:, 3]) - x[:, 4]
    x[:, 1::2] = np.exp(2 * x[:, 1::2])  # every other column has a heavy tail
    return x * 10 ** np.linspace(-4, 4, 50), [], binary(logit)


def rare(rng: np.random.Generator, n: int) -> Drawn:
    x = correlated(rng, n, 12)
    logit = -7.8 + 1.2 * x[:, 0] + 0.8 * x[:, 1] ** 2 - x[:, 2] * (x[:, 3] > 0)
    missing = rng.random((n, 12)) < 0.15
    missing[:, 5] |= rng.random(n) < 0.3 / (1 + np.exp(-logit - 6))
    logit = logit + 1.5 * missing[:, 5]
    # A missing cell of a column that tells leaves eta uncertain: the best is not known exactly, so those stay whole.
    missing[:, :4] = False
    return np.where(missing, np.nan, x), [], binary(logit)


def duplicates(rng: np.random.Generator, n: int) -> Drawn:
    made = np.random.default_rng(12)
    people, logit = made.normal(size=(400, 8)), made.normal(scale=2, size=400)
    who = zipf(rng, n, 400, 0.8)
    return people[who], [], binary(logit[who])


def five(rng: np.random.Generator, n: int) -> Drawn:
    x, made = correlated(rng, n, 10), np.random.default_rng(13)
    code = zipf(rng, n, 50)
    hidden = np.tanh(x @ made.normal(scale=0.6, size=(10, 12)))
    logit = 1.5 * hidden @ made.normal(size=(12, 5)) + made.normal(size=(50, 5))[code] + np.array([1, 0.5, 0, 0, -1])
    return np.column_stack([x, code]), [10], softmax(logit)


WORLDS: dict[str, World] = {
    world.__name__: world
    for world in (
        curved, region, additive, interacting, independent, straight100, quadratic100, scales, rare, duplicates, five,
    )
}  # fmt: skip


def columns_of(x: Floats, categories: list[int]) -> Columns:
    """As data/feature_columns.py gives them: numbers standardised, codes by falling frequency."""
    values = np.empty(x.shape, np.float32, order="F")
    for j, column in enumerate(x.T):
        if j in categories:
            _, code, count = np.unique(column, return_inverse=True, return_counts=True)
            values[:, j] = np.argsort(np.argsort(-count, kind="stable"))[code]
        else:
            values[:, j] = (column - np.nanmean(column)) / (np.nanstd(column) or 1)
    return Columns(values, np.isin(np.arange(x.shape[1]), categories), tuple(f"c{j}" for j in range(x.shape[1])))


def theirs() -> tuple[Learner, ...]:
    """What might stand in for ours."""
    from lightgbm import LGBMClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    trees = LGBMClassifier(linear_tree=True, num_leaves=15, learning_rate=0.05, n_jobs=1, verbose=-1)
    network = MLPClassifier((64, 64), early_stopping=True, n_iter_no_change=5)
    return Sklearn(LogisticRegression(max_iter=200)), Sklearn(trees), Sklearn(network)


def lesson_of(world: World, n: int) -> tuple[Lesson, Floats]:
    """And eta of the other rows, which are the last."""
    rng = np.random.default_rng(n)
    x, categories, eta = world(rng, n + OTHERS)
    labels = (rng.random(len(x))[:, None] > eta.cumsum(axis=1)[:, :-1]).sum(axis=1).astype(np.uint8)
    rows = rng.permutation(n)
    learn, judge = np.sort(rows[n // 10 :]), np.sort(rows[: n // 10])
    return Lesson(columns_of(x, categories), labels, eta.shape[1], learn, judge, 0, available_cores()), eta[n:]


def excess(eta: Floats, said: Floats) -> float:
    """Of the expected log loss over the best possible, in thousandths of a nat."""
    return 1000 * float((eta * (np.log(np.clip(eta, 1e-15, 1)) - np.log(said))).sum(axis=1).mean())


def main(n: int) -> None:
    kinds: tuple[Learner, ...] = (Linear(), Crossed(), Network(), *(theirs() if find_spec("sklearn") else ()))
    names = [kind.name.partition(",")[0].rpartition(".")[2] for kind in kinds]
    print(f"{n:,} rows".ljust(14), "blind".rjust(8), *(f"{name:>18} {'seconds':>8}" for name in names))
    for name, world in WORLDS.items():
        lesson, eta = lesson_of(world, n)
        cells = [f"{excess(eta, np.tile(eta.mean(axis=0), (OTHERS, 1))):8.2f}"]
        for kind in kinds:
            start = time.process_time()
            with one_blas_thread():
                said = kind.scores(replace(lesson, asked=np.arange(n, n + OTHERS), _known={})).asked
            cells.append(f"{excess(eta, said):18.2f} {time.process_time() - start:8.2f}")
        print(name.ljust(14), *cells, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30_000)
