"""Rows with the same features: the one place where labels show that somebody cannot be guessed (CERTIFICATES c4).

Two people with equal features have the same eta, and labels that differ with probability d = 2 eta (1 - eta). The best
guess from the features misses

    m = min(eta, 1 - eta) = (1 - sqrt(1 - 2 d)) / 2 =: g(d)

of either. g is convex and rises, and so does (g(d) - pi)_+. Of q disjoint pairs, as many differ as a Clopper-Pearson
limit L for the mean of d says, and by Jensen the means of both are at least their values at L. (CERTIFICATES has L / 2
for g(L), which is smaller.)

Pairs are drawn by lot and by features alone, so that their labels stay independent, however the file is ordered.
Assumes that rows with equal features are different people with independent labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.arrays import Integers
from ..intervals import clopper_pearson, hoeffding

MOST = 0.5  # that a guess between two misses


@dataclass(frozen=True)
class Pairs:
    """Disjoint pairs of rows with equal features."""

    first: Integers  # (q,)
    second: Integers  # (q,)

    def differ(self, labels: npt.NDArray[np.integer]) -> int:
        """Pairs whose labels do."""
        return int((labels[self.first] != labels[self.second]).sum())


def drawn(group: npt.NDArray[np.integer], rng: np.random.Generator) -> Pairs:
    """As many pairs as can be, by lot; `group` (n,) is the same where all features are."""
    lot = rng.permutation(len(group))
    order = lot[np.argsort(group[lot], kind="stable")]
    placed = group[order]
    begins = np.flatnonzero(np.concatenate([[True], placed[1:] != placed[:-1]]))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    first = np.flatnonzero((rank[:-1] % 2 == 0) & (placed[1:] == placed[:-1]))
    return Pairs(order[first], order[first + 1])


def rarely_differ(differ: int, pairs: int, miss: float) -> float:
    """L: a lower limit of the mean of d over the pairs, at most 1/2; 0 without pairs."""
    return min(MOST, float(clopper_pearson.lower(differ, pairs, -math.expm1(-miss))))


def error_of_pairs(differ_low: float, pi: float = 0.0) -> float:
    """[U] lower limit of the mean of (m - pi)_+ over the rows of pairs: what the best guess from the features misses
    where pi is 0, otherwise the advantage of randomized response that flips with probability pi.
    """
    return max(0.0, (1 - math.sqrt(1 - 2 * differ_low)) / 2 - pi)


def of_people(mean_low: float, pi: float, n: int, miss: float) -> float:
    """[P] from the rows to people: (m - pi)_+ is between 0 and 1/2 - pi (Hoeffding). Assumes independent rows."""
    most = MOST - pi
    return most * hoeffding.share_lower(min(1.0, mean_low / most), n, miss) if most > 0 else 0.0
