"""estimate-j: for what share of people is the privacy loss above tau (001, Theorem 2; 000, Theorem 6.6, repaired).

The probability that anything in the report is missed is shared out: p 5 %, the intervals of eta 45 % (40 % with
--smoothness, whose neighbourhood radii take 5 %), J at all tau and mechanisms 40 %, the two means 5 % each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .. import engine
from ..bounds import dvoretzky_kiefer_wolfowitz
from ..bounds.mistakes import tolerated
from ..measures import divergence, loss, tail
from ..mechanisms.randomized_response import RandomizedResponse
from ..model import Bound, Eta, Finding, Floats, Report
from . import intervals, reporting, taus
from .before import positive_index, read_and_estimate
from .intervals import Intervals
from .settings import Settings

NAME = "estimate-j"
ETA_SHARE = 0.45
TAIL_SHARE = 0.40
MEAN_SHARE = 0.05

J_METHOD = "clopper-pearson"
MEAN_METHOD = "dvoretzky-kiefer-wolfowitz"
NO_UPPER = "no upper limit: whoever was not asked may lose any amount"


def run(data: str, settings: Settings, progress: engine.Progress) -> Report:
    mechanisms = reporting.mechanisms(settings)
    asked = taus.parse(settings.tau)
    vouched = reporting.smoothness(settings) is not None
    table, eta = read_and_estimate(data, settings, progress)
    positive = positive_index(table)
    miss = 1 - settings.confidence
    wide = reporting.widening(eta, settings, intervals.SMOOTH_SHARE * miss)
    mistakes = tolerated(eta.queries, (ETA_SHARE - (intervals.SMOOTH_SHARE if vouched else 0)) * miss)
    box = intervals.of(table, eta, positive, mistakes, wide, intervals.PRIOR_SHARE * miss)
    losses = _losses(box)
    findings = [
        *_tails(losses, box, mechanisms, asked, eta, settings, TAIL_SHARE * miss),
        *_means(losses, box, mechanisms, eta, settings, MEAN_SHARE * miss),
    ]
    return reporting.build(NAME, table, eta, settings, findings)


def _losses(box: Intervals) -> tail.Losses:
    """What the features give away, of each query; the noise adds the same h(pi) to all."""
    low, high = loss.feature_loss_range(box.low, box.high, box.p_low, box.p_high)
    return tail.Losses.of(loss.feature_loss(box.eta, box.p), low, high)


def _tails(
    losses: tail.Losses, box: Intervals, mechanisms: Sequence[RandomizedResponse], asked: Floats | None, eta: Eta,
    settings: Settings, miss: float,
) -> list[Finding]:  # fmt: skip
    """J for each mechanism at each tau, at one joint level."""
    noise = [loss.noise_loss(mechanism.pi) for mechanism in mechanisms]
    number = sum(len(taus.at_most(h, eta.n) if asked is None else asked) for h in noise)
    findings = []
    for mechanism, h in zip(mechanisms, noise, strict=True):
        at = taus.curve(losses.estimate, h) if asked is None else asked
        estimate, low, high = tail.share_above(losses, at - h, box.wrong, miss / (2 * number))
        for tau, *share in np.stack([at, estimate, low, high], axis=1).tolist():
            bound = Bound(share[0], share[1], share[2], eta.queries, J_METHOD, reporting.assumptions(settings))
            where = {"tau": tau, **mechanism.at()}
            findings.append(Finding("j", bound, settings.confidence, mechanism.spec, where))
    return findings


def _means(
    losses: tail.Losses, box: Intervals, mechanisms: Sequence[RandomizedResponse], eta: Eta, settings: Settings,
    miss: float,
) -> list[Finding]:  # fmt: skip
    """Mean loss for each mechanism and the divergences: one limit for E feature_loss serves all but the last."""
    floor = min(float(loss.feature_loss(loss.lowest_eta(p), p)) for p in (box.p_low, box.p_high))
    least = dvoretzky_kiefer_wolfowitz.mean_lower(losses.low, floor, box.wrong, miss)
    mean = float(np.mean(losses.estimate))
    terms_low = divergence.jeffreys_terms_low(box.low, box.high)
    jeffreys = float(np.mean(divergence.jeffreys_terms(box.eta)))
    jeffreys_low = dvoretzky_kiefer_wolfowitz.mean_lower(terms_low, 0.0, box.wrong, miss)

    def finding(quantity: str, estimate: float, low: float, mechanism: RandomizedResponse | None = None) -> Finding:
        said = (*reporting.assumptions(settings), NO_UPPER)
        bound = Bound(estimate, min(low, estimate), math.inf, eta.queries, MEAN_METHOD, said)
        if mechanism is None:
            return Finding(quantity, bound, settings.confidence)
        return Finding(quantity, bound, settings.confidence, mechanism.spec, mechanism.at())

    noise = [(mechanism, loss.noise_loss(mechanism.pi)) for mechanism in mechanisms]
    return [
        *(finding("mean_loss", mean + h, least + h, mechanism) for mechanism, h in noise),
        finding("jeffreys", jeffreys, jeffreys_low),
        finding("weighted_jeffreys", mean, max(0.0, least)),
    ]
