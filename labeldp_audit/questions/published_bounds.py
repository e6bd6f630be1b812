"""The bounds on an advantage that papers give, by name, for a table that shows the exact value beside them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..bounds.published import label_inference, label_proportions, laplace_proportions
from ..core.arrays import Floats
from ..core.eta import Law
from ..core.mechanism import Mechanism
from .payoffs import Payoffs

Interval = tuple[float, float, float]  # low, estimate, high
PRODUCT = "holds only where labels do not depend on the features, which the estimated law of eta does not bear out"


@dataclass(frozen=True)
class Point:
    """All that the bounds are made of, at one possible truth."""

    p: float
    missed: float  # payoff that the best guess from the features misses
    spread: float  # E eta (1 - eta)


@dataclass(frozen=True)
class Known:
    """The estimate, the ends between which the truth may lie, and what is known anyway."""

    p: Interval
    missed: Interval
    spread: Interval
    payoffs: Payoffs
    law: Law

    @property
    def estimate(self) -> Point:
        return Point(self.p[1], self.missed[1], self.spread[1])

    def possible(self, bag: int) -> Iterator[Point]:
        """A grid over all that may be true: bounds are smooth in each, and rise with what is missed."""
        low, _, high = self.p
        every_p = {*np.linspace(low, high, 5).tolist(), float(np.clip(0.5, low, high))}  # some are largest at 1/2
        peak = float(np.clip(1 / (bag + 1), self.spread[0], self.spread[2]))  # of (1 - 2 E)^n E^2, in Lemma A.1
        every_spread = {*np.linspace(self.spread[0], self.spread[2], 33).tolist(), peak}
        for p, spread, missed in itertools.product(every_p, every_spread, self.missed[::2]):
            yield Point(p, missed, spread)

    @property
    def zero_one(self) -> bool:
        return self.payoffs.alike

    @property
    def binary(self) -> bool:
        return len(self.payoffs.paid) == 2

    @property
    def product(self) -> bool:
        return len(self.law.weight) == 1


@dataclass(frozen=True)
class Ceiling:
    """A bound: which mechanisms it is for, what it is at a point, and what its limits are taken from if not from it."""

    name: str
    fits: Callable[[Mechanism, Known], bool]
    value: Callable[[Mechanism, Known, Point], float]
    refuses: Callable[[Known], str] = lambda known: ""
    looser: Callable[[Mechanism, Known, Point], float] | None = None  # at least as much, for the upper limit


def _private(mechanism: Mechanism, known: Known) -> bool:
    return mechanism.claim(len(known.payoffs.paid)) is not None


def _private_binary(mechanism: Mechanism, known: Known) -> bool:
    return known.binary and mechanism.claim(2) is not None


def _counted(mechanism: Mechanism, known: Known) -> bool:
    return known.binary and mechanism.counts_only


def _counted_alike(mechanism: Mechanism, known: Known) -> bool:
    return known.zero_one and _counted(mechanism, known)


def _laplace(mechanism: Mechanism, known: Known) -> bool:
    return noisy_counts(mechanism, known.payoffs)


def noisy_counts(mechanism: Mechanism, payoffs: Payoffs) -> bool:
    """Whether this is Laplace noise on two classes whose right guesses pay alike."""
    two_alike = payoffs.alike and len(payoffs.paid) == 2
    noise = mechanism.laplace
    return mechanism.counts_only and noise is not None and math.isfinite(noise) and two_alike


def _product_only(known: Known) -> str:
    return "" if known.product else PRODUCT


def _epsilon(mechanism: Mechanism, known: Known) -> float:
    claim = mechanism.claim(len(known.payoffs.paid))
    assert claim is not None
    return claim


def _corollary_1(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_inference.wu_corollary_1(float(known.payoffs.paid.max()), _epsilon(mechanism, known))


def _corollary_1_at_most(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_inference.wu_corollary_1(float(known.payoffs.high.max()), _epsilon(mechanism, known))


def _theorem_2(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_inference.wu_theorem_2(1.0, _epsilon(mechanism, known))


def _improved(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_inference.wu_improved(at.missed, _epsilon(mechanism, known))


def _best_of_all(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_inference.best_of_all(known.law, _epsilon(mechanism, known), payoff=known.payoffs.paid)


def _square_root(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_proportions.theorem_3_4_sqrt(at.p, mechanism.bag)


def _bernstein(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_proportions.theorem_3_4_bernstein(at.p, mechanism.bag)


def _lemma_a1(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_proportions.lemma_a1(mechanism.bag, at.p, at.spread)


def _unimodal(mechanism: Mechanism, known: Known, at: Point) -> float:
    return label_proportions.unimodal_closed(at.spread, mechanism.bag)


def _by_error(mechanism: Mechanism, known: Known, at: Point) -> float:
    return by_error(mechanism, at.missed, known.payoffs.paid)


def _by_error_at_most(mechanism: Mechanism, known: Known, at: Point) -> float:
    return by_error(mechanism, at.missed, known.payoffs.high)


def _theorem_6_4(mechanism: Mechanism, known: Known, at: Point) -> float:
    return laplace_proportions.theorem_6_4(at.spread, _epsilon(mechanism, known))


def _theorem_6_4_sharp(mechanism: Mechanism, known: Known, at: Point) -> float:
    return laplace_proportions.theorem_6_4_sharp(at.spread, _epsilon(mechanism, known))


CEILINGS = (
    Ceiling("002 Corollary 1", _private, _corollary_1, looser=_corollary_1_at_most),
    Ceiling("002 Theorem 2", _private, _theorem_2),
    Ceiling("002 Theorem 2, improved", _private, _improved),
    Ceiling("best of all (epsilon, 0)", _private_binary, _best_of_all, looser=_improved),
    Ceiling("003 Theorem 3.4, square root", _counted_alike, _square_root, _product_only),
    Ceiling("003 Theorem 3.4, Bernstein", _counted_alike, _bernstein, _product_only),
    Ceiling("003 Lemma A.1, corrected", _counted_alike, _lemma_a1),
    Ceiling("unimodality", _counted_alike, _unimodal),
    Ceiling("unimodality, by the error", _counted, _by_error, looser=_by_error_at_most),
    Ceiling("003 Theorem 6.4", _laplace, _theorem_6_4),
    Ceiling("003 Theorem 6.4, sharp", _laplace, _theorem_6_4_sharp),
)


def by_error(mechanism: Mechanism, missed: float, payoff: Floats) -> float:
    return label_proportions.unimodal_from_error_sharp(missed, mechanism.bag, (float(payoff[0]), float(payoff[1])))


def interval(ceiling: Ceiling, mechanism: Mechanism, known: Known) -> Interval:
    """Over all that may be true."""
    estimate = ceiling.value(mechanism, known, known.estimate)
    of = ceiling.looser or ceiling.value
    values = [estimate, *(of(mechanism, known, at) for at in known.possible(mechanism.bag))]
    return 0.0 if ceiling.looser else min(values), estimate, max(values)


def surely(mechanism: Mechanism, missed_high: float, payoffs: Payoffs, p: tuple[float, float]) -> float:
    """No advantage is larger, if the best guess from the features misses no more than that and p is between these."""
    high = mechanism.total_variation(len(payoffs.high)) * missed_high
    if not mechanism.counts_only or len(payoffs.high) != 2:
        return high
    high = min(high, by_error(mechanism, missed_high, payoffs.high))
    return min(high, _lemma_a1_at_most(mechanism.bag, missed_high, p)) if payoffs.alike else high


def _lemma_a1_at_most(bag: int, missed_high: float, p: tuple[float, float]) -> float:
    """Over every spread up to what is missed; it rises with p up to 1/2. Between points of the grid it is smooth."""
    nearest = float(np.clip(0.5, *p))
    most = min(missed_high, 0.25)
    spreads = (*np.linspace(0, most, 257), min(1 / (bag + 1), most))
    return 1.001 * max(label_proportions.lemma_a1(bag, nearest, float(spread)) for spread in spreads)
