"""estimate-j: for what share of people is the privacy loss above tau (001, Theorem 2; 000, Theorem 6.6, repaired).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 2.5 %, the
intervals of eta 49 %, J at all tau and mechanisms 9 %, J of the features alone 2.5 %, the mean loss 7 %, certificates
25 % (certificates.py).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..bounds.certificates import feature_loss
from ..bounds.intervals import dvoretzky_kiefer_wolfowitz
from ..core.arrays import Floats
from ..core.budget import PRIOR_SHARE, RADII_SHARE, Budget
from ..core.eta import Eta, Law
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..core.table import Table
from ..measures import loss, tail
from ..measures.eta_law import estimated
from ..measures.eta_law.estimated import Belief
from ..measures.eta_law.moments import Averages
from . import assumptions, baselines, certificates, intervals, releases, taus
from .certificates import Known
from .contract import Evidence, positive_index
from .eta_ends import NOWHERE
from .intervals import Intervals, Prior

ETA_SHARE = 0.49
TAIL_SHARE = 0.09
ALONE_SHARE = RADII_SHARE / 2  # radii need a large enough k, which the other half hardly changes
MEAN_SHARE = 0.07
PARTS = 4  # of what p may be

J_METHOD = "clopper-pearson"
MEAN_METHOD = "dvoretzky-kiefer-wolfowitz"
PLUG_IN = "counts around each row, as they are"
NO_LIMITS = "no interval: the chance in the counts is taken for knowledge"
NO_UPPER = "no upper limit: whoever was not asked may lose any amount"


def checked(settings: Settings) -> tuple[tuple[Mechanism, ...], Floats | None]:
    """Mechanisms and tau; what makes no sense is refused before anything is searched or learnt."""
    mechanisms, at = releases.wanted(settings), taus.parse(settings.tau)
    certificates.orders(settings)
    return mechanisms, at


def findings(
    table: Table, eta: Eta, settings: Settings, budget: Budget, mechanisms: Sequence[Mechanism], asked: Floats | None,
    *, more: Sequence[float] = (), among: int | None = None,
) -> list[Finding]:  # fmt: skip
    """asked: the values of tau, None for the whole curve; more: beside these. among: so many mechanisms share the
    level, where labels choose which are looked at."""
    positive = positive_index(table)
    wide = assumptions.widening(eta, settings, budget.spend("radii", RADII_SHARE - ALONE_SHARE))
    box = intervals.for_shares(table, eta, budget.spend("eta", ETA_SHARE), wide)
    prior = intervals.of_prior(table, positive, budget.spend("p", PRIOR_SHARE))
    believed = estimated.of_losses(eta)
    known, unknown = releases.by_loss("j", mechanisms, settings, eta.queries)
    losses = {tilt: losses_of(box, believed, prior, tilt) for tilt in {0.0, *(noise.tilt for _, noise in known)}}
    at, places = _asked(losses, known, asked, more, eta.n)
    number = places * (len(known) if among is None else among)
    sure = budget.part("certificates", certificates.SHARE)
    cells = certificates.box_of_losses(table, eta, sure) if settings.certify else None
    least = 0.0 if cells is None else certificates.least_mean_loss(cells, prior, sure)
    of_tails, of_means = budget.spend("J", TAIL_SHARE), budget.spend("mean loss", MEAN_SHARE)
    alone = shares(losses[0.0], at, box.wrong, budget.spend("J of the features", ALONE_SHARE) / max(1, places))
    return [
        *tails(losses, box.wrong, known, at, alone, eta, settings, of_tails / max(1, number)),
        *_baselines(alone, at, eta, settings),
        *means(losses[0.0], box.wrong, believed.law, prior, known, eta, settings, of_means, least),
        *(() if cells is None else certificates.of_losses(cells, table, eta, prior, known, at, number, settings, sure)),
        *unknown,
    ]


@dataclass(frozen=True)
class Losses:
    """What the features give away, at the tilt of a release; its noise adds the same to all."""

    rows: tail.Losses  # of each query, by the counts around it
    value: Floats  # under the estimated law of eta
    weight: Floats
    method: str
    people: Callable[[Floats], tuple[Floats, Floats]] | None  # shares of them above losses: at least, at most


Tilted = Mapping[float, Losses]  # by tilt


def losses_of(box: Intervals, believed: Belief, prior: Prior, tilt: float = 0.0) -> Losses:
    """One p is everybody's: between which ends it is, is looked at in parts, each by itself."""
    parts = list(pairwise(np.linspace(prior.low, prior.high, PARTS + 1).tolist()))
    low, high = np.stack([loss.feature_loss_range(box.low, box.high, *part, tilt) for part in parts], axis=1)
    rows = tail.Losses.of(loss.feature_loss(box.plain, prior.p, tilt), low, high)
    law = believed.law
    people = None if box.people is None else functools.partial(_above, box.people, parts, tilt)
    return Losses(rows, loss.feature_loss(law.eta[:, 1], prior.p, tilt), law.weight, believed.method, people)


