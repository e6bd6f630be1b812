"""Hoeffding 1963, doi:10.1080/01621459.1963.10500830: limits for the mean of terms that lie in a known range.

Each limit misses with probability at most `miss`. Assumes independent terms.
"""

from __future__ import annotations

import math

import numpy as np

from ..model import Floats


def mean_limits(
    terms_low: Floats, terms_high: Floats, smallest: float, largest: float, wrong: int, miss: float
) -> tuple[float, float]:
    """Limits of E V, smallest <= V <= largest, terms_low[i] <= V_i <= terms_high[i] for all but `wrong` terms."""
    q = len(terms_low)
    slack = (largest - smallest) * (wrong / q + math.sqrt(math.log(1 / miss) / (2 * q)))
    return max(smallest, float(np.mean(terms_low)) - slack), min(largest, float(np.mean(terms_high)) + slack)
