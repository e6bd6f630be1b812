"""What the best guess from the features misses, and how spread eta is: upper limits (CERTIFICATES c2 and c3).

    error   E min(eta, 1 - eta)      no guess of the labels is wrong less often
    spread  E eta (1 - eta)          no probabilities have a smaller Brier score

Either from the box, or from scores that were made without the labels that judge them, fold by fold. Both ways hold for
any eta, so the smaller limit may be taken where their levels are added. Lower limits are impossible (unknowable.py) but
where rows repeat (repeated_rows.py).

Assumes labels that are independent given the features; statements about people also assume independent rows. That from
scores assumes too that these were made by something that saw no row of the fold, not even its features.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats
from ..intervals import hoeffding
from .boxes import Box

MOST_ERROR, MOST_SPREAD = 0.5, 0.25


def error(box: Box) -> float:
    """[U] min(eta, 1 - eta) is concave: Jensen, and the largest value between the limits."""
    return float(box.mean_at_most(np.minimum(MOST_ERROR, np.minimum(box.high, 1 - box.low))))


def spread(box: Box) -> float:
    """[U] eta (1 - eta) is concave too."""
    nearest = np.clip(0.5, box.low, box.high)
    return float(box.mean_at_most(nearest * (1 - nearest)))


def of_people(mean_high: float, most: float, n: int, miss: float) -> float:
    """[P] from the mean over n rows of something between 0 and `most` to people."""
    return most * hoeffding.share_upper(min(1.0, mean_high / most), n, miss)


def spread_of_rows(squares: Floats, fold: npt.NDArray[np.integer], miss: float) -> float:
    """[U] from W = (score - label)^2 of each row: KL(mean W || high) = log(1/miss) / m, m rows in the smallest fold.

    Given the scores of fold f, Hoeffding has E exp(m (-s V_f - log(1 - e_f (1 - e^-s)))) <= 1 for every s > 0, V_f its
    mean and e_f its expectation, at least the spread of its rows. The mean of these over folds, weighted by their rows,
    is at most 1 too; by Jensen so is E exp of the mean exponent; the logarithm is concave, so that the exponent is at
    least the one at the mean of e_f, and rises with it. What is left is Chernoff's bound at the spread of all rows.
    """
    _, place, n = np.unique(fold, return_inverse=True, return_counts=True)
    mean = float(np.bincount(place, weights=squares).sum() / len(squares))
    return min(MOST_SPREAD, hoeffding.share_upper(min(1.0, mean), int(n.min()), miss))
