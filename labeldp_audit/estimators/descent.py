"""How the networks of perceptron.py learn: slopes by the chain rule, and Adam with decay (Kingma and Ba 2015;
Loshchilov and Hutter 2019). Compiled, as thousands of short steps would wait for Python's lock; network.py
says what scikit-learn's MLPClassifier costs instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.compiled import carefree, inlined
from .inputs import Codes, Values
from .perceptron import Logits, Size

FIRST, SECOND = 0.9, 0.99  # Adam's memories of the slope and of its square
RECENT = 0.02  # what a step weighs in the average: it is one of about the last fifty

ONE, HALF, TINY = np.float32(1), np.float32(0.5), np.float32(1e-8)
PER_BIT, MOST_BITS = np.float32(-math.log2(math.e)), np.float32(126)
P0, P1, P2, P3, P4, P5, P6 = (np.float32(math.log(2) ** j / math.factorial(j)) for j in range(7))
SHIFT, BIAS = np.int32(23), np.int32(127)


@dataclass(frozen=True)
class Descent:
    """Weights on their way; `average` is of the last steps, and what is meant to be used."""

    size: Size
    weights: Values
    average: Values
    slope: Values
    square: Values
    decay: float

    @classmethod
    def begin(cls, size: Size, weights: Values, decay: float) -> Descent:
        return cls(size, weights, weights.copy(), np.zeros_like(weights), np.zeros_like(weights), decay)

    def learn(
        self, numbers: Values, codes: Codes, offset: Logits, labels: Integers, batch: int, rates: Floats, taken: int
    ) -> None:
        """A step for each rate, with `batch` rows each; `taken` before."""
        descend(
            self.weights, self.average, self.slope, self.square, shape(self.size), self.size.shrinking, self.decay,
            numbers, codes, offset, labels, batch, rates, taken,
        )  # fmt: skip


Shape = tuple[int, int, int, int]


def shape(size: Size) -> Shape:
    return size.levels, size.vector, size.hidden, size.classes


@carefree
def descend(
    weights: Values, average: Values, mean: Values, square: Values, shape: Shape, shrinking: int, decay: float,
    numbers: Values, codes: Codes, offset: Logits, labels: Integers, batch: int, rates: Floats, taken: int,
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
    weights: Values, out: Values, shape: Shape, numbers: Values, codes: Codes, offset: Logits, labels: Integers
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
    first, bend_first = silu(np.dot(entry, w1), weights[at_b1:at_b2])
    second, bend_second = silu(np.dot(first, w2), weights[at_b2:at_b3])
    error = surprise(np.dot(second, w3), weights[at_b3:], offset, labels)
    back_second = _times(np.dot(error, w3.T), bend_second)
    back_first = _times(np.dot(back_second, w2.T), bend_first)

    np.dot(entry.T, back_first, out[at_w1:at_w2].reshape(width, hidden))
    np.dot(first.T, back_second, out[at_w2:at_w3].reshape(hidden, hidden))
    np.dot(second.T, error, out[at_w3:at_b1].reshape(hidden, classes))
    _sums(back_first, out[at_b1:at_b2])
    _sums(back_second, out[at_b2:at_b3])
    _sums(error, out[at_b3:])
    if codes.shape[1]:
        _of_levels(codes, np.dot(back_first, w1[plain:].T), out[:at_w1].reshape(levels, vector))


@carefree
def _times(one: Values, other: Values) -> Values:
    """Writes over `one`."""
    for i in range(one.shape[0]):
        for j in range(one.shape[1]):
            one[i, j] *= other[i, j]
    return one


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
    for i in range(out.shape[0]):
        for v in range(out.shape[1]):
            out[i, v] = 0
    for i in range(len(codes)):
        for j in range(codes.shape[1]):
            for v in range(out.shape[1]):
                out[codes[i, j], v] += back[i, j * out.shape[1] + v]


@carefree
def _sums(values: Values, out: Values) -> None:
    for j in range(len(out)):
        out[j] = 0
    for i in range(len(values)):
        for j in range(len(out)):
            out[j] += values[i, j]


@carefree
def silu(at: Values, added: Values) -> tuple[Values, Values]:
    """That of perceptron.silu and its slope at `at` + `added`; writes over `at`."""
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
def surprise(logits: Logits, added: Values, offset: Logits, labels: npt.NDArray[np.int64]) -> Logits:
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
