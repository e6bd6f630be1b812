"""attack: what attackers got who were played against one release, with limits for what was done (CERTIFICATES c1).

Guesses of a part of the records were made without its labels, so units of one part are independent: records, or the
bags or clusters whose labels are weighed together. Of bags whose counts are published, limits are for the guesses that
were made of this release, over the labels that could lead to it: these repel each other, so that records count
(bounds/intervals/shares_of_units.py). Limits of parts hold together, and the share of all records lies between their
means. Half of the miss is for utilities, 0.35 for advantages, 0.1 for who is recovered, 0.05 for how many
confident guesses are right; attackers have equal parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..attacks import Attack, Guesses, Optimal
from ..attacks.contract import log_odds, posterior
from ..bounds.intervals import shares_of_units
from ..bounds.intervals.shares_of_units import Ends
from ..core.arrays import Floats, Integers
from ..core.budget import PRIOR_SHARE, Budget
from ..core.finding import Bound, Finding
from ..core.mechanism import Labels
from ..core.settings import Settings
from .contract import Evidence
from .guessing import Payoffs

RECOVERED = 0.99  # posterior of the true label from which on somebody's label is recovered
QUANTILES = (0.05, 0.5, 0.95, 0.99, 1.0)
CELLS, FEWEST = 10, 5  # of the picture; people in one
UTILITY_SHARE, ADVANTAGE_SHARE, RECOVERED_SHARE, CONFIDENT_SHARE = 0.5, 0.35, 0.1, 0.05
RELEASES_SHARE = 0.1  # of that for advantages, where limits for the one release are none for others
METHOD = "attackers played against this release, guesses made without the labels that judge them"
MATES = (
    "estimates of the other members of a bag or cluster, which come from models that saw a record's own label among "
    "all others, are taken as fixed"
)
GIVEN = "labels are independent given the features; limits are over those that could lead to this release"
Hit = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Trial:
    """Records that were guessed, and what judges the guesses."""

    labels: Labels  # (n,)
    part: Integers  # (n,) guesses of a part were made without the labels of its units
    bag: Integers | None  # (n,) where bags or clusters are the units
    payoffs: Payoffs
    choices: int  # between which labels chose what is known of eta
    fixed: bool = False  # by what is published, as a claim is, and labels of a bag repel each other given that
    assumptions: tuple[str, ...] = ()

    def share(self, claim: Integers, miss: float) -> Ends:
        """Limits for the share of all records that have the class which is claimed of them, below 0 where none is;
        together they miss with this probability."""
        hit = claim == self.labels

        def limits(mine: Hit, each: float) -> Ends:
            if self.bag is None:
                return shares_of_units.of_records(hit[mine], each)
            if self.fixed:
                return shares_of_units.of_claims(hit[mine], claim[mine], each)
            return shares_of_units.of_units(hit[mine], self.bag[mine], each)

        (low, high), mean = self._of_parts(limits, miss), float(hit.mean())
        return min(low, mean), max(mean, min(1.0, high))  # parts are added up, and sums are rounded

    def _of_parts(self, limits: Callable[[Hit, float], Ends], miss: float) -> Ends:
        """Means of what holds of each part, with half of its share of the miss at either end."""
        parts = np.unique(self.part)
        low = high = 0.0
        for part in parts:
            mine = self.part == part
            ends, share = limits(mine, miss / (2 * len(parts) * self.choices)), float(mine.mean())
            low, high = low + ends[0] * share, high + ends[1] * share
        return low, high

    def of(self, some: Hit) -> Trial:
        """Those records alone. Who is among them must not depend on the labels that judge them, but for those of the
        same unit."""
        bag = None if self.bag is None else self.bag[some]
        return replace(self, labels=self.labels[some], part=self.part[some], bag=bag)

    def difference(self, guess: Integers, before: Integers, miss: float) -> tuple[float, float, float]:
        """The mean payoff of guesses less that of others, and its limits."""
        differ = guess != before
        gained, lost = np.where(differ, guess, -1), np.where(differ, before, -1)
        if self.bag is not None and self.payoffs.alike:
            won, missed = gained == self.labels, lost == self.labels
            if self.fixed and len(self.payoffs.paid) == 2:  # who guesses the other class loses where he does not gain
                low, high = (2 * end - float(differ.mean()) for end in self.share(gained, miss))
            else:
                limit, bag = shares_of_units.difference_of_units, self.bag
                low, high = self._of_parts(lambda mine, each: limit(won[mine], missed[mine], bag[mine], each), miss)
            return float(won.mean() - missed.mean()), max(-1.0, low), min(1.0, high)
        more, less = self.worth(gained, miss / 2), self.worth(lost, miss / 2)
        return more[0] - less[0], more[1] - less[2], more[2] - less[1]

    def worth(self, claim: Integers, miss: float) -> tuple[float, float, float]:
        """The mean payoff of these claims, and its limits. Of classes with payoffs of their own each has its share, at
        the limits of what it is worth."""
        labels, paid = self.labels, self.payoffs
        if paid.alike:
            low, high = self.share(claim, miss)
            return float((claim == labels).mean()), low, high
        classes, mean, low, high = len(paid.paid), 0.0, 0.0, 0.0
        for c in range(classes):
            of_class = np.where(claim == c, c, -1)
            ends = self.share(of_class, miss / classes)
            mean += float((of_class == labels).sum()) / (classes * max(1, int((labels == c).sum())))
            low += ends[0] * paid.low[c]
            high += min(1 / classes, ends[1] * paid.high[c])
        return mean, min(low, mean), max(high, mean)


@dataclass(frozen=True)
class Played:
    attack: Attack
    guesses: Guesses
    trial: Trial
    baseline: Guesses  # on the same records


def answer(
    played: Sequence[Played], predicted: Finding | None, evidence: Evidence, settings: Settings, budget: Budget
) -> list[Finding]:
    """Payoffs have their share already. predicted: what the optimal attacker should gain."""
    budget.spend("p of payoffs", PRIOR_SHARE)
    [spec] = [one.spec for one in evidence.mechanisms]
    parts = [budget.part(one.attack.name, (1 - PRIOR_SHARE) / len(played)) for one in played]
    return [
        found for one, mine in zip(played, parts, strict=True) for found in _of(one, predicted, spec, settings, mine)
    ]


def _of(one: Played, predicted: Finding | None, spec: str, settings: Settings, budget: Budget) -> Iterator[Finding]:
    trial, labels = one.trial, one.trial.labels
    n, at = len(labels), {"attacker": one.attack.name, "knows": str(one.attack.knows)}

    def finding(quantity: str, bound: Bound, **more: float | str) -> Finding:
        return Finding(quantity, bound, settings.confidence, spec, {**at, **more})

    def bound_of(ends: tuple[float, float, float], people: int = n, given: bool = trial.fixed) -> Bound:
        return Bound(*ends, people, METHOD, (*trial.assumptions, *([GIVEN] if given else [])))

    guess, before = one.guesses.guess, one.baseline.guess
    yield finding("attack_utility", bound_of(trial.worth(guess, budget.spend("utility", UTILITY_SHARE))))
    if one.guesses is not one.baseline:
        share = ADVANTAGE_SHARE - (RELEASES_SHARE if trial.fixed else 0.0)
        gained = bound_of(trial.difference(guess, before, budget.spend("advantage", share)))
        yield finding("attack_advantage", gained)
        if predicted is not None and one.attack.name == Optimal.name:
            if trial.fixed:  # what is predicted is about other releases, too
                miss = budget.spend("advantage of other releases", RELEASES_SHARE)
                gained = bound_of(replace(trial, fixed=False).difference(guess, before, miss), given=False)
            yield from excess(gained, predicted, settings)
    if one.guesses.belief is None:
        return
    own = np.arange(n), labels
    every = posterior(one.guesses.belief)
    mine, sure = every[own], every.max(axis=1) > RECOVERED
    claim = np.where(sure, every.argmax(axis=1), -1)
    ends = trial.share(claim, budget.spend("recovered", RECOVERED_SHARE))
    yield finding("recovered", bound_of((float((claim == labels).mean()), *ends)))
    miss = budget.spend("confident", CONFIDENT_SHARE)
    if sure.any():
        ends = trial.of(sure).share(claim[sure], miss)
        yield finding("confident_right", bound_of((float((claim == labels)[sure].mean()), *ends), int(sure.sum())))
    if one.baseline.belief is None or not one.attack.updates:
        return
    for level, value in zip(QUANTILES, quantiles(gain(one.guesses.belief, one.baseline.belief)[own]), strict=True):
        yield finding("log_odds_gain", Bound(value, None, None, n, METHOD), quantile=level)
    for prior, later, people in cells(posterior(one.baseline.belief)[own], mine):
        where = {"prior": prior / CELLS, "posterior": later / CELLS}
        yield finding("beliefs", Bound(people / n, None, None, n, "counted"), **where)


def gain(belief: Floats, before: Floats) -> Floats:
    """(n, C) change of log odds; 0 where both are certain of the same."""
    with np.errstate(invalid="ignore"):
        found = log_odds(belief) - log_odds(before)
    return np.where(np.isnan(found), 0.0, found)


def quantiles(values: Floats) -> list[float]:
    ranked = np.sort(values)
    return [float(ranked[min(len(ranked) - 1, int(np.ceil(level * len(ranked))) - 1)]) for level in QUANTILES]


def cells(prior: Floats, later: Floats) -> Iterator[tuple[int, int, int]]:
    """Tenths of prior and of posterior in which there are people, and how many; who is nearly alone is left out."""
    places = [np.minimum((values * CELLS).astype(np.int64), CELLS - 1) for values in (prior, later)]
    counts = np.bincount(places[0] * CELLS + places[1], minlength=CELLS**2)
    for place in np.flatnonzero(counts >= FEWEST).tolist():
        yield place // CELLS, place % CELLS, int(counts[place])


def excess(ours: Bound, predicted: Finding, settings: Settings) -> Iterator[Finding]:
    """What the optimal attacker got beyond what was predicted; limits of both at once, over releases."""
    theirs = predicted.bound
    if None in (ours.estimate, theirs.estimate, ours.low, ours.high, theirs.low, theirs.high):
        return
    assert ours.estimate is not None and ours.low is not None and ours.high is not None
    assert theirs.estimate is not None and theirs.low is not None and theirs.high is not None
    said = tuple(dict.fromkeys((*ours.assumptions, *theirs.assumptions)))
    ends = (ours.estimate - theirs.estimate, ours.low - theirs.high, ours.high - theirs.low)
    bound = Bound(*ends, ours.n, "limits of both at once", said)
    yield Finding("attack_excess", bound, settings.confidence, predicted.mechanism, {"attacker": Optimal.name})
