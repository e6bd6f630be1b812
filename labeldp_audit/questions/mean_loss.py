"""The mean loss, and the divergences it is made of: a part of what estimate-j answers (tail.py)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..bounds.intervals import dvoretzky_kiefer_wolfowitz
from ..core.arrays import Floats
from ..core.eta import Eta, Law
from ..core.finding import Bound, Finding
from ..core.settings import Settings
from ..measures import loss
from . import assumptions, releases
from .intervals import Losses, Prior
from .releases import Known

METHOD = "dvoretzky-kiefer-wolfowitz"
NO_UPPER = "no upper limit: people who were not asked may lose any amount"


def findings(
    losses: Losses, law: Law, prior: Prior, known: Known, eta: Eta, settings: Settings, miss: float, certified: float
) -> Iterator[Finding]:
    """Mean loss for each mechanism and the divergences: one limit, for E feature_loss, serves them all, because what a
    release adds on average follows from p. losses: without tilt; certified: that mean is at least so much."""
    said = (*assumptions.stated(eta, settings), NO_UPPER)
    # E feature_loss is a divergence (ERRATA A10), so never below 0.
    floor = min(float(loss.feature_loss(loss.lowest_eta(p), p)) for p in (prior.low, prior.high))
    limits = (dvoretzky_kiefer_wolfowitz.mean_lower(low, floor, losses.wrong, miss) for low in losses.rows.low)
    mean, least = max(certified, 0.0, _mean(losses.weight, losses.value)), max(certified, 0.0, min(limits))
    # I = E feature_loss + h(p)
    of_prior, smallest = loss.feature_loss([prior.p, np.clip(0.5, prior.low, prior.high)], 0.5).tolist()
    jeffreys = max(_mean(law.weight, loss.feature_loss(law.eta[:, 1], 0.5)), of_prior, least + smallest)

    def bound(estimate: float, low: float) -> Bound:
        return Bound(estimate, min(low, estimate), math.inf, eta.queries, METHOD, said)

    positive = law.mean(law.eta[:, 1])
    for mechanism, noise in known:
        of_release = bound(mean + noise.mean(positive), least + prior.least(noise.mean))
        yield releases.finding("mean_loss", of_release, settings, mechanism)
    yield releases.finding("jeffreys", bound(jeffreys, least + smallest), settings)
    yield releases.finding("weighted_jeffreys", bound(mean, least), settings)
    yield releases.finding("mean_loss", bound(mean, least), settings, at=releases.ALONE)
    yield releases.by_definition("mean_loss", math.inf, eta.queries, settings)


def _mean(weight: Floats, value: Floats) -> float:
    """What has no weight counts nothing, not even infinity."""
    return float((weight[weight > 0] * value[weight > 0]).sum())
