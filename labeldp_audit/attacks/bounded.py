"""A** of 003, Theorem 6.3, as it has to be (ERRATA B1): who is surer by the features than epsilon can undo is guessed
from the features, and A* is asked about all others.

With two classes: 1 where eta / (1 - eta) > e^epsilon, 0 where it is < e^-epsilon, otherwise the guess of A*. With
payoffs w these are odds of w_c eta_c against every other class. It guesses as A* does, unless epsilon is not true.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from ..core.finding import Knows
from .contract import Attack, Guesses, Seen, best, told


class Bounded(Attack):
    name: ClassVar[str] = "bounded"
    example: ClassVar[str] = "bounded"
    summary: ClassVar[str] = "asks the release only where its epsilon can change the guess: A** of 003, corrected"
    knows: ClassVar[Knows] = Knows.BOTH
    updates: ClassVar[bool] = True

    def unfit(self, seen: Seen) -> str:
        claim = seen.mechanism.claim(seen.eta.shape[1])
        return super().unfit(seen) if claim is not None and math.isfinite(claim) else "the mechanism has no epsilon"

    def read(self, seen: Seen) -> Guesses:
        claim = seen.mechanism.claim(seen.eta.shape[1])
        assert claim is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.log(seen.eta)
            worth = np.sort(alone + np.log(seen.payoff), axis=1)
            sure = worth[:, -1] - worth[:, -2] > claim
        return best(np.where(sure[:, None], alone, told(seen, seen.eta)), seen.payoff)
