"""Limits of averages over neighbours, beside those of people (001, Theorem 1; 000, Theorem 6.6; ERRATA A4, A5, A9).

Neighbours are found without labels. Given the features their labels are independent, so Clopper-Pearson limits of the
counts hold for the mean of eta over the neighbours of each row. They say nothing of how alike neighbours are, and hold
where labels refute that they are.

What these limits may miss is theirs alone, and shared out: the means of eta around all rows 50 %, p 5 %, J at all tau
and mechanisms 22 %, advantages and what the bounds on them are made of 22 %.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from ..bounds.intervals import hoeffding
from ..bounds.intervals.mistakes import simultaneous
from ..core.arrays import Floats
from ..core.budget import PRIOR_SHARE, Budget
from ..core.eta import Eta, Law
from ..core.finding import BASELINE, CLEAR, NEIGHBORHOODS, Bound, Finding
from ..core.remark import DOUBTS
from ..core.settings import Settings
from ..measures import guess, tail, worst_case
from ..measures.loss import NOTHING_SAID, Noise
from . import intervals, published_bounds, releases, taus
from .contract import Evidence
from .guessing import Payoffs
from .intervals import Ends, Intervals, Prior

AROUND_SHARE = 0.5
TAIL_SHARE = GAIN_SHARE = 0.22
SAID = (
    "neighborhood_low and neighborhood_high limit the same number with the mean of eta over the neighbours of each row "
    "in the place of its eta; they are about the rows of this table, and hold all together, apart from low and high; "
    "neighbours may differ, and single people may lose more"
)
ONE = np.ones(2)  # what right guesses of two classes pay


def with_limits(findings: Iterable[Finding], evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Yield the findings, with limits of neighbourhood averages where there are some."""
    limits = _Limits(evidence, settings) if _are_counted(evidence.eta) else None
    for one in findings:
        ends = None if limits is None else limits.of(one)
        yield one if ends is None else replace(one, bound=_limited(one.bound, *ends))


def _are_counted(eta: Eta) -> bool:
    """Return whether counts are of neighbours in the space of the features."""
    return eta.counts is not None and eta.metric == "l2"


def _limited(bound: Bound, low: float, high: float) -> Bound:
    return replace(bound, neighborhood_low=low, neighborhood_high=high, assumptions=(*bound.assumptions, SAID))


def columns_of(evidence: Evidence, settings: Settings) -> dict[str, Floats]:
    """Return limits of the mean of eta around each row, as columns of the file of eta."""
    if not _are_counted(evidence.eta) or any(one.code in DOUBTS for one in evidence.table.remarks):
        return {}
    limits, classes = _Limits(evidence, settings), evidence.table.dataset.classes
    asked = {"": 1} if len(classes) == 2 else {f"_{name}": c for c, name in enumerate(classes)}
    ends = {of: (limits.around(c).low, limits.around(c).high) for of, c in asked.items()}
    return {name + of: ends[of][place] for place, name in enumerate(NEIGHBORHOODS) for of in ends}


