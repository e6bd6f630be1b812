"""Lower limits of a mean by betting against it (Waudby-Smith and Ramdas 2024, doi:10.1093/jrsssb/qkad009).

Terms V_i >= floor are independent, and their mean expectation is at most M. Whoever stakes a share s of his wealth on
each term has, after all of them and with 1 to start with,

    product over i of (1 - s + s (V_i - floor) / (m - floor)),

which is at most 1 in expectation if M <= m. (Terms need not be alike: arithmetic and geometric mean.) So is any mean of
such wealths, over stakes and over different terms whose expectations are all at most M, whether these depend on each
other or not. A mean wealth of 1 / miss disproves M <= m, but for a probability of `miss` (Markov). Each wealth falls
with m, so what is disproved lies below one place. Rare but large losses cost little, unlike with Hoeffding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..model import Floats

STAKES = np.array([0.9, 0.7, 0.5, 0.35, 0.25, 0.17, 0.12, 0.08, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002, 0.0005])
_HALVINGS = 45


@dataclass(frozen=True)
class Terms:
    """How often each value was seen. `floor` must not depend on that."""

    value: Floats  # (v,)
    times: Floats  # (v,)
    floor: float  # no value that might have been seen is smaller

    def log_wealth(self, m: float) -> Floats:
        """(stakes,)"""
        if m <= self.floor:
            return np.full(len(STAKES), np.inf)
        gain = (self.value - self.floor) / (m - self.floor) - 1
        return np.asarray(np.log1p(STAKES[:, None] * gain) @ self.times)


def mean_lower(several: Sequence[Terms], miss: float) -> float:
    """Lower limit of M, at least the mean expectation of each of these terms. At least one of them has been seen."""
    low = max(terms.floor for terms in several)
    high = max(low, *(float(terms.value.max()) for terms in several))  # there no stake has won
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _log_mean_wealth(several, middle) > -math.log(miss) else (low, middle)
    return low


def _log_mean_wealth(several: Sequence[Terms], m: float) -> float:
    each = np.concatenate([terms.log_wealth(m) for terms in several])
    most = float(each.max())
    return most if math.isinf(most) else most + math.log(float(np.mean(np.exp(each - most))))
