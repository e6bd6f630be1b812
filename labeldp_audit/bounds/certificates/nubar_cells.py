"""How much people lose on average, and at most: lower limits without assumptions on eta (CERTIFICATES a2 and d).

H is convex, so by Jensen its mean over the rows of a cell is at least H of their mean eta, and that at least the least
value of H between the limits. What the release adds to each limit is added by callers.

Upper limits are impossible (unknowable.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from ..intervals import clopper_pearson, hoeffding
from . import feature_loss
from .boxes import Box

BENDS = (0.1, 0.03, 0.01, 0.003, 0.001, 1e-4)  # fixed before any data


def mean_loss(box: Box, p_low: float, p_high: float) -> float:
    """[U] lower limit of the mean of H(eta; p) over the rows asked, on the box and p_low <= p <= p_high.

    The mean is linear in logit p, so the smaller of its limits at the two ends holds for all p in between.
    """
    if not 0 < p_low <= p_high < 1:
        return -math.inf
    return min(_mean_at_least(box, _Bent(p, 0.0)) for p in (p_low, p_high))


def mean_loss_of_people(box: Box, p_low: float, p_high: float, miss: float) -> float:
    """[P] lower limit of E H(eta; p) >= 0, p KL(P1 || P0) + (1 - p) KL(P0 || P1) (ERRATA A10); misses with probability
    at most `miss` beside the box and p. Assumes independent rows.

    H is bent: continued by its tangents beyond b and 1 - b. That leaves it convex, below H, and in a known range, so
    Hoeffding leads from the rows to people. Nothing is lost where limits of eta come no nearer to 0 and 1 than b. The
    range is taken over both ends of p: in a longer range the limit is lower, so it holds for the one at the true p.
    """
    if not 0 < p_low <= p_high < 1:
        return 0.0
    return max(0.0, *(_bent_mean(box, (p_low, p_high), b, miss / len(BENDS)) for b in BENDS))


def mean_loss_in_cells(rows: Integers, positive: Integers, p_low: float, p_high: float, miss: float) -> float:
    """[P] lower limit of E H(eta; p) among people of whom so many were drawn in each cell, so many of them positive;
    cells (m,) are fixed before the draw. Below 0 for people of whom the features tell less than of most.

    Given its cell, a label of a person drawn is positive with the mean eta of the cell, so Clopper-Pearson limits hold
    for that, and for the share of people in the cell. With H* the least of H and H_j by Jensen at least its least
    value within the limits of cell j, E H >= H* + sum of share_j (H_j - H*). H is linear in logit p.
    """
    if not 0 < p_low <= p_high < 1:
        return -math.inf
    each = miss / (3 * len(rows))
    low, high = clopper_pearson.lower(positive, rows, each), clopper_pearson.upper(positive, rows, each)
    share = clopper_pearson.lower(rows, rows.sum(), each) if len(rows) > 1 else 1.0
    found = []
    for loss in (_Bent(p_low, 0.0), _Bent(p_high, 0.0)):
        least = float(loss(loss.lowest))
        found.append(least + float((share * (loss(np.clip(loss.lowest, low, high)) - least)).sum()))
    return min(found)


def worst_losses(box: Box, p_low: float, p_high: float) -> tuple[float, float]:
    """[U] and [P] lower limits of the largest logit eta - logit p and of the largest logit p - logit eta, which are
    never below 0: somebody in a cell has at least its mean eta, and somebody at most."""
    most = float(feature_loss.logit(box.low.max()) - feature_loss.logit(p_high))
    least = float(feature_loss.logit(p_low) - feature_loss.logit(box.high.min()))
    return max(0.0, most), max(0.0, least)  # 0 beside a nan, of p that may be anything


@dataclass(frozen=True)
class _Bent:
    """H, straight beyond `bend` and 1 - `bend`; H itself where that is 0."""

    p: float
    bend: float

    def __call__(self, z: npt.ArrayLike) -> Floats:
        z = np.asarray(z, np.float64)
        if not self.bend:
            return feature_loss.value(z, self.p)
        kept = np.clip(z, self.bend, 1 - self.bend)
        return np.asarray(feature_loss.value(kept, self.p) + (z - kept) * feature_loss.slope(kept, self.p))

    @property
    def lowest(self) -> float:
        """Beyond a bend it goes on falling to the end."""
        z = feature_loss.lowest(self.p)
        return 0.0 if z < self.bend else 1.0 if z > 1 - self.bend else z


def _mean_at_least(box: Box, loss: _Bent) -> float:
    return float(box.mean_at_least(loss(np.clip(loss.lowest, box.low, box.high))))


def _bent_mean(box: Box, ends: tuple[float, float], bend: float, miss: float) -> float:
    losses = [_Bent(p, bend) for p in ends]
    mean = min(_mean_at_least(box, loss) for loss in losses)
    least = min(float(loss(loss.lowest)) for loss in losses)
    most = max(float(loss(end)) for loss in losses for end in (0.0, 1.0))
    share = min(1.0, max(0.0, (mean - least) / (most - least)))
    return least + (most - least) * hoeffding.share_lower(share, box.n, miss)
