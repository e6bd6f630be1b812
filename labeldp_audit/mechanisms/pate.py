"""Teachers who vote (PATE: Papernot, Abadi, Erlingsson, Goodfellow and Talwar 2016, arXiv:1610.05755; for labels: Malek
Esmaeili et al. 2021), with what 002, Appendix B, adapts so that rare classes are not outvoted.

The records are dealt at random to teachers, whose models learn the labels of disjoint parts. Each teacher votes on some
queried records with a class drawn from what the model says; each count of votes gets noise; the class of a query is
drawn from the noisy counts that are left, and a student's model learns these. What is published is how likely the
student takes each class to be, for every record.

One label is one teacher's business, and moves one vote of each query: two counts by 1. Discrete Laplace noise with
P(z) proportional to e^(-b |z|) spends 2 b on a query, and all of them epsilon = 2 b queries, whatever the data are. The
student is post-processing. With a delta the same release spends less: of mechanisms of a pure epsilon, the worst to
compose is randomized response (Kairouz, Oh and Viswanath 2015, arXiv:1311.0776), whose delta is a sum of binomial
probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import AssumptionError
from ..core.mechanism import ONE_ROW, Labels, Need, Published
from ..core.parameters import parameter
from ..core.randomness import Chance, shuffled, words
from ..core.release import Guarantee, Guide, Release
from . import exact
from .guided import PUBLIC, Guided
from .per_record import SUM

_ROUNDING = 1e-12  # of a delta that was added up
_HALVINGS = 60


@dataclass(frozen=True)
class Pate(Guided):
    name: ClassVar[str] = "pate"
    example: ClassVar[str] = "pate:epsilon=20,teachers=100,queries=200,delta=1e-06"
    summary: ClassVar[str] = "what a student's model learns from noisy votes of teachers; soft labels"
    theorem: ClassVar[str] = "noise on the votes of all queries, one of which a label moves in each (PATE, 2016)"
    publishes: ClassVar[Published] = Published.VECTORS
    needs: ClassVar[frozenset[Need]] = frozenset({Need.LEARN})
    law_known: ClassVar[bool] = False
    predicts: ClassVar[bool] = True

    epsilon: float = parameter(least=1e-3, most=1000, noise=-1)
    teachers: int = parameter(least=2, most=10_000, default=100)
    queries: int = parameter(least=1, most=100_000, default=200)
    delta: float = parameter(least=1e-12, most=1, above=True, default=1e-6)  # at which less is spent

    def claim(self, classes: int) -> float:
        return self.epsilon

    def guarantees(self, classes: int) -> tuple[Guarantee, ...]:
        known = (ONE_ROW, PUBLIC)
        composed = "the optimal composition of all queries (Kairouz, Oh and Viswanath 2015)"
        less = min(self.epsilon, epsilon_at(self.delta, self.epsilon / self.queries, self.queries))
        spent = Guarantee(self.epsilon, theorem=self.theorem, assumptions=known)
        return (spent, Guarantee(less, delta=self.delta, theorem=composed, assumptions=known))

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        n, classes = len(labels), guide.classes
        if n == 0 or guide.learn is None:
            return Release(np.full((n, classes), 1 / classes), np.arange(n))
        asked = np.sort(shuffled(rng, n)[: self.queries])
        votes = np.zeros((len(asked), classes), np.int64)
        for part in np.array_split(shuffled(rng, n), min(self.teachers, n)):
            rows = np.sort(part)
            votes[np.arange(len(asked)), _drawn(guide.learn(rows, np.eye(classes)[labels[rows]], asked), rng)] += 1
        noisy = votes + exact.geometric_noise(self.each, votes.size, rng).reshape(votes.shape)
        return Release(guide.learn(asked, shares(noisy), np.arange(n)), np.arange(n))

    @property
    def each(self) -> Fraction:
        """b of the noise on a count of votes."""
        return Fraction(self.epsilon) / (2 * self.queries)

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        n = len(release.view)
        return {"teachers": min(self.teachers, n), "queries": min(self.queries, n), "inverse_scale": str(self.each)}

    def impossible(self, release: Release) -> int:
        """Of how many records there is no law."""
        view = release.view.astype(np.float64)
        return int(np.sum(~(np.all(view >= 0, axis=1) & (np.abs(view.sum(axis=1) - 1) <= SUM))))

    def channels_told(self, learner: Mapping[str, Any]) -> None:
        return None

    def loglik(self, release: Release, eta: Floats) -> Floats:
        raise AssumptionError(f"how likely a release of {self.name} is for each label depends on all models together")


def shares(noisy: Integers) -> Floats:
    """(q, C) of the counts that are left; all alike where none is."""
    left = np.maximum(noisy, 0).astype(np.float64)
    total = left.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, left / np.where(total > 0, total, 1), 1 / noisy.shape[1]))


def _drawn(likely: Floats, rng: Chance) -> Integers:
    """(q,) a class for each row. Which one is drawn is no matter of privacy: a vote is a vote."""
    uniform = words(rng, len(likely)) / exact.WHOLE
    upto = likely.cumsum(axis=1)
    return np.asarray(np.sum(uniform[:, None] * upto[:, -1:] >= upto[:, :-1], axis=1))


def delta_of(epsilon: float, each: float, times: int) -> float:
    """The least delta of so many mechanisms of a pure epsilon `each`, at this epsilon of all together:
    sum_k [P(k) - e^epsilon P(times - k)]_+ for k of Bin(times, e^each / (1 + e^each))."""
    from scipy.stats import binom

    k = np.arange(times + 1)
    logs = binom.logpmf(k, times, 1 / (1 + math.exp(-each)))
    more = -np.expm1(np.minimum(0.0, epsilon + logs[::-1] - logs))
    return float(min(1.0, np.exp(logs) @ more + _ROUNDING))


def epsilon_at(delta: float, each: float, times: int) -> float:
    """The least epsilon with no more than this delta, rounded up."""
    low, high = 0.0, each * times
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle, each, times) <= delta else (middle, high)
    return high
