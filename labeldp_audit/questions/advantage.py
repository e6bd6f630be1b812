"""advantage: how much better the best attacker guesses a label once the release is out (003, sections 3 and 6).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
best guess from the features 29 %, the intervals of eta behind lower limits 7 %, advantages and informed utilities
29 %, certificates 25 % (certified_guesses.py).

The upper limit of an advantage assumes nothing about eta: what the release can add is bounded by what the best guess
from the features misses, and that by what guesses were seen to miss. A lower limit needs eta; without assumptions it
is 0 (CERTIFICATES, Proposition).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bounds.intervals import hoeffding
from ..bounds.published import advantage_ceilings
from ..core.arrays import Floats
from ..core.budget import PRIOR_SHARE, RADII_SHARE, Budget
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.settings import Settings
from ..core.table import Table
from ..measures import guess
from ..measures.advantage import Gain
from ..measures.eta_law import estimated
from ..measures.eta_law.estimated import Belief
from . import (
    advantage_gains,
    assumptions,
    certificates,
    certified_guesses,
    guessing,
    intervals,
    published_bounds,
    releases,
    telling_columns,
)
from .certified_guesses import Doubt
from .contract import Evidence
from .guessing import Features, Payoffs
from .intervals import Intervals, Prior

FEATURES_SHARE = 0.29
ETA_SHARE = 0.07
GAIN_SHARE = 0.29
CEILING = "bound at the estimated law of eta; limits over all that may be true"
FOOTING = "the same estimated law of eta on both sides, a comparison on this table"
NO_LIMITS = "no interval: nothing says how far another law of eta, as likely as this one, would move it"
NEARLY_ALL = 0.99  # of the labels: features that tell more give them away
QUANTILES = (0.5, 0.9, 0.99)
NO_LOWER = "no lower limit is known for bags of people whose eta is estimated"
NORMAL = "the lower limit takes the error of drawing bags as normal"


@dataclass(frozen=True)
class Audit:
    """What every mechanism of a report is judged by."""

    table: Table
    eta: Eta
    settings: Settings
    belief: Belief
    features: Features
    payoffs: Payoffs
    prior: Prior
    box: Intervals | None  # of eta, for two classes
    known: Doubt | None  # what is certified


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    """Without what papers say of mechanisms and what protects alike where each is judged alone."""
    table, eta = evidence.table, evidence.eta
    spoken = {one.spec for one in evidence.mechanisms}
    asked = [*evidence.mechanisms, *(one for one in evidence.compared if one.spec not in spoken)]
    fit = [one for one in asked if not unfit(one, table)]
    belief = estimated.belief_of(table, eta)
    of_payoffs = budget.spend("p of payoffs", PRIOR_SHARE / 2)
    paid = guessing.payoffs_of(table, settings, of_payoffs)
    if (balanced := paid).alike:  # which needs no limits of the shares of classes
        balanced = guessing.payoffs_of(table, replace(settings, utility="balanced"), of_payoffs)
    wide = assumptions.widening(eta, settings, budget.spend("radii", RADII_SHARE))
    of_guesses, of_eta = budget.part("guesses", FEATURES_SHARE), budget.spend("eta", ETA_SHARE)
    features = guessing.of_features(table, eta, belief, paid, settings, wide, of_guesses)
    box = intervals.for_shares(table, eta, of_eta, wide) if evidence.classes == 2 else None
    prior = intervals.of_prior(table, budget.spend("p", PRIOR_SHARE / 2))
    sure = budget.part("certificates", certificates.SHARE)
    known, features = certified_guesses.doubt(table, eta, features, paid, settings, sure)
    audit = Audit(table, eta, settings, belief, features, paid, prior, box, known)
    gains = advantage_gains.gains_of(fit, belief, paid.paid, settings, evidence.progress)
    sharing = 1 if evidence.alone else len(fit)
    of_advantages = budget.spend("advantages", GAIN_SHARE)
    certified = certified_guesses.uninformed(known, eta, paid, settings, sure)
    increased = [
        found for one in fit for found in increase(audit, one, gains[one.spec], sure, of_advantages / sharing, sharing)
    ]
    return [
        *_given_away(audit, balanced, settings),
        Finding("uninformed_utility", features.right, settings.confidence),
        *guessing.bracket(table, eta, paid, settings),
        *certified,
        *increased,
        *(() if evidence.alone else _bounds(audit, fit, increased)),
        *(() if evidence.alone else _odds(audit, fit, evidence.progress)),
        *(_same(audit, fit, gains) if evidence.classes == 2 and not evidence.alone else ()),
        *_baselines([("", features.right), *(("certified_", one.bound) for one in certified)], eta, settings),
        *(
            releases.absent("advantage", one, reason, settings, eta.queries)
            for one in asked
            if (reason := unfit(one, table))
        ),
    ]


def _given_away(audit: Audit, balanced: Payoffs, settings: Settings) -> Iterator[Finding]:
    """Yield the certified share of labels that features alone tell, each class counted alike, where that is nearly all.

    The best guess misses no more of a payoff than its largest value times the share of labels that it misses.
    """
    most = float(balanced.high.max()) if audit.payoffs.alike else 1.0
    low = 1 - most * audit.features.missed_high
    if low > NEARLY_ALL:
        at = {"column": ", ".join(telling_columns.telling(audit.table, settings.seed))}
        bound = certificates.limit(low, 1.0, certified_guesses.MISSED, audit.eta)
        yield releases.finding("labels_given_away", bound, settings, at=at)


def unfit(mechanism: Mechanism, table: Table) -> str:
    """Why it cannot release this table; empty where it can."""
    rows = table.dataset.rows_used
    if mechanism.bag > rows:
        return f"a bag of {mechanism.bag:,} cannot be made of {rows:,} rows"
    return mechanism.unfit(len(table.dataset.classes))


def _baselines(alone: Iterable[tuple[str, Bound]], eta: Eta, settings: Settings) -> Iterator[Finding]:
    """Without a release the best guess is that from the features; with labels without noise it is always right, which
    is worth 1 on average: these add all that it missed. alone: how names of quantities begin, and the best guess."""
    for prefix, right in alone:
        estimate, low, high = (
            None if one is None else max(0.0, 1 - one) for one in (right.estimate, right.high, right.low)
        )
        missed = replace(right, estimate=estimate, low=low, high=high)
        yield releases.finding(f"{prefix}informed_utility", right, settings, at=releases.ALONE)
        yield releases.finding(f"{prefix}advantage", missed, settings, at=releases.WITHOUT_NOISE)
    yield releases.by_definition("informed_utility", 1.0, eta.queries, settings)


# ---- what papers allow, and what protects alike


def _bounds(audit: Audit, fit: Sequence[Mechanism], increased: Sequence[Finding]) -> Iterator[Finding]:
    known, eta = _known_of(audit), audit.eta
    advantages = {one.mechanism: one.bound for one in increased if one.quantity == "advantage"}
    for one in fit:
        if name := published_bounds.exact(one, audit.payoffs):
            yield releases.finding("advantage_bound", advantages[one.spec], audit.settings, one, {"bound": name})
        for ceiling in published_bounds.CEILINGS:
            if ceiling.fits(one, audit.payoffs):
                reason = ceiling.refuses(known)
                if reason:
                    bound = Bound(None, None, None, eta.queries, "not computed", (), reason)
                else:
                    low, estimate, high = published_bounds.interval(ceiling, one, known)
                    said = assumptions.stated(eta, audit.settings)
                    bound = Bound(estimate, low, high, eta.queries, CEILING, said)
                yield releases.finding("advantage_bound", bound, audit.settings, one, {"bound": ceiling.name})


def _known_of(audit: Audit) -> published_bounds.Known:
    """The law's own numbers as estimates, and what may be true: the spread is at least half the error, at most all."""
    right, prior, high = audit.features.right, audit.prior, audit.features.missed_high
    assert right.high is not None
    law, eta = audit.belief.law, audit.belief.law.eta[:, 1]
    least = (1 - right.high) / float(audit.payoffs.high.sum())
    most = min(high, 0.25) if audit.payoffs.alike else 0.25

    def around(low: float, estimate: float, high: float) -> published_bounds.Interval:
        """Wide enough for an estimate that the labels refute."""
        return min(low, estimate), estimate, max(high, estimate)

    return published_bounds.Known(
        p=around(prior.low, law.mean(eta), prior.high),
        missed=around(1 - right.high, audit.belief.missed(audit.payoffs.paid), high),
        spread=around(least, law.mean(eta * (1 - eta)), most),
        payoffs=audit.payoffs,
        law=law,
    )


