"""nu-max: the largest privacy loss anybody can have (001, Theorem 1 and Table 2, repaired by ERRATA A9).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta 65 %, certificates 25 % (certificates.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..core.budget import PRIOR_SHARE, RADII_SHARE, Budget
from ..core.eta import Eta
from ..core.finding import Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..core.table import Table
from ..measures.loss import NOTHING_SAID
from . import assumptions, baselines, certificates, eta_ends, intervals, releases
from .contract import Evidence, positive_index

ETA_SHARE = 0.65


def findings(table: Table, eta: Eta, settings: Settings, budget: Budget, asked: Sequence[Mechanism]) -> list[Finding]:
    positive = positive_index(table)
    wide = assumptions.widening(eta, settings, budget.spend("radii", RADII_SHARE))
    box = intervals.for_extremes(table, eta, positive, budget.spend("eta", ETA_SHARE), wide)
    prior = intervals.of_prior(table, positive, budget.spend("p", PRIOR_SHARE))
    known, unknown = releases.by_loss("nu_max", asked, settings, eta.queries)
    sure = budget.part("certificates", certificates.SHARE)
    return [
        *eta_ends.of_eta(box, eta, settings),
        *eta_ends.of_log_ratios(box, eta, settings),
        *(eta_ends.of_nu_max(box, prior, eta, one, noise, settings) for one, noise in known),
        eta_ends.of_nu_max(box, prior, eta, None, NOTHING_SAID, settings),
        baselines.by_definition("nu_max", math.inf, eta.queries, settings),
        *(certificates.of_worst(table, eta, prior, known, settings, sure) if settings.certify else ()),
        *unknown,
    ]


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    return findings(evidence.table, evidence.eta, settings, budget, evidence.mechanisms)
