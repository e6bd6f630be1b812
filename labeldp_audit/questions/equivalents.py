"""Mechanisms on the same footing: which strength of the one gives away as much as the other."""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats
from ..core.progress import Silent
from ..core.settings import Settings
from ..measures.advantage import Gain
from ..measures.eta_law.estimated import Belief
from ..mechanisms.bags import LARGEST
from ..mechanisms.label_proportions import LabelProportions
from ..mechanisms.randomized_response import pi_from_epsilon
from . import advantage_gains

_NOTHING = 1e-12  # an advantage that is none
_STRONGEST = 40.0  # epsilon: beyond it a label is flipped less than once in 10^17


class Flips:
    """The advantage of randomized response for any epsilon, two classes; sorted once.

    003, Theorem 3.7 with payoffs: with a the smaller and b the larger worth, E [(1 - pi) a - pi b]_+, which is
    E (a + b) [a / (a + b) - pi]_+.
    """

    def __init__(self, belief: Belief, payoff: Floats) -> None:
        worth = belief.law.eta * payoff
        whole = worth.sum(axis=1)
        doubt = worth.min(axis=1) / whole
        order = np.argsort(doubt)
        self._doubt, weight = doubt[order], (belief.law.weight * whole)[order]
        self._weight_from = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
        self._doubt_from = np.append(np.cumsum((weight * self._doubt)[::-1])[::-1], 0.0)

    def gain(self, epsilon: float) -> float:
        pi = pi_from_epsilon(epsilon)
        place = int(np.searchsorted(self._doubt, pi, side="right"))
        return float(self._doubt_from[place] - pi * self._weight_from[place])

    def same(self, target: float) -> float:
        """The largest epsilon with an advantage of at most the target: 0 where that is nothing, infinite where labels
        in the clear give away no more."""
        low, high = 0.0, _STRONGEST
        if target <= _NOTHING:
            return 0.0
        if self.gain(high) <= target * (1 + 1e-12):
            return math.inf
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.gain(middle) <= target else (low, middle)
        return low


class Bags:
    """The advantage of label proportions for any k, each computed once."""

    def __init__(self, belief: Belief, payoff: Floats, settings: Settings, rows: int) -> None:
        self._known: dict[int, Gain] = {}
        self._belief, self._payoff, self._settings = belief, payoff, settings
        self._largest = min(LARGEST, rows)

    def gain(self, k: int) -> Gain:
        if k not in self._known:
            found = advantage_gains.gains_of(
                [LabelProportions(k)], self._belief, self._payoff, self._settings, Silent()
            )
            [self._known[k]] = found.values()
        return self._known[k]

    def same(self, target: float) -> int | None:
        """The smallest k whose advantage is at most the target; None where no bag is large enough."""
        low, high = 0, 1
        while not self._within(high, target):
            if high == self._largest:
                return None
            low, high = high, min(2 * high, self._largest)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._within(middle, target) else (middle, high)
        return high

    def _within(self, k: int, target: float) -> bool:
        return self.gain(k).mean <= target * (1 + 1e-12)
