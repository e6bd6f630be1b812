"""estimate-eta: what the features alone tell about each label.

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta behind the extremes 43 %, the utility of the best guess 22 %, certificates 25 %
(certified_guesses.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.budget import PRIOR_SHARE, RADII_SHARE
from ..core.eta import Eta
from ..core.finding import Finding
from ..core.settings import Settings
from ..core.table import Table
from ..measures.eta_law import estimated
from . import assumptions, certificates, certified_guesses, extremes, guessing, intervals, payoffs
from .contract import Evidence, Question
from .quantities import ETA_MAX, ETA_MIN

EXTREMES_SHARE = 0.43
UTILITY_SHARE = 0.22
BUT_RADII = 0.95  # of what may be missed, where nothing but the extremes of eta is asked


def findings(table: Table, eta: Eta, settings: Settings) -> list[Finding]:
    miss = 1 - settings.confidence
    paid, belief = payoffs.of(table, settings, PRIOR_SHARE * miss), estimated.of(table, eta)
    features = guessing.of_features(
        table, eta, belief.uninformed(paid.paid), belief.method, paid, settings, UTILITY_SHARE * miss
    )
    sure = certificates.SHARE * miss
    known = certified_guesses.doubt(table, eta, features, paid, sure) if settings.certify else None
    features = features if known is None else certified_guesses.sharper(features, known)
    return [
        *extremes_of(table, eta, settings, EXTREMES_SHARE * miss),
        Finding("uninformed_utility", features.right, settings.confidence),
        *guessing.bracket(table, eta, paid, settings),
        *certified_guesses.uninformed(known, eta, paid, settings, sure),
    ]


def extremes_of(table: Table, eta: Eta, settings: Settings, miss: float) -> Iterator[Finding]:
    """Of the positive class, or of each where there are more than two."""
    classes = table.dataset.classes
    wide = assumptions.widening(eta, settings, RADII_SHARE * (1 - settings.confidence))
    asked = [1] if len(classes) == 2 else range(len(classes))
    for c in asked:
        box = intervals.for_extremes(table, eta, c, miss / len(asked), wide)
        yield from extremes.of_eta(box, eta, settings, {} if len(classes) == 2 else {"class": classes[c]})


def answer(evidence: Evidence, settings: Settings) -> list[Finding]:
    """Of labels with more classes than two: of two, the worst case says it."""
    return list(extremes_of(evidence.table, evidence.eta, settings, BUT_RADII * (1 - settings.confidence)))


QUESTION = Question((ETA_MIN, ETA_MAX), lambda classes: classes > 2, answer)
