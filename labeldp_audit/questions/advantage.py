"""advantage: how much better the best attacker guesses a label once the release is out (003, sections 3 and 6).

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
best guess from the features 29 %, the intervals of eta behind lower limits 7 %, advantages and informed utilities
29 %, certificates 25 % (certified_guesses.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..core.budget import PRIOR_SHARE, RADII_SHARE, Budget
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.settings import Settings
from ..core.table import Table
from ..measures.eta_law import estimated
from ..measures.eta_law.estimated import Belief
from ..mechanisms.bags import LARGEST
from . import (
    advantage_gains,
    advantage_increase,
    assumptions,
    baselines,
    certificates,
    certified_guesses,
    equivalents,
    guessing,
    intervals,
    payoffs,
    published_bounds,
    releases,
)
from .advantage_gains import Gains
from .advantage_increase import Audit
from .contract import Evidence

FEATURES_SHARE = 0.29
ETA_SHARE = 0.07
GAIN_SHARE = 0.29
CEILING = "bound at the estimated law of eta; limits over all that may be true"
FOOTING = "the same estimated law of eta on both sides, a comparison on this table"
NO_LIMITS = "no interval: nothing says how far another law of eta, as likely as this one, would move it"


def findings(
    table: Table, eta: Eta, settings: Settings, budget: Budget, asked: Sequence[Mechanism], progress: Progress,
    *, among: int | None = None,
) -> list[Finding]:  # fmt: skip
    """among: so many mechanisms share the level, where labels choose which are looked at; then these are judged alone,
    without what papers say of them and what protects alike."""
    classes = len(table.dataset.classes)
    fit = [one for one in asked if not unfit(one, table)]
    belief = estimated.belief_of(table, eta)
    paid = payoffs.payoffs_of(table, settings, budget.spend("p of payoffs", PRIOR_SHARE / 2))
    wide = assumptions.widening(eta, settings, budget.spend("radii", RADII_SHARE))
    features = guessing.of_features(table, eta, belief, paid, settings, wide, budget.part("guesses", FEATURES_SHARE))
    box = intervals.for_shares(table, eta, budget.spend("eta", ETA_SHARE), wide) if classes == 2 else None
    prior = intervals.of_prior(table, 1, budget.spend("p", PRIOR_SHARE / 2))
    sure = budget.part("certificates", certificates.SHARE)
    known = certified_guesses.doubt(table, eta, features, paid, sure) if settings.certify else None
    features = features if known is None else certified_guesses.sharper(features, known)
    audit = Audit(table, eta, settings, features, paid, prior, box, known)
    found = advantage_gains.gains_of(fit, belief, paid.paid, settings, progress)
    sharing = len(fit) if among is None else among
    sure_of_features = certified_guesses.uninformed(known, eta, paid, settings, sure)
    alone = [("", features.right), *((certified_guesses.PREFIX, one.bound) for one in sure_of_features)]
    return [
        Finding("uninformed_utility", features.right, settings.confidence),
        *guessing.bracket(table, eta, paid, settings),
        *sure_of_features,
        *_increases(audit, fit, found, belief, budget.spend("advantages", GAIN_SHARE), sure, sharing),
        *(_bounds(audit, fit, belief) if among is None else ()),
        *(_same(audit, fit, found, belief) if classes == 2 and among is None else ()),
        *_baselines(alone, eta, settings),
        *_unfit(audit, asked),
    ]


def _baselines(alone: Iterable[tuple[str, Bound]], eta: Eta, settings: Settings) -> Iterator[Finding]:
    """Without a release the best guess is that from the features; with labels without noise it is always right, which
    is worth 1 on average: these add all that it missed. alone: how names of quantities begin, and the best guess."""
    for prefix, right in alone:
        yield Finding(f"{prefix}informed_utility", right, settings.confidence, at=baselines.ALONE)
        yield Finding(f"{prefix}advantage", _missed(right), settings.confidence, at=baselines.WITHOUT_NOISE)
    yield baselines.by_definition("informed_utility", 1.0, eta.queries, settings)


def _missed(right: Bound) -> Bound:
    estimate, low, high = (
        None if one is None else max(0.0, 1 - one) for one in (right.estimate, right.high, right.low)
    )
    return replace(right, estimate=estimate, low=low, high=high)


def _increases(
    audit: Audit, fit: Sequence[Mechanism], found: Gains, belief: Belief, miss: float, sure: Budget,
    sharing: int,
) -> Iterator[Finding]:  # fmt: skip
    for one in fit:
        gain = found[one.spec]
        drawn = f"; {gain.bags:,} bags drawn, all members counted" if gain.bags else ""
        method = belief.method_of(one) + drawn
        yield from advantage_increase.findings(audit, one, gain, method, sure, miss / sharing, sharing)


def unfit(mechanism: Mechanism, table: Table) -> str:
    """Why it cannot release this table; empty where it can."""
    rows = table.dataset.rows_used
    if mechanism.bag > rows:
        return f"a bag of {mechanism.bag:,} cannot be made of {rows:,} rows"
    return mechanism.unfit(len(table.dataset.classes))


def _unfit(audit: Audit, asked: Sequence[Mechanism]) -> Iterator[Finding]:
    for one in asked:
        reason = unfit(one, audit.table)
        if reason:
            yield releases.absent("advantage", one, reason, audit.settings, audit.eta.queries)


def _bounds(audit: Audit, fit: Sequence[Mechanism], belief: Belief) -> Iterator[Finding]:
    known = known_of(audit, belief)
    for one in fit:
        for ceiling in published_bounds.CEILINGS:
            if ceiling.fits(one, known):
                yield _bound(audit, one, ceiling, known)


def _bound(
    audit: Audit, mechanism: Mechanism, ceiling: published_bounds.Ceiling, known: published_bounds.Known
) -> Finding:
    n = audit.eta.queries
    at: dict[str, float | str] = {"bound": ceiling.name, **mechanism.at()}
    reason = ceiling.refuses(known)
    if reason:
        bound = Bound(None, None, None, n, "not computed", (), reason)
    else:
        low, estimate, high = published_bounds.interval(ceiling, mechanism, known)
        bound = Bound(estimate, low, high, n, CEILING, assumptions.stated(audit.eta, audit.settings))
    return Finding("advantage_bound", bound, audit.settings.confidence, mechanism.spec, at)


def known_of(audit: Audit, belief: Belief) -> published_bounds.Known:
    """The law's own numbers as estimates, and what may be true: the spread is at least half the error, at most all."""
    right, prior = audit.features.right, audit.prior
    assert right.high is not None
    law, eta = belief.law, belief.law.eta[:, 1]
    p, missed, spread = law.mean(eta), belief.missed(audit.payoffs.paid), law.mean(eta * (1 - eta))
    high = audit.features.missed_high
    least = (1 - right.high) / float(audit.payoffs.high.sum())
    most = min(high, 0.25) if audit.payoffs.alike else 0.25
    return published_bounds.Known(
        p=_around(prior.low, p, prior.high), missed=_around(1 - right.high, missed, high),
        spread=_around(least, spread, most), payoffs=audit.payoffs, law=belief.law,
    )  # fmt: skip


