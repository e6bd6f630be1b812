"""What a mechanism answers, so that every question can be asked of every mechanism.

One that says how it releases and how likely a release is gets everything by simulation. One that can add up its
outcomes gives its exact gain.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from . import parameters
from .arrays import Floats, Integers
from .randomness import Chance
from .release import Guarantee, Guide, Outcomes, Release, Tails

Labels = npt.NDArray[np.integer]
ONE_ROW = "each person has one row: m rows of one person spend m times epsilon"


class Published(StrEnum):
    """What stands where the labels stood."""

    LABELS = "labels"
    BAGS = "bags"  # the number of its bag; what is said of the bags is a table of its own
    VECTORS = "vectors"  # a number for each class
    ALONE = "labels-alone"  # labels in a random order, and no other column


class Need(StrEnum):
    """What of the Guide a mechanism looks at."""

    CLUSTERS = "clusters"
    PRIOR = "prior"
    LEARN = "learn"


class Mechanism(ABC):
    """A frozen dataclass: its fields are its parameters."""

    name: ClassVar[str]
    example: ClassVar[str]  # help, docs and contract tests use it
    summary: ClassVar[str]
    theorem: ClassVar[str] = ""  # by which it has its epsilon
    publishes: ClassVar[Published] = Published.LABELS
    needs: ClassVar[frozenset[Need]] = frozenset()  # what of the Guide it looks at
    law_known: ClassVar[bool] = True  # whether `loglik` can say how likely a release is
    predicts: ClassVar[bool] = False  # what is published of a record is what some model says of its features
    spellings: ClassVar[Mapping[str, str]] = {}  # other names under which a spec may give a field, which `parse` reads

    def __post_init__(self) -> None:
        parameters.check(self)

    @classmethod
    def parse(cls, fields: Mapping[str, str], classes: int = 2) -> Self:
        """From a spec, for a label of so many classes; a SpecError says what is wrong."""
        return cls(**parameters.read(cls, fields, classes, cls.example))

    @property
    def spec(self) -> str:
        """What leads back to it."""
        return f"{self.name}:{parameters.written(self)}"

    def at(self) -> dict[str, float]:
        """Its parameters, in all their equivalent forms, for reports; what it claims is said by `claim` alone."""
        return parameters.values(self)

    @property
    def bag(self) -> int:
        """Records whose labels are released together."""
        return 1

    @property
    def alone(self) -> Mechanism | None:
        """What of it is left for who knows the labels of all others: the same for bags of one record. None where
        that is not known."""
        return self if self.bag == 1 else None

    @abstractmethod
    def claim(self, classes: int) -> float | None:
        """The epsilon of its label differential privacy, for a label of so many classes; None where it has none."""

    @property
    def counts_only(self) -> bool:
        """Does what is published of a bag depend on its labels through the number of positive ones alone?"""
        return False

    @property
    def repels(self) -> bool:
        """Are labels of a bag negatively associated, given what is published of it? They are if that is their sum, or
        a sum with log-concave noise."""
        return False

    @property
    def laplace(self) -> float | None:
        """The epsilon of the Laplace noise on the number of positive ones in a bag, infinite where there is none; None
        where something else is published."""
        return None

    def channel(self, classes: int) -> Floats | None:
        """P(say s | y), (C, S), a row for each true class, if each label is replaced on its own."""
        return None

    def log_ratios(self) -> Floats | None:
        """(S,) log P(say s | 1) / P(say s | 0) of two classes, where they are known better than by
        `channel`, whose smallest probabilities are rounded to 0."""
        channel = self.channel(2)
        if channel is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):  # what is never said has no ratio
            negative, positive = np.log(channel)
            return np.asarray(positive - negative)

    def total_variation(self, classes: int) -> float:
        """The most that one record's label moves the law of the release, all else known."""
        claim = self.claim(classes)
        return 1.0 if claim is None else math.tanh(claim / 2)

    @property
    def judged_as(self) -> str:
        """What audits judge in its place, in words, where its own law is known only once it releases; empty where they
        judge itself."""
        return ""

    def outputs(self, classes: int) -> int:
        """What a released label may be: so many things."""
        channel = self.channel(classes)
        return classes if channel is None else channel.shape[1]

    def unfit(self, classes: int) -> str:
        """Why it cannot release a label of so many classes; empty where it can."""
        return ""

    def guarantees(self, classes: int) -> tuple[Guarantee, ...]:
        """What a release satisfies, and for whom; none where it has no epsilon."""
        claim = self.claim(classes)
        if claim is None or claim == math.inf:
            return ()
        return (Guarantee(claim, theorem=self.theorem, assumptions=(ONE_ROW,)),)

    def guarantees_of(self, release: Release) -> tuple[Guarantee, ...]:
        """What that very release satisfies beside `guarantees`, computed from what is published."""
        return ()

    def untrue(self, release: Release) -> npt.NDArray[np.bool_] | None:
        """(G,) which channels that a release tells cannot be its own, as they spend more than is claimed or do not fit
        what else it tells; None where it tells none."""
        return None

    def impossible(self, release: Release) -> int | None:
        """Of how many records the release says what this mechanism never does; None where `received` sees that."""
        return None

    def outcomes(self, release: Release, classes: int, labels: Labels | None) -> Outcomes | None:
        """What is said of each record whose law is known, if these were the true labels; None where there is none.
        Without the labels, only what depends on them through the law."""
        channels, group = release.channels, release.group
        if channels is None or group is None:
            channel = None if self.judged_as else self.channel(classes)
            if channel is None:
                return None
            channels, group = channel[None], np.zeros(len(release.view), np.int64)
        return Outcomes(group, release.view.astype(np.int64, copy=False), channels)

    def tails(self, release: Release, labels: Labels) -> Tails | None:
        """Of the counts that a release of labels tells, if these were the true labels; None where it tells none."""
        return None

    def noise_at_most(self, noise: Floats) -> Floats | None:
        """P(what is published of a bag - its count <= noise), where that does not depend on the labels; else None."""
        return None

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        """What somebody who learns from the release has to know about it; nothing that is secret."""
        return dict(release.facts)

    def learner_again(self, release: Release, classes: int) -> dict[str, object]:
        """The same of a release that was received, whose facts are what it says itself: computed again from as few of
        them as may be. Any error says that these are not enough."""
        return self.learner(release, classes)

    def channels_told(self, learner: Mapping[str, Any]) -> Floats | None:
        """(G, C, S) the channels of a release, from what `learner` said of it; None where it has none of its own."""
        return None

    def joined(self, release: Release) -> Integers | None:
        """(n,) the same number for records that a reader weighs together, as what is published of one tells of the
        others; None where each is weighed alone."""
        return release.bag if self.publishes is Published.BAGS else None

    @abstractmethod
    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        """labels (n,): what is published of them."""

    @abstractmethod
    def loglik(self, release: Release, eta: Floats) -> Floats:
        """(n, C): how likely the release is, up to a factor of each record, if that record has class c.

        The labels of all other records are unknown; eta (n, C) is what the reader of the release believes of them.
        """

    def gain(self, eta: Floats, payoff: Floats) -> Floats | None:
        """(b, bag): what the release of each bag adds for each member to an attacker's expected payoff; exact.

        eta (b, bag, C); payoff (C,) is what a right guess of each class is worth. None where only simulation tells.
        Sums of terms that are never negative: a difference of nearly equal numbers would be noise (ERRATA B4).
        """
        return None
