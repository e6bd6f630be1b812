"""The bounds on an advantage that papers give, by name, for a table that shows the exact value beside them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..bounds import label_inference, label_proportions, laplace_proportions
from ..mechanisms.contract import Mechanism
from ..model import Floats, Law

Interval = tuple[float, float, float]  # low, estimate, high
PRODUCT = "holds only where labels do not depend on the features, and here they do"


@dataclass(frozen=True)
class Point:
    """All that the bounds are made of, at one possible truth."""

    p: float
    missed: float  # payoff that the best guess from the features misses
    spread: float  # E eta (1 - eta)
    total: float  # sum_c payoff_c p_c


@dataclass(frozen=True)
class Known:
    """The estimate, the ends between which the truth may lie, and what is known anyway."""

    p: Interval
    missed: Interval
    spread: Interval
    total: Interval
    payoff: Floats
    law: Law

    @property
    def estimate(self) -> Point:
        return Point(self.p[1], self.missed[1], self.spread[1], self.total[1])

    def possible(self) -> Iterator[Point]:
        """A grid over all that may be true: bounds are smooth in each."""
        sides = [np.linspace(low, high, 9) for low, _, high in (self.p, self.missed, self.spread, self.total)]
        corners = [sides[1][[0, -1]], sides[3][[0, -1]]]
        for p, spread, missed, total in itertools.product(sides[0], sides[2], *corners):
            yield Point(float(p), float(missed), float(spread), float(total))
        yield self.estimate

    @property
    def zero_one(self) -> bool:
        return bool(np.all(self.payoff == 1))

    @property
    def binary(self) -> bool:
        return len(self.payoff) == 2

    @property
    def product(self) -> bool:
        return len(self.law.weight) == 1


@dataclass(frozen=True)
class Ceiling:
    """A bound: which mechanisms it is for, and what it is at a point."""

    name: str
    fits: Callable[[Mechanism, Known], bool]
    value: Callable[[Mechanism, Point, Known], float]
    refuses: Callable[[Known], str] = lambda known: ""


def _private(mechanism: Mechanism, known: Known) -> bool:
    return mechanism.claim() is not None


def _epsilon(mechanism: Mechanism) -> float:
    claim = mechanism.claim()
    assert claim is not None
    return claim


def _counted(mechanism: Mechanism, known: Known) -> bool:
    return mechanism.counts_only and known.binary


def _counted_alike(mechanism: Mechanism, known: Known) -> bool:
    return _counted(mechanism, known) and known.zero_one


def _laplace(mechanism: Mechanism, known: Known) -> bool:
    return _counted_alike(mechanism, known) and mechanism.name == "laplace-llp"


def _product_only(known: Known) -> str:
    return "" if known.product else PRODUCT


CEILINGS = (
    Ceiling("002 Corollary 1", _private, lambda m, at, known: label_inference.wu_corollary_1(float(known.payoff.max()), _epsilon(m))),
    Ceiling("002 Theorem 2", _private, lambda m, at, known: label_inference.wu_theorem_2(at.total, _epsilon(m))),
    Ceiling("002 Theorem 2, improved", _private, lambda m, at, known: label_inference.wu_improved(at.missed, _epsilon(m))),
    Ceiling("003 Theorem 3.4, square root", _counted_alike,
            lambda m, at, known: label_proportions.theorem_3_4_sqrt(at.p, m.bag), _product_only),
    Ceiling("003 Theorem 3.4, Bernstein", _counted_alike,
            lambda m, at, known: label_proportions.theorem_3_4_bernstein(at.p, m.bag), _product_only),
    Ceiling("003 Lemma A.1, corrected", _counted_alike, lambda m, at, known: label_proportions.lemma_a1(m.bag, at.p, at.spread)),
    Ceiling("unimodality", _counted_alike, lambda m, at, known: label_proportions.unimodal_closed(at.spread, m.bag)),
    Ceiling("unimodality, by the error", _counted, lambda m, at, known: by_error(m, at.missed, known.payoff)),
    Ceiling("003 Theorem 6.4", _laplace, lambda m, at, known: laplace_proportions.theorem_6_4(at.spread, _epsilon(m))),
    Ceiling("003 Theorem 6.4, sharp", _laplace, lambda m, at, known: laplace_proportions.theorem_6_4_sharp(at.spread, _epsilon(m))),
)  # fmt: skip


def by_error(mechanism: Mechanism, missed: float, payoff: Floats) -> float:
    return label_proportions.unimodal_from_error(missed, mechanism.bag, (float(payoff[0]), float(payoff[1])))


def interval(ceiling: Ceiling, mechanism: Mechanism, known: Known) -> Interval:
    """Over all that may be true."""
    values = [ceiling.value(mechanism, point, known) for point in known.possible()]
    return min(values), values[-1], max(values)


def surely(mechanism: Mechanism, missed_high: float, payoff: Floats) -> float:
    """No advantage is larger, if the best guess from the features misses no more than that, whatever eta is."""
    high = mechanism.total_variation(len(payoff)) * missed_high
    if mechanism.counts_only and len(payoff) == 2:
        return min(high, by_error(mechanism, missed_high, payoff))
    return high
