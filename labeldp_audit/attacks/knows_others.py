"""Who knows the labels of all other records: the worst case that differential privacy is about.

A count without noise then gives the last label away, however large the bag is.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..core.finding import Knows
from .contract import Attack, Guesses, Seen, best, told


class KnowsOthers(Attack):
    name: ClassVar[str] = "all-others"
    example: ClassVar[str] = "all-others"
    summary: ClassVar[str] = "knows the true labels of all other records: what an epsilon is about"
    knows: ClassVar[Knows] = Knows.LABELS
    updates: ClassVar[bool] = True

    def read(self, seen: Seen) -> Guesses:
        # The likelihood of a record's own label looks at the others' alone.
        certain = np.eye(seen.eta.shape[1])[seen.labels]
        return best(told(seen, seen.eta, certain), seen.payoff)
