"""Randomized response within the most likely classes (RRWithPrior: Ghazi, Golowich, Kumar, Manurangsi and Zhang 2021,
arXiv:2102.06062, Algorithm 2).

Of a record's prior p, its k most likely classes are kept, for the k with the largest chance that the released label is
the true one,

    e^epsilon / (e^epsilon + k - 1) * (sum of the k largest of p).

A label among these is replaced as by randomized response of k classes; any other one by a uniform one of the k. So one
said label is at most e^epsilon times as likely under one true label as under another: 1 / k lies between the two
probabilities of randomized response. With k = 1 the released label is the same whatever the true one is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import AssumptionError
from ..core.mechanism import Labels, Need
from ..core.parameters import parameter
from ..core.randomness import Chance
from ..core.release import Guide, Release
from . import exact
from .guided import Guided

MOST = 40.0  # epsilon: beyond it a label is replaced less than once in 10^17
CELLS = 1 << 25  # of all channels together, that are published
_ROWS = 1 << 14  # at a time
_CODES = 1 << 16  # that are looked up in a table; more of them are sorted

Kept = npt.NDArray[np.bool_]  # (n, C) which classes of each record may be said


@dataclass(frozen=True)
class PriorResponse(Guided):
    name: ClassVar[str] = "prior-rr"
    example: ClassVar[str] = "prior-rr:epsilon=1"
    summary: ClassVar[str] = "randomized response within the classes that a prior (--prior) takes for most likely"
    theorem: ClassVar[str] = (
        "the largest log ratio of the probabilities of each channel (RRWithPrior, Ghazi et al. 2021)"
    )
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PRIOR})

    epsilon: float = parameter(least=0, most=MOST, noise=-1, silent=0.0)

    def claim(self, classes: int) -> float:
        return self.epsilon

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        prior = uniform(len(labels), guide.classes) if guide.prior is None else guide.prior
        kept = most_likely(prior, self.epsilon)
        return released(said_within(labels, kept, self.epsilon, rng), kept, self.epsilon)

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        """Channels are left to `most_likely`: its classes say all about each."""
        return dict(release.facts)

    def learner_again(self, release: Release, classes: int) -> dict[str, object]:
        """From the most likely classes of each channel."""
        if release.group is None:
            raise ValueError("no channels")
        members: Any = release.facts["most_likely"]
        kept = kept_of(members, classes)[release.group]
        return self.learner(released(release.view.astype(np.int64), kept, self.epsilon), classes)

    def channels_told(self, learner: Mapping[str, Any]) -> Floats:
        return channels_within(kept_of(learner["most_likely"], int(learner["classes"])), self.epsilon)


def uniform(rows: int, classes: int) -> Floats:
    return np.full((rows, classes), 1 / classes)


def most_likely(prior: Floats, epsilon: float) -> Kept:
    """prior (n, C). Of classes that are equally likely the first ones are kept, and of equally good k the least."""
    kept = np.empty(prior.shape, np.bool_)
    truth = 1 / (1 + np.arange(prior.shape[1]) * np.exp(-epsilon))
    for start in range(0, len(prior), _ROWS):
        some = prior[start : start + _ROWS]
        falling = np.full((len(truth) + 1, len(some)), -np.inf)
        falling[:-1] = np.sort(some, axis=1).T[::-1]
        upto, best, count = np.zeros(len(some)), np.zeros(len(some)), np.ones(len(some), np.int64)
        for k, (share, right) in enumerate(zip(falling, truth, strict=False), 1):
            upto += share
            worth = upto * right
            np.copyto(count, k, where=worth > best)
            np.maximum(best, worth, out=best)
        rows = np.arange(len(some))
        least = falling[count - 1, rows]
        found = some >= least[:, None]
        tied = np.flatnonzero(falling[count, rows] == least)
        equal = some[tied] == least[tied, None]
        room = (count[tied] - (some[tied] > least[tied, None]).sum(axis=1))[:, None]
        found[tied] &= ~equal | (equal.cumsum(axis=1) <= room)
        kept[start : start + _ROWS] = found
    return kept


def numerators_within(epsilon: float, count: int) -> exact.Numerators:
    """(k + 1, k) of the k classes that may be said, and of all others."""
    inside = exact.of_randomized_response(epsilon, count)
    each, more = divmod(sum(inside[0]), count)
    return [*inside, [each + (place < more) for place in range(count)]]


def said_within(labels: Labels, kept: Kept, epsilon: float, rng: Chance) -> Integers:
    """(n,) drawn for each record among the classes that are kept."""
    sets, group = _different(kept)
    counts = sets.sum(axis=1)
    members = np.argsort(~sets, axis=1, kind="stable")
    place = np.where(sets, sets.cumsum(axis=1) - 1, counts[:, None])
    said = np.asarray(members[group, 0])
    for count in np.unique(counts[counts > 1]).tolist():
        mine = np.flatnonzero((counts == count)[group])
        drawn = exact.say(numerators_within(epsilon, count), place[group[mine], labels[mine]], rng)
        said[mine] = members[group[mine], drawn]
    return said


def released(said: Integers, kept: Kept, epsilon: float) -> Release:
    """With the channels that are different, and what a learner needs to know of them."""
    sets, group = _different(kept)
    facts = facts_of(sets, np.bincount(group, minlength=len(sets)), epsilon)
    return Release(said, np.arange(len(said)), group, channels_within(sets, epsilon), facts)


def facts_of(sets: Kept, rows: Integers, epsilon: float) -> dict[str, object]:
    """sets (G, C): the classes that may be said in so many rows each."""
    check_published(len(sets), sets.shape[1])
    counts = sets.sum(axis=1)
    numerators = {count: numerators_within(epsilon, count) for count in sorted(set(counts.tolist()))}
    return {
        "classes": sets.shape[1],
        "most_likely": [np.flatnonzero(one).tolist() for one in sets],
        "constant": float(rows[counts == 1].sum() / max(1, rows.sum())),
        "exact": {
            str(count): {"numerators": [[str(one) for one in row] for row in rows], "denominator": str(sum(rows[0]))}
            for count, rows in numerators.items()
        },
    }


def check_published(channels: int, classes: int) -> None:
    """Whether so many channels can be told to readers."""
    if channels * classes**2 > CELLS:
        what = f"the prior makes {channels:,} different channels of {classes} classes, too many to publish"
        raise AssumptionError(what, hint="round the prior, or join rare classes")


def _different(kept: Kept) -> tuple[Kept, Integers]:
    """The sets that are different, and the number of each record's."""
    first, group = distinct(np.packbits(kept, axis=1))
    return kept[first], group


