"""From counts to intervals of eta, of p, and of what the features give away."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..bounds.certificates import feature_loss
from ..bounds.intervals import clopper_pearson, score_band
from ..bounds.intervals.mistakes import Mistakes, simultaneous, tolerated
from ..bounds.intervals.score_band import Band
from ..core.arrays import Floats
from ..core.eta import Eta
from ..core.table import Table
from ..measures import loss, tail
from ..measures.eta_law import unresolved
from ..measures.eta_law.estimated import Belief
from ..measures.eta_law.moments import Averages

WINDOWS = 0.1  # of the probability that intervals may miss: should labels speak against a band that was to be used
PARTS = 4  # of what p may be
_BELOW_1 = math.nextafter(1.0, 0.0)  # both classes were seen, so p is not 1, however near
Ends = tuple[float, float]


@dataclass(frozen=True)
class Intervals:
    """Intervals of eta, the probability of the positive class, at each query."""

    low: Floats
    high: Floats
    wrong: int  # of the intervals may be wrong
    plain: Floats  # shares in the counts as they are
    variance: Floats | None = None  # of people about what low and high limit: at most so much, where labels tell it

    @functools.cached_property
    def people(self) -> Averages | None:
        """Where they are known to differ from the averages."""
        return Averages.of(self.low, self.high, self.variance) if self.variance is not None else None


@dataclass(frozen=True)
class Extremes:
    """The smallest and the largest eta, and the limits of either."""

    smallest: float
    largest: float
    least: Ends
    most: Ends


@dataclass(frozen=True)
class Prior:
    """p and its limits."""

    p: float
    low: float
    high: float

    def least(self, linear: Callable[[float], float]) -> float:
        """The least, over what p may be, of what is linear in it."""
        return min(linear(self.low), linear(self.high))


def of_prior(table: Table, miss: float) -> Prior:
    people, positives = table.dataset.rows_used, table.dataset.class_counts[1]
    return Prior(
        p=positives / people,
        low=float(clopper_pearson.lower(positives, people, miss / 2)),
        high=min(float(clopper_pearson.upper(positives, people, miss / 2)), _BELOW_1),
    )


def for_shares(table: Table, eta: Eta, miss: float, widening: float) -> Intervals:
    """Intervals for shares and means with two classes: a band along the score, or windows where there is none."""
    most = None
    if eta.unresolved is not None and eta.unresolved.any():
        most = unresolved.of_eta(eta.unresolved[:, 1], eta.probability[:, 1])
    if not eta.ordered:
        share = miss if eta.order_p is None else WINDOWS * miss
        return replace(of_windows(eta, 1, tolerated(eta.queries, share), widening), variance=most)
    band = _band(table, eta, (1 - WINDOWS) * miss)
    return Intervals(band.low, band.high, 0, _shares(eta, 1), most)


def for_extremes(table: Table, eta: Eta, positive: int, miss: float, widening: float) -> Extremes:
    """Return limits of the extremes of eta: the inner ones by averages, the outer ones where no person can exceed them.

    A person is as far out as the average of a window, and may be farther. So an outer limit exists only for supplied
    probabilities, for a vouched smoothness, and where the rows at that end share all features.
    """
    known, share = eta.probability[:, positive], miss if eta.order_p is None else miss / 2
    if eta.unresolved is not None:  # as in the estimated law of eta
        known = unresolved.people(known, eta.unresolved[:, 0])
    box = of_windows(eta, positive, simultaneous(eta.queries, share), widening)
    outer = _band(table, eta, miss / 2) if eta.ordered else Band(box.low, box.high)
    first, last = (widening > 0 or _share_features(table, eta, end) for end in (np.min, np.max))
    every = eta.queries == len(table.labels)
    return Extremes(
        float(known.min()), float(known.max()),
        (float(outer.low.min()) if every and first else 0.0, min(float(box.high.min()), float(outer.high.min()))),
        (max(float(box.low.max()), float(outer.low.max())), float(outer.high.max()) if every and last else 1.0),
    )  # fmt: skip


def _share_features(table: Table, eta: Eta, end: Callable[[Floats], float]) -> bool:
    """Return whether rows that count as one person share all features: with the first or the last score, or as
    neighbours of each other. Supplied probabilities are about single rows anyway."""
    if eta.counts is None or table.fingerprints is None:
        return eta.counts is None
    if eta.ordered:
        assert eta.unseen is not None
        score = eta.unseen[:, 1]
        there = eta.rows[score == end(score)]
        return len(np.unique(table.fingerprints[there])) == 1
    _, place, size = np.unique(table.fingerprints, return_inverse=True, return_counts=True)
    return eta.metric == "l2" and eta.exact and bool(np.all(eta.counts.sum(axis=1) == size[place[eta.rows]] - 1))


def _band(table: Table, eta: Eta, miss: float) -> Band:
    """Labels chose whose scores these are: the bands of every choice must hold."""
    assert eta.unseen is not None
    return score_band.of_rows(eta.unseen[:, 1], table.labels[eta.rows] == 1, miss / eta.choices)


def _shares(eta: Eta, positive: int) -> Floats:
    """In the counts as they are."""
    assert eta.counts is not None
    found = eta.counts.sum(axis=1)
    return np.where(found > 0, eta.counts[:, positive] / np.maximum(found, 1), eta.probability[:, positive])


def of_windows(eta: Eta, positive: int, mistakes: Mistakes, widening: float) -> Intervals:
    """The interval of each row from the rows around it."""
    known = eta.probability[:, positive]
    if eta.counts is None:  # given, and taken at its word unless labels refute it
        low, high = (np.zeros_like(known), np.ones_like(known)) if eta.refuted else (known, known)
        return Intervals(low, high, 0, known)
    box = of_averages(eta, positive, mistakes)
    low, high = np.maximum(0.0, box.low - widening), np.minimum(1.0, box.high + widening)
    # A window of rows with like scores may mix people whom a model tells apart. Then its labels say nothing of them:
    # neither that what the model says is too much, nor that it is all there is.
    return replace(box, low=np.where(known < low, 0.0, low), high=np.where(known > high, 1.0, high))


def of_averages(eta: Eta, positive: int, mistakes: Mistakes) -> Intervals:
    """The interval of the mean of eta over the rows around each row."""
    assert eta.counts is not None
    each = mistakes.miss_each / eta.choices  # labels chose the counts: those of every choice must hold
    low, high = clopper_pearson.limits_of_counts(eta.counts[:, positive], eta.counts.sum(axis=1), each / 2)
    return Intervals(low, high, mistakes.allowed, _shares(eta, positive))


@dataclass(frozen=True)
class Losses:
    """What the features give away, at the tilt of a release; its noise adds the same to all."""

    rows: tail.Losses  # of each query, by the counts around it
    wrong: int  # of their intervals may be wrong
    value: Floats  # under the estimated law of eta
    weight: Floats
    method: str
    people: Callable[[Floats], tuple[Floats, Floats]] | None = None  # shares of them above losses: at least, at most


def losses_of(box: Intervals, believed: Belief, prior: Prior, tilt: float = 0.0) -> Losses:
    """One p is everybody's: between which ends it is, is looked at in parts, each by itself."""
    rows, law = losses_within(box, prior, tilt), believed.law
    people = None if box.people is None else functools.partial(_above, box.people, _parts(prior), tilt)
    return Losses(rows, box.wrong, loss.feature_loss(law.eta[:, 1], prior.p, tilt), law.weight, believed.method, people)


def losses_within(box: Intervals, prior: Prior, tilt: float) -> tail.Losses:
    low, high = np.stack([loss.feature_loss_range(box.low, box.high, *part, tilt) for part in _parts(prior)], axis=1)
    return tail.Losses.of(loss.feature_loss(box.plain, prior.p, tilt), low, high)


def _parts(prior: Prior) -> list[Ends]:
    return list(pairwise(np.linspace(prior.low, prior.high, PARTS + 1).tolist()))


def _above(people: Averages, parts: Sequence[Ends], tilt: float, losses: Floats) -> tuple[Floats, Floats]:
    """Shares of people who lose more than each of `losses` by the features: at least, and at most."""
    roots = [[feature_loss.passed(losses, p, p, tilt) for p in part] for part in parts]  # part, end of p, side of eta
    sides = np.array(roots)
    surely = [people.share_between(side[:, 0].min(axis=0), side[:, 1].max(axis=0)) for side in sides]
    possibly = [people.share_beyond(side[:, 0].max(axis=0), side[:, 1].min(axis=0)) for side in sides]
    return 1 - np.max(surely, axis=0), np.max(possibly, axis=0)
