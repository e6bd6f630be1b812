"""What the best guess from the features misses, and how spread eta is: upper limits (CERTIFICATES c2 and c3).

    error   E min(eta, 1 - eta)      no guess of the labels is wrong less often
    spread  E eta (1 - eta)          no probabilities have a smaller Brier score

Either from the box, or from guesses and scores that were made without the labels that judge them, fold by fold. Both
ways hold for any eta, so the smaller limit may be taken where their levels are added. Lower limits are impossible
(unknowable.py) but where rows repeat (repeated_rows.py).

Assumes labels that are independent given the features; statements about people also assume independent rows. Those from
guesses and scores assume too that these were made by something that saw no row of the fold, not even its features.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats
from ..intervals import clopper_pearson, hoeffding
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


def error_of_guesses(wrong: npt.NDArray[np.bool_], fold: npt.NDArray[np.integer], miss: float) -> tuple[float, float]:
    """[U] and [P] limits of the error, which hold at once: whoever guesses a fold without its labels is wrong at least
    as often as the best guess.

    Of the rows, each fold holds its own: their limits are averaged. People are the same for every fold: each limit
    holds for them, and so does the smallest.
    """
    count, n = _sums(wrong, fold)
    limits = clopper_pearson.upper(count, n, -math.expm1(-miss / len(n)))
    return min(MOST_ERROR, float(limits @ n) / len(wrong)), min(MOST_ERROR, float(limits.min()))


def spread_of_people(squares: Floats, fold: npt.NDArray[np.integer], miss: float) -> float:
    """[P] from (score - label)^2 of each row: the Brier score of every fold is at least the spread."""
    total, n = _sums(squares, fold)
    limits = [hoeffding.share_upper(s / k, int(k), miss / len(n)) for s, k in zip(total, n, strict=True)]
    return min(MOST_SPREAD, *limits)


def spread_of_rows(squares: Floats, fold: npt.NDArray[np.integer], miss: float) -> float:
    """[U] from the same squares W, without a share of the level for each fold: KL(mean W || high) = log(1/miss) / m, m
    rows in the smallest fold.

    Given the scores of fold f, Hoeffding has E exp(m (-s V_f - log(1 - e_f (1 - e^-s)))) <= 1 for every s > 0, V_f its
    mean and e_f its expectation, at least the spread of its rows. The mean of these over folds, weighted by their rows,
    is at most 1 too; by Jensen so is E exp of the mean exponent; the logarithm is concave, so that the exponent is at
    least the one at the mean of e_f, and rises with it. What is left is Chernoff's bound at the spread of all rows.
    """
    total, n = _sums(squares, fold)
    return min(MOST_SPREAD, hoeffding.share_upper(min(1.0, float(total.sum() / n.sum())), int(n.min()), miss))


def _sums(values: npt.NDArray[np.generic], fold: npt.NDArray[np.integer]) -> tuple[Floats, Floats]:
    """The sum of the values in each fold, and how many rows it has."""
    _, place = np.unique(fold, return_inverse=True)
    return np.bincount(place, weights=values).astype(np.float64), np.bincount(place).astype(np.float64)
