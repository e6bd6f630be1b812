"""What mechanisms share that publish one count for each bag of records, of two classes.

The kernels are imported where they are used: numba takes its time, and help does not need it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import SpecError
from ..core.mechanism import Labels, Mechanism, Published
from ..core.parameters import parameter
from ..core.randomness import Chance, shuffled
from ..core.release import Guide, Release
from . import exact

LARGEST = 4096
LEAST_EPSILON = 1e-9  # whose noise can be counted in 53 bits
_FELL = 1e3  # log of a density that is nothing


@dataclass(frozen=True)
class Bags(Mechanism):
    """Random bags of k records; the count of positives of each is published, with or without noise."""

    publishes: ClassVar[Published] = Published.BAGS
    whole: ClassVar[bool] = False  # noise is at whole numbers alone

    k: int = parameter(least=1, most=LARGEST, noise=1)

    @property
    def bag(self) -> int:
        return self.k

    @property
    def laplace(self) -> float | None:
        return self.decay

    @property
    def decay(self) -> float:
        """By how much the log density of the noise falls where noise is larger by one label; infinite without noise."""
        return math.inf

    @property
    def counts_only(self) -> bool:
        return True

    @property
    def repels(self) -> bool:
        return True

    def unfit(self, classes: int) -> str:
        if classes == 2:
            return ""
        hint = "--positive VALUE audits one class against the rest"
        return f"it counts the positives of two classes and the label has {classes}: {hint}"

    @property
    def alone(self) -> Mechanism:
        return replace(self, k=1)

    def counted(self, labels: Labels, rng: Chance) -> tuple[Integers, Integers]:
        """The number of positives of each bag, and the bag of each record: floor(n / k) random bags of k or, where k
        does not divide n, a few more in some; at least one bag."""
        bags = max(1, len(labels) // self.k)
        bag = np.empty(len(labels), dtype=np.int64)
        bag[shuffled(rng, len(labels))] = np.resize(np.arange(bags), len(labels))
        return np.bincount(bag[labels == 1], minlength=bag.max(initial=0) + 1), bag

    def loglik(self, release: Release, eta: Floats) -> Floats:
        from .bag_likelihood import log_likelihoods

        order = np.argsort(release.bag, kind="stable")
        starts = np.searchsorted(release.bag[order], np.arange(len(release.view) + 1))
        miss, hit = laws(eta[order])
        out = np.empty((len(order), 2))
        out[order] = log_likelihoods(hit, miss, starts, release.view.astype(np.float64)[:, None], self.decay)
        return out

    def gain(self, eta: Floats, payoff: Floats) -> Floats | None:
        from .bag_gain import gains

        miss, hit = laws(eta)
        return np.asarray(gains(hit, miss, np.asarray(payoff, dtype=np.float64), self.decay, self.whole))


@dataclass(frozen=True)
class NoisyBags(Bags):
    """The count of each bag + z, P(z) proportional to e^(-epsilon |z|) for multiples of a step. One label moves the
    count by 1, so this has epsilon label differential privacy."""

    epsilon: float = parameter(least=0, above=True, noise=-1)

    @property
    def decay(self) -> float:
        return self.epsilon

    @property
    def steps(self) -> int:
        """How many steps are 1."""
        return 1

    def claim(self, classes: int) -> float | None:
        return self.epsilon

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        counts, bag = self.counted(labels, rng)
        if self.epsilon < LEAST_EPSILON:
            raise SpecError(f"{self.spec} has noise too large to be counted", hint=f"epsilon={LEAST_EPSILON:g}")
        if self.epsilon == math.inf:
            return Release(counts, bag)
        noise = exact.geometric_noise(Fraction(self.epsilon) / self.steps, len(counts), rng)
        return Release(self._published(counts * self.steps + noise), bag)

    def _published(self, steps: Integers) -> npt.NDArray[np.generic]:
        return steps

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        """The law of the noise to the last digit. Its mean is 0."""
        facts = super().learner(release, classes)
        if self.epsilon == math.inf:
            return facts
        fall, step = self.epsilon / self.steps, 1 / self.steps
        noise = {
            "law": "P(z steps) = (1 - r) / (1 + r) r^|z| for whole z, r = e^(-epsilon step)",
            "epsilon": str(Fraction(self.epsilon)), "step": str(Fraction(1, self.steps)),
            "variance": (step / math.sinh(fall / 2)) ** 2 / 2 if fall < _FELL else 0.0,
        }  # fmt: skip
        return {**facts, "noise": noise}

    def noise_at_most(self, noise: Floats) -> Floats:
        """In steps it is geometric."""
        return exact.geometric_at_most(np.asarray(noise, dtype=np.float64) * self.steps, self.epsilon / self.steps)


def laws(eta: Floats) -> tuple[Floats, Floats]:
    """(..., 2) -> P(0) and P(1), which add up to 1 as closely as they can."""
    total = eta[..., 0] + eta[..., 1]
    return np.ascontiguousarray(eta[..., 0] / total), np.ascontiguousarray(eta[..., 1] / total)
