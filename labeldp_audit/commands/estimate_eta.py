"""estimate-eta: what the features alone tell about each label.

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta behind the extremes 43 %, the utility of the best guess 22 %, certificates 25 %
(certified_guesses.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import engine
from ..model import Eta, Finding, Report, Table
from . import beliefs, certificates, certified_guesses, extremes, given, intervals, payoffs, reporting, utility
from .before import read_and_estimate
from .settings import Settings

NAME = "estimate-eta"
EXTREMES_SHARE = 0.43
UTILITY_SHARE = 0.22


def run(data: str, settings: Settings, progress: engine.Progress) -> tuple[Report, given.Rows]:
    """The report, and a row for each query."""
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    return reporting.build(NAME, table, eta, settings, findings(table, eta, settings)), given.Rows(
        given.to_rows(table, eta), given.about(table, eta, settings)
    )


def findings(table: Table, eta: Eta, settings: Settings) -> list[Finding]:
    miss = 1 - settings.confidence
    paid, belief = payoffs.of(table, settings, intervals.PRIOR_SHARE * miss), beliefs.of(table, eta)
    features = utility.of_features(
        table, eta, belief.uninformed(paid.paid), belief.method, paid, settings, UTILITY_SHARE * miss
    )
    sure = certificates.SHARE * miss
    known = certified_guesses.doubt(table, eta, features, paid, sure) if settings.certify else None
    features = features if known is None else certified_guesses.sharper(features, known)
    return [
        *extremes_of(table, eta, settings, EXTREMES_SHARE * miss),
        Finding("uninformed_utility", features.right, settings.confidence),
        *utility.bracket(table, eta, paid, settings),
        *certified_guesses.uninformed(known, eta, paid, settings, sure),
    ]


def extremes_of(table: Table, eta: Eta, settings: Settings, miss: float) -> Iterator[Finding]:
    """Of the positive class, or of each where there are more than two."""
    classes = table.dataset.classes
    wide = reporting.widening(eta, settings, intervals.RADII_SHARE * (1 - settings.confidence))
    asked = [1] if len(classes) == 2 else range(len(classes))
    for c in asked:
        box = intervals.for_extremes(table, eta, c, miss / len(asked), wide)
        yield from extremes.of_eta(box, eta, settings, {} if len(classes) == 2 else {"class": classes[c]})