def _above(
    people: Averages, parts: Sequence[tuple[float, float]], tilt: float, losses: Floats
) -> tuple[Floats, Floats]:
    """Shares of people who lose more than each of `losses` by the features: at least, and at most."""
    roots = [[feature_loss.passed(losses, p, p, tilt) for p in part] for part in parts]  # part, end of p, side of eta
    sides = np.array(roots)
    surely = [people.share_between(side[:, 0].min(axis=0), side[:, 1].max(axis=0)) for side in sides]
    possibly = [people.share_beyond(side[:, 0].max(axis=0), side[:, 1].min(axis=0)) for side in sides]
    return 1 - np.max(surely, axis=0), np.max(possibly, axis=0)


def _asked(losses: Tilted, known: Known, asked: Floats | None, more: Sequence[float], n: int) -> tuple[Floats, int]:
    """Where J is asked, and at how many places for each mechanism it might be, whatever the labels."""
    if asked is not None or not known:
        at = np.union1d(np.empty(0) if asked is None else asked, more)
        return at, len(at)
    noise = [one.noise for one in known]
    possible, at = taus.at_most(noise, n), taus.curves([losses[one.tilt].value for one in noise], noise)
    return np.union1d(at[at <= possible[-1]], more), len(possible) + len(more)


@dataclass(frozen=True)
class Shares:
    """Of people above losses, one after the other: estimate, low, high; and what the counts say as they are."""

    estimate: Floats
    low: Floats
    high: Floats
    plain: Floats
    method: str

    def bounds(self, n: int, said: tuple[str, ...]) -> list[Bound]:
        ends = np.stack([self.estimate, self.low, self.high], axis=1).tolist()
        return [Bound(estimate, low, high, n, self.method, said) for estimate, low, high in ends]

    def beyond(self, alone: Shares) -> Shares:
        """What a release adds, where both limits hold: nobody loses less because of it, so it is never below 0."""
        estimate, low = (np.maximum(0.0, one) for one in (self.estimate - alone.estimate, self.low - alone.high))
        return Shares(estimate, low, self.high - alone.low, self.plain - alone.plain, self.method)


def shares(losses: Losses, above: Floats, wrong: int, miss_each: float) -> Shares:
    of_people = None if losses.people is None else losses.people(above)
    plain, low, high = tail.share_above(losses.rows, above, wrong, miss_each / 2, of_people)
    estimate = np.clip(tail.mass_above(losses.value, losses.weight, above), low, high)
    return Shares(estimate, low, high, plain, f"{losses.method}; limits {J_METHOD}")


