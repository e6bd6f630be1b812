"""The extremes of eta and what they mean for the worst-case loss, as findings."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..measures import worst_case
from ..measures.loss import Noise
from . import assumptions, baselines
from .intervals import Ends, Extremes, Prior

METHOD, OF_GIVEN = "simultaneous clopper-pearson", "extremes of the given probabilities"
SEEN = "extremes are over the rows asked: somebody with other features may be easier to guess and lose more"

NOWHERE: Mapping[str, str] = {}


def of_eta(found: Extremes, eta: Eta, settings: Settings, at: Mapping[str, str] = NOWHERE) -> list[Finding]:
    return [
        _finding("eta_min", found.smallest, found.least, eta, settings, at=at),
        _finding("eta_max", found.largest, found.most, eta, settings, at=at),
    ]


def of_log_ratios(found: Extremes, eta: Eta, settings: Settings) -> list[Finding]:
    of_min, of_max, (least, most) = worst_case.log_ratio_of_min, worst_case.log_ratio_of_max, (found.least, found.most)
    return [
        _finding("log_ratio_min", of_min(found.smallest), (of_min(least[1]), of_min(least[0])), eta, settings),
        _finding("log_ratio_max", of_max(found.largest), (of_max(most[0]), of_max(most[1])), eta, settings),
    ]


def of_nu_max(
    found: Extremes, prior: Prior, eta: Eta, mechanism: Mechanism | None, noise: Noise, settings: Settings,
) -> Finding:  # fmt: skip
    """No mechanism: of the features alone."""
    ratios = worst_case.log_ratio_of_min(found.smallest), worst_case.log_ratio_of_max(found.largest)
    estimate = worst_case.nu_max(*ratios, prior.p, noise)
    limits = worst_case.nu_max_interval(found.least, found.most, (prior.low, prior.high), noise)
    return _finding("nu_max", estimate, limits, eta, settings, mechanism, NOWHERE if mechanism else baselines.ALONE)


def _finding(
    quantity: str, estimate: float, limits: Ends, eta: Eta, settings: Settings,
    mechanism: Mechanism | None = None, at: Mapping[str, str] = NOWHERE,
) -> Finding:  # fmt: skip
    method = OF_GIVEN if eta.counts is None else METHOD
    bound = Bound(estimate, *limits, eta.queries, method, (*assumptions.stated(eta, settings), SEEN))
    if mechanism is None:
        return Finding(quantity, bound, settings.confidence, at=at)
    return Finding(quantity, bound, settings.confidence, mechanism.spec, mechanism.at())
