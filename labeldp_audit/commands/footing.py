"""Mechanisms on the same footing: which strength of the one gives away as much as the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .. import engine
from ..measures import advantage
from ..measures.advantage import Gain
from ..mechanisms.label_proportions import LabelProportions
from ..mechanisms.randomized_response import RandomizedResponse
from ..model import Floats
from . import gains
from .beliefs import Belief
from .settings import Settings

LARGEST = 4096  # k that is looked at
_STRONGEST = 40.0  # epsilon: beyond it a label is flipped less than once in 10^17
_ERRORS = 3.0  # standard errors on either side


@dataclass(frozen=True)
class Same:
    """A parameter of the other mechanism; None: no such one is strong enough, or weak enough."""

    estimate: float | None
    low: float | None
    high: float | None


def epsilon(gain: Gain, belief: Belief, payoff: Floats) -> Same:
    """Of the randomized response whose advantage is the same."""
    slack = _ERRORS * gain.standard_error
    return Same(*(_epsilon(gain.mean + shift, belief, payoff) for shift in (0.0, -slack, slack)))


def _epsilon(target: float, belief: Belief, payoff: Floats) -> float:
    """Its advantage rises with epsilon and does not jump; infinite where even labels in the clear give away no more."""
    from scipy.optimize import brentq

    def excess(value: float) -> float:
        found = advantage.exact(RandomizedResponse(value), belief.law, payoff)
        assert found is not None
        return found.mean - target

    if excess(math.inf) <= 0:
        return math.inf
    if target <= 0:
        return _first(excess)
    return float(brentq(excess, 0.0, _STRONGEST, xtol=1e-9)) if excess(_STRONGEST) > 0 else math.inf


def _first(excess: Callable[[float], float]) -> float:
    """The largest epsilon that gives nothing away: below it the release changes no guess."""
    low, high = 0.0, _STRONGEST
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)
    return low


class Bags:
    """The advantage of label proportions for any k, each computed once."""

    def __init__(self, belief: Belief, payoff: Floats, settings: Settings) -> None:
        self._known: dict[int, Gain] = {}
        self._belief, self._payoff, self._settings = belief, payoff, settings

    def gain(self, k: int) -> Gain:
        if k not in self._known:
            found = gains.of([LabelProportions(k)], self._belief, self._payoff, self._settings, engine.Silent())
            [self._known[k]] = found.values()
        return self._known[k]

    def smallest(self, target: float, errors: float = 0.0) -> int | None:
        """The smallest k whose advantage, so many standard errors added, is at most the target."""
        low, high = 0, 1
        while not self._within(high, target, errors):
            if high == LARGEST:
                return None
            low, high = high, min(2 * high, LARGEST)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._within(middle, target, errors) else (middle, high)
        return high

    def _within(self, k: int, target: float, errors: float) -> bool:
        found = self.gain(k)
        return found.mean + errors * found.standard_error <= target

    def same(self, gain: Gain) -> Same:
        """The smallest k that protects at least as well."""
        return Same(*(self.smallest(gain.mean, errors) for errors in (0.0, -_ERRORS, _ERRORS)))