def distinct(cells: npt.NDArray[np.uint8]) -> tuple[Integers, Integers]:
    """(G,) one of each kind of rows of bytes, and the (n,) kind of each."""
    base, kinds = int(cells.max(initial=0)) + 1, 1
    group = np.zeros(len(cells), np.int64)
    for column in cells.T:
        if kinds * base > _CODES:
            group = _renumbered(group)
            kinds = int(group.max(initial=-1)) + 1
        group = group * base + column
        kinds *= base
    group = _renumbered(group)
    one = np.empty(group.max(initial=-1) + 1, np.int64)
    one[group] = np.arange(len(cells))
    return one, group


def _renumbered(codes: Integers) -> Integers:
    """0, 1, ... in their order, without gaps."""
    most = int(codes.max(initial=0))
    if most > max(_CODES, len(codes)):
        return np.unique(codes, return_inverse=True)[1].reshape(-1)
    there = np.zeros(most + 1, np.bool_)
    there[codes] = True
    return np.asarray((np.cumsum(there) - 1)[codes])


def channels_within(sets: Kept, epsilon: float) -> Floats:
    """(G, C, C) P(say s | y) where these classes may be said."""
    classes = sets.shape[1]
    found = np.zeros((len(sets), classes, classes))
    counts = sets.sum(axis=1)
    for count in np.unique(counts).tolist():
        laws = exact.probabilities(numerators_within(epsilon, count))
        for one in np.flatnonzero(counts == count):
            members = np.flatnonzero(sets[one])
            found[one][:, members] = laws[count]
            found[one][np.ix_(members, members)] = laws[:count]
    return found


def kept_of(members: Sequence[Sequence[int]], classes: int) -> Kept:
    found = np.zeros((len(members), classes), np.bool_)
    for row, some in zip(found, members, strict=True):
        row[list(some)] = True
    return found
