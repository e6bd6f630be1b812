"""What a population with known eta is, and how its difficulty is set."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.optimize import brentq

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
SAMPLE = 20_000  # rows on which difficulty is set
MISSING = -1


class Category(NamedTuple):
    codes: Integers  # MISSING where the cell is empty
    names: tuple[str, ...]


Column = Floats | Integers | Category  # a missing number is NaN
Columns = dict[str, Column]


@dataclass(frozen=True)
class Population:
    """`features` draws n rows, independent and alike, and the eta (n, C) of each."""

    kind: str
    seed: int
    features: Callable[[int, np.random.Generator], tuple[Columns, Floats]]
    traits: str = ""  # what its seed chose, for whoever reads a row about it

    def eta(self, n: int, rng: np.random.Generator) -> Floats:
        return self.features(n, rng)[1]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[pa.Table, Integers, Floats]:
        columns, eta = self.features(n, rng)
        table = pa.table({name: arrow(column) for name, column in columns.items()})
        return table, (rng.random((n, 1)) >= eta.cumsum(axis=1)[:, :-1]).sum(axis=1), eta


def arrow(column: Column) -> pa.Array:
    if isinstance(column, Category):
        codes = pa.array(column.codes.astype(np.int32), mask=column.codes == MISSING)
        return pa.DictionaryArray.from_arrays(codes, list(column.names)).cast(pa.string())
    return pa.array(column, from_pandas=True)


def two(eta: Floats) -> Floats:
    return np.stack([1 - eta, eta], axis=1)


def sigmoid(score: Floats) -> Floats:
    return 1 / (1 + np.exp(-score))


def logit(z: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # the ends are infinite
        return np.log(z) - np.log1p(-z)


def nu_bar(eta: Floats, p: float, pi: float) -> Floats:
    """(2 eta - 1)(logit eta - logit p) + (1 - 2 pi) log((1 - pi) / pi); infinite at eta = 0 and 1. 001, Def. 3."""
    gain: Floats = (2 * eta - 1) * (logit(eta) - np.log(p / (1 - p)))
    return gain + (1 - 2 * pi) * math.log((1 - pi) / pi)


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
    return float(brentq(rises, low, high, xtol=1e-12))


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


# ---- what seeds choose: seeds that follow one another take turns, so that a few of them see all there is

SHARES = (0.5, 0.25, 0.12, 0.07, 0.025)  # of positives, common to rare
DEPTHS = ("main effects", "pairs", "deep")


def share_of_positives(seed: int, make: np.random.Generator) -> float:
    return float(SHARES[seed % len(SHARES)] * make.uniform(0.9, 1.1))


def depth_of_effects(seed: int) -> str:
    """Each of three seeds in a row another one, and not always the same one of seed % 3."""
    return DEPTHS[(seed + seed // 3) % len(DEPTHS)]


def chosen(p: float, *more: str) -> str:
    """The traits of a population, the share of its positives first."""
    return ", ".join([f"{100 * p:.2g} %", *(one for one in more if one)])


def some(make: np.random.Generator, low: int, high: int) -> int:
    """A whole number from low to high, both possible."""
    return int(make.integers(low, high + 1))


def by_factors(make: np.random.Generator, low: float, high: float) -> float:
    """A number between low and high, each factor as likely."""
    return float(np.exp(make.uniform(np.log(low), np.log(high))))


def sizes(many: int, smallest: int, largest: int, make: np.random.Generator) -> list[int]:
    """Numbers of levels: the ends and what lies between them, each factor as likely, rising."""
    between = sorted(round(by_factors(make, smallest, largest)) for _ in range(many - 2))
    return [smallest, *between, largest]


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


def nested(columns: int, order: int, many: int, make: np.random.Generator) -> Callable[[Floats], Floats]:
    """A sum of steps within steps: what lies beyond one threshold is parted by another column's, `order` times."""
    sets = [make.choice(columns, order, replace=False) for _ in range(many)]
    edges, weights = make.uniform(-0.7, 0.7, (many, order)), [signed(order, make) for _ in range(many)]
    return lambda x: sum(
        ((x[:, s] > e).cumprod(axis=1) @ w for s, e, w in zip(sets, edges, weights, strict=True)), np.zeros(len(x))
    )


class Shape(NamedTuple):
    """How a score depends on numbers of about unit size, and how many of each piece it has."""

    pieces: tuple[Callable[[Floats], Floats], ...]
    traits: str

    def __call__(self, x: Floats) -> Floats:
        return sum((piece(x) for piece in self.pieces), np.zeros(len(x)))


def shape(columns: int, depth: str, make: np.random.Generator) -> Shape:
    """Main effects of the first columns alone, or pairs beside them, or triples and nested thresholds as well."""
    single = bent(columns, make)
    pairs = 0 if depth == "main effects" else some(make, 2, max(3, columns // 2))
    triples, steps = (some(make, 1, 4), some(make, 1, 3)) if depth == "deep" else (0, 0)
    pieces = (
        single,
        crossed(columns, 2, pairs, make),
        crossed(columns, min(3, columns), triples, make),
        nested(columns, min(3, columns), steps, make),
    )
    return Shape(pieces, f"{depth} ({pairs}+{triples}+{steps})" if pairs else depth)


def holes(n: int, often: Floats, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """(n, columns) Which cells are missing, each by chance alone."""
    return rng.random((n, len(often))) < often


def how_often_missing(columns: int, make: np.random.Generator) -> Floats:
    """In two of three populations nowhere; otherwise in some columns."""
    anywhere = make.random() < 1 / 3
    return anywhere * make.uniform(0.02, 0.2, columns) * (make.random(columns) < 0.5)
