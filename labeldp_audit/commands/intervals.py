"""From counts to intervals of eta and p, and how a report's joint confidence is shared out among them.

The shares of each command add up to 1. That of the radii is spent only where --smoothness is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..bounds import clopper_pearson
from ..bounds.mistakes import Mistakes
from ..model import Eta, Floats, Table

PRIOR_SHARE = 0.05  # of the probability that a report may miss: p is the best known number of all
RADII_SHARE = 0.05  # that neighbourhoods are no larger than --smoothness takes them to be
_BELOW_1 = math.nextafter(1.0, 0.0)  # both classes were seen, so p is not 1, however near


@dataclass(frozen=True)
class Intervals:
    """Of eta, the probability of the positive class, at each query."""

    eta: Floats
    low: Floats
    high: Floats
    wrong: int  # of the intervals may be wrong
    plain: Floats  # shares in the counts as they are


@dataclass(frozen=True)
class Prior:
    """p and its limits."""

    p: float
    low: float
    high: float


def of_eta(eta: Eta, positive: int, mistakes: Mistakes, widening: float) -> Intervals:
    if eta.counts is None:  # given, and taken at its word
        given = eta.probability[:, positive]
        return Intervals(given, given, given, 0, given)
    counts, size, known = eta.counts[:, positive], eta.counts.sum(axis=1), eta.probability[:, positive]
    each = mistakes.miss_each / eta.choices  # labels chose the counts: those of every choice must hold
    low, high = clopper_pearson.limits_of_counts(counts, size, each / 2)
    low, high = np.maximum(0.0, low - widening), np.minimum(1.0, high + widening)
    # A window of rows with like scores may mix people whom a model tells apart. Then its labels say nothing of them:
    # neither that what the model says is too much, nor that it is all there is.
    low, high = np.where(known < low, 0.0, low), np.where(known > high, 1.0, high)
    return Intervals(known, low, high, mistakes.allowed, counts / size)


def of_prior(table: Table, positive: int, miss: float) -> Prior:
    people, positives = table.dataset.rows_used, table.dataset.class_counts[positive]
    return Prior(
        p=positives / people,
        low=float(clopper_pearson.lower(positives, people, miss / 2)),
        high=min(float(clopper_pearson.upper(positives, people, miss / 2)), _BELOW_1),
    )