def _odds(audit: Audit, fit: Sequence[Mechanism], progress: Progress) -> Iterator[Finding]:
    """Quantiles of how far the release moves the log odds of the true label."""
    unknown = [one for one in fit if one.judged_as and one.channel(len(audit.payoffs.paid)) is None]
    known = [one for one in fit if one not in unknown]
    for one in unknown:
        reason = "no mechanism of its epsilon moves odds most for more than two classes; none by more than epsilon"
        yield releases.absent("multiplicative_advantage", one, reason, audit.settings, audit.eta.queries)
    moved = advantage_gains.changes_of(known, audit.belief, audit.settings, progress)
    for one, share in itertools.product(known, QUANTILES):
        found, claim = moved[one.spec], one.claim(len(audit.payoffs.paid))
        most = math.inf if claim is None else claim  # what is above it is a rounding error
        drawn = f"; {found.bags:,} bags drawn, all members counted" if found.bags else ""
        value, method = min(found.quantile(share), most), audit.belief.method + drawn
        bound = Bound(value, None, None, audit.eta.queries, method, (NO_LIMITS,))
        yield releases.finding("multiplicative_advantage", bound, audit.settings, one, {"quantile": share})


def _same(audit: Audit, fit: Sequence[Mechanism], gains: Mapping[str, Gain]) -> Iterator[Finding]:
    """For randomized response the bag that protects as well, for all else the epsilon of randomized response."""
    belief, paid = audit.belief, audit.payoffs.paid
    bags = advantage_gains.Bags(belief, paid, audit.settings, audit.table.dataset.rows_used)
    flips = advantage_gains.Flips(belief, paid)
    for one in fit:
        noise, gain = releases.noise_of(one), gains[one.spec].mean
        of_bags = noise is not None and noise.randomized_response is not None
        same = bags.same(gain) if of_bags else flips.same(gain)
        reason = f"no bag of up to {bags.largest:,} people protects as well" if same is None else None
        bound = Bound(same, None, None, audit.eta.queries, belief.method, (FOOTING, NO_LIMITS), reason)
        yield releases.finding("equivalent_k" if of_bags else "equivalent_epsilon", bound, audit.settings, one)


