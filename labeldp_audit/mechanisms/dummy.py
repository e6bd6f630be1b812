"""Labels without features (000, Mechanism 3): randomized response on the labels, which are published alone and in a
random order, so that whoever reads them learns how common classes are and no more.

Audits judge it for a reader who knows whose each label is, as randomized response; others learn less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels, Published
from ..core.release import Outcomes, Release, Tails
from .per_record import shared_out
from .randomized_response import RandomizedResponse

JUDGED_AS = "judged as randomized response, for a reader who knows whose each label is; others learn less"


@dataclass(frozen=True)
class Dummy(RandomizedResponse):
    name: ClassVar[str] = "dummy"
    example: ClassVar[str] = "dummy:epsilon=1"
    summary: ClassVar[str] = "labels by randomized response, alone and in a random order, without any feature"
    theorem: ClassVar[str] = "randomized response of each label; the order and the lack of features are not counted"
    publishes: ClassVar[Published] = Published.ALONE

    def outcomes(self, release: Release, classes: int, labels: Labels | None) -> Outcomes:
        """Once it is known how common each label is, any order is as likely as any other."""
        nobody = np.zeros(len(release.view), np.int64)
        return shared_out(nobody, release.view.astype(np.int64), self.channel(classes).shape[1], classes, labels)

    def tails(self, release: Release, labels: Labels) -> Tails:
        """Of how common each label is."""
        from .poisson_binomial import tails_of_count

        channel = self.channel(self.classes)
        true, told = (np.bincount(one.astype(np.int64), minlength=self.classes) for one in (labels, release.view))
        found = [tails_of_count(many, true, shares) for many, shares in zip(told.tolist(), channel.T, strict=True)]
        at_most, at_least = np.array(found).T
        return Tails(at_most, at_least, independent=False)

    def joined(self, release: Release) -> Integers:
        """All: what is told of anybody is how common labels are."""
        return np.zeros(len(release.view), np.int64)

    def loglik(self, release: Release, eta: Floats) -> Floats:
        """By how many have each label. Of K counts any K - 1 tell all, so each counts (K - 1) / K times: exact for two
        classes; for more, counts are weighed as if they were independent."""
        from .bag_likelihood import log_likelihoods

        classes, n = eta.shape[1], len(eta)
        channel, told = self.channel(classes), np.bincount(release.view.astype(np.int64), minlength=classes)
        hit, found = eta @ channel, np.zeros(eta.shape)
        for s in range(channel.shape[1]):
            view = np.array([[float(told[s])]])
            said = log_likelihoods(hit[:, s], 1 - hit[:, s], np.array([0, n]), view, math.inf)
            with np.errstate(divide="ignore"):
                own, other = np.log(channel[:, s]), np.log1p(-channel[:, s])
            found += np.logaddexp(own + said[:, 1:], other + said[:, :1]) * (classes - 1) / classes
        return found

    @property
    def judged_as(self) -> str:
        return JUDGED_AS
