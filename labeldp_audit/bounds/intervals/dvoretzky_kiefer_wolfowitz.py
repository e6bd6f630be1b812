"""Limits for a mean, from the empirical law of limits of its terms.

The one-sided inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant (1990, doi:10.1214/aop/1176990746;
valid for miss <= 1/2): P(some t: the empirical share above t exceeds the true share by more than
e = sqrt(log(1/miss) / 2 q)) <= miss. Assumes independent, identically distributed rows.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.arrays import Floats


def mean_lower(terms_low: Floats, floor: float, wrong: int, miss: float) -> float:
    """Lower limit of E V, where V >= floor and terms_low[i] <= V_i for all but `wrong` of the q terms.

    E V = floor + integral of P(V > t) over t > floor, and P(V > t) >= share of terms_low above t - wrong / q - e.
    """
    q = len(terms_low)
    lost = wrong / q + math.sqrt(math.log(1 / miss) / (2 * q))
    finite = np.sort(terms_low[np.isfinite(terms_low)])
    if 1 - len(finite) / q > lost:
        return math.inf
    steps = np.diff(np.maximum(finite, floor), prepend=floor)
    share = np.maximum(0.0, np.arange(q, q - len(finite), -1) / q - lost)
    return floor + float(steps @ share)
