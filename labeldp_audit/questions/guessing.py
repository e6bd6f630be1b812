"""How often labels are guessed from the features alone, as findings: with limits, and the bracket of two estimates.

On average the neighbours' own certainty (plug-in) is too high and the success of the majority among them
(leave-one-out) too low (CERTIFICATES d): the noise of k labels makes the one look and the other be mistaken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds.intervals import clopper_pearson, hoeffding
from ..bounds.intervals.mistakes import tolerated
from ..core.budget import Budget
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.settings import Settings
from ..core.table import Table
from ..measures import guess
from ..measures.eta_law.estimated import Belief
from . import assumptions, guess_certificates, intervals
from .payoffs import Payoffs

NO_LIMITS = "no interval: too low (leave-one-out) and too high (plug-in) on average, where eta is even among neighbours"
NO_LIMITS_GIVEN = "no interval: both are the same on average where the given probabilities are right"
NO_LIMITS_SCORED = "no interval: both are the same on average where estimates fit the labels"


@dataclass(frozen=True)
class Features:
    """What the best guess from the features alone is worth, and an upper limit of what it misses."""

    right: Bound
    missed_high: float  # assumes nothing about eta


def of_features(
    table: Table, eta: Eta, belief: Belief, payoffs: Payoffs, settings: Settings, wide: float, budget: Budget
) -> Features:
    """wide: how far eta may lie from its neighbourhood's average."""
    always = always_one_class(table, payoffs, budget.spend("commoner class", 0.1))
    missed = min(guess_certificates.missed(table, eta, payoffs, budget.spend("missed", 0.6)), 1 - always)
    least = 1 - missed
    most = min(1.0, _most(table, eta, payoffs, wide, budget.spend("upper limit", 0.3)))
    said = (*assumptions.stated(eta, settings), f"lower limit {guess_certificates.sure(eta)}")
    constant = float(max(np.array(table.dataset.prior) * payoffs.paid))  # nobody guesses worse, whatever models say
    estimate = min(max(belief.uninformed(payoffs.paid), constant), 1.0)
    right = Bound(estimate, min(least, estimate), max(most, estimate), eta.queries, belief.method, said)
    return Features(right, missed)


def always_one_class(table: Table, payoffs: Payoffs, miss: float) -> float:
    """Lower limit of what the best constant guess is worth."""
    if not payoffs.alike:
        return 1 / len(payoffs.paid)
    data = table.dataset
    return float(clopper_pearson.lower(np.array(data.class_counts), data.rows_used, miss / len(payoffs.paid)).max())


def _most(table: Table, eta: Eta, payoffs: Payoffs, wide: float, miss: float) -> float:
    """Upper limit: no neighbourhood is more telling than its interval allows."""
    if len(payoffs.high) == 2:
        box = intervals.for_shares(table, eta, miss / 2, wide)
        limits, wrong = [1 - box.low, box.high], box.wrong
        more = 0.0 if box.people is None else box.people.excess_worth(payoffs.high[1], payoffs.high[0])
    else:
        mistakes = tolerated(eta.queries, miss / (2 * len(payoffs.high)))
        boxes = [intervals.of_windows(eta, c, mistakes, wide) for c in range(len(payoffs.high))]
        limits, wrong, more = [box.high for box in boxes], sum(box.wrong for box in boxes), 0.0
    worth = np.max([limit * value for limit, value in zip(limits, payoffs.high, strict=True)], axis=0)
    least, most = guess.least_worth(payoffs.low), float(payoffs.high.max())
    return hoeffding.mean_limits(np.full(len(worth), least), worth + more, least, most, wrong, miss / 2)[1]


def _no_limits(eta: Eta) -> str:
    if eta.counts is None:
        return NO_LIMITS_GIVEN
    return NO_LIMITS_SCORED if eta.metric == "score" else NO_LIMITS


def bracket(table: Table, eta: Eta, payoffs: Payoffs, settings: Settings) -> list[Finding]:
    """Two estimates between which the truth is on average, if eta is even inside neighbourhoods."""
    labels = table.labels[eta.rows]
    judged = min(1.0, float(guess.right(eta.probability, labels, payoffs.paid).mean()))
    plugged = min(1.0, float(guess.worth(eta.probability, payoffs.paid).mean()))
    said = (*assumptions.stated(eta, settings), _no_limits(eta))
    return [
        Finding(quantity, Bound(value, None, None, eta.queries, method, said), settings.confidence)
        for quantity, value, method in (
            ("leave_one_out_utility", judged, "success of the best guess on labels it was made without"),
            ("plug_in_utility", plugged, "mean certainty of the best guess"),
        )
    ]
