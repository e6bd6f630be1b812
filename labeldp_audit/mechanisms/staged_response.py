"""Labels released in stages (LP-MST: Ghazi, Golowich, Kumar, Manurangsi and Zhang 2021, arXiv:2102.06062).

The records are dealt at random into parts of one size. The labels of the first part are released by randomized
response. A model that learns from them gives a prior for the next part, whose labels are released within the most
likely classes (prior-rr); and so on.

Each label is used once, with epsilon, and what follows depends on it only through what was released of it. So all
stages together have this epsilon, and one stage is LP-1ST, randomized response.

A model of noisy labels says how likely each is to be said, q = eta R, where R is the channel of randomized response;
the prior is what q tells of eta, (q - other) / (own - other), and nothing below 0. Labels of later parts join in as if
they were said by R, too: the posterior of the true label, given what was released of it, passes through R once more.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels, Need
from ..core.parameters import parameter
from ..core.randomness import Chance, shuffled
from ..core.release import Guide, Release
from .prior_response import Kept, PriorResponse, channels_within, distinct, most_likely, released, said_within, uniform
from .randomized_response import RandomizedResponse

_BLIND = 1e-9  # difference of probabilities that tells nothing


@dataclass(frozen=True)
class StagedResponse(PriorResponse):
    name: ClassVar[str] = "lp-mst"
    example: ClassVar[str] = "lp-mst:epsilon=1,stages=2"
    summary: ClassVar[str] = (
        "as prior-rr, by the prior of a model that learns from the labels released in stages before"
    )
    theorem: ClassVar[str] = "as prior-rr of each label, which one stage uses once (LP-MST, Ghazi et al. 2021)"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.LEARN})

    stages: int = parameter(least=1, most=16, default=2)

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        n, classes = len(labels), guide.classes
        said, kept, told = np.empty(n, np.int64), np.ones((n, classes), np.bool_), np.empty((n, classes))
        stages = np.empty(n, np.int8)
        for stage, part in enumerate(np.array_split(shuffled(rng, n), self.stages)):
            stages[part] = stage
        prior = uniform(-(-n // self.stages), classes)
        for stage in range(self.stages):
            part = np.flatnonzero(stages == stage)
            within = np.ones((len(part), classes), np.bool_)
            if stage > 0 and guide.learn is not None:
                known = np.flatnonzero(stages < stage)
                prior = self.prior_of(guide.learn(known, told[known], part))
                within = kept[part] = most_likely(prior, self.epsilon)
            mine = said[part] = said_within(labels[part], within, self.epsilon, rng)
            if stage + 1 < self.stages:
                told[part] = self.as_if_by_all(mine, within, prior[: len(part)])
        return released(said, kept, self.epsilon)

    def prior_of(self, predicted: Floats) -> Floats:
        """(n, C) of the true classes, from how likely randomized response says each."""
        channel = RandomizedResponse(self.epsilon).channel(predicted.shape[1])
        own, other = channel[0, 0], channel[0, 1]
        if own - other < _BLIND:
            return uniform(*predicted.shape)
        found = np.maximum(0.0, predicted - other)
        total = functools.reduce(np.add, found.T)[:, None]  # of few classes, faster than along rows
        return np.asarray(np.where(total > 0, found / np.where(total > 0, total, 1), 1 / predicted.shape[1]))

    def as_if_by_all(self, said: Integers, kept: Kept, prior: Floats) -> Floats:
        """(n, C) how likely randomized response of all classes would say each."""
        classes = kept.shape[1]
        if kept.all():
            return np.asarray(np.eye(classes)[said])
        first, group = distinct(np.packbits(kept, axis=1))
        likely = prior * channels_within(kept[first], self.epsilon).transpose(0, 2, 1)[group, said]
        total = functools.reduce(np.add, likely.T)[:, None]
        told = np.where(total > 0, likely / np.where(total > 0, total, 1), prior)
        return np.asarray(told @ RandomizedResponse(self.epsilon).channel(classes))
