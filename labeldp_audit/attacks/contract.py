"""How somebody who has a release and the features reads it: a guess for each record and, where he has one, a posterior.

Attackers know mechanisms and no data: whatever has to be learnt from features is handed in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import SpecError
from ..core.finding import Knows
from ..core.mechanism import Labels, Mechanism
from ..core.release import Release


@dataclass(frozen=True)
class Features:
    """What models learn from. Records of a fold are guessed by a model of the other folds."""

    matrix: Callable[[], Floats]  # (n, d) of numbers of about one size
    learn: Callable[[Integers, int], Floats]
    """(n,) codes below S, S -> (n, S): how likely each is, for each fold by a model that saw the other folds' alone."""
    fold: Integers  # (n,), whole bags


@dataclass(frozen=True)
class Seen:
    """All that attackers may look at."""

    mechanism: Mechanism
    release: Release
    eta: Floats  # (n, C) what features tell of each label, made without it
    payoff: Floats  # (n, C) what a right guess of each class is worth
    labels: Labels  # (n,) for who knows those of all other records
    features: Features | None = None  # None where eta was supplied without them
    supplied: Integers | None = None  # (n,) guesses of the user's own

    def records(self, rows: Integers) -> Seen:
        """The same of some of the records, which are whole bags."""
        release = self.release
        here, bag = np.unique(release.bag[rows], return_inverse=True)
        group = None if release.group is None else release.group[rows]
        part = replace(release, view=release.view[here], bag=bag.reshape(-1), group=group)
        return replace(
            self, release=part, eta=self.eta[rows], payoff=self.payoff[rows], labels=self.labels[rows], features=None,
            supplied=None if self.supplied is None else self.supplied[rows],
        )  # fmt: skip


@dataclass(frozen=True)
class Guesses:
    """What an attacker makes of it."""

    guess: Integers  # (n,)
    belief: Floats | None = None  # (n, C) log posterior, up to a term of each record

    def at(self, rows: Integers) -> Guesses:
        return Guesses(self.guess[rows], None if self.belief is None else self.belief[rows])


class Attack(ABC):
    name: ClassVar[str]
    example: ClassVar[str]
    summary: ClassVar[str]
    knows: ClassVar[Knows]
    learns: ClassVar[bool] = False  # a model, from features
    updates: ClassVar[bool] = False  # what features tell, by what the release says: odds change by that alone

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Self:
        if fields:
            raise SpecError(f"{cls.name} has no parameters")
        return cls()

    def unfit(self, seen: Seen) -> str:
        """Why it cannot be played here; empty where it can."""
        unknown = self.updates and not seen.mechanism.law_known
        return f"nobody knows how likely a release of {seen.mechanism.name} is for each label" if unknown else ""

    @abstractmethod
    def read(self, seen: Seen) -> Guesses: ...


def best(belief: Floats, payoff: Floats) -> Guesses:
    """The guess with the largest expected payoff under a log posterior."""
    with np.errstate(divide="ignore"):
        return Guesses((belief + np.log(payoff)).argmax(axis=1), belief)


def told(seen: Seen, eta: Floats, others: Floats | None = None) -> Floats:
    """(n, C) log eta + log likelihood of the release. others: what is believed of other records, where that is more.

    Where the release contradicts what is believed, features alone are left.
    """
    with np.errstate(divide="ignore"):
        alone = np.log(eta)
    found = alone + seen.mechanism.loglik(seen.release, eta if others is None else others)
    impossible = ~np.isfinite(found).any(axis=1)
    found[impossible] = alone[impossible]
    return np.asarray(found)


def log_odds(belief: Floats) -> Floats:
    """(n, C): log of what is believed of each class over all others together."""
    rest = np.empty_like(belief)
    for c in range(belief.shape[1]):
        rest[:, c] = np.logaddexp.reduce(np.delete(belief, c, axis=1), axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(belief - rest)


def posterior(belief: Floats) -> Floats:
    """(n, C), each row adding up to 1."""
    return np.asarray(np.exp(belief - np.logaddexp.reduce(belief, axis=1, keepdims=True)))
