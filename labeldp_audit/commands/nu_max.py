"""nu-max: the largest privacy loss anybody can have (001, Theorem 1 and Table 2, repaired by ERRATA A9)."""

from __future__ import annotations

from .. import engine
from ..bounds.mistakes import simultaneous
from ..model import Report
from . import extremes, intervals, reporting
from .before import positive_index, read_and_estimate
from .settings import Settings

NAME = "nu-max"


def run(data: str, settings: Settings, progress: engine.Progress) -> Report:
    mechanisms = reporting.mechanisms(settings)
    vouched = reporting.smoothness(settings) is not None
    table, eta = read_and_estimate(data, settings, progress)
    positive = positive_index(table)
    miss = 1 - settings.confidence
    wide = reporting.widening(eta, settings, intervals.SMOOTH_SHARE * miss)
    rest = 1 - intervals.PRIOR_SHARE - (intervals.SMOOTH_SHARE if vouched else 0)
    mistakes = simultaneous(eta.queries, rest * miss)
    box = intervals.of(table, eta, positive, mistakes, wide, intervals.PRIOR_SHARE * miss)
    findings = [
        *extremes.of_eta(box, eta, settings),
        *extremes.of_log_ratios(box, eta, settings),
        *(extremes.of_nu_max(box, eta, mechanism, settings) for mechanism in mechanisms),
    ]
    return reporting.build(NAME, table, eta, settings, findings)
