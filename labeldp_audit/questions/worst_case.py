"""nu-max: extremes of eta, and the largest loss anybody can have (001, Theorem 1 and Table 2, repaired by ERRATA A9).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta 65 %, certificates 25 % (certificates.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ..core.budget import PRIOR_SHARE, RADII_SHARE, Budget
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..measures import worst_case
from ..measures.loss import NOTHING_SAID, Noise
from . import assumptions, certificates, intervals, releases
from .contract import Evidence
from .intervals import Ends, Extremes, Prior
from .releases import NOWHERE

ETA_SHARE = 0.65
METHOD, OF_GIVEN = "simultaneous clopper-pearson", "extremes of the given probabilities"
SEEN = "extremes are over the rows asked: somebody with other features may be easier to guess and lose more"


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    table, eta = evidence.table, evidence.eta
    wide = assumptions.widening(eta, settings, budget.spend("radii", RADII_SHARE))
    box = intervals.for_extremes(table, eta, 1, budget.spend("eta", ETA_SHARE), wide)
    prior = intervals.of_prior(table, budget.spend("p", PRIOR_SHARE))
    known, unknown = releases.by_loss("nu_max", evidence.mechanisms, settings, eta.queries)
    sure = budget.part("certificates", certificates.SHARE)
    return [
        *of_eta(box, eta, settings),
        *_of_log_ratios(box, eta, settings),
        *(_of_nu_max(box, prior, eta, one, noise, settings) for one, noise in known),
        _of_nu_max(box, prior, eta, None, NOTHING_SAID, settings),
        releases.by_definition("nu_max", math.inf, eta.queries, settings),
        *(certificates.of_worst(table, eta, prior, known, settings, sure) if settings.certify else ()),
        *unknown,
    ]


def of_eta(found: Extremes, eta: Eta, settings: Settings, at: Mapping[str, float | str] = NOWHERE) -> Iterator[Finding]:
    yield releases.finding("eta_min", _bound(found.smallest, found.least, eta, settings), settings, at=at)
    yield releases.finding("eta_max", _bound(found.largest, found.most, eta, settings), settings, at=at)


def _of_log_ratios(found: Extremes, eta: Eta, settings: Settings) -> Iterator[Finding]:
    of_min, of_max, (least, most) = worst_case.log_ratio_of_min, worst_case.log_ratio_of_max, (found.least, found.most)
    low = _bound(of_min(found.smallest), (of_min(least[1]), of_min(least[0])), eta, settings)
    high = _bound(of_max(found.largest), (of_max(most[0]), of_max(most[1])), eta, settings)
    yield releases.finding("log_ratio_min", low, settings)
    yield releases.finding("log_ratio_max", high, settings)


def _of_nu_max(
    found: Extremes, prior: Prior, eta: Eta, mechanism: Mechanism | None, noise: Noise, settings: Settings
) -> Finding:
    """No mechanism: of the features alone."""
    ratios = worst_case.log_ratio_of_min(found.smallest), worst_case.log_ratio_of_max(found.largest)
    limits = worst_case.nu_max_interval(found.least, found.most, (prior.low, prior.high), noise)
    bound = _bound(worst_case.nu_max(*ratios, prior.p, noise), limits, eta, settings)
    return releases.finding("nu_max", bound, settings, mechanism, NOWHERE if mechanism else releases.ALONE)


def _bound(estimate: float, limits: Ends, eta: Eta, settings: Settings) -> Bound:
    method = OF_GIVEN if eta.counts is None else METHOD
    return Bound(estimate, *limits, eta.queries, method, (*assumptions.stated(eta, settings), SEEN))
