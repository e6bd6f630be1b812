"""What a population with known eta is, and how its difficulty is set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
SAMPLE = 20_000  # rows on which difficulty is set


class Category(NamedTuple):
    codes: Integers
    names: tuple[str, ...]


Column = Floats | Integers | Category  # a missing number is NaN
Columns = dict[str, Column]


@dataclass(frozen=True)
class Population:
    """`features` draws n rows, independent and alike, and the eta (n, C) of each."""

    kind: str
    seed: int
    features: Callable[[int, np.random.Generator], tuple[Columns, Floats]]

    def eta(self, n: int, rng: np.random.Generator) -> Floats:
        return self.features(n, rng)[1]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[pa.Table, Integers, Floats]:
        columns, eta = self.features(n, rng)
        table = pa.table({name: arrow(column) for name, column in columns.items()})
        return table, (rng.random((n, 1)) >= eta.cumsum(axis=1)[:, :-1]).sum(axis=1), eta


def arrow(column: Column) -> pa.Array:
    if isinstance(column, Category):
        return pa.DictionaryArray.from_arrays(column.codes.astype(np.int32), list(column.names)).cast(pa.string())
    return pa.array(column, from_pandas=True)


def two(eta: Floats) -> Floats:
    return np.stack([1 - eta, eta], axis=1)


def sigmoid(score: Floats) -> Floats:
    return 1 / (1 + np.exp(-score))


def softmax(score: Floats) -> Floats:
    raised = np.exp(score - score.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def entropy(eta: Floats) -> Floats:
    """- sum eta_c log eta_c of each row, the least log loss there; 0 log 0 = 0."""
    return -(eta * np.log(np.where(eta > 0, eta, 1))).sum(axis=-1)


def hardness(eta: Floats) -> float:
    """The best log loss as a share of the blind one: 0 where features tell all, 1 where they tell nothing."""
    return float(entropy(eta).mean() / entropy(eta.mean(axis=0)))


def root(rises: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function crosses 0."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return (low + high) / 2


class Link(NamedTuple):
    """eta = sigmoid(start + slope score)."""

    start: float
    slope: float

    def __call__(self, score: Floats) -> Floats:
        return sigmoid(self.start + self.slope * score)


def link(score: Floats, p: float, share: float) -> Link:
    """The one under which eta has mean p, and the best log loss is this share of the blind one."""

    def with_slope(slope: float) -> Link:
        return Link(root(lambda start: Link(start, slope)(score).mean() - p, -60, 60), slope)

    return with_slope(root(lambda slope: share - hardness(two(with_slope(slope)(score))), 0, 12 / float(score.std())))


# ---- pieces of features and scores


def names(prefix: str, many: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{i}" for i in range(many))


def zipf(many: int, exponent: float) -> Floats:
    """Power-law weights."""
    weights = np.arange(1, many + 1) ** -exponent
    return weights / weights.sum()


def levels(n: int, weights: Floats, rng: np.random.Generator) -> Integers:
    return np.searchsorted(weights.cumsum()[:-1], rng.random(n), side="right").astype(np.int64)


BENDS: tuple[Callable[[Floats], Floats], ...] = (
    lambda x: np.sin(1.5 * x),
    lambda x: np.tanh(2 * x),
    lambda x: np.minimum(x * x, 6) / 1.5,
    np.abs,
    lambda x: x,
)


def signed(many: int, make: np.random.Generator) -> Floats:
    """Coefficients, none of them negligible."""
    return make.choice([-1.0, 1.0], many) * make.uniform(0.3, 1, many)


def bent(columns: int, make: np.random.Generator) -> Callable[[Floats], Floats]:
    """A sum of one smooth function of each of the first columns."""
    weights, which = signed(columns, make), make.integers(0, len(BENDS), columns)
    return lambda x: sum((weights[j] * BENDS[which[j]](x[:, j]) for j in range(columns)), np.zeros(len(x)))


def crossed(columns: int, order: int, many: int, make: np.random.Generator) -> Callable[[Floats], Floats]:
    """A sum of products of squashed columns, each of `order` different ones."""
    sets = [make.choice(columns, order, replace=False) for _ in range(many)]
    weights = 1.2 * signed(many, make)
    return lambda x: sum(
        (w * np.tanh(x[:, s]).prod(axis=1) for w, s in zip(weights, sets, strict=True)), np.zeros(len(x))
    )
