"""Label proportions (learning from label proportions, 003, Section 3): the share of positives of each random bag.

The size of a bag is published with it, so the share and the count say the same; here it is the count.
It has no epsilon: where all others of a bag are certain, the count gives a label away, whatever k is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats
from ..core.mechanism import Labels
from ..core.randomness import Chance
from ..core.release import Guide, Release
from .bags import Bags, laws


@dataclass(frozen=True)
class LabelProportions(Bags):
    name: ClassVar[str] = "llp"
    example: ClassVar[str] = "llp:k=8"
    summary: ClassVar[str] = "label proportions: how many positives each random bag of k records has"

    def claim(self, classes: int) -> float | None:
        return None

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        return Release(*self.counted(labels, rng))

    def gain(self, eta: Floats, payoff: Floats) -> Floats | None:
        miss, hit = laws(eta)
        if np.ptp(hit) == 0:
            return np.full(eta.shape[:-1], gain_of_alike(float(miss.flat[0]), float(hit.flat[0]), self.k, payoff))
        return super().gain(eta, payoff)


def gain_of_alike(miss: float, hit: float, k: int, payoff: Floats) -> float:
    """003, Theorem 3.4: labels that do not depend on features. s of k positives make each member positive with s / k:
    sum over s of P(Bin(k, hit) = s) [the worth of the other guess - that of the one from the features]_+.
    """
    from scipy.special import gammaln, xlogy

    s = np.arange(k + 1)
    chance = np.exp(gammaln(k + 1) - gammaln(s + 1) - gammaln(k - s + 1) + xlogy(s, hit) + xlogy(k - s, miss))
    more = payoff[1] * s / k - payoff[0] * (k - s) / k
    better = more if payoff[1] * hit <= payoff[0] * miss else -more
    return float(chance @ np.maximum(0.0, better))
