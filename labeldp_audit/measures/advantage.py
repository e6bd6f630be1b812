"""How much better an optimal attacker guesses a label once the release is out (003, Definition 3.1).

    advantage = E max_c payoff_c P(c | x, release) - E max_c payoff_c P(c | x)

A mechanism gives what its release adds given the features of one bag (`gain`). Here that is averaged over bags whose
members are drawn from the law of eta: exactly where there are few kinds of bags, otherwise over bags drawn at random.
Members of a bag are exchangeable, so each of them counts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.eta import Law
from ..core.randomness import Chance
from ..core.release import Guide, Release
from . import guess

_MOST_KINDS = 5_000  # of bags that are added up one by one
_MOST_STEPS = 100_000_000  # members times size of the bag, over all kinds
_CELLS = 1 << 16  # records in a block
_FIRST = 256  # bags, before the spread is looked at
_MOST_BAGS = 1 << 20
_SMALL, _SHARE = 1e-5, 0.02  # the standard error that is aimed at: absolute, or of the value

Members = Callable[[np.random.Generator, int, int], Floats]  # (bags, size, C): eta of the members of so many bags
Stream = Callable[[int], np.random.Generator]  # an independent one for each block
Each = Callable[[Callable[[int], Floats], Iterable[int]], Iterable[Floats]]  # a map, in order


class Released(Protocol):
    """What is asked of a mechanism."""

    @property
    def bag(self) -> int: ...

    def gain(self, eta: Floats, payoff: Floats) -> Floats | None: ...

    def release(self, labels: Integers, guide: Guide, *, rng: Chance) -> Release: ...

    def loglik(self, release: Release, eta: Floats) -> Floats: ...


@dataclass(frozen=True)
class Gain:
    """What a whole release gains: the mean over people, and what simulation leaves open."""

    mean: float
    spread: float = 0.0  # standard deviation of what bags yield on average
    bags: int = 0  # drawn; 0 where the mean is exact
    overlooked: float = 0.0  # what people too rare to be among those drawn may add

    @property
    def standard_error(self) -> float:
        return math.hypot(self.spread / math.sqrt(self.bags), self.overlooked) if self.bags else 0.0


def uninformed(law: Law, payoff: Floats) -> float:
    """The best mean payoff before the release."""
    return law.mean((law.eta * payoff).max(axis=1))


def exact(mechanism: Released, law: Law, payoff: Floats) -> Gain | None:
    """None where there are too many kinds of bags to add them up."""
    if mechanism.bag == 1:
        return _one_by_one(mechanism, law, payoff)
    kinds = _kinds(len(law.weight), mechanism.bag)
    return None if kinds is None else _over_kinds(mechanism, law, payoff, kinds)


def _one_by_one(mechanism: Released, law: Law, payoff: Floats) -> Gain | None:
    total = 0.0
    for start in range(0, len(law.weight), _CELLS):
        part = slice(start, start + _CELLS)
        gain = mechanism.gain(law.eta[part, None], payoff)
        if gain is None:
            return None
        total += float((law.weight[part] * gain[:, 0]).sum())
    return Gain(total)


def _kinds(atoms: int, size: int) -> Integers | None:
    """How many of each atom are in a bag, for all kinds of bags: (kinds, atoms)."""
    number = math.comb(size + atoms - 1, atoms - 1)
    if number > _MOST_KINDS or number * size * size > _MOST_STEPS:
        return None
    walls = np.array(list(itertools.combinations(range(size + atoms - 1), atoms - 1)), np.int64)
    ends = np.column_stack([np.full(number, -1), walls.reshape(number, -1), np.full(number, size + atoms - 1)])
    return np.diff(ends, axis=1) - 1


def _over_kinds(mechanism: Released, law: Law, payoff: Floats, kinds: Integers) -> Gain | None:
    from scipy.special import gammaln, xlogy

    size = mechanism.bag
    log_chance = gammaln(size + 1) - gammaln(kinds + 1).sum(axis=1) + xlogy(kinds, law.weight).sum(axis=1)
    total = 0.0
    step = max(1, _CELLS // size)
    for start in range(0, len(kinds), step):
        part = kinds[start : start + step]
        members = np.stack([np.repeat(np.arange(len(law.weight)), row) for row in part])
        gain = mechanism.gain(law.eta[members], payoff)
        if gain is None:
            return None
        total += float(np.exp(log_chance[start : start + step]) @ gain.mean(axis=1))
    return Gain(total)


def simulated(
    mechanisms: Sequence[Released], members: Members, payoff: Floats, stream: Stream, bags: int | None = None,
    each: Each = map,
) -> list[Gain]:  # fmt: skip
    """For mechanisms with bags of one size: all are judged on the same bags, so that what is weaker comes out weaker.

    `bags` of them, or as many as the standard error of each needs to be small, a million at most.
    """
    size = mechanisms[0].bag
    whole = max(1, _CELLS // size)
    at_once = whole if bags is None else min(whole, bags)

    def look(block: int) -> Floats:
        eta = members(stream(block), at_once, size)
        # What a mechanism draws does not depend on what else is asked for.
        return np.stack([_of_bags(mechanism, eta, payoff, stream(block).spawn(1)[0]) for mechanism in mechanisms])

    seen, wanted, blocks = np.empty((len(mechanisms), 0)), bags or _FIRST, itertools.count()
    while seen.shape[1] < wanted:
        number = -(-(wanted - seen.shape[1]) // whole)
        seen = np.concatenate([seen, *each(look, itertools.islice(blocks, number))], axis=1)
        if bags is None:
            wanted = min(_MOST_BAGS, _needed(seen))
    return [_summed(row[:wanted] if bags else row, size, payoff) for row in seen]


def from_law(law: Law) -> Members:
    """Each member of a bag is a new person."""
    upto = law.weight.cumsum()

    def members(rng: np.random.Generator, bags: int, size: int) -> Floats:
        drawn = np.searchsorted(upto, rng.random((bags, size)) * upto[-1], side="right")
        return np.asarray(law.eta[drawn.clip(max=len(upto) - 1)])

    return members


def from_rows(eta: Floats) -> Members:
    """eta (n, C): no row is twice in a bag, and as many bags as can be made of the rows share none. Where a bag is
    larger than they are many, its members are people like them."""

    def members(rng: np.random.Generator, bags: int, size: int) -> Floats:
        at_once = len(eta) // size
        if not at_once:
            return np.asarray(eta[rng.integers(len(eta), size=(bags, size))])
        shuffles = (rng.permutation(len(eta))[: at_once * size] for _ in range(-(-bags // at_once)))
        return np.asarray(eta[np.concatenate(list(shuffles)).reshape(-1, size)[:bags]])

    return members


def _of_bags(mechanism: Released, eta: Floats, payoff: Floats, rng: np.random.Generator) -> Floats:
    """(b,) mean gain in each bag of eta (b, size, C)."""
    gain = mechanism.gain(eta, payoff)
    return _tried(mechanism, eta, payoff, rng) if gain is None else gain.mean(axis=1)


def _tried(mechanism: Released, eta: Floats, payoff: Floats, rng: np.random.Generator) -> Floats:
    """The same for a mechanism that can only be run: draw labels, release them, and look what the release changes."""
    bags, size, _ = eta.shape
    flat, _, release, loglik = played(mechanism, eta, rng)
    told = flat * np.exp(loglik - loglik.max(axis=1, keepdims=True))
    worth = payoff * told / told.sum(axis=1, keepdims=True)
    before = (payoff * flat).argmax(axis=1)
    gain = worth.max(axis=1) - worth[np.arange(len(flat)), before]
    together = np.argsort(release.bag, kind="stable")  # what was published together, not what was drawn together
    return np.asarray(gain[together].reshape(bags, size).mean(axis=1))


def played(mechanism: Released, eta: Floats, rng: np.random.Generator) -> tuple[Floats, Integers, Release, Floats]:
    """eta (n, C) of the members, labels that are drawn from it, what is published of them, and how likely that is."""
    flat = eta.reshape(-1, eta.shape[-1])
    labels = np.sum(rng.random(len(flat))[:, None] >= flat.cumsum(axis=1)[:, :-1], axis=1)
    release = mechanism.release(labels, Guide(eta.shape[-1]), rng=rng)
    return flat, labels, release, mechanism.loglik(release, flat)


def _needed(seen: Floats) -> int:
    """Bags that make every standard error small enough, as far as those seen can tell."""
    aim = np.maximum(_SMALL, _SHARE * seen.mean(axis=1))
    return math.ceil(float(((seen.std(axis=1, ddof=1) / aim) ** 2).max()))


def _summed(of_bags: Floats, size: int, payoff: Floats) -> Gain:
    """People who are one in all that were drawn are there or not, each with at most what the best guess misses."""
    spread = float(of_bags.std(ddof=1)) if len(of_bags) > 1 else 0.0
    return Gain(float(of_bags.mean()), spread, len(of_bags), guess.most_missed(payoff) / (len(of_bags) * size))