def tails(
    losses: Tilted, wrong: int, known: Known, at: Floats, alone: Shares, eta: Eta, settings: Settings, miss_each: float
) -> list[Finding]:
    """J for each mechanism at each tau; beside it what the counts say as they are, and what the release adds."""
    said = assumptions.stated(eta, settings)
    findings = []
    for mechanism, noise in known:
        mine = shares(losses[noise.tilt], at - noise.loss, wrong, miss_each)
        ends = zip(mine.bounds(eta.queries, said), mine.beyond(alone).bounds(eta.queries, said), strict=True)
        for tau, uncorrected, (bound, added) in zip(at.tolist(), mine.plain.tolist(), ends, strict=True):
            where = {"tau": tau, **mechanism.at()}
            findings.append(Finding("j", bound, settings.confidence, mechanism.spec, where))
            if eta.counts is not None:
                raw = Bound(uncorrected, None, None, eta.queries, PLUG_IN, (*said, NO_LIMITS))
                findings.append(Finding("plug_in_j", raw, settings.confidence, mechanism.spec, where))
            findings.append(Finding("j_added", added, settings.confidence, mechanism.spec, where))
    return findings


def _baselines(alone: Shares, at: Floats, eta: Eta, settings: Settings) -> list[Finding]:
    """Without noise everybody loses infinitely much: whoever has 0 < eta < 1 by the label, all others by features."""
    bounds = zip(at.tolist(), alone.bounds(eta.queries, assumptions.stated(eta, settings)), strict=True)
    return [
        *(Finding("j", bound, settings.confidence, at={"tau": tau, **baselines.ALONE}) for tau, bound in bounds),
        *(baselines.by_definition("j", 1.0, eta.queries, settings, tau) for tau in at.tolist()),
    ]


def means(
    losses: Losses, wrong: int, law: Law, prior: Prior, known: Known, eta: Eta, settings: Settings, miss: float,
    certified: float,
) -> list[Finding]:  # fmt: skip
    """Mean loss for each mechanism and the divergences: one limit, for E feature_loss, serves them all, because what a
    release adds on average follows from p."""
    said = (*assumptions.stated(eta, settings), NO_UPPER)
    mean, least = (max(certified, one) for one in _mean_feature_loss(losses, wrong, prior, miss))
    jeffreys, jeffreys_least = _jeffreys(law, prior, least)

    def finding(
        quantity: str, estimate: float, low: float, mechanism: Mechanism | None = None, at: Mapping[str, str] = NOWHERE
    ) -> Finding:
        bound = Bound(estimate, min(low, estimate), math.inf, eta.queries, MEAN_METHOD, said)
        if mechanism is None:
            return Finding(quantity, bound, settings.confidence, at=at)
        return Finding(quantity, bound, settings.confidence, mechanism.spec, mechanism.at())

    positive = law.mean(law.eta[:, 1])
    return [
        *(
            finding("mean_loss", mean + noise.mean(positive), least + prior.least(noise.mean), mechanism)
            for mechanism, noise in known
        ),
        finding("jeffreys", jeffreys, jeffreys_least),
        finding("weighted_jeffreys", mean, least),
        finding("mean_loss", mean, least, at=baselines.ALONE),
        baselines.by_definition("mean_loss", math.inf, eta.queries, settings),
    ]


def _mean_feature_loss(losses: Losses, wrong: int, prior: Prior, miss: float) -> tuple[float, float]:
    """Estimate and lower limit of E feature_loss: a divergence (ERRATA A10), so never below 0."""
    floor = min(float(loss.feature_loss(loss.lowest_eta(p), p)) for p in (prior.low, prior.high))
    least = min(dvoretzky_kiefer_wolfowitz.mean_lower(low, floor, wrong, miss) for low in losses.rows.low)
    return max(0.0, _mean(losses.weight, losses.value)), max(0.0, least)


def _mean(weight: Floats, value: Floats) -> float:
    """What has no weight counts nothing, not even infinity."""
    return float((weight[weight > 0] * value[weight > 0]).sum())


def _jeffreys(law: Law, prior: Prior, least: float) -> tuple[float, float]:
    """Estimate and lower limit of I = E feature_loss + h(p)."""
    of_prior, smallest = loss.feature_loss([prior.p, np.clip(0.5, prior.low, prior.high)], 0.5).tolist()
    mean = _mean(law.weight, loss.feature_loss(law.eta[:, 1], 0.5))
    return max(mean, of_prior, least + smallest), least + smallest


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    asked = evidence.table, evidence.eta, settings, budget, evidence.mechanisms, evidence.at
    return findings(*asked, more=evidence.more, among=evidence.among)
