"""Where chance comes from: audits can be repeated, releases cannot be predicted.

Mechanisms draw whole words of 64 bits and compare them with whole numbers, so that the law of a release is a rational
one that can be written down: `words` and `shuffled` are the two draws that both sources of chance offer.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import Integers

Words = npt.NDArray[np.uint64]
_AT_ONCE = 1 << 22  # words that are asked of the operating system in one go


@dataclass(frozen=True)
class OperatingSystem:
    """The operating system's cryptographic generator: no seed, and nothing that could be kept or repeated."""

    def words(self, count: int) -> Words:
        found = np.empty(count, np.uint64)
        for start in range(0, count, _AT_ONCE):
            part = found[start : start + _AT_ONCE]
            part[:] = np.frombuffer(os.urandom(part.nbytes), np.uint64)
        return found


Chance = np.random.Generator | OperatingSystem


def for_audit(seed: int, purpose: str) -> np.random.Generator:
    """One independent, repeatable stream for each purpose, so that a new draw in one place moves no other number."""
    return np.random.default_rng([seed, *purpose.encode()])


def for_release() -> OperatingSystem:
    return OperatingSystem()


def words(rng: Chance, count: int) -> Words:
    """Uniform words of 64 bits."""
    if isinstance(rng, OperatingSystem):
        return rng.words(count)
    return rng.integers(0, 1 << 64, count, np.uint64)


def shuffled(rng: Chance, count: int) -> Integers:
    """The numbers below count, each order equally likely."""
    while isinstance(rng, OperatingSystem):
        keys = rng.words(count)
        order = np.argsort(keys)
        ranked = keys[order]
        if not np.any(ranked[1:] == ranked[:-1]):  # equal keys would favour an order: draw again
            return np.asarray(order)
    return rng.permutation(count)
