"""Two hidden layers, and how they learn: by Adam with decay (Kingma and Ba 2015; Loshchilov and Hutter 2019).

    x = numbers, vectors of the levels;  h = silu(x W1 + b1);  g = silu(h W2 + b2);  logits = offset + g W3 + b3

All weights lie in one vector, so that a step is a sweep over it. silu(a) = a / (1 + e^-a). Learning is compiled, as
thousands of short steps would wait for Python's lock; network.py says what scikit-learn's MLPClassifier, which has
neither offset nor vectors of levels, costs instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.compiled import carefree, inlined
from .inputs import Codes, Values

FIRST, SECOND = 0.9, 0.99  # Adam's memories of the slope and of its square
RECENT = 0.02  # what a step weighs in the average: it is one of about the last fifty

ONE, HALF, TINY = np.float32(1), np.float32(0.5), np.float32(1e-8)
PER_BIT, MOST_BITS = np.float32(-math.log2(math.e)), np.float32(126)
P0, P1, P2, P3, P4, P5, P6 = (np.float32(math.log(2) ** j / math.factorial(j)) for j in range(7))
SHIFT, BIAS = np.int32(23), np.int32(127)

Shape = tuple[int, int, int, int]


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
    def shape(self) -> Shape:
        return self.levels, self.vector, self.hidden, self.classes

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


class Perceptron:
    def __init__(self, size: Size, flat: Values) -> None:
        self.size, self.weights = size, views(flat, size)

    def logits(self, numbers: Values, codes: Codes) -> Values:
        """(rows, classes), to be added to the offset."""
        w, entry = self.weights, numbers
        if self.size.categories:
            vectors = np.take(w["levels"], codes, axis=0).reshape(len(codes), self.size.entry - self.size.numbers)
            entry = np.concatenate([numbers, vectors], axis=1)
        first = silu(entry @ w["first"] + w["at first"])
        second = silu(first @ w["second"] + w["at second"])
        return np.asarray(second @ w["third"] + w["at third"])


def silu(at: Values) -> Values:
    """tanh cannot overflow: 1 / (1 + e^-a) = (1 + tanh(a / 2)) / 2."""
    gate = np.tanh(HALF * at)
    gate += ONE
    gate *= HALF
    gate *= at
    return np.asarray(gate)


class Descent:
    """Weights on their way; `average` is of the last steps, and what is meant to be used."""

    def __init__(self, size: Size, weights: Values, decay: float) -> None:
        self.size, self.decay, self.taken = size, decay, 0
        self.weights, self.average = weights, weights.copy()
        self.slope, self.square = np.zeros_like(weights), np.zeros_like(weights)

    def learn(self, numbers: Values, codes: Codes, offset: Values, labels: Integers, batch: int, rates: Floats) -> None:
        """A step for each rate, with `batch` rows each."""
        descend(
            self.weights, self.average, self.slope, self.square, self.size.shape, self.size.shrinking, self.decay,
            numbers, codes, offset, labels, batch, rates, self.taken,
        )  # fmt: skip
        self.taken += len(rates)


# ---- compiled


@carefree
def descend(
    weights: Values, average: Values, mean: Values, square: Values, shape: Shape, shrinking: int, decay: float,
    numbers: Values, codes: Codes, offset: Values, labels: Integers, batch: int, rates: Floats, taken: int,
) -> None:  # fmt: skip
    now = np.empty(len(weights), np.float32)
    for step in range(len(rates)):
        rows = slice(step * batch, (step + 1) * batch)
        slopes(weights, now, shape, numbers[rows], codes[rows], offset[rows], labels[rows])
        done = taken + step + 1
        kept = np.float32(1 - rates[step] * decay)
        for i in range(shrinking):
            weights[i] *= kept
        rate = np.float32(rates[step] / (1 - FIRST**done))
        grown = np.float32(1 / math.sqrt(1 - SECOND**done))
        new = np.float32(max(RECENT, 1 / (1 + done)))
        for i in range(len(weights)):
            slope = now[i]
            mean[i] = np.float32(FIRST) * mean[i] + np.float32(1 - FIRST) * slope
            square[i] = np.float32(SECOND) * square[i] + np.float32(1 - SECOND) * slope * slope
            weights[i] -= rate * mean[i] / (np.sqrt(square[i]) * grown + TINY)
            average[i] += new * (weights[i] - average[i])


@carefree
def slopes(
    weights: Values, out: Values, shape: Shape, numbers: Values, codes: Codes, offset: Values, labels: Integers
) -> None:
    """Fills `out` with the slope of the mean of -log P(label) over these rows; laid out as in Size.shapes."""
    levels, vector, hidden, classes = shape
    plain = numbers.shape[1]
    width = plain + codes.shape[1] * vector
    at_w1 = levels * vector
    at_w2 = at_w1 + width * hidden
    at_w3 = at_w2 + hidden * hidden
    at_b1 = at_w3 + hidden * classes
    at_b2, at_b3 = at_b1 + hidden, at_b1 + 2 * hidden
    vectors = weights[:at_w1].reshape(levels, vector)
    w1 = weights[at_w1:at_w2].reshape(width, hidden)
    w2 = weights[at_w2:at_w3].reshape(hidden, hidden)
    w3 = weights[at_w3:at_b1].reshape(hidden, classes)

    entry = _entry(vectors, numbers, codes)
    first, bend_first = silu_and_slope(np.dot(entry, w1), weights[at_b1:at_b2])
    second, bend_second = silu_and_slope(np.dot(first, w2), weights[at_b2:at_b3])
    error = surprise(np.dot(second, w3), weights[at_b3:], offset, labels)
    back_second = np.dot(error, w3.T) * bend_second
    back_first = np.dot(back_second, w2.T) * bend_first

    np.dot(entry.T, back_first, out[at_w1:at_w2].reshape(width, hidden))
    np.dot(first.T, back_second, out[at_w2:at_w3].reshape(hidden, hidden))
    np.dot(second.T, error, out[at_w3:at_b1].reshape(hidden, classes))
    _sums(back_first, out[at_b1:at_b2])
    _sums(back_second, out[at_b2:at_b3])
    _sums(error, out[at_b3:])
    if codes.shape[1]:
        _of_levels(codes, np.dot(back_first, w1[plain:].T), out[:at_w1].reshape(levels, vector))


@carefree
def _entry(vectors: Values, numbers: Values, codes: Codes) -> Values:
    (rows, plain), vector = numbers.shape, vectors.shape[1]
    entry = np.empty((rows, plain + codes.shape[1] * vector), np.float32)
    for i in range(rows):
        for j in range(plain):
            entry[i, j] = numbers[i, j]
        for j in range(codes.shape[1]):
            start = plain + j * vector
            for v in range(vector):
                entry[i, start + v] = vectors[codes[i, j], v]
    return entry


@carefree
def _of_levels(codes: Codes, back: Values, out: Values) -> None:
    """Adds up the slopes of all cells with the same level."""
    out[:] = 0
    for i in range(len(codes)):
        for j in range(codes.shape[1]):
            for v in range(out.shape[1]):
                out[codes[i, j], v] += back[i, j * out.shape[1] + v]


@carefree
def _sums(values: Values, out: Values) -> None:
    out[:] = 0
    for i in range(len(values)):
        for j in range(len(out)):
            out[j] += values[i, j]


@carefree
def silu_and_slope(at: Values, added: Values) -> tuple[Values, Values]:
    """The same as silu, and its slope, at `at` + `added`; writes over `at`."""
    slope = np.empty_like(at)
    for i in range(at.shape[0]):
        for j in range(at.shape[1]):
            a = at[i, j] + added[j]
            gate = _gate(a)
            value = a * gate
            at[i, j] = value
            slope[i, j] = gate + value * (ONE - gate)
    return at, slope


@inlined
def _gate(a: np.float32) -> np.float32:
    """1 / (1 + e^-a) to some 1e-6 of it, from e^-a = 2^k 2^f, |f| <= 1/2, by the series of 2^f and the bits of 2^k."""
    exponent = min(max(a * PER_BIT, -MOST_BITS), MOST_BITS)
    k = np.floor(exponent + HALF)
    f = exponent - k
    power = P0 + f * (P1 + f * (P2 + f * (P3 + f * (P4 + f * (P5 + f * P6)))))
    return np.float32(ONE / (ONE + power * np.int32((np.int32(k) + BIAS) << SHIFT).view(np.float32)))


@carefree
def surprise(logits: Values, added: Values, offset: Values, labels: Integers) -> Values:
    """Slope of the mean of -log P(label) by the logits: (P - label) / rows. Writes over them."""
    rows, classes = logits.shape
    for i in range(rows):
        most = np.float32(-np.inf)
        for c in range(classes):
            logits[i, c] += added[c] + offset[i, c]
            most = max(most, logits[i, c])
        total = np.float32(0)
        for c in range(classes):
            logits[i, c] = np.exp(logits[i, c] - most)
            total += logits[i, c]
        for c in range(classes):
            logits[i, c] /= total * np.float32(rows)
        logits[i, labels[i]] -= ONE / np.float32(rows)
    return logits
