"""What a release adds to the best guess, as findings with limits.

The upper limit of an advantage assumes nothing about eta: what the release can add is bounded by what the best guess
from the features misses, and that by what guesses were seen to miss. A lower limit needs eta; without assumptions it
is 0 (CERTIFICATES, Proposition).
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

from ..bounds.intervals import hoeffding
from ..bounds.published import advantage_ceilings
from ..core.arrays import Floats
from ..core.budget import Budget
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..core.table import Table
from ..measures import guess
from ..measures.advantage import Gain
from . import assumptions, certified_guesses, guess_certificates, published_bounds
from .certified_guesses import Doubt
from .guessing import Features
from .intervals import Intervals, Prior
from .payoffs import Payoffs

NO_LOWER = "no lower limit is known for bags of people whose eta is estimated"
NORMAL = "the lower limit takes the error of drawing bags as normal"


@dataclass(frozen=True)
class Audit:
    """What every mechanism of a report is judged by."""

    table: Table
    eta: Eta
    settings: Settings
    features: Features
    payoffs: Payoffs
    prior: Prior
    box: Intervals | None  # of eta, for two classes
    known: Doubt | None = None  # what is certified

    def finding(self, quantity: str, bound: Bound, mechanism: Mechanism) -> Finding:
        return Finding(
            quantity, bound, self.settings.confidence, mechanism.spec, mechanism.at(),
            mechanism.claim(len(self.payoffs.paid)), mechanism.bag,
        )  # fmt: skip


def findings(
    audit: Audit, mechanism: Mechanism, gain: Gain, method: str, sure: Budget, miss: float, sharing: int
) -> list[Finding]:
    """The informed utility and the advantage, half of the miss for what the latter is at least, a quarter for either
    end of the former; and what is certified of them."""
    added, tried = advantage(audit, mechanism, gain, method, miss / 2), _tried(audit, mechanism, miss / 4)
    most = _most_informed(audit, mechanism, miss / 4)
    bounds = {"informed_utility": informed(audit, added, tried, most), "advantage": added}
    if audit.known is not None:
        assert added.high is not None
        bounds["certified_informed_utility"] = certified_guesses.informed(audit.known, tried, audit.eta, audit.settings)
        bounds["certified_advantage"] = certified_guesses.added(
            mechanism, audit.known, added.high, audit.eta, audit.settings, certified_guesses.of_each(sure, sharing)
        )
    return [audit.finding(quantity, bound, mechanism) for quantity, bound in bounds.items()]


def ceiling(audit: Audit, mechanism: Mechanism) -> float:
    """No advantage is larger."""
    missed = audit.features.missed_high
    high = published_bounds.surely(mechanism, missed, audit.payoffs, (audit.prior.low, audit.prior.high))
    claim = mechanism.claim(len(audit.payoffs.paid))
    if audit.known is None or claim is None or not published_bounds.noisy_counts(mechanism, audit.payoffs):
        return high
    return min(high, advantage_ceilings.of_noisy_counts(missed, audit.known.spread_high, mechanism.bag, claim))


def advantage(audit: Audit, mechanism: Mechanism, gain: Gain, method: str, miss: float) -> Bound:
    high = ceiling(audit, mechanism)
    estimate, least = min(gain.mean, high), lower(audit, mechanism, gain, miss)
    low = 0.0 if least > high else min(least, estimate)  # labels refute what the lower limit rests on
    said = [*assumptions.stated(audit.eta, audit.settings), f"upper limit {guess_certificates.sure(audit.eta)}"]
    if mechanism.bag > 1 and audit.eta.counts is not None:
        said.append(NO_LOWER)
    if gain.bags and audit.eta.counts is None:
        said.append(NORMAL)
    error = gain.standard_error if gain.bags else None
    return Bound(estimate, low, high, audit.eta.queries, method, tuple(said), standard_error=error)


def lower(audit: Audit, mechanism: Mechanism, gain: Gain, miss: float) -> float:
    if mechanism.bag == 1 and audit.box is not None:
        return _of_records(audit, audit.box, mechanism, miss)
    return _of_given(audit, mechanism, gain, miss) if audit.eta.counts is None and audit.payoffs.alike else 0.0


def _of_records(audit: Audit, box: Intervals, mechanism: Mechanism, miss: float) -> float:
    """The gain of one record rises with eta up to where both guesses are worth the same, then falls: it is 0 at both
    ends, never negative, and convex on either side. So it is least at an end of the interval of eta, and likewise of
    each payoff's. Where people differ from their averages, what guesses are worth after the release, which is convex
    in eta, is no less than it is at the averages, and before it no more than their variance lets it be."""
    ends = zip(audit.payoffs.low, audit.payoffs.high, strict=True)
    payoffs = [np.array(corner) for corner in dict.fromkeys(itertools.product(*ends))]
    gains = [_gain(mechanism, eta, payoff) for eta in _ends(box) for payoff in payoffs]
    least = functools.reduce(np.minimum, gains)
    if box.people is not None:
        least = least - max(box.people.excess_worth(positive, negative) for negative, positive in payoffs)
    return hoeffding.mean_limits(least, least, 0.0, _most(audit, mechanism), box.wrong, miss)[0]


def _ends(box: Intervals) -> list[Floats]:
    return [box.low] if box.low is box.high else [box.low, box.high]


def _gain(mechanism: Mechanism, eta: Floats, payoff: Floats) -> Floats:
    gain = mechanism.gain(np.stack([1 - eta, eta], axis=1)[:, None], payoff)
    return np.zeros(len(eta)) if gain is None else np.asarray(gain[:, 0])


def _most(audit: Audit, mechanism: Mechanism) -> float:
    """No record gains more, whatever its eta."""
    return mechanism.total_variation(len(audit.payoffs.high)) * guess.most_missed(audit.payoffs.high)


def _of_given(audit: Audit, mechanism: Mechanism, gain: Gain, miss: float) -> float:
    """What the sample leaves open: n / k bags can be made of the rows, and their mean gain is at least 0.

    The mean over all such bags is a U-statistic (Hoeffding 1963, section 5b); drawing some of them adds a normal error.
    A mean that was added up also has bags that hold a row twice, a share of them of at most k (k - 1) / 2n.
    """
    bags = audit.eta.queries // mechanism.bag
    if bags == 0:
        return 0.0
    from scipy.special import ndtri

    twice = 0.0 if gain.bags else min(1.0, mechanism.bag * (mechanism.bag - 1) / (2 * audit.eta.queries))
    slack = _most(audit, mechanism) * (math.sqrt(math.log(2 / miss) / (2 * bags)) + twice)
    return max(0.0, gain.mean - slack + float(ndtri(miss / 2)) * gain.standard_error)


def informed(audit: Audit, added: Bound, tried: float, most: float) -> Bound:
    """What an attacker tried in earnest gets, where labels are released one by one, and no less than without; no more
    than `most`."""
    before = audit.features.right
    assert before.estimate is not None and before.low is not None and before.high is not None
    assert added.estimate is not None and added.high is not None
    low = max(before.low, tried)
    high = max(low, min(before.high + added.high, most))
    estimate = min(before.estimate + added.estimate, high)
    said = dict.fromkeys((*before.assumptions, *added.assumptions))
    return Bound(
        estimate, min(low, estimate), high, added.n, added.method, tuple(said), standard_error=added.standard_error
    )


def _most_informed(audit: Audit, mechanism: Mechanism, miss: float) -> float:
    """Where labels are released one by one. What the best guess is then worth is convex in eta, and rises with each
    payoff: it is largest at an end of the interval of eta, and larger where people differ from averages."""
    channel, most = mechanism.channel(len(audit.payoffs.paid)), float(audit.payoffs.high.max())
    if channel is None or audit.box is None:
        return 1.0
    ends = [guess.worth_after(np.column_stack([1 - eta, eta]), channel, audit.payoffs.high) for eta in _ends(audit.box)]
    worth = functools.reduce(np.maximum, ends)
    if audit.box.people is not None:
        worth = worth + sum(audit.box.people.excess_worth(*said[::-1]) for said in (channel.T * audit.payoffs.high))
    return min(1.0, hoeffding.mean_limits(worth, worth, 0.0, most, audit.box.wrong, miss)[1])


def _tried(audit: Audit, mechanism: Mechanism, miss: float) -> float:
    channel = mechanism.channel(len(audit.payoffs.paid))
    if channel is None:
        return 0.0
    return 1 - guess_certificates.missed_after(audit.table, audit.eta, channel, audit.payoffs, miss)
