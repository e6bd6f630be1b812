"""Labels exchanged among peers (004, Algorithm 2, without its subsampling): each person flips the own label with
probability alpha, and then publishes the noisy label of a random person of the same cluster, who may be the same one.

Noise is drawn once for each person, so all that a reader learns of a cluster of s people is how many of its s published
labels are positive: Bin(s, M / s), where M is the number of noisy labels that are. With k positives among the labels,
M is Bin(k, 1 - alpha) + Bin(s - k, alpha). So (ERRATA E4; 004, Lemma 9, is loose and its proof does not cover this)

    delta(epsilon) = max over k, both ways, of sum_j [P_k(j) - e^epsilon P_{k+1}(j)]_+,

the least that holds whatever the labels are. Whoever sees more than the published labels, such as the one message that
a peer receives, has the epsilon of the flips, log((1 - alpha) / alpha).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import SpecError
from ..core.mechanism import ONE_ROW, Labels, Need
from ..core.parameters import Parameter, parameter
from ..core.randomness import Chance, words
from ..core.registry import number
from ..core.release import PEER, Guarantee, Guide, Release
from . import exact
from .guided import PUBLIC, Guided
from .randomized_response import epsilon_from_pi, pi_from_epsilon

_MOST = 30.0  # epsilon of the flips
_EXACT = 1000  # people in a cluster; of more of them, only the epsilon of the flips is said
_ROUNDING = 1e-12  # of a delta that was added up


@dataclass(frozen=True)
class PeerToPeer(Guided):
    name: ClassVar[str] = "p2p"
    example: ClassVar[str] = "p2p:epsilon=2,clusters=100,delta=1e-06"
    summary: ClassVar[str] = "flipped labels of random people of the same cluster; epsilon or alpha (flip)"
    theorem: ClassVar[str] = "log((1 - alpha) / alpha), the epsilon of the flips alone (004, Section 5.1)"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.CLUSTERS})
    spellings: ClassVar[Mapping[str, str]] = {"alpha": "epsilon"}

    epsilon: float = parameter(least=0, most=_MOST, noise=-1, silent=0.0)
    clusters: int = parameter(least=1, most=100_000, default=100)
    delta: float = parameter(least=1e-9, most=1, default=1e-6)  # at which readers of the release have their epsilon

    @classmethod
    def parse(cls, fields: Mapping[str, str], classes: int = 2) -> Self:
        """epsilon or alpha."""
        if "alpha" not in fields:
            return super().parse(fields, classes)
        if "epsilon" in fields:
            raise SpecError("wants one of epsilon and alpha", hint=f"for example {cls.example}")
        alpha = Parameter(least=0, most=0.5, above=True).checked("alpha", number(fields["alpha"], "alpha"))
        rest = {name: text for name, text in fields.items() if name != "alpha"}
        return super().parse({**rest, "epsilon": repr(epsilon_from_pi(alpha))}, classes)

    @property
    def alpha(self) -> float:
        return pi_from_epsilon(self.epsilon)

    def at(self) -> dict[str, float]:
        return {**super().at(), "alpha": self.alpha}

    def claim(self, classes: int) -> float:
        return self.epsilon

    def unfit(self, classes: int) -> str:
        return "" if classes == 2 else f"labels of two classes are exchanged, and this one has {classes}"

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        cluster = np.zeros(len(labels), np.int64) if guide.clusters is None else guide.clusters
        sizes = np.bincount(cluster, minlength=1)
        noisy = exact.say(exact.of_randomized_response(self.epsilon, 2), labels, rng)
        few = cluster.astype(np.min_scalar_type(len(sizes)))  # numbers of 16 bits are sorted many times as fast
        order, first = np.argsort(few, kind="stable"), np.cumsum(sizes) - sizes
        told = noisy[order[first[cluster] + below(sizes[cluster], rng)]]
        return Release(told, np.arange(len(labels)), cluster)

    def guarantees_of(self, release: Release) -> tuple[Guarantee, ...]:
        """Of the labels that anybody may read, and of the one message that a peer receives."""
        if release.group is None:
            return ()
        sizes = np.bincount(release.group, minlength=1)
        reader = min(epsilon_at(self.delta, sizes, self.alpha), self.epsilon)
        known, smallest = (ONE_ROW, PUBLIC), int(sizes[sizes > 0].min(initial=1 << 62))
        message = "of the one message that a peer receives (004, Section 5.1)"
        readers = "delta(epsilon) of 004, Algorithm 2, exactly, the most over all labels (ERRATA E4)"
        return (
            Guarantee(
                reader, delta=self.delta, theorem=readers, assumptions=(*known, "nobody tells whose label it was")
            ),
            Guarantee(self.epsilon, PEER, theorem=message, assumptions=known),
            Guarantee(0.0, PEER, delta=1 / smallest, theorem=message, assumptions=known),
        )

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        sizes = np.bincount(release.group if release.group is not None else [], minlength=1)
        return {"alpha": self.alpha, "smallest_cluster": int(sizes[sizes > 0].min(initial=len(release.view)))}

    def channels_told(self, learner: Mapping[str, Any]) -> None:
        return None

    def joined(self, release: Release) -> Integers | None:
        return release.group

    def loglik(self, release: Release, eta: Floats) -> Floats:
        """By how many labels of the cluster are positive, which is all that is published of it."""
        assert release.group is not None
        found = np.zeros(eta.shape)
        for one in np.unique(release.group):
            mine = np.flatnonzero(release.group == one)
            found[mine] = _of_cluster(int(np.sum(release.view[mine] == 1)), eta[mine, 1], self.alpha)
        return found


def below(limits: Integers, rng: Chance) -> Integers:
    """A uniform whole number below each of the limits, exactly: words beyond the last multiple are drawn again."""
    limits = limits.astype(np.uint64)
    last = np.uint64(exact.WHOLE - 1) - (np.uint64(exact.WHOLE - 1) % limits + np.uint64(1)) % limits
    drawn = words(rng, len(limits))
    while len(again := np.flatnonzero(drawn > last)):
        drawn[again] = words(rng, len(again))
    return (drawn % limits).astype(np.int64)


# ---- what a cluster tells


def laws(size: int, seen: int, alpha: float) -> Floats:
    """(k + 1, seen + 1) P(j of `seen` published labels are positive) in a cluster with 0, 1, ... positives, up to one
    more than half of it: beyond, classes change places."""
    from scipy.stats import binom

    every, some = np.arange(size + 1), np.arange((size - 1) // 2 + 2)
    noisy = [
        np.convolve(binom.pmf(every[: k + 1], k, 1 - alpha), binom.pmf(every[: size - k + 1], size - k, alpha))
        for k in some
    ]
    return np.asarray(np.array(noisy) @ binom.pmf(np.arange(seen + 1), seen, every[:, None] / size))


def hockey_stick(first: Floats, second: Floats, epsilon: float) -> Floats:
    """(...,) sum_j [P(j) - e^epsilon Q(j)]_+, the larger of both ways round."""
    grown = math.exp(epsilon)
    ways = ((first, second), (second, first))
    return np.asarray(np.maximum(*(np.maximum(0.0, one - grown * other).sum(axis=-1) for one, other in ways)))


@functools.lru_cache(maxsize=4)
def _laws_of(size: int, alpha: float) -> Floats:
    return laws(size, size, alpha)


def delta_at(epsilon: float, size: int, alpha: float) -> float:
    every = _laws_of(size, alpha)
    return float(hockey_stick(every[:-1], every[1:], epsilon).max()) + _ROUNDING


def epsilon_at(delta: float, sizes: Integers, alpha: float) -> float:
    """An epsilon that holds with this delta in clusters of all these sizes, at most 1e-9 of it too large; no more than
    that of the flips, which is all that is known of clusters of more than 1000."""
    flips, found = epsilon_from_pi(alpha), 0.0
    if np.any(sizes > _EXACT):
        return flips
    for size in np.unique(sizes[sizes > 0]).tolist():
        if found < flips and delta_at(found, size, alpha) > delta:
            low, found = found, flips
            while found - low > 1e-9 * found:
                middle = (low + found) / 2
                low, found = (low, middle) if delta_at(middle, size, alpha) <= delta else (middle, found)
    return found


def _of_cluster(positives: int, eta: Floats, alpha: float) -> Floats:
    """(s, 2) log P(positives | y_i), the labels of all others unknown."""
    from scipy.stats import binom

    size, hit = len(eta), alpha + (1 - 2 * alpha) * eta
    seen = binom.pmf(positives, size, np.arange(size + 1) / size)
    law = _law_of_sum(hit)
    told = np.empty((size, 2))
    for mirrored in (False, True):  # dividing by 1 - hit is stable where hit is at most 1/2
        mine = np.flatnonzero((hit > 0.5) == mirrored)
        own, all_of, tells = (1 - hit[mine], law[::-1], seen[::-1]) if mirrored else (hit[mine], law, seen)
        sums, without = np.zeros((len(mine), 2)), np.zeros(len(mine))
        for m in range(size):
            without = np.maximum(0.0, all_of[m] - own * without) / (1 - own)
            sums += without[:, None] * tells[m : m + 2]
        told[mine] = sums[:, ::-1] if mirrored else sums
    mixed = np.column_stack([told @ [1 - alpha, alpha], told @ [alpha, 1 - alpha]])
    return np.asarray(np.log(np.maximum(mixed, 1e-300)))


def _law_of_sum(hit: Floats) -> Floats:
    """Of independent labels."""
    parts = [np.array([1 - one, one]) for one in hit]
    while len(parts) > 1:
        parts = [
            np.convolve(parts[i], parts[i + 1]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)
        ]
    return parts[0] if parts else np.ones(1)
