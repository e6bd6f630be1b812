"""How often labels are guessed from the features, as findings: with limits, and the bracket of two estimates.

On average the neighbours' own certainty (plug-in) is too high and the success of the majority among them
(leave-one-out) too low (CERTIFICATES d): the noise of k labels makes the one look and the other be mistaken.

What attackers surely miss needs no eta. The rows are parted by lot, and each row's guess is made without any label of
its own part. Given all features and the labels of the other parts, wrong guesses are independent, so limits on them
hold whatever eta is (CERTIFICATES c). No attacker misses less than the best one: what these miss is an upper limit of
what he misses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..bounds.certificates.guessed_cells import Guessed
from ..bounds.intervals import clopper_pearson, hoeffding
from ..bounds.intervals.mistakes import tolerated
from ..core.arrays import Floats, Integers
from ..core.budget import Budget
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.settings import Settings
from ..core.table import Table
from ..measures import guess
from ..measures.eta_law.estimated import Belief
from . import assumptions, intervals

NO_LIMITS = "no interval: too low (leave-one-out) and too high (plug-in) on average, where eta is even among neighbours"
NO_LIMITS_GIVEN = "no interval: both are the same on average where the given probabilities are right"
NO_LIMITS_SCORED = "no interval: both are the same on average where estimates fit the labels"


@dataclass(frozen=True)
class Payoffs:
    """What a right guess of each class is worth, and the limits of that where it depends on how common classes are.
    Knowing all labels is worth 1 on average."""

    paid: Floats  # (C,)
    low: Floats
    high: Floats

    @property
    def alike(self) -> bool:
        return bool(np.all(self.high == self.paid[0]) and np.all(self.low == self.paid[0]))


def payoffs_of(table: Table, settings: Settings, miss: float) -> Payoffs:
    """1, or 1 / (C p_c) with the limits of p_c, which hold together with probability 1 - miss."""
    data = table.dataset
    classes = len(data.classes)
    if settings.utility != "balanced":
        return Payoffs(np.ones(classes), np.ones(classes), np.ones(classes))
    counts, each = np.array(data.class_counts), miss / (2 * classes)
    least, most = (limit(counts, data.rows_used, each) for limit in (clopper_pearson.lower, clopper_pearson.upper))
    return Payoffs(guess.balanced(data.prior), 1 / (classes * most), 1 / (classes * least))


# ---- from the features alone


@dataclass(frozen=True)
class Features:
    """What the best guess from the features alone is worth, and an upper limit of what it misses."""

    right: Bound
    missed_high: float  # assumes nothing about eta


def of_features(
    table: Table, eta: Eta, belief: Belief, payoffs: Payoffs, settings: Settings, wide: float, budget: Budget
) -> Features:
    """wide: how far eta may lie from its neighbourhood's average."""
    always = _always_one_class(table, payoffs, budget.spend("commoner class", 0.1))
    high = min(missed(table, eta, payoffs, budget.spend("missed", 0.6)), 1 - always)
    most = min(1.0, _most(table, eta, payoffs, wide, budget.spend("upper limit", 0.3)))
    said = (*assumptions.stated(eta, settings), f"lower limit {sure(eta)}")
    constant = float(
        max(np.array(table.dataset.prior) * payoffs.paid)
    )  # the best guess is no worse, whatever models say
    estimate = min(max(belief.uninformed(payoffs.paid), constant), 1.0)
    right = Bound(estimate, min(1 - high, estimate), max(most, estimate), eta.queries, belief.method, said)
    return Features(right, high)


def _always_one_class(table: Table, payoffs: Payoffs, miss: float) -> float:
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


def bracket(table: Table, eta: Eta, payoffs: Payoffs, settings: Settings) -> list[Finding]:
    """Two estimates between which the truth is on average, if eta is even inside neighbourhoods."""
    labels, n = table.labels[eta.rows], eta.queries
    judged = min(1.0, float(guess.right(eta.probability, labels, payoffs.paid).mean()))
    plugged = min(1.0, float(guess.worth(eta.probability, payoffs.paid).mean()))
    why = NO_LIMITS_GIVEN if eta.counts is None else NO_LIMITS_SCORED if eta.metric == "score" else NO_LIMITS
    said = (*assumptions.stated(eta, settings), why)
    tried = Bound(judged, None, None, n, "success of the best guess on labels it was made without", said)
    claimed = Bound(plugged, None, None, n, "mean certainty of the best guess", said)
    return [
        Finding("leave_one_out_utility", tried, settings.confidence),
        Finding("plug_in_utility", claimed, settings.confidence),
    ]


