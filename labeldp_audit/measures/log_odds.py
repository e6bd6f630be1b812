"""How far the release moves the log odds of the true label, from before to after: the multiplicative advantage.

    change = logit P(y | x, release) - logit P(y | x)
           = log P(release | y) - log (sum_{c != y} eta_c P(release | c) / sum_{c != y} eta_c)

Of two classes it is the log ratio of what the release is as likely as under either label, whatever eta is; for a count
of a bag of two Poisson-binomial probabilities. Where all but one class are ruled out before, the others count alike.
Its law is over people, labels and releases: exact where each label is replaced on its own, otherwise drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.eta import Law
from . import advantage
from .advantage import Each, Members, Released, Stream

MOST_CELLS = 1 << 22  # people x labels x outputs that are added up
_RECORDS, _BAGS = 1 << 15, 1 << 9  # that are drawn at least
_MOST_RECORDS = 1 << 18  # for the sake of bags
_BLOCK = 1 << 13  # of them at once


@dataclass(frozen=True)
class Changes:
    """Its values, in their order."""

    values: Floats
    upto: Floats  # probability of each and all before it
    bags: int = 0  # drawn; 0 where the law is exact

    @classmethod
    def of(cls, values: Floats, chance: Floats, bags: int = 0) -> Changes:
        there = chance > 0
        order = np.argsort(values[there], kind="stable")
        return cls(values[there][order], np.cumsum(chance[there][order]), bags)

    def quantile(self, share: float) -> float:
        """The smallest change that is not exceeded with that probability."""
        wanted = share * self.upto[-1] * (1 - 1e-12)  # sums that are rounded down pass no value over
        return float(self.values[np.searchsorted(self.upto, wanted)])


def of_two(channel: Floats, ratios: Floats, law: Law) -> Changes:
    """channel (2, S), ratios (S,) log P(say s | 1) / P(say s | 0)."""
    positive = law.mean(law.eta[:, 1])
    chance = np.array([1 - positive, positive])[:, None] * channel
    return Changes.of(np.concatenate([-ratios, ratios]), chance.ravel())


def of_channel(channel: Floats, law: Law) -> Changes | None:
    """channel (C, S); None where there is too much to add up."""
    classes, outputs = channel.shape
    if len(law.weight) * channel.size > MOST_CELLS:
        return None
    values = np.empty((classes, outputs, len(law.weight)))
    with np.errstate(divide="ignore"):
        logs = np.log(channel)
    for true in range(classes):
        for said in range(outputs):
            if channel[true, said] > 0:
                labels = np.full(len(law.weight), true)
                values[true, said] = changes(law.eta, np.broadcast_to(logs[:, said], law.eta.shape), labels)
    chance = law.weight * law.eta.T[:, None, :] * channel[:, :, None]
    return Changes.of(values.ravel(), chance.ravel())


def drawn(
    mechanism: Released, members: Members, stream: Stream, bags: int | None = None, each: Each = map
) -> Changes:  # fmt: skip
    """Of so many bags, or of as many as some 30,000 people make, and of large ones some more; every member counts."""
    size = mechanism.bag
    wanted = bags or max(-(-_RECORDS // size), min(_BAGS, _MOST_RECORDS // size))
    at_once = max(1, min(wanted, _BLOCK // size))

    def look(block: int) -> Floats:
        rng = stream(block)
        eta = members(rng, min(at_once, wanted - block * at_once), size)
        flat, labels, _, loglik = advantage.played(mechanism, eta, rng.spawn(1)[0])
        return changes(flat, loglik, labels)

    found = np.concatenate(list(each(look, range(-(-wanted // at_once)))))
    return Changes.of(found, np.full(len(found), 1 / len(found)), len(found) // size)


def changes(eta: Floats, loglik: Floats, labels: Integers) -> Floats:
    """(n,) eta (n, C), loglik (n, C) of what was published, labels (n,) the true ones."""
    place = np.arange(len(labels))
    others = eta.copy()
    others[place, labels] = 0.0
    others[others.sum(axis=1) == 0] = 1.0
    others[place, labels] = 0.0
    seen = np.where(others > 0, loglik, -np.inf)
    most = seen.max(axis=1)
    at = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        mean = np.log(np.sum(others * np.exp(seen - at[:, None]), axis=1)) - np.log(others.sum(axis=1)) + at
    return np.asarray(loglik[place, labels] - mean)
