"""estimate-j: for what share of people is the privacy loss above tau (001, Theorem 2; 000, Theorem 6.6, repaired).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 2.5 %, the
intervals of eta 49 %, J at all tau and mechanisms 9 %, J of the features alone 2.5 %, the mean loss 7 %
(mean_loss.py), certificates 25 % (certificates.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats
from ..core.budget import PRIOR_SHARE, RADII_SHARE, Budget
from ..core.finding import Bound, Finding
from ..core.settings import Settings
from ..measures import tail
from ..measures.eta_law import estimated
from . import assumptions, certificates, intervals, mean_loss, releases, taus
from .contract import Evidence
from .intervals import Losses

ETA_SHARE = 0.49
TAIL_SHARE = 0.09
ALONE_SHARE = RADII_SHARE / 2  # radii need a large enough k, which the other half hardly changes
MEAN_SHARE = 0.07

PLUG_IN = "counts around each row, as they are"
NO_LIMITS = "no interval: the chance in the counts is taken for knowledge"


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    table, eta = evidence.table, evidence.eta
    wide = assumptions.widening(eta, settings, budget.spend("radii", RADII_SHARE - ALONE_SHARE))
    box = intervals.for_shares(table, eta, budget.spend("eta", ETA_SHARE), wide)
    prior = intervals.of_prior(table, budget.spend("p", PRIOR_SHARE))
    believed = estimated.of_losses(eta)
    known, unknown = releases.by_loss("j", evidence.mechanisms, settings, eta.queries)
    tilts = {0.0, *(noise.tilt for _, noise in known)}
    losses = {tilt: intervals.losses_of(box, believed, prior, tilt) for tilt in tilts}
    noise, values = [one.noise for one in known], [losses[one.noise.tilt].value for one in known]
    at, places = taus.asked(values, noise, evidence.at, evidence.more, eta.n)
    number = max(1, places * (1 if evidence.alone else len(known)))
    least, certified = 0.0, list[Finding]()
    sure = budget.part("certificates", certificates.SHARE)
    if settings.certify:
        least, certified = certificates.of_losses(table, eta, prior, known, at, number, settings, sure)
    of_tails, of_means = budget.spend("J", TAIL_SHARE), budget.spend("mean loss", MEAN_SHARE)
    alone = shares(losses[0.0], at, budget.spend("J of the features", ALONE_SHARE) / max(1, places))
    return [
        *_tails(losses, known, at, alone, evidence, settings, of_tails / number),
        *_baselines(alone, at, evidence, settings),
        *mean_loss.findings(losses[0.0], believed.law, prior, known, eta, settings, of_means, least),
        *certified,
        *unknown,
    ]


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


def shares(losses: Losses, above: Floats, miss_each: float) -> Shares:
    of_people = None if losses.people is None else losses.people(above)
    plain, low, high = tail.share_above(losses.rows, above, losses.wrong, miss_each / 2, of_people)
    estimate = np.clip(tail.mass_above(losses.value, losses.weight, above), low, high)
    return Shares(estimate, low, high, plain, f"{losses.method}; limits clopper-pearson")


def _tails(
    losses: Mapping[float, Losses], known: releases.Known, at: Floats, alone: Shares, evidence: Evidence,
    settings: Settings, miss_each: float,
) -> Iterator[Finding]:  # fmt: skip
    """J for each mechanism at each tau; beside it what the counts say as they are, and what the release adds."""
    n, said = evidence.eta.queries, assumptions.stated(evidence.eta, settings)
    for mechanism, noise in known:
        mine = shares(losses[noise.tilt], at - noise.loss, miss_each)
        ends = zip(mine.bounds(n, said), mine.beyond(alone).bounds(n, said), strict=True)
        for tau, plain, (bound, added) in zip(at.tolist(), mine.plain.tolist(), ends, strict=True):
            raw = Bound(plain, None, None, n, PLUG_IN, (*said, NO_LIMITS))
            yield releases.finding("j", bound, settings, mechanism, {"tau": tau})
            if evidence.eta.counts is not None:
                yield releases.finding("plug_in_j", raw, settings, mechanism, {"tau": tau})
            yield releases.finding("j_added", added, settings, mechanism, {"tau": tau})


def _baselines(alone: Shares, at: Floats, evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Without noise everybody loses infinitely much: people with 0 < eta < 1 by the label, all others by features."""
    n, said = evidence.eta.queries, assumptions.stated(evidence.eta, settings)
    one = np.ones(len(at))
    everybody = Shares(one, one, one, one, alone.method)
    for tau, bound in zip(at.tolist(), alone.bounds(n, said), strict=True):
        yield releases.finding("j", bound, settings, at={"tau": tau, **releases.ALONE})
    for tau, bound in zip(at.tolist(), everybody.beyond(alone).bounds(n, said), strict=True):
        yield releases.by_definition("j", 1.0, n, settings, tau)
        yield releases.finding("j_added", bound, settings, at={"tau": tau, **releases.WITHOUT_NOISE})
