"""How many people surely lose more than tau? Lower limits of J(tau) without assumptions on eta (CERTIFICATES b).

In a cell where eta has mean e, the rows with eta above z make up a share s with e <= z + (1 - z) s. So

    share of rows with eta > z  >=  sum over cells of N / n (e - z)_+ / (1 - z),

and likewise below. Both are convex in e and rest on the box alone: they hold at all z at once, each for whichever cells
suit it. On the two sides of H the cells may differ, because nobody is on both.

Upper limits of J are impossible (bounds/unknowable.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model import Floats
from . import clopper_pearson, feature_loss
from .boxes import Box

_AT_ONCE = 1 << 21  # numbers held for the nodes and thresholds of one step
_INWARD = 1e-9  # of a row, so that rounding does not count one too many


def share_above(box: Box, z: Floats) -> Floats:
    """[U] lower limits of the share of rows with eta > z, for all z at once; z (t,) in [0, 1]."""
    return _share(box, box.low, z, 1 - z, 1)


def share_below(box: Box, z: Floats) -> Floats:
    """[U] lower limits of the share of rows with eta < z."""
    return _share(box, box.high, z, z, -1)


def _share(box: Box, limit: Floats, z: Floats, room: Floats, side: int) -> Floats:
    """The mean of (side (limit - z))_+ / room; 0 where no limit is beyond z."""
    found = np.zeros(len(z))
    some = np.flatnonzero((room > 0) & (side * z < (side * limit).max()))
    step = max(1, _AT_ONCE // len(limit))
    for begin in range(0, len(some), step):
        mine = some[begin : begin + step]
        found[mine] = box.mean_at_least(np.maximum(0.0, side * (limit[:, None] - z[mine]))) / room[mine]
    return found


def share_losing_more(box: Box, losses: Floats, p_low: float, p_high: float) -> Floats:
    """[U] `J_cells`: lower limits of the share of rows with H(eta; p) > loss, for all losses (t,) at once.

    For mechanisms whose noise adds h, ask at tau - h. Holds on the box and p_low <= p <= p_high.
    """
    z0, z1 = feature_loss.passed(losses, p_low, p_high)
    both = share_below(box, np.minimum(z0, z1)) + share_above(box, np.maximum(z0, z1))
    return np.where(z0 > z1, 1.0, np.minimum(1.0, both))


def of_people(share: npt.ArrayLike, n: int, miss: float) -> Floats:
    """[P] from a lower limit for n rows to one for the people that they are drawn from: CP_L(ceil(n share), n, miss).

    The number of n independent people with a loss above tau is Bin(n, J). Each limit misses with probability at most
    `miss`, beside the box. Assumes independent rows.
    """
    count = np.ceil(n * np.asarray(share, np.float64) - _INWARD)
    return clopper_pearson.lower(np.clip(count, 0, n), n, miss)
