"""How often labels are guessed from the features alone, as findings: with limits, and the bracket of two estimates.

On average the neighbours' own certainty (plug-in) is too high and the success of the majority among them
(leave-one-out) too low (CERTIFICATES d): the noise of k labels makes the one look and the other be mistaken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds import clopper_pearson, hoeffding
from ..bounds.mistakes import tolerated
from ..measures import guess
from ..model import Bound, Eta, Finding, Floats, Table
from . import certified, intervals, reporting
from .settings import Settings

NO_LIMITS = (
    "no interval: on average the truth lies between leave-one-out and plug-in, where eta is even among neighbours"
)


@dataclass(frozen=True)
class Features:
    """What the best guess from the features alone is worth and what it misses, with limits."""

    payoff: Floats
    right: Bound
    missed_high: float  # assumes nothing about eta
    total: tuple[float, float]  # limits of what whoever knows all labels gets


def payoff(table: Table, settings: Settings) -> Floats:
    if settings.utility == "balanced":
        return guess.balanced(table.dataset.prior)
    return np.ones(len(table.dataset.classes))


def of_features(
    table: Table, eta: Eta, estimate: float, method: str, paid: Floats, settings: Settings, miss: float
) -> Features:
    """Half of the miss for what is missed, a tenth each for two limits about p, and the rest for the upper limit."""
    missed = certified.missed(table, eta, paid, 0.5 * miss)
    total = certified.total(table, paid, 0.1 * miss)
    least = max(total[0] - missed, always_one_class(table, paid, 0.1 * miss))
    most = min(total[1], _most(eta, paid, settings, 0.3 * miss))
    said = (*reporting.assumptions(eta, settings), f"lower limit {certified.SURE}")
    estimate = min(max(estimate, float((paid * table.dataset.prior).max())), total[1])
    bound = Bound(estimate, min(least, estimate), max(most, estimate), eta.queries, method, said)
    return Features(paid, bound, missed, total)


def always_one_class(table: Table, paid: Floats, miss: float) -> float:
    """Lower limit of what the best constant guess is worth."""
    data = table.dataset
    low = clopper_pearson.lower(np.array(data.class_counts), data.rows_used, miss / len(paid))
    return float((paid * low).max())


def _most(eta: Eta, paid: Floats, settings: Settings, miss: float) -> float:
    """Upper limit: no neighbourhood is more telling than its interval allows."""
    mistakes = tolerated(eta.queries, miss / (2 * len(paid)))
    wide = reporting.widening(eta, settings, intervals.RADII_SHARE * (1 - settings.confidence))
    boxes = [intervals.of_eta(eta, c, mistakes, wide) for c in range(len(paid))]
    worth = np.max([box.high * value for box, value in zip(boxes, paid, strict=True)], axis=0)
    worth = np.minimum(worth, paid.max())
    wrong = sum(box.wrong for box in boxes)
    least = guess.least_worth(paid)
    return hoeffding.mean_limits(np.full(len(worth), least), worth, least, float(paid.max()), wrong, miss / 2)[1]


def bracket(table: Table, eta: Eta, paid: Floats, settings: Settings) -> list[Finding]:
    """Two estimates between which the truth is on average, if eta is even inside neighbourhoods."""
    labels = table.labels[eta.rows]
    judged = float(guess.right(eta.probability, labels, paid).mean())
    plugged = float(guess.worth(eta.probability, paid).mean())
    said = (*reporting.assumptions(eta, settings), NO_LIMITS)
    return [
        Finding(quantity, Bound(value, None, None, eta.queries, method, said), settings.confidence)
        for quantity, value, method in (
            ("leave_one_out_utility", judged, "success of the best guess on labels it was made without"),
            ("plug_in_utility", plugged, "mean certainty of the best guess"),
        )
    ]
