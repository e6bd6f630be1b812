"""Which pairs of columns tell more together than their own effects add up to.

What main effects leave, r = (y == c) - P(c), is summed in every cell of a pair, in each of two halves of the rows.
Chance makes the sums of the halves differ; an effect of the cell makes them agree. With v the sum of P(c)(1 - P(c)),
r of a cell is about b v and noise of variance v. For b of mean 0 and variance s, E[r_A r_B] = s v_A v_B: chance adds
nothing to what s is found by, and 1 / s is the penalty that the coefficients of the pair deserve.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.compiled import compiled
from .inputs import Codes, Values

LEVELS = 256  # of a column, while pairs are looked for; rarer ones are one
CLEAR = 4.0  # standard errors; products of sums have longer tails than a bell
START, WEAK, STRONG = 10.0, 1e4, 0.1  # penalties
ROUNDS = 4


@dataclass(frozen=True)
class Left:
    """What main effects leave."""

    residual: Floats  # (classes, rows)
    variance: Floats  # (classes, rows)
    half: Integers  # (rows,) 0 or 1


@dataclass(frozen=True)
class Found:
    columns: tuple[int, ...]
    gain: float  # nats, of one half by what the other taught
    errors: float  # how many standard errors above chance
    penalty: float


def frequent(column: Codes) -> Codes:
    """The most frequent levels, numbered anew; 0 are all the others."""
    count = np.bincount(column)
    kept = np.argsort(-count, kind="stable")[: LEVELS - 1]
    new = np.zeros(len(count), np.int32)
    new[kept] = 1 + np.arange(len(kept))
    return np.asarray(new[column])


def singles(levels: Codes, columns: Iterable[int], left: Left) -> list[Found]:
    """Columns whose levels tell more than what was fitted, the best first."""
    return _clear([_judged((j,), *_sums(levels[:, [j]], left)) for j in columns])


def pairs(levels: Codes, columns: Iterable[int], left: Left) -> list[Found]:
    """The best first."""
    found = []
    for one, other in combinations(columns, 2):
        sums, sizes = _sums(levels[:, [one, other]], left)
        _centre(sums, sizes)
        found.append(_judged((one, other), sums, sizes))
    return _clear(found)


def products(numbers: Values, left: Left) -> tuple[tuple[int, int], ...]:
    """Two numbers whose product goes along with what is left, the clearest first. Cells find bent pairs, but spread
    their evidence over all cells; one coefficient needs far less. Under chance, sum r x is about N(0, sum v x^2)."""
    squares, most = numbers * numbers, np.zeros((numbers.shape[1], numbers.shape[1]))
    for residual, variance in zip(left.residual, left.variance, strict=True):
        told = numbers.T @ (numbers * residual[:, None].astype(np.float32))
        error = squares.T @ (squares * variance[:, None].astype(np.float32))
        most = np.maximum(most, told**2 / np.maximum(error, 1e-6))
    one, other = np.triu_indices(len(most), 1)
    order = np.argsort(-most[one, other], kind="stable")
    kept = order[most[one, other][order] > CLEAR**2]
    return tuple(zip(one[kept].tolist(), other[kept].tolist(), strict=True))


def _clear(found: list[Found]) -> list[Found]:
    kept = [one for one in found if one.errors > CLEAR and one.gain > 0]
    return sorted(kept, key=lambda one: (-one.gain, one.columns))


def _sums(levels: Codes, left: Left) -> tuple[Floats, Floats]:
    """(2, classes, levels of the first, levels of the second) of residuals and of variances."""
    first = np.ascontiguousarray(levels[:, 0])
    second = np.ascontiguousarray(levels[:, 1]) if levels.shape[1] == 2 else np.zeros_like(first)
    shape = (2, len(left.residual), int(first.max()) + 1, int(second.max()) + 1)
    sums, sizes = np.zeros(shape), np.zeros(shape)
    _add(first, second, left.half, left.residual, left.variance, sums, sizes)
    return sums, sizes


@compiled
def _add(
    first: Codes, second: Codes, half: Integers, residual: Floats, variance: Floats, sums: Floats, sizes: Floats
) -> None:  # fmt: skip
    for c in range(len(residual)):
        for i in range(len(first)):
            sums[half[i], c, first[i], second[i]] += residual[c, i]
            sizes[half[i], c, first[i], second[i]] += variance[c, i]


def _centre(sums: Floats, sizes: Floats) -> None:
    """Takes out what the two columns tell by themselves, which their shrunk coefficients leave a part of."""
    for axis in (3, 2, 3, 2):
        size = sizes.sum(axis=axis, keepdims=True)
        sums -= sizes * (sums.sum(axis=axis, keepdims=True) / np.maximum(size, 1e-12))


def _judged(columns: tuple[int, ...], sums: Floats, sizes: Floats) -> Found:
    seen = (sizes[0] > 0) & (sizes[1] > 0)
    (one, other), (v, w) = sums[:, seen], sizes[:, seen]
    both, room, penalty = one * other, v * w, START
    for _ in range(ROUNDS):
        weight = 1 / ((v + penalty) * (w + penalty))
        share = float((weight * both).sum()) / max(float((weight * room).sum()), 1e-300)
        if share <= 1 / WEAK:
            return Found(columns, 0.0, 0.0, WEAK)
        penalty = max(1 / share, STRONG)
    errors = float((weight * both).sum() / np.sqrt((weight**2 * room).sum()))
    return Found(columns, _gain(one, other, v, w, penalty), errors, penalty)


def _gain(one: Floats, other: Floats, v: Floats, w: Floats, penalty: float) -> float:
    """b r - b^2 v / 2, to the second order the fall of the loss; each half taught by the other, in turn."""
    first, second = one / (v + penalty), other / (w + penalty)
    return float((first * other - first**2 * w / 2 + second * one - second**2 * v / 2).sum()) / 2
