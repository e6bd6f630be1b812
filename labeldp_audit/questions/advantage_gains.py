"""The advantage under each mechanism: exact where that can be added up, otherwise over bags drawn at random. And which
strength of another mechanism gives away as much."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ..core.arrays import Floats
from ..core.mechanism import Mechanism
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..engines.machine import available_cores
from ..engines.threads import in_threads
from ..measures import advantage, log_odds
from ..measures.advantage import Each, Gain
from ..measures.eta_law.estimated import Belief
from ..measures.log_odds import Changes
from ..mechanisms.bags import LARGEST
from ..mechanisms.label_proportions import LabelProportions
from ..mechanisms.randomized_response import pi_from_epsilon

_NOTHING = 1e-12  # an advantage that is none
_STRONGEST = 40.0  # epsilon: beyond it a label is flipped less than once in 10^17


def gains_of(
    mechanisms: Sequence[Mechanism], belief: Belief, payoff: Floats, settings: Settings, progress: Progress
) -> dict[str, Gain]:
    """By spec. The same seed gives mechanisms with bags of one size, in every command, the same bags."""
    exact = {one.spec: belief.gain(one, payoff) for one in mechanisms}
    found = {spec: gain for spec, gain in exact.items() if gain is not None}
    left = [one for one in mechanisms if one.spec not in found]
    if left:
        progress.stage("drawing bags", None, "blocks")
    each = _in_threads(settings, progress)
    for size in dict.fromkeys(one.bag for one in left):
        together = [one for one in left if one.bag == size]

        def stream(block: int, size: int = size) -> np.random.Generator:
            return for_audit(settings.seed, f"bags of {size}, block {block}")

        gains = advantage.simulated(together, belief.members, payoff, stream, settings.bags, each)
        found |= {one.spec: gain for one, gain in zip(together, gains, strict=True)}
    return found


def changes_of(
    mechanisms: Sequence[Mechanism], belief: Belief, settings: Settings, progress: Progress
) -> dict[str, Changes]:
    """By spec: how far each release moves the log odds of the true label. Bags of one size are the same bags."""
    classes = belief.law.eta.shape[1]
    progress.stage("following the odds", None, "blocks")
    each, found = _in_threads(settings, progress), {}
    for one in mechanisms:
        channel, ratios = one.channel(classes), one.log_ratios() if classes == 2 else None
        known = None
        if channel is not None and ratios is not None:
            known = log_odds.of_two(channel, ratios, belief.law)
        elif channel is not None:
            known = log_odds.of_channel(channel, belief.law)

        def stream(block: int, size: int = one.bag) -> np.random.Generator:
            return for_audit(settings.seed, f"odds in bags of {size}, block {block}")

        found[one.spec] = known or log_odds.drawn(one, belief.members, stream, settings.bags, each)
    return found


def _in_threads(settings: Settings, progress: Progress) -> Each:
    def each(look: Callable[[int], Floats], blocks: Iterable[int]) -> Iterable[Floats]:
        for found in in_threads(look, blocks, settings.threads or available_cores()):
            progress.advance(1)
            yield found

    return each


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
        self._known: dict[int, float] = {}
        self._belief, self._payoff, self._settings = belief, payoff, settings
        self.largest = min(LARGEST, rows)

    def gain(self, k: int) -> float:
        if k not in self._known:
            [found] = gains_of([LabelProportions(k)], self._belief, self._payoff, self._settings, Silent()).values()
            self._known[k] = found.mean
        return self._known[k]

    def same(self, target: float) -> int | None:
        """The smallest k whose advantage is at most the target; None where no bag is large enough."""
        low, high = 0, 1
        most = target * (1 + 1e-12)
        while self.gain(high) > most:
            if high == self.largest:
                return None
            low, high = high, min(2 * high, self.largest)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.gain(middle) <= most else (middle, high)
        return high