class _Limits:
    """The limits of each finding, and of the mean of eta around each row."""

    def __init__(self, evidence: Evidence, settings: Settings) -> None:
        self._table, self._eta = evidence.table, evidence.eta
        self._mechanisms = {one.spec: one for one in (*evidence.mechanisms, *evidence.compared)}
        self._budget = Budget.of(settings.confidence)
        self._answers: dict[str, Callable[[Finding], Ends | None]] = {
            "eta_min": lambda one: self._extremes(one)[0], "eta_max": lambda one: self._extremes(one)[1],
        }  # fmt: skip
        self.around = functools.cache(self._around)
        if evidence.classes > 2:
            return
        self._answers |= {"nu_max": self._nu_max, "j": self._j}
        if settings.utility != "balanced":
            self._answers |= {"advantage": self._advantage, "advantage_bound": self._bound}
        known, _ = releases.by_loss("j", evidence.mechanisms, settings, self._eta.queries)
        self._noise: dict[str | None, Noise] = {None: NOTHING_SAID, **{one.mechanism.spec: one.noise for one in known}}
        self._losses = functools.cache(lambda tilt: intervals.losses_within(self.around(1), self._prior, tilt))
        # Labels chose which neighbourhoods these are: limits of what the averages of every choice come to must hold.
        nowhere = [np.zeros(1)] * len(known)
        _, places = taus.asked(nowhere, [one.noise for one in known], evidence.at, evidence.more, self._eta.n)
        tails, means = max(1, places) * len(self._noise), len(self._mechanisms) + 2
        self._each_tail = self._budget.spend("J", TAIL_SHARE, 2 * self._eta.choices * tails)
        self._each_mean = self._budget.spend("means", GAIN_SHARE, 2 * self._eta.choices * means)

    def of(self, one: Finding) -> Ends | None:
        known = one.quantity in self._answers and one.bound.estimate is not None and one.at.get(BASELINE) != CLEAR
        return self._answers[one.quantity](one) if known else None

    @functools.cached_property
    def _prior(self) -> Prior:
        return intervals.of_prior(self._table, self._budget.spend("p", PRIOR_SHARE))

    def _around(self, c: int) -> Intervals:
        """Of the mean of eta of that class around each row, of all rows at once."""
        classes = len(self._table.dataset.classes)
        each = self._budget.spend("around", AROUND_SHARE, 1 if classes == 2 else classes)
        return intervals.of_averages(self._eta, c, simultaneous(self._eta.queries, each))

    def _extremes(self, one: Finding) -> tuple[Ends, Ends]:
        classes = self._table.dataset.classes
        box = self.around(classes.index(str(one.at["class"])) if "class" in one.at else 1)
        every = self._eta.queries == len(self._table.labels)  # averages around other rows may be further out
        least, most = (float(box.low.min()), float(box.high.max())) if every else (0.0, 1.0)
        return (least, float(box.high.min())), (float(box.low.max()), most)

    def _nu_max(self, one: Finding) -> Ends:
        prior = self._prior.low, self._prior.high
        return worst_case.nu_max_interval(*self._extremes(one), prior, self._noise[one.mechanism])

    def _j(self, one: Finding) -> Ends:
        noise, tau = self._noise[one.mechanism], one.place("tau")
        above = np.array([tau], np.float64) - noise.loss
        _, low, high = tail.share_above(self._losses(noise.tilt), above, 0, self._each_tail)
        return float(low[0]), float(high[0])

    def _advantage(self, one: Finding) -> Ends | None:
        """003, Theorem 3.7: the mean of what each record alone gains, where labels are replaced one by one."""
        mechanism = self._mechanisms[one.mechanism or ""]
        if mechanism.bag > 1 or mechanism.gain(np.ones((1, 1, 2)) / 2, ONE) is None:
            return None

        def gain(eta: Floats) -> Floats:
            found = mechanism.gain(np.stack([1 - eta, eta], axis=1)[:, None], ONE)
            assert found is not None
            return np.asarray(found[:, 0])

        return self._mean(gain, mechanism.total_variation(2) * guess.most_missed(ONE))

    def _mean(self, value: Callable[[Floats], Floats], most: float) -> Ends:
        """Of what rises with eta up to 1/2 and then falls."""
        low, high = self.around(1).low, self.around(1).high
        least, largest = np.minimum(value(low), value(high)), value(np.clip(0.5, low, high))
        return hoeffding.mean_limits(least, largest, 0.0, most, 0, self._each_mean)

    def _bound(self, one: Finding) -> Ends | None:
        """Of bounds that are made of p, E min(eta, 1 - eta) and E eta (1 - eta) alone, or are the advantage itself."""
        ceiling = next((known for known in published_bounds.CEILINGS if known.name == one.at["bound"]), None)
        if ceiling is None:
            return self._advantage(one)
        if ceiling.looser is not None:
            return None
        low, _, high = published_bounds.interval(ceiling, self._mechanisms[one.mechanism or ""], self._known)
        return low, high

    @functools.cached_property
    def _known(self) -> published_bounds.Known:
        """As these bounds need no law and no estimates, ends stand for them."""
        low, high = self._mean(lambda eta: np.minimum(eta, 1 - eta), 0.5)
        least, most = self._mean(lambda eta: eta * (1 - eta), 0.25)
        p = self._prior.low, self._prior.low, self._prior.high
        payoffs, law = Payoffs(ONE, ONE, ONE), Law(np.ones(1), ONE[None] / 2)
        return published_bounds.Known(p, (low, low, high), (least, least, most), payoffs, law)
