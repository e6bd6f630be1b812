"""What surely holds of rows whose label can mostly be guessed, in whichever way the guess goes (CERTIFICATES b).

In a part of the rows in which guesses are right with probability at least r on average, m = max(eta, 1 - eta) is at
least r on average, so for somebody; and as m <= z + (1 - z) 1{m > z}, a share (r - z) / (1 - z) of them or more has
m > z. Where m > max(z1, 1 - z0) the loss is beyond one of the roots. Cells of scores (tail_cells.py) tell more
about small parts of people; this has twice as many rows in a cell, and tells of small tables whose features give nearly
every label away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Floats, Integers
from . import feature_loss


@dataclass(frozen=True)
class Guessed:
    rows: Integers  # (parts,)
    right: Floats  # (parts,) lower limits of the mean probability that a guess is right; they hold together


def share_losing_more(guessed: Guessed, losses: Floats, p_low: float, p_high: float, tilt: float = 0.0) -> Floats:
    """[U] lower limits of the share of rows with H(eta; p) > loss, for all losses (t,) at once."""
    z0, z1 = feature_loss.passed(losses, p_low, p_high, tilt)
    z = np.maximum(z1, 1 - z0)
    above = guessed.rows @ np.maximum(0.0, guessed.right[:, None] - z)
    return np.asarray(np.divide(above, guessed.rows.sum() * (1 - z), out=np.zeros(len(z)), where=z < 1))


def worst_losses(guessed: Guessed, p_low: float, p_high: float) -> tuple[float, float]:
    """[U] and [P] somebody has m of at least r: the largest logit eta - logit p is no less than the first, or the
    largest logit p - logit eta is no less than the second, and nothing tells which."""
    if not 0 < p_low <= p_high < 1:
        return 0.0, 0.0
    right, low, high = feature_loss.logit(np.array([guessed.right.max(), p_low, p_high])).tolist()
    return right - high, right + low
