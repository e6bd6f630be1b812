"""Two hidden layers.

    x = numbers, vectors of the levels;  h = silu(x W1 + b1);  g = silu(h W2 + b2);  logits = offset + g W3 + b3

All weights lie in one vector, so that a step of descent.py is a sweep over it. silu(a) = a / (1 + e^-a).
scikit-learn's has neither offset nor vectors of levels: network.py says what that costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .inputs import Codes, Values

Logits = npt.NDArray[np.float32]

HALF, ONE = np.float32(0.5), np.float32(1)


@dataclass(frozen=True)
class Size:
    numbers: int
    categories: int
    levels: int
    classes: int
    vector: int = 8  # numbers that stand for a level
    hidden: int = 64

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

    @property
    def shrinking(self) -> int:
        """How many weights, from the first on, are shrunk."""
        return sum(math.prod(shape) for name, shape in self.shapes.items() if not name.startswith("at "))


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


def silu(at: Values) -> Values:
    """tanh cannot overflow: 1 / (1 + e^-a) = (1 + tanh(a / 2)) / 2."""
    gate = np.tanh(HALF * at)
    gate += ONE
    gate *= HALF
    gate *= at
    return np.asarray(gate)


class Perceptron:
    def __init__(self, size: Size, flat: Values) -> None:
        self.size, self.weights = size, views(flat, size)

    def entry(self, numbers: Values, codes: Codes) -> Values:
        if not self.size.categories:
            return numbers
        vectors = np.take(self.weights["levels"], codes, axis=0)
        width = self.size.entry - self.size.numbers
        return np.concatenate([numbers, vectors.reshape(len(codes), width)], axis=1)

    def logits(self, numbers: Values, codes: Codes) -> Logits:
        """(rows, classes), to be added to the offset."""
        w = self.weights
        first = silu(self.entry(numbers, codes) @ w["first"] + w["at first"])
        second = silu(first @ w["second"] + w["at second"])
        return np.asarray(second @ w["third"] + w["at third"])
