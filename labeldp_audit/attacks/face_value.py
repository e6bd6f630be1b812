"""Who has no features and takes the release at its word: the released label, or what most of the bag have.

That is Bayes' rule where every class is as likely as any other: of s positives among k each is one with s / k.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..core.finding import Knows
from .contract import Attack, Guesses, Seen, best, told


class FaceValue(Attack):
    name: ClassVar[str] = "majority"
    example: ClassVar[str] = "majority"
    summary: ClassVar[str] = "takes the release at its word: the released label, or that of most in the bag"
    knows: ClassVar[Knows] = Knows.RELEASE

    def read(self, seen: Seen) -> Guesses:
        even = np.full(seen.eta.shape, 1 / seen.eta.shape[1])
        if not seen.mechanism.law_known:  # soft labels
            with np.errstate(divide="ignore"):
                return best(np.log(seen.release.view.astype(np.float64)), seen.payoff)
        return best(told(seen, even), seen.payoff)
