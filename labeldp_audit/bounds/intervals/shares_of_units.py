"""Limits for a share of records that come in independent units, such as bags: trials within a unit may hang together.

Each limit misses with probability at most `miss`. Records that are units of their own are counted (Clopper-Pearson).
Of larger units the mean is limited by bets (Waudby-Smith and Ramdas 2024, doi:10.1093/jrsssb/qkad009). Terms x_i in
[0, 1] are independent, and need not be alike: who bets a share c of what he has, fixed beforehand, against a mean m has

    K_c(m) = prod_i (1 + c (x_i / m - 1)),    E K_c(m) <= (1 + c (mean of E x_i / m - 1))^n <= 1

wherever the mean is at most m, as the geometric mean of positive numbers is no larger than the arithmetic one. So does
the mean of K_c over several c, which is above 1 / miss with probability at most `miss` (Markov). It falls with m: the
low is where it is 1 / miss. Where terms vary little, this is far above what Hoeffding's inequality gives.

Few units tell little in this way, whatever is in them. Claims about members of bags of which counts are published do
better. Given the counts, and all else that claims are made of, which claims there are is fixed. What is left to chance
is labels, independent by nature, of which a sum is known, or a sum with log-concave noise, which is one more term of a
known sum: so they are negatively associated (Joag-Dev and Proschan 1983, Theorem 2.8, doi:10.1214/aos/1176346079). Then
the moment generating function of a count of labels of one class is at most that of independent ones, which is at most
that of n alike ones, and Chernoff's bound is that of n independent trials:

    P(count >= n x) <= e^(-n KL(x || p)),    x >= p, the mean of the probabilities; the same below

Limits are then for the claims that were made, over the labels that could lead to what was published.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from . import clopper_pearson

Ends = tuple[float, float]
_BETS = 0.5 ** np.arange(0.0, 12.0)[:, None] * (1 - 1e-6)  # none bets all there is
_HALVINGS = 50
_OUTWARD = 1e-12


def of_records(hit: npt.NDArray[np.bool_], miss: float) -> Ends:
    """Trials need not be alike: the share is the mean of their probabilities."""
    if not len(hit):
        return 0.0, 1.0
    low, high = clopper_pearson.limits_of_counts(int(hit.sum()), len(hit), miss)
    return float(low.item()), float(high.item())


def of_units(hit: npt.NDArray[np.bool_], unit: Integers, miss: float) -> Ends:
    """unit (n,): records with the same number are one; sizes of units are known beforehand."""
    if not len(hit):
        return 0.0, 1.0
    hits, most = _sums(hit, unit)
    scale = most * len(hits) / len(hit)
    low, high = (end * scale for end in mean_limits(hits / most, miss))
    return low, min(1.0, high)


def of_claims(hit: npt.NDArray[np.bool_], claim: Integers, miss: float) -> Ends:
    """claim (n,): the class that is claimed of each record, below 0 where none is; hit: whether it has it. Given all
    claims, labels are negatively associated."""
    low = high = 0.0
    made = np.unique(claim[claim >= 0])
    for c in made:
        mine = claim == c
        ends = chernoff(int(hit[mine].sum()), int(mine.sum()), miss / len(made))
        low, high = low + ends[0] * float(mine.mean()), high + ends[1] * float(mine.mean())
    return low, min(1.0, high)


def chernoff(count: int, n: int, miss: float) -> Ends:
    """Where n KL(count / n || p) = log(1 / miss), below and above."""
    return _below(count, n, miss), 1 - _below(n - count, n, miss)


def _below(count: int, n: int, miss: float) -> float:
    from scipy.special import rel_entr

    share, low, high = count / n, 0.0, count / n
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        apart = n * float(rel_entr(share, middle) + rel_entr(1 - share, 1 - middle))
        low, high = (middle, high) if apart >= -math.log(miss) else (low, middle)
    return max(0.0, low - _OUTWARD)


def difference_of_units(
    gained: npt.NDArray[np.bool_], lost: npt.NDArray[np.bool_], unit: Integers, miss: float
) -> Ends:
    """The same for the share of what was gained less that of what was lost: units see both."""
    if not len(unit):
        return -1.0, 1.0
    sums, most = _sums(gained.astype(np.float64) - lost, unit)
    scale = most * len(sums) / len(unit)
    low, high = ((2 * end - 1) * scale for end in mean_limits((sums / most + 1) / 2, miss))
    return max(-1.0, low), min(1.0, high)


def _sums(values: npt.NDArray[np.generic], unit: Integers) -> tuple[Floats, int]:
    """Of each unit, and the size of the largest."""
    place = np.unique(unit, return_inverse=True)[1].reshape(-1)
    return np.asarray(np.bincount(place, values), np.float64), int(np.bincount(place).max())


def mean_limits(terms: Floats, miss: float) -> Ends:
    """Of independent terms in [0, 1], for the mean of what is expected of them."""
    return _lower(terms, miss), 1 - _lower(1 - terms, miss)


def _lower(terms: Floats, miss: float) -> float:
    values, times = np.unique(terms, return_counts=True)
    low, high = 0.0, float(terms.mean())
    with np.errstate(over="ignore"):
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if middle <= 0:
                break
            won = (np.log1p(_BETS * (values / middle - 1)) * times).sum(axis=1)
            low, high = (middle, high) if _log_mean(won) >= -math.log(miss) else (low, middle)
    return max(0.0, low - _OUTWARD)


def _log_mean(logs: Floats) -> float:
    return float(np.logaddexp.reduce(logs)) - math.log(len(logs))
