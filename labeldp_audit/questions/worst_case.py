"""nu-max: the largest privacy loss anybody can have (001, Theorem 1 and Table 2, repaired by ERRATA A9).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta 65 %, certificates 25 % (certificates.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.budget import PRIOR_SHARE, RADII_SHARE
from ..core.eta import Eta
from ..core.finding import Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..core.table import Table
from . import assumptions, certificates, extremes, intervals, releases
from .contract import Evidence, Question, positive_index
from .quantities import CERTIFIED_NU_MAX, ETA_MAX, ETA_MIN, LOG_RATIO_MAX, LOG_RATIO_MIN, NU_MAX

ETA_SHARE = 0.65

QUANTITIES = (
    ETA_MIN, ETA_MAX, LOG_RATIO_MIN, LOG_RATIO_MAX, NU_MAX, CERTIFIED_NU_MAX,
)  # fmt: skip


def findings(table: Table, eta: Eta, settings: Settings, asked: Sequence[Mechanism]) -> list[Finding]:
    positive = positive_index(table)
    miss = 1 - settings.confidence
    wide = assumptions.widening(eta, settings, RADII_SHARE * miss)
    box = intervals.for_extremes(table, eta, positive, ETA_SHARE * miss, wide)
    prior = intervals.of_prior(table, positive, PRIOR_SHARE * miss)
    known, unknown = releases.by_loss("nu_max", asked, settings, eta.queries)
    sure = certificates.SHARE * miss
    return [
        *extremes.of_eta(box, eta, settings),
        *extremes.of_log_ratios(box, eta, settings),
        *(extremes.of_nu_max(box, prior, eta, one, noise, settings) for one, noise in known),
        *(certificates.of_worst(table, eta, prior, known, settings, sure) if settings.certify else ()),
        *unknown,
    ]


def answer(evidence: Evidence, settings: Settings) -> list[Finding]:
    return findings(evidence.table, evidence.eta, settings, evidence.mechanisms)


QUESTION = Question(QUANTITIES, lambda classes: classes == 2, answer)
