"""How many people lose more than tau? Lower limits of J(tau) for people, from all rows at once (CERTIFICATES b).

With z0, z1 where the loss is tau, and for any features that are chosen without the labels,

    [eta > z1] >= (eta - z1) / (1 - z1)   where the score is high,      [eta < z0] >= (z0 - eta) / z0   where it is low,

so J is at least the mean of 1 for each label that fits there and of -z1 / (1 - z1) or -(1 - z0) / z0 for each that does
not. How high and how low is tried at a few places, on both sides and on either, in all folds; all are bet on together
(bounds/bets.py). Narrower than by cells (bounds/tail_cells.py), which hold for all tau at once; here each tau has a
level of its own. And here a score must not have been shaped by its fold's rows at all, not even by their features.

z0 and z1 depend on p, which is known between limits alone. Bets must not follow the labels through these. So logit p is
parted at fixed places, each part has its z0 and z1, and the least of all parts that p may lie in is taken: among them
is the one where p does lie, which was fixed beforehand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..model import Floats
from . import feature_loss

BEYOND = np.array([0.0, 0.4, 1.0, 2.0])  # of logit score beyond logit z, fixed before any data
STAKES = np.array([0.9, 0.5, 0.25, 0.12, 0.05, 0.02, 0.005])
_SIDES = np.array([[True, True], [True, False], [False, True]])  # below z0, above z1
_HALVINGS = 30
_AT_ONCE = 64  # pairs of z0 and z1
_SURE = 1e-9  # nobody bets on eta nearer to 0 or 1


@dataclass(frozen=True)
class _Fold:
    """logit score, in order."""

    ones: Floats
    zeros: Floats


def people_losing_more(
    score: Floats,
    positive: npt.NDArray[np.bool_],
    fold: npt.NDArray[np.integer],
    losses: Floats,
    p_low: float,
    p_high: float,
    miss: float,
) -> Floats:
    """[P] lower limits of P(H(eta; p) > loss): that of each loss (t,) misses with probability at most `miss`, beside
    p_low <= p <= p_high. score (n,) in [0, 1], of each fold by a model that saw no row of it. Assumes independent rows.
    """
    if not 0 < p_low <= p_high < 1:
        return np.zeros(len(losses))
    u = feature_loss.logit(score)
    folds = [_Fold(np.sort(u[mine & positive]), np.sort(u[mine & ~positive])) for mine in _each(fold)]
    passed = [feature_loss.passed(losses, *part) for part in _parts(p_low, p_high, len(score))]
    z0, z1 = (np.concatenate(ends) for ends in zip(*passed, strict=True))
    found = np.empty(len(z0))
    for begin in range(0, len(z0), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        found[some] = _limits(folds, z0[some], z1[some], miss)
    return np.asarray(found.reshape(len(passed), len(losses)).min(axis=0))


def _each(fold: npt.NDArray[np.integer]) -> list[npt.NDArray[np.bool_]]:
    return [fold == one for one in np.unique(fold)]


def _parts(p_low: float, p_high: float, n: int) -> list[tuple[float, float]]:
    """The parts of p, which depend on n alone, that reach into its interval; about as long as its standard error."""
    step = 4 / math.sqrt(n)
    first, last = (math.floor(float(feature_loss.logit(p)) / step) for p in (p_low, p_high))
    ends = 1 / (1 + np.exp(-step * np.arange(first, last + 2)))
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))


def _limits(folds: list[_Fold], z0: Floats, z1: Floats, miss: float) -> Floats:
    """(t,) lower limits of the share of people with eta < z0 or eta > z1, each at its level."""
    everybody = z0 > z1
    z0, z1 = np.where(everybody, 0.5, z0), np.where(everybody, 0.5, z1)
    bets = [_bets(fold, z0, z1) for fold in folds]
    values = _values(z0, z1)
    low, high = np.zeros(len(z0)), np.ones(len(z0))
    for _ in range(_HALVINGS):
        m = (low + high) / 2
        disproved = _log_mean_wealth(bets, values, m) > -math.log(miss)
        low, high = np.where(disproved, m, low), np.where(disproved, high, m)
    return np.where(everybody, 1.0, low)


def _values(z0: Floats, z1: Floats) -> Floats:
    """(4, t): a label that fits, one that does not below z0 and above z1, and a row that is not bet on."""
    below, above = np.maximum(z0, _SURE), np.maximum(1 - z1, _SURE)
    return np.stack([np.ones(len(z0)), -(1 - below) / below, -(1 - above) / above, np.zeros(len(z0))])


def _bets(fold: _Fold, z0: Floats, z1: Floats) -> Floats:
    """(4, t, places, sides) how often each value was seen."""
    below = feature_loss.logit(z0)[:, None] - BEYOND
    above = feature_loss.logit(z1)[:, None] + BEYOND
    below[z0 < _SURE], above[1 - z1 < _SURE] = -np.inf, np.inf
    low = [np.searchsorted(u, below, side="left")[..., None] * _SIDES[:, 0] for u in (fold.zeros, fold.ones)]
    high = [
        (len(u) - np.searchsorted(u, above, side="right"))[..., None] * _SIDES[:, 1] for u in (fold.ones, fold.zeros)
    ]
    rest = len(fold.ones) + len(fold.zeros) - sum(low) - sum(high)
    return np.asarray(np.stack([low[0] + high[0], low[1], high[1], rest]), np.float64)


def _log_mean_wealth(bets: list[Floats], values: Floats, m: Floats) -> Floats:
    """(t,) for m > 0, over folds, places, sides and stakes."""
    # where a side is left out, its value is not seen, and may as well be the floor
    floor = np.stack([values[1:3][side].min(axis=0) for side in _SIDES], axis=1)[:, None]  # (t, 1, sides)
    room = m[:, None, None] - floor
    gains = ((np.maximum(v[:, None, None], floor) - floor) / room - 1 for v in values)
    logs = [np.log1p(gain[..., None] * STAKES) for gain in gains]
    wealth = [sum(times[..., None] * log for times, log in zip(of, logs, strict=True)) for of in bets]
    each = np.concatenate([np.asarray(one).reshape(len(m), -1) for one in wealth], axis=1)
    most = each.max(axis=1)
    return np.asarray(most + np.log(np.mean(np.exp(each - most[:, None]), axis=1)))
