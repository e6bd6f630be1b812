"""Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404: exact limits for the success probability of a binomial count.

lower solves P(Bin(n, low) >= count) = miss, upper solves P(Bin(n, high) <= count) = miss. Each is one-sided: it misses
with probability at most `miss`.

They hold for a Poisson-binomial count too, with the mean of its probabilities in place of the probability: Hoeffding
1956 (doi:10.1214/aoms/1177728178) for all counts but one, where `miss` becomes -log(1 - miss) at most (CERTIFICATES,
0), which for the levels used here is the same to three digits. Assumes independent labels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model import Floats

_OUTWARD = 1e-12  # relative; beyond the error of the inverse beta function


def lower(count: npt.ArrayLike, n: npt.ArrayLike, miss: float) -> Floats:
    from scipy.special import betaincinv

    count, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(n, np.float64))
    with np.errstate(invalid="ignore"):
        low = np.where(count == n, np.exp(np.log(miss) / np.maximum(n, 1)), betaincinv(count, n - count + 1, miss))
    return np.where(count > 0, low * (1 - _OUTWARD), 0.0)


def upper(count: npt.ArrayLike, n: npt.ArrayLike, miss: float) -> Floats:
    """By the complement, so that a tiny `miss` is not lost in 1 - miss (ERRATA A9, CERTIFICATES e)."""
    from scipy.special import betainccinv

    count, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(n, np.float64))
    with np.errstate(invalid="ignore"):
        high = np.where(count == 0, -np.expm1(np.log(miss) / np.maximum(n, 1)), betainccinv(count + 1, n - count, miss))
    return np.where(count < n, np.minimum(1.0, high * (1 + _OUTWARD)), 1.0)


def limits_of_counts(count: npt.ArrayLike, n: npt.ArrayLike, miss: float) -> tuple[Floats, Floats]:
    """Both limits, each missing with probability `miss`, of many counts: the few different ones are solved once."""
    pairs = np.stack(np.broadcast_arrays(np.asarray(count, np.int64), np.asarray(n, np.int64)), axis=1)
    distinct, place = np.unique(pairs, axis=0, return_inverse=True)
    s, k = distinct.T
    return lower(s, k, miss)[place.ravel()], upper(s, k, miss)[place.ravel()]
