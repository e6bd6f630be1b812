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
from . import releases
from .guessing import Payoffs

Interval = tuple[float, float, float]  # low, estimate, high
PRODUCT = "holds only where labels do not depend on the features, which the estimated law of eta does not bear out"


@dataclass(frozen=True)
class Known:
    """The estimate, the ends between which the truth may lie, and what is known anyway."""

    p: Interval
    missed: Interval  # payoff that the best guess from the features misses
    spread: Interval  # E eta (1 - eta)
    payoffs: Payoffs
    law: Law

    def estimate(self, mechanism: Mechanism) -> Point:
        return Point(mechanism, self, self.p[1], self.missed[1], self.spread[1])

    def possible(self, mechanism: Mechanism) -> Iterator[Point]:
        """A grid over all that may be true: bounds are smooth in each, and rise with what is missed."""
        low, _, high = self.p
        every_p = {*np.linspace(low, high, 5).tolist(), float(np.clip(0.5, low, high))}  # some are largest at 1/2
        peak = float(np.clip(1 / (mechanism.bag + 1), self.spread[0], self.spread[2]))  # of (1 - 2 E)^n E^2, Lemma A.1
        every_spread = {*np.linspace(self.spread[0], self.spread[2], 33).tolist(), peak}
        for p, spread, missed in itertools.product(every_p, every_spread, self.missed[::2]):
            yield Point(mechanism, self, p, missed, spread)


@dataclass(frozen=True)
class Point:
    """All that the bounds of a mechanism are made of, at one possible truth."""

    mechanism: Mechanism
    known: Known
    p: float
    missed: float
    spread: float

    @property
    def epsilon(self) -> float:
        claim = self.mechanism.claim(len(self.known.payoffs.paid))
        assert claim is not None
        return claim


@dataclass(frozen=True)
class Ceiling:
    """A bound: which mechanisms it is for, what it is at a point, and what its limits are taken from if not from it."""

    name: str
    fits: Callable[[Mechanism, Payoffs], bool]
    value: Callable[[Point], float]
    product: bool = False  # holds only where labels do not depend on features
    looser: Callable[[Point], float] | None = None  # at least as much, for the upper limit

    def refuses(self, known: Known) -> str:
        return PRODUCT if self.product and len(known.law.weight) > 1 else ""


def _private(mechanism: Mechanism, payoffs: Payoffs) -> bool:
    return mechanism.claim(len(payoffs.paid)) is not None


def _private_binary(mechanism: Mechanism, payoffs: Payoffs) -> bool:
    return len(payoffs.paid) == 2 and _private(mechanism, payoffs)


def _counted(mechanism: Mechanism, payoffs: Payoffs) -> bool:
    return len(payoffs.paid) == 2 and mechanism.counts_only


def _counted_alike(mechanism: Mechanism, payoffs: Payoffs) -> bool:
    return payoffs.alike and _counted(mechanism, payoffs)


def noisy_counts(mechanism: Mechanism, payoffs: Payoffs) -> bool:
    """Whether this is Laplace noise on two classes whose right guesses pay alike."""
    noise = mechanism.laplace
    return _counted_alike(mechanism, payoffs) and noise is not None and math.isfinite(noise)


def _by_error(mechanism: Mechanism, missed: float, payoff: Floats) -> float:
    return label_proportions.unimodal_from_error_sharp(missed, mechanism.bag, (float(payoff[0]), float(payoff[1])))


def _improved(at: Point) -> float:
    return label_inference.wu_improved(at.missed, at.epsilon)


CEILINGS = (
    Ceiling(
        "002 Corollary 1", _private,
        lambda at: label_inference.wu_corollary_1(float(at.known.payoffs.paid.max()), at.epsilon),
        looser=lambda at: label_inference.wu_corollary_1(float(at.known.payoffs.high.max()), at.epsilon),
    ),
    Ceiling("002 Theorem 2", _private, lambda at: label_inference.wu_theorem_2(1.0, at.epsilon)),
    Ceiling("002 Theorem 2, improved", _private, _improved),
    Ceiling(
        "best of all (epsilon, 0)", _private_binary,
        lambda at: label_inference.best_of_all(at.known.law, at.epsilon, payoff=at.known.payoffs.paid),
        looser=_improved,
    ),
    Ceiling(
        "003 Theorem 3.4, square root", _counted_alike,
        lambda at: label_proportions.theorem_3_4_sqrt(at.p, at.mechanism.bag), product=True,
    ),
    Ceiling(
        "003 Theorem 3.4, Bernstein", _counted_alike,
        lambda at: label_proportions.theorem_3_4_bernstein(at.p, at.mechanism.bag), product=True,
    ),
    Ceiling(
        "003 Theorem 3.5, corrected", _counted_alike,
        lambda at: label_proportions.lemma_a1(at.mechanism.bag, at.p, at.spread),
    ),
    Ceiling(
        "unimodality", _counted_alike, lambda at: label_proportions.unimodal_closed(at.spread, at.mechanism.bag)
    ),
    Ceiling(
        "unimodality, by the error", _counted,
        lambda at: _by_error(at.mechanism, at.missed, at.known.payoffs.paid),
        looser=lambda at: _by_error(at.mechanism, at.missed, at.known.payoffs.high),
    ),
    Ceiling("003 Theorem 6.4", noisy_counts, lambda at: laplace_proportions.theorem_6_4(at.spread, at.epsilon)),
    Ceiling(
        "003 Theorem 6.4, sharp", noisy_counts,
        lambda at: laplace_proportions.theorem_6_4_sharp(at.spread, at.epsilon),
    ),
)  # fmt: skip


def exact(mechanism: Mechanism, payoffs: Payoffs) -> str:
    """Return the name of the theorem that says what its advantage is, not how large at most; empty if there is none."""
    if not payoffs.alike or len(payoffs.paid) != 2 or mechanism.judged_as:
        return ""
    if mechanism.counts_only:
        return "003 Theorem 3.3"
    noise = releases.noise_of(mechanism)
    return "" if noise is None or noise.randomized_response is None else "003 Theorem 3.7"


def interval(ceiling: Ceiling, mechanism: Mechanism, known: Known) -> Interval:
    """Over all that may be true."""
    estimate = ceiling.value(known.estimate(mechanism))
    values = [estimate, *map(ceiling.looser or ceiling.value, known.possible(mechanism))]
    return 0.0 if ceiling.looser else min(values), estimate, max(values)


def surely(mechanism: Mechanism, missed_high: float, payoffs: Payoffs, p: tuple[float, float]) -> float:
    """No advantage is larger, if the best guess from the features misses no more than that and p is between these."""
    high = mechanism.total_variation(len(payoffs.high)) * missed_high
    if not _counted(mechanism, payoffs):
        return high
    high = min(high, _by_error(mechanism, missed_high, payoffs.high))
    return min(high, _lemma_a1_at_most(mechanism.bag, missed_high, p)) if payoffs.alike else high


def _lemma_a1_at_most(bag: int, missed_high: float, p: tuple[float, float]) -> float:
    """Over every spread up to what is missed; it rises with p up to 1/2. Between points of the grid it is smooth."""
    nearest = float(np.clip(0.5, *p))
    most = min(missed_high, 0.25)
    spreads = (*np.linspace(0, most, 257), min(1 / (bag + 1), most))
    return 1.001 * max(label_proportions.lemma_a1(bag, nearest, float(spread)) for spread in spreads)
