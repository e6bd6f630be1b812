"""Labels exchanged among peers (004, Algorithm 2): each person flips the own label with probability alpha, and then
publishes, with probability theta, the noisy label of a random person of the same cluster, who may be the same one.

Noise is drawn once for each person, so all that a reader learns of a cluster of s people is that t of them, Bin(s,
theta), publish, and how many of these labels are positive: Bin(t, M / s), where M is the number of noisy labels that
are. With k positives among the labels, M is Bin(k, 1 - alpha) + Bin(s - k, alpha). So (ERRATA E4; 004, Lemma 9, is
loose and its proof does not cover this)

    delta(epsilon) = max over k, both ways, of sum_t P(t) sum_j [P_k(j | t) - e^epsilon P_{k+1}(j | t)]_+,

the least that holds whatever the labels are. The largest k is not always 0: with alpha = 0.4 and 50 people it is not.
Whoever sees more than the published labels, such as the one message that a peer receives, has the epsilon of the
flips, log((1 - alpha) / alpha), whatever theta is.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import SpecError
from ..core.mechanism import ONE_ROW, Labels, Need
from ..core.parameters import Parameter, parameter
from ..core.randomness import Chance, words
from ..core.registry import number
from ..core.release import PEER, Guarantee, Guide, Outcomes, Release, Tails
from . import exact
from .guided import PUBLIC, Guided
from .per_record import shared_out
from .randomized_response import epsilon_from_pi, pi_from_epsilon

SILENT = 2  # what is said of a row that publishes no label
_MOST = 30.0  # epsilon of the flips
_EXACT, _EXACT_THETA = 300, 50  # people in a cluster, of all whose labels, and of some, the exact delta is computed
_LARGEST = 100_000  # people of a cluster who hide one of them; of more of them, the others are taken for known
_STEPS = 100  # how finely labels of a large cluster are told apart
_TAILS = (1e-14, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5)  # of how many are published
_ALIKE = 0.01  # of these numbers
_TAIL = 1e-14  # what is left out at each end of a law
_NEAR = 1.25  # times the smallest size
_ROUNDING = 1e-12  # of a probability that was added up
_OFF = 1e-14  # by which a probability of n draws is wrong, per n log n: a few units in the last place of log n!
_CELLS, _NEVER = 1 << 22, 1e-300


@dataclass(frozen=True)
class PeerToPeer(Guided):
    name: ClassVar[str] = "p2p"
    example: ClassVar[str] = "p2p:epsilon=2,clusters=100,delta=1e-06,theta=1"
    summary: ClassVar[str] = "flipped labels of random people of the same cluster; epsilon or alpha (flip)"
    theorem: ClassVar[str] = "log((1 - alpha) / alpha), the epsilon of the flips alone (004, Section 5.1)"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.CLUSTERS})
    spellings: ClassVar[Mapping[str, str]] = {"alpha": "epsilon"}

    epsilon: float = parameter(least=0, most=_MOST, noise=-1, silent=0.0)
    clusters: int = parameter(least=1, most=100_000, default=100)
    delta: float = parameter(least=1e-9, most=1, default=1e-6)  # at which readers of the release have their epsilon
    theta: float = parameter(least=0, above=True, most=1, default=1.0)  # how likely a row publishes a label

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

    def outputs(self, classes: int) -> int:
        """One more for rows that publish none."""
        return classes if self.theta == 1 else classes + 1

    def unfit(self, classes: int) -> str:
        return "" if classes == 2 else f"labels of two classes are exchanged, and this one has {classes}"

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        cluster = np.zeros(len(labels), np.int64) if guide.clusters is None else guide.clusters
        sizes = np.bincount(cluster, minlength=1)
        noisy = exact.say(exact.of_randomized_response(self.epsilon, 2), labels, rng)
        few = cluster.astype(np.min_scalar_type(len(sizes)))  # numbers of 16 bits are sorted many times as fast
        order, first = np.argsort(few, kind="stable"), np.cumsum(sizes) - sizes
        told = noisy[order[first[cluster] + below(sizes[cluster], rng)]]
        if self.theta < 1:
            told[words(rng, len(told)) >= np.uint64(int(Fraction(self.theta) * exact.WHOLE))] = SILENT
        return Release(told, np.arange(len(labels)), cluster)

    def guarantees_of(self, release: Release) -> tuple[Guarantee, ...]:
        """Of the labels that anybody may read, and of the one message that a peer receives."""
        if release.group is None:
            return ()
        sizes = np.bincount(release.group, minlength=1)
        reader = min(epsilon_at(self.delta, sizes, self.alpha, self.theta), self.epsilon)
        known, smallest = (ONE_ROW, PUBLIC), int(sizes[sizes > 0].min(initial=1 << 62))
        message = "of the one message that a peer receives (004, Section 5.1)"
        readers = "delta(epsilon) of 004, Algorithm 2, no less than the most over all labels (ERRATA E4)"
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

    def outcomes(self, release: Release, classes: int, labels: Labels | None) -> Outcomes | None:
        """Once it is known how many are positive, and how many publish none, a cluster shares them out."""
        if release.group is None:
            return None
        return shared_out(release.group, release.view.astype(np.int64), self.outputs(2), 2, labels)

    def tails(self, release: Release, labels: Labels) -> Tails | None:
        """Of how many publish in each cluster, and of how many of these are positive, given that."""
        if release.group is None:
            return None
        from scipy.stats import binom

        size = np.bincount(release.group)
        chosen = (labels == 1, release.view == 1, release.view != SILENT)
        counts = np.stack([size, *(np.bincount(release.group[one], minlength=len(size)) for one in chosen)], axis=1)
        counts = counts[size > 0]
        kinds, kind = np.unique(counts, axis=0, return_inverse=True)
        found = np.array([_tails(s, k, j, t, self.alpha) for s, k, j, t in kinds.tolist()]).reshape(-1, 2)
        most, least = found[kind.reshape(-1)].T
        if self.theta < 1:
            all_of, seen = counts[:, 0], counts[:, 3]
            most = np.append(most, binom.cdf(seen, all_of, self.theta))
            least = np.append(least, binom.sf(seen - 1, all_of, self.theta))
        return Tails(most, least)

    def joined(self, release: Release) -> Integers | None:
        return release.group

    def loglik(self, release: Release, eta: Floats) -> Floats:
        """By how many labels of the cluster are positive, which is all that is published of it."""
        assert release.group is not None
        found = np.zeros(eta.shape)
        for one in np.unique(release.group):
            mine = np.flatnonzero(release.group == one)
            positives, seen = (int(np.sum(one)) for one in (release.view[mine] == 1, release.view[mine] != SILENT))
            found[mine] = _of_cluster(positives, eta[mine, 1], self.alpha, seen)
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

    share = np.arange(size + 1)[:, None] / size
    return np.asarray(_noisy_laws(size, alpha) @ binom.pmf(np.arange(seen + 1), seen, share))


@functools.lru_cache(maxsize=4)
def _noisy_laws(size: int, alpha: float) -> Floats:
    """(k + 1, size + 1) P(j of all noisy labels are positive), with as many positives."""
    from scipy.stats import binom

    every = np.arange(size + 1)
    kept, flipped = (binom.pmf(every, every[:, None], chance) for chance in (1 - alpha, alpha))
    positives = range((size - 1) // 2 + 2)
    return np.array([np.convolve(kept[k, : k + 1], flipped[size - k, : size - k + 1]) for k in positives])


def _tails(size: int, true: int, told: int, seen: int, alpha: float) -> tuple[float, float]:
    """How likely at most, and at least, so many of the labels seen of a cluster are positive, by how many truly are."""
    from scipy.stats import binom

    from .poisson_binomial import law_of_binomials

    first, law = law_of_binomials(np.array([true, size - true]), np.array([1 - alpha, alpha]))
    share = np.arange(first, first + len(law)) / size
    ends = (binom.cdf(told, seen, share), binom.sf(told - 1, seen, share))
    at_most, at_least = (min(1.0, float(law @ end) + _ROUNDING) for end in ends)
    return at_most, at_least


def hockey_stick(first: Floats, second: Floats, epsilon: float, off: float = 0.0) -> Floats:
    """(2, ...) sum_j [P(j) - e^epsilon Q(j)]_+, both ways round; no less than that where probabilities are wrong by the
    factor 1 + off at most."""
    more, grown = 1 + off, math.exp(epsilon) * (1 - off)
    ways = ((first, second), (second, first))
    return np.array([np.maximum(0.0, more * one - grown * other).sum(axis=-1) for one, other in ways])


@functools.lru_cache(maxsize=4)
def _laws_of(size: int, alpha: float, theta: float) -> list[tuple[float, Floats]]:
    """For each number of labels that are published: how likely it is, and the laws then."""
    from scipy.stats import binom

    if theta == 1:
        return [(1.0, laws(size, size, alpha))]
    return [(float(binom.pmf(seen, size, theta)), laws(size, seen, alpha)) for seen in range(1, size + 1)]


def deltas_at(epsilon: float, size: int, alpha: float, theta: float = 1.0) -> Floats:
    """(k,) for a label of a cluster with 0, 1, ... other positives, up to half of it. How many labels are published
    tells nothing, and is known."""
    parts = _laws_of(size, alpha, theta)
    ways = np.sum([chance * hockey_stick(every[:-1], every[1:], epsilon) for chance, every in parts], axis=0)
    return np.asarray(ways.max(axis=0))


def delta_at(epsilon: float, size: int, alpha: float, theta: float = 1.0) -> float:
    return float(deltas_at(epsilon, size, alpha, theta).max()) + _ROUNDING


# ---- large clusters


@dataclass(frozen=True)
class Pair:
    """The laws of what is published of so many labels, where one label is negative and where it is positive."""

    weight: float
    first: Floats
    second: Floats
    off: float  # the factor by which a probability may be wrong, less 1


def pair(people: int, positives: int, seen: int, alpha: float, weight: float = 1.0) -> Pair:
    """positives: among the other people. What is left out at both ends has less than _ROUNDING in all."""
    from scipy.special import gammaln
    from scipy.stats import binom

    parts = [_window(positives, 1 - alpha), _window(people - 1 - positives, alpha)]
    others = np.convolve(parts[0][1], parts[1][1])
    noisy = sum(start for start, _ in parts) + np.arange(len(others) + 1)
    own = [np.append(others, 0.0), np.insert(others, 0, 0.0)]  # with a noisy label of its own: 0, 1
    mixed = np.array([(1 - alpha) * own[0] + alpha * own[1], alpha * own[0] + (1 - alpha) * own[1]])
    share = noisy / people
    low, high = binom.ppf(_TAIL, seen, share[0]), _upper(_TAIL, seen, share[-1])
    j = np.arange(max(0, int(low)), min(seen, high) + 1)
    ways = gammaln(seen + 1) - gammaln(j + 1) - gammaln(seen - j + 1)
    found = np.zeros((2, len(j)))
    for start in range(0, len(noisy), max(1, _CELLS // len(j))):
        some = slice(start, start + max(1, _CELLS // len(j)))
        hit, miss = (np.log(np.maximum(one[some, None], _NEVER)) for one in (share, (people - noisy) / people))
        found += mixed[:, some] @ np.exp(ways + j * hit + (seen - j) * miss)
    return Pair(weight, found[0], found[1], _OFF * seen * math.log(seen + 2))


@functools.lru_cache(maxsize=4)
def _window(count: int, chance: float) -> tuple[int, Floats]:
    """Bin(count, chance), from where to where it matters."""
    from scipy.stats import binom

    low, high = int(max(0, binom.ppf(_TAIL, count, chance))), _upper(_TAIL, count, chance)
    return low, np.asarray(binom.pmf(np.arange(low, high + 1), count, chance))


def _upper(tail: float, count: int, chance: float) -> int:
    """Bin(count, chance) is above it with less than `tail`: from below, as `isf` fails where chances are tiny."""
    from scipy.stats import binom

    return count - max(0, int(binom.ppf(tail, count, 1 - chance)))


@functools.lru_cache(maxsize=4)
def pairs(smallest: int, largest: int, alpha: float, theta: float) -> list[list[Pair]]:
    """For clusters of all sizes from the smallest to the largest: in each list, by weights, at least as much as one
    cluster tells, whatever its labels.

    Whoever also gets the noisy labels of some people, and is told which published labels are theirs, knows no less. So
    of the others only `people` - 1 are left, and of the published labels Bin(size, theta people / size). Those who are
    told can be chosen so that the positive ones among the rest are a multiple of `step`, and at most half. More
    published labels tell no less; and a tail of Bin(size, mean / size) beyond the mean grows with the size (Anderson
    and Samuels 1967), so that of the largest one holds for all.
    """
    from scipy.stats import binom

    start = min(smallest, _LARGEST)
    step = max(1, start // _STEPS)
    people = start - step
    chance = theta * people / largest
    ends: list[int] = []  # falling; of more labels than the first one are published with less than _ROUNDING
    for tail in _TAILS:
        most = max(math.ceil(largest * chance), _upper(tail, largest, chance))
        if not ends or most < ends[-1] * (1 - _ALIKE):
            ends.append(most)
    weights = -np.diff([1.0, *binom.sf(ends[:0:-1], largest, chance), 0.0])
    return [
        [pair(people, positives, most, alpha, weight) for weight, most in zip(weights, ends[::-1], strict=True)]
        for positives in range(0, start // 2 + 1, step)
    ]


def large_delta_at(epsilon: float, smallest: int, largest: int, alpha: float, theta: float = 1.0) -> float:
    """No less than that of any cluster of these sizes."""
    found = [
        np.sum([one.weight * hockey_stick(one.first, one.second, epsilon, one.off) for one in some], axis=0)
        for some in pairs(smallest, largest, alpha, theta)
    ]
    return float(np.max(found)) + _ROUNDING


def epsilon_at(delta: float, sizes: Integers, alpha: float, theta: float = 1.0) -> float:
    """An epsilon that holds with this delta in clusters of all these sizes; no more than that of the flips. At most
    1e-9 of it too large, and mostly some per cent where clusters are large; those that are hardly larger than the
    smallest one are taken together, and all others."""
    flips, found = epsilon_from_pi(alpha), 0.0
    most = _EXACT if theta == 1 else _EXACT_THETA
    kinds: list[Callable[[float], float]] = [
        functools.partial(delta_at, size=size, alpha=alpha, theta=theta)
        for size in np.unique(sizes[(sizes > 0) & (sizes <= most)]).tolist()
    ]
    large = sizes[sizes > most]
    near = large <= _NEAR * large.min(initial=1 << 62)
    for some in (large[near], large[~near]):
        if len(some):
            ends = {"smallest": int(some.min()), "largest": int(some.max())}
            kinds.append(functools.partial(large_delta_at, **ends, alpha=alpha, theta=theta))
    for spent in kinds:
        if found < flips and spent(found) > delta:
            low, found = found, flips
            while found - low > 1e-9 * found:
                middle = (low + found) / 2
                low, found = (low, middle) if spent(middle) <= delta else (middle, found)
    return found


def _of_cluster(positives: int, eta: Floats, alpha: float, published: int) -> Floats:
    """(s, 2) log P(positives among the published labels | y_i), the labels of all others unknown."""
    from scipy.stats import binom

    size, hit = len(eta), alpha + (1 - 2 * alpha) * eta
    seen = binom.pmf(positives, published, np.arange(size + 1) / size)
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
