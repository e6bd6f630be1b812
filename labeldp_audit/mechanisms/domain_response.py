"""Randomized response within the classes that are common among records that are alike (002, Section 2, with a domain
prior; Ghazi, Golowich, Kumar, Manurangsi and Zhang 2021, arXiv:2102.06062).

Each cluster publishes how common its classes are: counts with noise. These, no less than 0 each, are its prior, and
each label is replaced within the most likely classes of its cluster, as prior-rr does.

The counts are of the very labels that are protected, so they are paid for. A label that changes moves two counts of its
cluster by 1 each, and the discrete Laplace law P(z) proportional to e^(-|z| / sigma) lets each of them tell 1 / sigma.
What follows looks at the noisy counts alone, and so (sequential composition)

    epsilon = 2 / sigma + epsilon of prior-rr,

of which 2 / sigma is the share that the parameter `share` names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels
from ..core.parameters import parameter
from ..core.randomness import Chance
from ..core.release import Guide, Release
from . import exact
from .cluster_response import ClusterResponse, counts_told
from .guided import Guided
from .prior_response import Kept, channels_within, facts_of, kept_of, most_likely, said_within

_APART = 1e-9  # of probabilities
_LEAST = 1e-9  # 1 / sigma: beyond it noise is too large to be counted


@dataclass(frozen=True)
class DomainResponse(ClusterResponse):
    name: ClassVar[str] = "domain-rr"
    example: ClassVar[str] = "domain-rr:epsilon=1,clusters=20,share=0.1"
    summary: ClassVar[str] = "as prior-rr, by noisy counts of the classes in each cluster of records with like features"
    theorem: ClassVar[str] = "2 / sigma of the noisy counts + the epsilon of prior-rr (sequential composition)"

    clusters: int = parameter(least=1, most=100_000, default=20)
    share: float = parameter(least=0, most=1, default=0.1)  # of epsilon, that the counts spend

    def split(self) -> tuple[Fraction, float]:
        """1 / sigma, and the epsilon that is left for the labels: together no more than epsilon. Counts that would tell
        next to nothing are not published."""
        whole = Fraction(self.epsilon)
        each = whole * Fraction(self.share) / 2
        each = each if each >= _LEAST else Fraction(0)
        rest = float(whole - 2 * each)
        return each, rest if rest <= whole - 2 * each else math.nextafter(rest, 0)

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        cluster = np.zeros(len(labels), np.int64) if guide.clusters is None else guide.clusters
        sizes, (each, rest) = np.bincount(cluster, minlength=1), self.split()
        noisy = np.zeros((len(sizes), guide.classes), np.int64)
        if each:
            np.add.at(noisy, (cluster, labels), 1)
            noisy += exact.geometric_noise(each, noisy.size, rng).reshape(noisy.shape)
        kept = most_likely(prior_of(noisy), rest)
        said = said_within(labels, kept[cluster], rest, rng)
        return Release(
            said, np.arange(len(said)), cluster, channels_within(kept, rest), self._facts(noisy, kept, sizes)
        )

    def _facts(self, noisy: Integers, kept: Kept, sizes: Integers) -> dict[str, object]:
        each, rest = self.split()
        found: dict[str, Any] = facts_of(kept, sizes, rest)
        return found | {
            "sigma": float(1 / each) if each else math.inf, "noisy_counts": noisy.tolist(),
            "epsilon_of_histograms": float(2 * each), "epsilon_of_labels": rest,
            "exact": {**found["exact"], "inverse_sigma": str(each)},
        }  # fmt: skip

    def learner_again(self, release: Release, classes: int) -> dict[str, object]:
        """From the noisy counts: the most likely classes follow from them."""
        noisy, sizes = counts_told(release, classes)
        each, rest = self.split()
        noisy = noisy if each else np.zeros_like(noisy)
        return self._facts(noisy, most_likely(prior_of(noisy), rest), sizes)

    def channels_told(self, learner: Mapping[str, Any]) -> Floats:
        noisy = np.array(learner["noisy_counts"], np.float64)
        each, kept = Fraction(learner["exact"]["inverse_sigma"]), kept_of(learner["most_likely"], learner["classes"])
        if noisy.shape != kept.shape or not np.all(np.isfinite(noisy)) or each < 0:
            raise ValueError("no counts of each channel")
        return channels_within(kept, self.split()[1])

    def untrue(self, release: Release) -> npt.NDArray[np.bool_] | None:
        """Also those whose classes are not the most likely ones by the noisy counts."""
        found = Guided.untrue(self, release)
        if found is None or release.channels is None:
            return found
        rest = self.split()[1]
        kept = most_likely(prior_of(np.array(release.facts["noisy_counts"], np.float64)), rest)
        apart = np.abs(channels_within(kept, rest) - release.channels).max(axis=(1, 2)) > _APART
        return np.asarray(found | apart)


def prior_of(noisy: Floats | Integers) -> Floats:
    """(G, C) noisy counts as shares; all classes alike where no count is above 0."""
    counts = np.maximum(0.0, noisy)
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / noisy.shape[1]))
