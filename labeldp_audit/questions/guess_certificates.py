"""What attackers surely miss who read the features and the labels of other rows, and what that entitles us to.

The rows are parted by lot, and each row's guess is made without any label of its own part. Given all features and the
labels of the other parts, wrong guesses are independent, so limits on them hold whatever eta is (CERTIFICATES c). No
attacker misses less than the best one: what these miss is an upper limit of what he misses.
"""

from __future__ import annotations

import math

import numpy as np

from ..bounds.certificates.guessed_cells import Guessed
from ..bounds.intervals import clopper_pearson, hoeffding
from ..core.arrays import Floats, Integers
from ..core.eta import Eta
from ..core.table import Table
from ..measures import guess
from .payoffs import Payoffs

_TRIED = "guesses were tried on labels that they were made without"


def sure(eta: Eta) -> str:
    """In words, what these limits assume."""
    if eta.counts is None:
        return "assumes only that the given probabilities were made without these labels, not that they are right"
    return f"without assumptions on eta: {_TRIED}"


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
