"""What a release adds to the best guess, as findings with limits.

The upper limit of an advantage assumes nothing about eta: what the release can add is bounded by what the best guess
from the features misses, and that by what guesses were seen to miss. A lower limit needs eta; without assumptions it
is 0 (CERTIFICATES, Proposition).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..bounds import hoeffding
from ..measures import guess
from ..measures.advantage import Gain
from ..mechanisms.contract import Mechanism
from ..model import Bound, Eta, Finding, Floats, Table
from . import ceilings, certified, reporting
from .intervals import Intervals
from .settings import Settings
from .utility import Features

NO_LOWER = "no lower limit is known for bags of people whose eta is estimated"


@dataclass(frozen=True)
class Audit:
    """What every mechanism of a report is judged by."""

    table: Table
    eta: Eta
    settings: Settings
    features: Features
    box: Intervals | None  # of eta, for two classes

    @property
    def payoff(self) -> Floats:
        return self.features.payoff

    def finding(self, quantity: str, bound: Bound, mechanism: Mechanism) -> Finding:
        return Finding(quantity, bound, self.settings.confidence, mechanism.spec, mechanism.at())


def findings(audit: Audit, mechanism: Mechanism, gain: Gain, method: str, miss: float) -> tuple[Finding, Finding]:
    """The informed utility and the advantage; half of the miss for each."""
    added = advantage(audit, mechanism, gain, method, miss / 2)
    told = informed(audit, mechanism, added, miss / 2)
    return audit.finding("informed_utility", told, mechanism), audit.finding("advantage", added, mechanism)


def advantage(audit: Audit, mechanism: Mechanism, gain: Gain, method: str, miss: float) -> Bound:
    high = ceilings.surely(mechanism, audit.features.missed_high, audit.payoff)
    estimate = min(gain.mean, high)
    low = min(lower(audit, mechanism, gain, miss), estimate)
    said = [*reporting.assumptions(audit.eta, audit.settings), f"upper limit {certified.SURE}"]
    if mechanism.bag > 1 and audit.eta.counts is not None:
        said.append(NO_LOWER)
    error = gain.standard_error if gain.bags else None
    return Bound(estimate, low, high, audit.eta.queries, method, tuple(said), standard_error=error)


def lower(audit: Audit, mechanism: Mechanism, gain: Gain, miss: float) -> float:
    if audit.eta.counts is None:
        return _of_given(audit, mechanism, gain, miss)
    return 0.0 if audit.box is None or mechanism.bag > 1 else _of_records(audit, audit.box, mechanism, miss)


def _of_records(audit: Audit, box: Intervals, mechanism: Mechanism, miss: float) -> float:
    """The gain of one record rises with eta up to where both guesses are worth the same, then falls: it is 0 at both
    ends, never negative, and convex on either side. So it is least at an end of each interval."""
    least = np.minimum(_gain(mechanism, box.low, audit.payoff), _gain(mechanism, box.high, audit.payoff))
    turn = audit.payoff[0] / audit.payoff.sum()
    [most] = _gain(mechanism, np.array([turn]), audit.payoff)
    return hoeffding.mean_limits(least, least, 0.0, float(most), box.wrong, miss)[0]


def _gain(mechanism: Mechanism, eta: Floats, payoff: Floats) -> Floats:
    gain = mechanism.gain(np.stack([1 - eta, eta], axis=1)[:, None], payoff)
    return np.zeros(len(eta)) if gain is None else gain[:, 0]


def _of_given(audit: Audit, mechanism: Mechanism, gain: Gain, miss: float) -> float:
    """What the sample leaves open: n / k bags can be made of the rows, and their mean gain is at least 0.

    By the spread of the bags drawn, or by the range of gains where they were added up (Hoeffding 1963, section 5b).
    """
    bags = audit.eta.queries // mechanism.bag
    if bags == 0:
        return 0.0
    if gain.bags:
        from scipy.special import ndtri

        slack = -float(ndtri(miss)) * gain.spread * math.sqrt(1 / gain.bags + 1 / bags)
    else:
        most = mechanism.total_variation(len(audit.payoff)) * guess.most_missed(audit.payoff)
        slack = most * math.sqrt(math.log(1 / miss) / (2 * bags))
    return max(0.0, gain.mean - slack)


def informed(audit: Audit, mechanism: Mechanism, added: Bound, miss: float) -> Bound:
    """What an attacker tried in earnest gets, where labels are released one by one; and no less than without."""
    before = audit.features.right
    assert before.estimate is not None and before.low is not None and before.high is not None
    assert added.estimate is not None and added.high is not None
    low = max(before.low, _tried(audit, mechanism, miss))
    high = min(before.high + added.high, audit.features.total[1])
    estimate = min(before.estimate + added.estimate, high)
    said = dict.fromkeys((*before.assumptions, *added.assumptions))
    return Bound(
        estimate, min(low, estimate), high, added.n, added.method, tuple(said), standard_error=added.standard_error
    )


def _tried(audit: Audit, mechanism: Mechanism, miss: float) -> float:
    channel = mechanism.channel(len(audit.payoff))
    if channel is None:
        return 0.0
    missed = certified.missed_after(audit.table, audit.eta, channel, audit.payoff, miss)
    return audit.features.total[0] - missed
