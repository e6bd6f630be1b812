"""estimate-eta: what the features alone tell about each label.

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta behind the extremes 43 %, the utility of the best guess 22 %, certificates 25 %
(certified_guesses.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.budget import PRIOR_SHARE, RADII_SHARE, Budget
from ..core.eta import Eta
from ..core.finding import Finding
from ..core.settings import Settings
from ..core.table import Table
from ..measures.eta_law import estimated
from . import assumptions, certificates, certified_guesses, guessing, intervals, worst_case
from .contract import Evidence

EXTREMES_SHARE = 0.43
UTILITY_SHARE = 0.22
BUT_RADII = 0.95  # of what may be missed, where nothing but the extremes of eta is asked


def everything(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    """The answer of the command, which has guesses as well; an audit has these from its question about advantages."""
    table, eta = evidence.table, evidence.eta
    paid = guessing.payoffs_of(table, settings, budget.spend("p", PRIOR_SHARE))
    wide = assumptions.widening(eta, settings, budget.spend("radii", RADII_SHARE))
    belief, of_guesses = estimated.belief_of(table, eta), budget.part("guesses", UTILITY_SHARE)
    features = guessing.of_features(table, eta, belief, paid, settings, wide, of_guesses)
    sure = budget.part("certificates", certificates.SHARE)
    known, features = certified_guesses.doubt(table, eta, features, paid, settings, sure)
    return [
        *_extremes(table, eta, settings, wide, budget.spend("eta", EXTREMES_SHARE)),
        Finding("uninformed_utility", features.right, settings.confidence),
        *guessing.bracket(table, eta, paid, settings),
        *certified_guesses.uninformed(known, eta, paid, settings, sure),
    ]


def _extremes(table: Table, eta: Eta, settings: Settings, wide: float, miss: float) -> Iterator[Finding]:
    """The ends of the positive class, or of each class where there are more than two."""
    classes = table.dataset.classes
    asked = [1] if len(classes) == 2 else range(len(classes))
    for c in asked:
        box = intervals.for_extremes(table, eta, c, miss / len(asked), wide)
        yield from worst_case.of_eta(box, eta, settings, {} if len(classes) == 2 else {"class": classes[c]})


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    """Answers for labels with more than two classes; for two, the worst case says it."""
    wide = assumptions.widening(evidence.eta, settings, budget.spend("radii", RADII_SHARE))
    return list(_extremes(evidence.table, evidence.eta, settings, wide, budget.spend("eta", BUT_RADII)))
