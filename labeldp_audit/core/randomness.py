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
    if not isinstance(rng, OperatingSystem):
        return rng.permutation(count)
    numbers = np.arange(count, dtype=np.uint64)
    last_bits = np.uint64((1 << max(0, count - 1).bit_length()) - 1)
    keys = rng.words(count) & ~last_bits | numbers  # sorted faster than an order is found
    keys.sort()
    order = (keys & last_bits).astype(np.int64)
    equal = np.flatnonzero((keys[1:] ^ keys[:-1]) <= last_bits)  # to the next one, but for their numbers
    for run in np.split(equal, np.flatnonzero(np.diff(equal) > 1) + 1) if len(equal) else ():
        mine = slice(run[0], run[-1] + 2)
        order[mine] = order[mine][shuffled(rng, len(run) + 1)]
    return order
