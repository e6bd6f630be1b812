"""The baseline: the best guess from the features alone, which no release changes (003, Definition 3.1)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..core.finding import Knows
from .contract import Attack, Guesses, Seen, best


class FeaturesAlone(Attack):
    name: ClassVar[str] = "features"
    example: ClassVar[str] = "features"
    summary: ClassVar[str] = "guesses from the features and ignores the release: what all others are compared with"
    knows: ClassVar[Knows] = Knows.FEATURES

    def read(self, seen: Seen) -> Guesses:
        with np.errstate(divide="ignore"):
            return best(np.log(seen.eta), seen.payoff)