# ---- what is surely missed


def sure(eta: Eta) -> str:
    """In words, what limits of what is missed assume."""
    if eta.counts is None:
        return "assumes only that the given probabilities were made without these labels, not that they are right"
    return "without assumptions on eta: guesses were tried on labels that they were made without"


def missed(table: Table, eta: Eta, payoffs: Payoffs, miss: float) -> float:
    """Upper limit of what the best guess from the features alone misses: E [sum_c - max_c] payoff_c P(c | x).

    Payoffs are taken at their upper limits.
    """
    assert eta.unseen is not None
    groups = 1 if payoffs.alike else len(payoffs.high)
    parts = _parts(eta)
    level = -math.expm1(-_miss_each(eta, miss / 2, len(parts) * groups))
    found = 0.0
    for part in parts:
        labels, unseen = table.labels[eta.rows[part]], eta.unseen[part]
        wrong = labels != (unseen * _blind(unseen, payoffs)).argmax(axis=1)
        for c in range(groups):
            counted = wrong if payoffs.alike else wrong & (labels == c)
            limit = clopper_pearson.upper(int(counted.sum()), len(part), level)
            found += payoffs.high[c] * float(limit) * len(part) / eta.queries
    return _of_people(found, payoffs.high, eta.queries, miss / 2)


def guessed(table: Table, eta: Eta, miss: float) -> Guessed:
    """How often guesses are right in each part of the rows, at least."""
    assert eta.unseen is not None
    parts = _parts(eta)
    level = -math.expm1(-_miss_each(eta, miss, len(parts)))
    wrong = [int((table.labels[eta.rows[part]] != eta.unseen[part].argmax(axis=1)).sum()) for part in parts]
    rows = np.array([len(part) for part in parts])
    return Guessed(rows, 1 - clopper_pearson.upper(np.array(wrong), rows, level))


def missed_after(table: Table, eta: Eta, channel: Floats, payoffs: Payoffs, miss: float) -> float:
    """The same for the best guess once each label went through the channel."""
    assert eta.unseen is not None
    found, most, parts = 0.0, float(payoffs.high.max()), _parts(eta)
    for part in parts:
        labels, unseen = table.labels[eta.rows[part]], eta.unseen[part]
        blind = _blind(unseen, payoffs)
        right = guess.right_after(unseen, channel, labels, blind) / blind[labels]
        lost = payoffs.high[labels] * (1 - right) / most
        limit = hoeffding.share_upper(float(lost.mean()), len(part), _miss_each(eta, miss / 2, len(parts)))
        found += most * limit * len(part) / eta.queries
    return _of_people(found, payoffs.high, eta.queries, miss / 2)


def _miss_each(eta: Eta, miss: float, limits: int) -> float:
    """What each limit may miss: labels that judge chose whose guesses these are, so those of every choice must hold."""
    return miss / (limits * eta.choices)


def _parts(eta: Eta) -> list[Integers]:
    """The rows of each part; one part where all guesses come from elsewhere."""
    assert eta.part is not None
    return [np.flatnonzero(eta.part == part) for part in np.unique(eta.part)]


def _blind(unseen: Floats, payoffs: Payoffs) -> Floats:
    """What guesses go by, made without the labels that judge them: shares of the classes come from `unseen` too."""
    return payoffs.paid if payoffs.alike else guess.balanced(unseen.mean(axis=0).clip(min=1e-300).tolist())


def _of_people(mean: float, payoff: Floats, q: int, miss: float) -> float:
    """From the mean over the rows asked to the mean over people (Hoeffding 1963, Theorem 1)."""
    most = guess.most_missed(payoff)
    return most * hoeffding.share_upper(min(1.0, mean / most), q, miss)