# ---- what a release adds to the best guess


def increase(
    audit: Audit, mechanism: Mechanism, gain: Gain, sure: Budget, miss: float, sharing: int
) -> Iterator[Finding]:
    """The informed utility and the advantage, half of the miss for what the latter is at least, a quarter for either
    end of the former; and what is certified of them."""
    added, tried = _added(audit, mechanism, gain, miss / 2), 0.0
    channel = mechanism.channel(len(audit.payoffs.paid))
    if channel is not None:
        tried = 1 - guessing.missed_after(audit.table, audit.eta, channel, audit.payoffs, miss / 4)
    most = 1.0 if channel is None or audit.box is None else _most_informed(audit.box, channel, audit.payoffs, miss / 4)
    bounds = {"informed_utility": _informed(audit.features.right, added, tried, most), "advantage": added}
    if (alone := mechanism.alone) is not None:
        bounds["advantage_knowing_others"] = _knowing_others(audit, alone, added) if mechanism.bag > 1 else added
    if audit.known is not None:
        assert added.high is not None
        certified = certified_guesses.added(mechanism, audit.known, added.high, audit.eta, sure, sharing)
        bounds["certified_informed_utility"] = certified_guesses.informed(audit.known, tried, audit.eta)
        bounds["certified_advantage"] = certified
    for quantity, bound in bounds.items():
        one = releases.finding(quantity, bound, audit.settings, mechanism)
        yield replace(one, claim=mechanism.claim(len(audit.payoffs.paid)), bag=mechanism.bag)


def _ceiling(audit: Audit, mechanism: Mechanism) -> float:
    """No advantage is larger."""
    missed = audit.features.missed_high
    high = published_bounds.surely(mechanism, missed, audit.payoffs, (audit.prior.low, audit.prior.high))
    claim = mechanism.claim(len(audit.payoffs.paid))
    if audit.known is None or claim is None or not published_bounds.noisy_counts(mechanism, audit.payoffs):
        return high
    return min(high, advantage_ceilings.of_noisy_counts(missed, audit.known.spread_high, mechanism.bag, claim))


def _added(audit: Audit, mechanism: Mechanism, gain: Gain, miss: float) -> Bound:
    eta, high = audit.eta, _ceiling(audit, mechanism)
    # No record gains more, whatever its eta.
    most = mechanism.total_variation(len(audit.payoffs.high)) * guess.most_missed(audit.payoffs.high)
    least = 0.0
    if mechanism.bag == 1 and audit.box is not None:
        least = _least_of_records(audit.box, mechanism, audit.payoffs, most, miss)
    elif eta.counts is None and not eta.refuted and audit.payoffs.alike:
        least = _least_of_given(eta.queries, mechanism.bag, gain, most, miss)
    estimate = min(gain.mean, high)
    low = 0.0 if least > high else min(least, estimate)  # labels refute what the lower limit rests on
    said = [*assumptions.stated(eta, audit.settings), f"upper limit {guessing.sure(eta)}"]
    if mechanism.bag > 1 and eta.counts is not None:
        said.append(NO_LOWER)
    if gain.bags and eta.counts is None:
        said.append(NORMAL)
    drawn = f"; {gain.bags:,} bags drawn, all members counted" if gain.bags else ""
    method, error = audit.belief.method_of(mechanism) + drawn, gain.standard_error if gain.bags else None
    return Bound(estimate, low, high, eta.queries, method, tuple(said), standard_error=error)


