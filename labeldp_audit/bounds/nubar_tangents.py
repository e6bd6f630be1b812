"""How much people lose on average: a lower limit without cells, from scores and labels.

phi(z) = (2 z - 1) logit z is convex, so it lies above its tangents. At any g(x) that the labels of other folds gave,

    E phi(eta) >= E [phi(g) + phi'(g)(Y - g)],

and the right side is an expectation of what was seen. What is lost is the distance of phi from its tangents, little
where scores are near eta; wrong scores cost sharpness, never validity. Bounds on the mean of all rows are far narrower
than bounds on the mean of each of many cells (bounds/nubar_cells.py), which must hold all at once.

    E H(eta; p) = E phi(eta) - c (2 p - 1) - H(p; p0),   c = logit p0

for any p0: with p0 near p the labels' own part is small. phi' is large near 0 and 1, so g is kept away from them, more
or less far; all folds and all of these are bet on together (bounds/bets.py).

This is about people at once, so a score must not have been shaped by its fold's rows at all, not even by their
features. Where it was, bounds/nubar_cells.py still holds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model import Floats, Integers
from . import feature_loss
from .bets import Terms, mean_lower

BENDS = (0.1, 0.03, 0.01, 0.003, 0.001)  # fixed before any data
_STEP, _STEPS = 0.05, 160  # logit g in steps, up to 8; where exactly g lies matters little


def mean_loss_of_people(
    score: Floats,
    positive: npt.NDArray[np.bool_],
    fold: npt.NDArray[np.integer],
    p_low: float,
    p_high: float,
    miss: float,
) -> float:
    """[P] lower limit of E H(eta; p) >= 0, p KL(P1 || P0) + (1 - p) KL(P0 || P1) (ERRATA A10); misses with probability
    at most `miss` beside p_low <= p <= p_high.

    score (n,) in [0, 1], of each fold by a model that saw no row of it. Assumes independent rows.
    """
    if not 0 < p_low <= p_high < 1:
        return 0.0
    several = [
        _terms(score[mine], positive[mine], _share(positive[~mine]), bend, (p_low, p_high))
        for mine in (fold == one for one in np.unique(fold))
        for bend in BENDS
    ]
    return max(0.0, mean_lower(several, miss))


def _share(positive: npt.NDArray[np.bool_]) -> float:
    """p0, from the other folds; 1/2 where there are none."""
    return float((positive.sum() + 0.5) / (len(positive) + 1))


def _terms(score: Floats, positive: npt.NDArray[np.bool_], p0: float, bend: float, p: tuple[float, float]) -> Terms:
    """phi(g) + phi'(g)(y - g) - c (2 y - 1) - H(p; p0) for each g and y. H is convex in p: largest at an end."""
    g = _points().clip(bend, 1 - bend)
    slope = feature_loss.slope(g, p0)  # phi' - 2 c
    less = max(float(feature_loss.value(end, p0)) for end in p)
    at_zero = feature_loss.value(g, p0) - slope * g - less
    value = np.concatenate([at_zero, at_zero + slope])
    times = np.concatenate([_counts(score[~positive]), _counts(score[positive])])
    return Terms(value[times > 0], times[times > 0], float(value.min()))


def _points() -> Floats:
    return np.asarray(1 / (1 + np.exp(-_STEP * np.arange(-_STEPS, _STEPS + 1))))


def _counts(score: Floats) -> Floats:
    """Of the scores nearest to each point."""
    place: Integers = np.rint(feature_loss.logit(score).clip(-1e6, 1e6) / _STEP).astype(np.int64)
    return np.bincount(place.clip(-_STEPS, _STEPS) + _STEPS, minlength=2 * _STEPS + 1).astype(np.float64)
