"""Hoeffding 1963, doi:10.1080/01621459.1963.10500830: limits for the mean of terms that lie in a known range.

Each limit misses with probability at most `miss`, however few or skewed the terms. Assumes independent terms.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.arrays import Floats

_LEAST = 1e-300
_OUTWARD = 1e-11  # beyond the error of the root


def mean_limits(
    terms_low: Floats, terms_high: Floats, smallest: float, largest: float, wrong: int, miss: float
) -> tuple[float, float]:
    """Limits of E V, smallest <= V <= largest, terms_low[i] <= V_i <= terms_high[i] for all but `wrong` terms."""
    q = len(terms_low)
    slack = (largest - smallest) * (wrong / q + math.sqrt(math.log(1 / miss) / (2 * q)))
    return max(smallest, float(np.mean(terms_low)) - slack), min(largest, float(np.mean(terms_high)) + slack)


def share_lower(mean: float, q: int, miss: float) -> float:
    """Lower limit of E V, 0 <= V <= 1, from the mean of q terms: KL(mean || low) = log(1/miss) / q.

    Theorem 1, the sharper form: near 1 it is far narrower than `mean_limits`.
    """
    from scipy.optimize import brentq
    from scipy.special import rel_entr

    def excess(low: float) -> float:
        return float(rel_entr(mean, low) + rel_entr(1 - mean, 1 - low)) - math.log(1 / miss) / q

    if excess(_LEAST) <= 0:
        return 0.0
    return max(0.0, float(brentq(excess, _LEAST, mean)) - _OUTWARD)


def share_upper(mean: float, q: int, miss: float) -> float:
    """Upper limit of E V, 0 <= V <= 1, from the mean of q terms: KL(mean || high) = log(1/miss) / q."""
    return 1 - share_lower(min(1.0, 1 - mean), q, miss)
