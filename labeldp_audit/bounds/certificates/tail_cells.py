"""How many people surely lose more than tau? Lower limits of J(tau) without assumptions on eta (CERTIFICATES b).

In a cell where eta has mean e, the rows with eta above z make up a share s with e <= z + (1 - z) s. So

    share of rows with eta > z  >=  sum over cells of N / n (e - z)_+ / (1 - z),

and likewise below. Both are convex in e and rest on the box alone: they hold at all z at once, each for whichever cells
suit it. On the two sides of H the cells may differ, because nobody is on both.

Upper limits of J are impossible (unknowable.py).
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats
from ..intervals import clopper_pearson
from . import feature_loss
from .boxes import Box

_AT_ONCE = 1 << 21  # numbers held for the nodes and thresholds of one step
_INWARD = 1e-9  # of a row, so that rounding does not count one too many


def share_losing_more(box: Box, losses: Floats, p_low: float, p_high: float, tilt: float = 0.0) -> Floats:
    """[U] `J_cells`: lower limits of the share of rows with H(eta; p) > loss, for all losses (t,) at once.

    For mechanisms whose noise adds h, ask at tau - h. Holds on the box and p_low <= p <= p_high.
    """
    return np.asarray(_rows_losing_more(box, losses, p_low, p_high, tilt).sum(axis=0) / box.n)


def people_losing_more(box: Box, losses: Floats, p_low: float, p_high: float, miss: float, tilt: float = 0.0) -> Floats:
    """[P] lower limits of J: that of each loss (t,) misses with probability at most `miss`, beside the box and p.

    Of the N people of a fold, Bin(N, J) lose more: on the box no fewer than counted, hence Clopper-Pearson. It holds
    for every fold at its share of the level, so the largest holds. Assumes independent rows.
    """
    number = np.ceil(_rows_losing_more(box, losses, p_low, p_high, tilt) - _INWARD)
    rows = box.of_fold[:, None]
    return np.asarray(clopper_pearson.lower(np.clip(number, 0, rows), rows, miss / len(rows)).max(axis=0))


def _rows_losing_more(box: Box, losses: Floats, p_low: float, p_high: float, tilt: float) -> Floats:
    """(folds, t)"""
    z0, z1 = feature_loss.passed(losses, p_low, p_high, tilt)
    least, most = np.minimum(z0, z1), np.maximum(z0, z1)
    both = _rows(box, box.high, least, least, -1) + _rows(box, box.low, most, 1 - most, 1)
    return np.minimum(np.where(z0 > z1, np.inf, both), box.of_fold[:, None])


def _rows(box: Box, limit: Floats, z: Floats, room: Floats, side: int) -> Floats:
    """(folds, t) the sum of (side (limit - z))_+ / room; 0 where no limit is beyond z."""
    found = np.zeros((len(box.of_fold), len(z)))
    some = np.flatnonzero((room > 0) & (side * z < (side * limit).max()))
    step = max(1, _AT_ONCE // len(limit))
    for begin in range(0, len(some), step):
        mine = some[begin : begin + step]
        found[:, mine] = box.sums(np.maximum(0.0, side * (limit[:, None] - z[mine])), np.maximum) / room[mine]
    return found
