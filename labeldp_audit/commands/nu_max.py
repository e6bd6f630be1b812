"""nu-max: the largest privacy loss anybody can have (001, Theorem 1 and Table 2, repaired by ERRATA A9).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta 65 %, certificates 25 % (certificates.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import engine
from ..mechanisms.contract import Mechanism
from ..model import Eta, Finding, Report, Table
from . import certificates, extremes, intervals, reporting
from .before import positive_index, read_and_estimate
from .settings import Settings

NAME = "nu-max"
ETA_SHARE = 0.65
QUANTITIES = ("eta_min", "eta_max", "log_ratio_min", "log_ratio_max", "nu_max", "certified_nu_max")


def run(data: str, settings: Settings, progress: engine.Progress) -> Report:
    asked = reporting.mechanisms(settings)
    reporting.check_losses(asked)
    table, eta = read_and_estimate(data, settings, progress, halves=settings.certify)
    return reporting.build(NAME, table, eta, settings, findings(table, eta, settings, asked))


def findings(table: Table, eta: Eta, settings: Settings, asked: Sequence[Mechanism]) -> list[Finding]:
    positive = positive_index(table)
    miss = 1 - settings.confidence
    wide = reporting.widening(eta, settings, intervals.RADII_SHARE * miss)
    box = intervals.for_extremes(table, eta, positive, ETA_SHARE * miss, wide)
    prior = intervals.of_prior(table, positive, intervals.PRIOR_SHARE * miss)
    known, unknown = reporting.by_loss("nu_max", asked, settings, eta.queries)
    sure = certificates.SHARE * miss
    return [
        *extremes.of_eta(box, eta, settings),
        *extremes.of_log_ratios(box, eta, settings),
        *(extremes.of_nu_max(box, prior, eta, one, epsilon, settings) for one, epsilon in known),
        *(certificates.of_worst(table, eta, prior, known, settings, sure) if settings.certify else ()),
        *unknown,
    ]