def _knowing_others(audit: Audit, alone: Mechanism, added: Bound) -> Bound:
    """Who knows more guesses no worse: no less than what is added without the labels of others."""
    assert added.estimate is not None
    gain, high = audit.belief.gain(alone, audit.payoffs.paid), _ceiling(audit, alone)
    if gain is None:
        return Bound(None, None, None, audit.eta.queries, "not computed", (), "only bags that are drawn would tell")
    estimate = min(max(gain.mean, added.estimate), high)
    return replace(added, estimate=estimate, high=high, method=audit.belief.method_of(alone), standard_error=None)


def _least_of_records(box: Intervals, mechanism: Mechanism, payoffs: Payoffs, most: float, miss: float) -> float:
    """The gain of one record rises with eta up to where both guesses are worth the same, then falls: it is 0 at both
    ends, never negative, and convex on either side. So it is least at an end of the interval of eta, and likewise of
    each payoff's. Where people differ from their averages, what guesses are worth after the release, which is convex
    in eta, is no less than it is at the averages, and before it no more than their variance lets it be."""
    corners = dict.fromkeys(itertools.product(*zip(payoffs.low, payoffs.high, strict=True)))
    least: Floats | None = None
    for eta, corner in itertools.product(_ends(box), corners):
        gain = mechanism.gain(np.stack([1 - eta, eta], axis=1)[:, None], np.array(corner))
        rows = np.zeros(len(eta)) if gain is None else np.asarray(gain[:, 0])
        least = rows if least is None else np.minimum(least, rows)
    assert least is not None
    if box.people is not None:
        least = least - max(box.people.excess_worth(positive, negative) for negative, positive in corners)
    return hoeffding.mean_limits(least, least, 0.0, most, box.wrong, miss)[0]


def _ends(box: Intervals) -> list[Floats]:
    return [box.low] if box.low is box.high else [box.low, box.high]


def _least_of_given(rows: int, bag: int, gain: Gain, most: float, miss: float) -> float:
    """What the sample leaves open: n / k bags can be made of the rows, and their mean gain is at least 0.

    The mean over all such bags is a U-statistic (Hoeffding 1963, section 5b); drawing some of them adds a normal error.
    A mean that was added up also has bags that hold a row twice, a share of them of at most k (k - 1) / 2n.
    """
    bags = rows // bag
    if bags == 0:
        return 0.0
    from scipy.special import ndtri

    twice = 0.0 if gain.bags else min(1.0, bag * (bag - 1) / (2 * rows))
    slack = most * (math.sqrt(math.log(2 / miss) / (2 * bags)) + twice)
    return max(0.0, gain.mean - slack + float(ndtri(miss / 2)) * gain.standard_error)


def _informed(before: Bound, added: Bound, tried: float, most: float) -> Bound:
    """What an attacker tried in earnest gets, where labels are released one by one, and no less than without; no more
    than `most`."""
    assert before.estimate is not None and before.low is not None and before.high is not None
    assert added.estimate is not None and added.high is not None
    low = max(before.low, tried)
    high = max(low, min(before.high + added.high, most))
    estimate = min(before.estimate + added.estimate, high)
    said = dict.fromkeys((*before.assumptions, *added.assumptions))
    return replace(added, estimate=estimate, low=min(low, estimate), high=high, assumptions=tuple(said))


def _most_informed(box: Intervals, channel: Floats, payoffs: Payoffs, miss: float) -> float:
    """Where labels are released one by one. What the best guess is then worth is convex in eta, and rises with each
    payoff: it is largest at an end of the interval of eta, and larger where people differ from averages."""
    ends = [guess.worth_after(np.column_stack([1 - eta, eta]), channel, payoffs.high) for eta in _ends(box)]
    worth = functools.reduce(np.maximum, ends)
    if box.people is not None:
        worth = worth + sum(box.people.excess_worth(*said[::-1]) for said in (channel.T * payoffs.high))
    return min(1.0, hoeffding.mean_limits(worth, worth, 0.0, float(payoffs.high.max()), box.wrong, miss)[1])
