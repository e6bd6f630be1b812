"""Two hidden layers, their slopes, and Adam with decay (Kingma and Ba 2015; Loshchilov and Hutter 2019).

    x = numbers, vectors of the levels;  h = silu(x W1 + b1);  g = silu(h W2 + b2);  logits = offset + g W3 + b3

All weights lie in one vector, so that a step is a few sweeps over it. silu(a) = a / (1 + e^-a).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model import Integers
from .inputs import Codes, Values

Logits = npt.NDArray[np.float32]

HALF, ONE = np.float32(0.5), np.float32(1)
FIRST, SECOND = 0.9, 0.99  # Adam's memories of the slope and of its square


@dataclass(frozen=True)
class Size:
    numbers: int
    categories: int
    levels: int
    classes: int
    vector: int = 8  # numbers that stand for a level
    hidden: int = 128

    @property
    def entry(self) -> int:
        return self.numbers + self.categories * self.vector

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """What shrinks comes first."""
        h = self.hidden
        return {
            "levels": (self.levels, self.vector), "first": (self.entry, h), "second": (h, h),
            "third": (h, self.classes), "at first": (h,), "at second": (h,), "at third": (self.classes,),
        }  # fmt: skip


def views(flat: Values, size: Size) -> dict[str, Values]:
    found, start = {}, 0
    for name, shape in size.shapes.items():
        end = start + math.prod(shape)
        found[name] = flat[start:end].reshape(shape)
        start = end
    return found


def begin(size: Size, rng: np.random.Generator) -> Values:
    """Small random weights; the third layer is 0, so that nothing is said beyond the offset yet. Vectors of levels are
    as long as numbers: what levels do together is a product of them, and beside 0 a product has no slope."""
    flat = np.zeros(sum(math.prod(shape) for shape in size.shapes.values()), np.float32)
    weights = views(flat, size)
    spread = {"levels": 1.0, "first": 1 / math.sqrt(max(size.entry, 1)), "second": math.sqrt(2 / size.hidden)}
    for name, scale in (spread | {"at first": 0.5}).items():
        weights[name][:] = scale * rng.standard_normal(weights[name].shape, np.float32)
    return flat


def silu(at: Values) -> tuple[Values, Values]:
    """The function and its slope. tanh cannot overflow: 1 / (1 + e^-a) = (1 + tanh(a / 2)) / 2."""
    gate = np.tanh(HALF * at)
    gate += ONE
    gate *= HALF
    value = at * gate
    slope = ONE - gate
    slope *= value
    slope += gate
    return value, slope


class Perceptron:
    def __init__(self, size: Size, flat: Values) -> None:
        self.size, self.flat = size, flat
        self.weights = views(flat, size)
        self.slope = np.zeros_like(flat)
        self.slopes = views(self.slope, size)

    def entry(self, numbers: Values, codes: Codes) -> Values:
        if not self.size.categories:
            return numbers
        vectors = np.take(self.weights["levels"], codes, axis=0)
        width = self.size.entry - self.size.numbers
        return np.concatenate([numbers, vectors.reshape(len(codes), width)], axis=1)

    def logits(self, numbers: Values, codes: Codes) -> Logits:
        """(rows, classes), to be added to the offset."""
        w = self.weights
        first, _ = silu(self.entry(numbers, codes) @ w["first"] + w["at first"])
        second, _ = silu(first @ w["second"] + w["at second"])
        return np.asarray(second @ w["third"] + w["at third"])

    def learn(self, numbers: Values, codes: Codes, offset: Logits, labels: Integers) -> None:
        """Fills `slope` with that of the mean of -log P(label) over these rows."""
        w, out = self.weights, self.slopes
        entry = self.entry(numbers, codes)
        first, bend_first = silu(entry @ w["first"] + w["at first"])
        second, bend_second = silu(first @ w["second"] + w["at second"])
        error = surprise(second @ w["third"] + w["at third"] + offset, labels)
        back_second = error @ w["third"].T
        back_second *= bend_second
        back_first = back_second @ w["second"].T
        back_first *= bend_first
        for name, below, back in (
            ("third", second, error), ("second", first, back_second), ("first", entry, back_first),
        ):  # fmt: skip
            np.dot(below.T, back, out=out[name])
            back.sum(axis=0, out=out[f"at {name}"])
        if self.size.categories:
            self._levels(codes, np.asarray(back_first @ w["first"][self.size.numbers :].T))

    def _levels(self, codes: Codes, back: Logits) -> None:
        """Adds the slopes of all cells with the same level, as a product with a sparse matrix."""
        from scipy.sparse import csc_matrix

        cells = codes.size
        which = (np.ones(cells, np.float32), codes.ravel(), np.arange(cells + 1))
        found = csc_matrix(which, shape=(self.size.levels, cells)) @ back.reshape(cells, self.size.vector)
        self.slopes["levels"][:] = found


def surprise(logits: Logits, labels: Integers) -> Logits:
    """Slope of the mean of -log P(label) by the logits: (P - label) / rows. Writes over them."""
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)
    logits[np.arange(len(labels)), labels] -= ONE
    logits *= np.float32(1 / len(labels))
    return logits


class Adam:
    def __init__(self, net: Perceptron, decay: float) -> None:
        self.net, self.decay, self.steps = net, decay, 0
        self.mean, self.square, self.room = (np.zeros_like(net.flat) for _ in range(3))
        self.shrinking = sum(math.prod(s) for name, s in net.size.shapes.items() if not name.startswith("at "))

    def step(self, rate: float) -> None:
        self.steps += 1
        slope, room = self.net.slope, self.room
        self.mean *= np.float32(FIRST)
        self.mean += np.multiply(slope, np.float32(1 - FIRST), out=room)
        self.square *= np.float32(SECOND)
        np.multiply(slope, slope, out=room)
        room *= np.float32(1 - SECOND)
        self.square += room
        self.net.flat[: self.shrinking] *= np.float32(1 - rate * self.decay)
        self.net.flat -= self._move(rate)

    def _move(self, rate: float) -> Values:
        room = np.sqrt(self.square, out=self.room)
        room *= np.float32(1 / math.sqrt(1 - SECOND**self.steps))
        room += np.float32(1e-8)
        np.divide(self.mean, room, out=room)
        room *= np.float32(rate / (1 - FIRST**self.steps))
        return room
