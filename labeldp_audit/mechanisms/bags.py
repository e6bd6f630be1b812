"""What mechanisms share that publish one count for each bag of records, of two classes.

The kernels are imported where they are used: numba takes its time, and help does not need it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels, Mechanism, Published
from ..core.parameters import parameter
from ..core.randomness import Chance, shuffled
from ..core.release import Release

LARGEST = 4096


@dataclass(frozen=True)
class Bags(Mechanism):
    """Random bags of k records; the count of positives of each is published, with or without noise."""

    publishes: ClassVar[Published] = Published.BAGS

    k: int = parameter(least=1, most=LARGEST, noise=1)

    @property
    def bag(self) -> int:
        return self.k

    @property
    def laplace(self) -> float:
        return math.inf

    @property
    def counts_only(self) -> bool:
        return True

    def unfit(self, classes: int) -> str:
        if classes == 2:
            return ""
        hint = "--positive VALUE audits one class against the rest"
        return f"it counts the positives of two classes and the label has {classes}: {hint}"

    def counted(self, labels: Labels, rng: Chance) -> tuple[Integers, Integers]:
        """The number of positives of each bag, and the bag of each record: floor(n / k) random bags of k or, where k
        does not divide n, a few more in some; at least one bag."""
        bags = max(1, len(labels) // self.k)
        bag = np.empty(len(labels), dtype=np.int64)
        bag[shuffled(rng, len(labels))] = np.arange(len(labels)) % bags
        return np.bincount(bag[labels == 1], minlength=bag.max(initial=0) + 1), bag

    def loglik(self, release: Release, eta: Floats) -> Floats:
        from .bag_likelihood import log_likelihoods

        order = np.argsort(release.bag, kind="stable")
        starts = np.searchsorted(release.bag[order], np.arange(len(release.view) + 1))
        miss, hit = laws(eta[order])
        out = np.empty((len(order), 2))
        out[order] = log_likelihoods(hit, miss, starts, release.view.astype(np.float64), self.laplace)
        return out

    def gain(self, eta: Floats, payoff: Floats) -> Floats | None:
        from .bag_gain import gains

        miss, hit = laws(eta)
        return np.asarray(gains(hit, miss, np.asarray(payoff, dtype=np.float64), self.laplace))


def laws(eta: Floats) -> tuple[Floats, Floats]:
    """(..., 2) -> P(0) and P(1), which add up to 1 as closely as they can."""
    total = eta[..., 0] + eta[..., 1]
    return np.ascontiguousarray(eta[..., 0] / total), np.ascontiguousarray(eta[..., 1] / total)
