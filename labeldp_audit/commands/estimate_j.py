"""estimate-j: for what share of people is the privacy loss above tau (001, Theorem 2; 000, Theorem 6.6, repaired).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta 40 %, J at all tau and mechanisms 40 %, the mean loss 10 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .. import engine
from ..bounds import dvoretzky_kiefer_wolfowitz
from ..bounds.mistakes import tolerated
from ..measures import divergence, loss, tail
from ..mechanisms.contract import Mechanism
from ..model import Bound, Eta, Finding, Floats, Report
from . import intervals, reporting, taus
from .before import positive_index, read_and_estimate
from .intervals import Intervals, Prior
from .settings import Settings

NAME = "estimate-j"
ETA_SHARE = 0.40
TAIL_SHARE = 0.40
MEAN_SHARE = 0.10

J_METHOD = "clopper-pearson"
MEAN_METHOD = "dvoretzky-kiefer-wolfowitz"
Known = Sequence[tuple[Mechanism, float]]  # with the epsilon of its randomized response
NO_UPPER = "no upper limit: whoever was not asked may lose any amount"


def run(data: str, settings: Settings, progress: engine.Progress) -> Report:
    mechanisms = reporting.mechanisms(settings)
    asked = taus.parse(settings.tau)
    table, eta = read_and_estimate(data, settings, progress)
    positive = positive_index(table)
    miss = 1 - settings.confidence
    wide = reporting.widening(eta, settings, intervals.RADII_SHARE * miss)
    box = intervals.of_eta(eta, positive, tolerated(eta.queries, ETA_SHARE * miss), wide)
    prior = intervals.of_prior(table, positive, intervals.PRIOR_SHARE * miss)
    losses = losses_of(box, prior)
    known, unknown = reporting.by_loss("j", mechanisms, settings, eta.queries)
    findings = [
        *(tails(losses, box.wrong, known, asked, eta, settings, TAIL_SHARE * miss) if known else ()),
        *means(losses, box, prior, known, eta, settings, MEAN_SHARE * miss),
        *unknown,
    ]
    return reporting.build(NAME, table, eta, settings, findings)


def losses_of(box: Intervals, prior: Prior) -> tail.Losses:
    """What the features give away, of each query; the noise adds the same to all."""
    low, high = loss.feature_loss_range(box.low, box.high, prior.low, prior.high)
    return tail.Losses.of(loss.feature_loss(box.eta, prior.p), low, high)


def tails(
    losses: tail.Losses, wrong: int, known: Known, asked: Floats | None, eta: Eta,
    settings: Settings, miss: float,
) -> list[Finding]:  # fmt: skip
    """J for each mechanism at each tau, at one joint level."""
    said = reporting.assumptions(eta, settings)
    noise = [loss.noise_loss(epsilon) for _, epsilon in known]
    at = taus.curves(losses.estimate, noise) if asked is None else asked
    number = len(known) * len(taus.at_most(noise, eta.n) if asked is None else asked)
    findings = []
    for (mechanism, _), h in zip(known, noise, strict=True):
        estimate, low, high = tail.share_above(losses, at - h, wrong, miss / (2 * number))
        for tau, *share in np.stack([at, estimate, low, high], axis=1).tolist():
            bound = Bound(share[0], share[1], share[2], eta.queries, J_METHOD, said)
            where = {"tau": tau, **mechanism.at()}
            findings.append(Finding("j", bound, settings.confidence, mechanism.spec, where))
    return findings


def means(
    losses: tail.Losses, box: Intervals, prior: Prior, known: Known, eta: Eta,
    settings: Settings, miss: float,
) -> list[Finding]:  # fmt: skip
    """Mean loss for each mechanism and the divergences: one limit, for E feature_loss, serves them all."""
    said = (*reporting.assumptions(eta, settings), NO_UPPER)
    mean, least = _mean_feature_loss(losses, box.wrong, prior, miss)
    jeffreys, jeffreys_least = _jeffreys(box, prior, least)

    def finding(quantity: str, estimate: float, low: float, mechanism: Mechanism | None = None) -> Finding:
        bound = Bound(estimate, min(low, estimate), math.inf, eta.queries, MEAN_METHOD, said)
        if mechanism is None:
            return Finding(quantity, bound, settings.confidence)
        return Finding(quantity, bound, settings.confidence, mechanism.spec, mechanism.at())

    noise = [(mechanism, loss.noise_loss(epsilon)) for mechanism, epsilon in known]
    return [
        *(finding("mean_loss", mean + h, least + h, mechanism) for mechanism, h in noise),
        finding("jeffreys", jeffreys, jeffreys_least),
        finding("weighted_jeffreys", mean, least),
    ]


def _mean_feature_loss(losses: tail.Losses, wrong: int, prior: Prior, miss: float) -> tuple[float, float]:
    """Estimate and lower limit of E feature_loss: a divergence (ERRATA A10), so never below 0."""
    floor = min(float(loss.feature_loss(loss.lowest_eta(p), p)) for p in (prior.low, prior.high))
    least = dvoretzky_kiefer_wolfowitz.mean_lower(losses.low, floor, wrong, miss)
    return max(0.0, float(np.mean(losses.estimate))), max(0.0, least)


def _jeffreys(box: Intervals, prior: Prior, least: float) -> tuple[float, float]:
    """Estimate and lower limit of I = E feature_loss + h(p)."""
    of_prior, smallest = divergence.jeffreys_terms([prior.p, np.clip(0.5, prior.low, prior.high)]).tolist()
    return max(float(np.mean(divergence.jeffreys_terms(box.eta))), of_prior), least + smallest
