"""Divergences from counts of each class by itself, in cells fixed before all of their rows (CERTIFICATES a1).

Given how many rows of each class there are, the number of positive ones in cell c is Bin(n1, a_c) and of negative ones
Bin(n0, b_c), a and b the laws of the cell given the class. Coarser features lower every divergence, and with
f(t) = t^alpha - 1 - alpha (t - 1), or t log t - t + 1 for alpha = 1, each term b f(a / b) is at least 0, rises with a
and falls with b where a >= b, and the other way round where a <= b. So with a direction for each cell, fixed
beforehand as well, one limit of a and one of b do; with m cells, `miss_each` is 1 / 2m of what may be missed. What the
directions get wrong counts 0.

Beside bounds/divergence_cells.py this needs cells and directions that no feature of their rows has shaped, and a level
of its own. It needs no limits of p. Assumes independent rows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model import Floats
from . import clopper_pearson


def renyi(
    ones: npt.ArrayLike, zeros: npt.ArrayLike, more_ones: npt.NDArray[np.bool_], order: float, miss_each: float
) -> float:
    """Lower limit of D_order(P1 || P0), order > 1; `more_ones` says where a > b is to be expected."""
    log_terms = _log_powers(*_limits(ones, zeros, more_ones, miss_each), order)
    return float(np.logaddexp(0.0, np.logaddexp.reduce(log_terms, initial=-np.inf))) / (order - 1)


def kullback_leibler(
    ones: npt.ArrayLike, zeros: npt.ArrayLike, more_ones: npt.NDArray[np.bool_], miss_each: float
) -> float:
    """The same for KL(P1 || P0)."""
    from scipy.special import xlogy

    a, b = _limits(ones, zeros, more_ones, miss_each)
    return float(np.sum(np.maximum(0.0, xlogy(a, a) - xlogy(a, b) - a + b)))


def _limits(
    ones: npt.ArrayLike, zeros: npt.ArrayLike, more_ones: npt.NDArray[np.bool_], miss_each: float
) -> tuple[Floats, Floats]:
    """a and b as near to each other as they may be, in those cells where that is apart in the direction expected."""
    ones, zeros = np.asarray(ones, np.int64), np.asarray(zeros, np.int64)
    n1, n0, each = ones.sum(), zeros.sum(), miss_each
    a = np.where(more_ones, clopper_pearson.lower(ones, n1, each), clopper_pearson.upper(ones, n1, each))
    b = np.where(more_ones, clopper_pearson.upper(zeros, n0, each), clopper_pearson.lower(zeros, n0, each))
    apart = np.where(more_ones, a > b, a < b)
    return a[apart], b[apart]


def _log_powers(a: Floats, b: Floats, order: float) -> Floats:
    """log b f(a / b), in logarithms so that no power overflows; -inf where nothing is left."""
    with np.errstate(divide="ignore"):
        log_b, log_power = np.log(b), order * (np.log(a) - np.log(b))
    rest = np.maximum(0.0, 1 + order * (a / b - 1))
    with np.errstate(divide="ignore"):
        return np.where(
            log_power > 30,
            log_b + log_power + np.log1p(-rest * np.exp(-np.maximum(log_power, 30.0))),
            log_b + np.log(np.maximum(0.0, np.exp(np.minimum(log_power, 30.0)) - 1 - order * (a / b - 1))),
        )