def _around(low: float, estimate: float, high: float) -> published_bounds.Interval:
    """Wide enough for an estimate that the labels refute."""
    return min(low, estimate), estimate, max(high, estimate)


def _same(audit: Audit, fit: Sequence[Mechanism], found: Gains, belief: Belief) -> Iterator[Finding]:
    """For randomized response the bag that protects as well, for all else the epsilon of randomized response."""
    rows = audit.table.dataset.rows_used
    bags = equivalents.Bags(belief, audit.payoffs.paid, audit.settings, rows)
    flips = equivalents.Flips(belief, audit.payoffs.paid)
    same: float | None
    for one in fit:
        noise = releases.noise_of(one)
        if noise is None or noise.randomized_response is None:
            same, name = flips.same(found[one.spec].mean), "equivalent_epsilon"
        else:
            same, name = bags.same(found[one.spec].mean), "equivalent_k"
        reason = f"no bag of up to {min(LARGEST, rows):,} people protects as well" if same is None else None
        bound = Bound(same, None, None, audit.eta.queries, belief.method, (FOOTING, NO_LIMITS), reason)
        yield Finding(name, bound, audit.settings.confidence, one.spec, one.at())


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    known = {one.spec for one in evidence.mechanisms}
    every = [*evidence.mechanisms, *(one for one in evidence.compared if one.spec not in known)]
    return findings(evidence.table, evidence.eta, settings, budget, every, evidence.progress, among=evidence.among)
