"""Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404: exact limits for the success probability of a binomial count.

lower solves P(Bin(n, low) >= count) = miss, upper solves P(Bin(n, high) <= count) = miss. Each is one-sided: it misses
with probability at most `miss`.

They hold for a count of independent trials that are not alike too, and then limit the mean of their probabilities:
Hoeffding 1956 (doi:10.1214/aoms/1177728178) shows it for all counts but the first, where the miss may be as large as
-log(1 - miss), provided miss < 1/4. `limits_of_counts` therefore asks for 1 - e^-miss.

Where the inverse beta function gives no number, as that of scipy 1.15 from 10^12 trials on, limits are 0 and 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats

_OUTWARD = 1e-12  # relative to the nearer of 0 and 1; beyond the error of the inverse beta function
_EACH, _MOST = 1e-16, 1e9  # relative too, for each trial: the inverse of the complement is off by 1e-9 of 10^8 trials
_NEXT = 4e-16  # of numbers next to 1


def lower(count: npt.ArrayLike, n: npt.ArrayLike, miss: float) -> Floats:
    from scipy.special import betaincinv

    count, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(n, np.float64))
    with np.errstate(invalid="ignore"):
        low = np.where(count == n, np.exp(np.log(miss) / np.maximum(n, 1)), betaincinv(count, n - count + 1, miss))
    return np.where(count > 0, np.fmax(0.0, low * (1 - _OUTWARD)), 0.0)


def upper(count: npt.ArrayLike, n: npt.ArrayLike, miss: float) -> Floats:
    """By the complement, so that a tiny `miss` is not lost in 1 - miss (ERRATA A9, CERTIFICATES e)."""
    from scipy.special import betainccinv

    count, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(n, np.float64))
    with np.errstate(invalid="ignore"):
        high = np.where(count == 0, -np.expm1(np.log(miss) / np.maximum(n, 1)), betainccinv(count + 1, n - count, miss))
    outward = np.maximum((_OUTWARD + _EACH * np.minimum(n, _MOST)) * np.minimum(high, 1 - high), _NEXT * high)
    return np.where(count < n, np.fmin(1.0, high + outward), 1.0)


def limits_of_counts(count: npt.ArrayLike, n: npt.ArrayLike, miss: float) -> tuple[Floats, Floats]:
    """Limits for the mean probability behind each of many counts, each missing with probability at most `miss`.

    The few different counts are solved once. Assumes independent labels and miss < 1/4.
    """
    count, n = np.broadcast_arrays(np.asarray(count, np.int64), np.asarray(n, np.int64))
    base = int(n.max()) + 1
    distinct, place = np.unique(n * base + count, return_inverse=True)
    k, s = np.divmod(distinct, base)
    alike = -np.expm1(-miss)
    return lower(s, k, alike)[place.ravel()], upper(s, k, alike)[place.ravel()]
