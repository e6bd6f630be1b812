"""The loss H that features alone cause, as a convex function: where it is lowest, its slope, and where it is passed.

    H(z; p) = (2 z - 1)(logit z - logit p + tilt)                    measures/loss.py: nu_bar = H + h
            = tanh(u / 2)(u - a),  u = logit z, a = logit p - tilt

H is strictly convex in z (ERRATA A1), infinite at 0 and 1, lowest between 1/2 and p, where it can be negative; for
given z it is linear in logit p. So a mean of H over people with any eta is, for p between two ends, at least the
smaller of its values at the ends. A release that tells more of the one class than of the other has a tilt
(measures/loss.py) and acts as another p would.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats

_OUTWARD = 1e-12  # relative to the nearer of 0 and 1; beyond the error of the roots
_HALVINGS = 64  # of an interval whose length is a few units, or a few times the loss


def logit(z: npt.ArrayLike) -> Floats:
    """log(z / (1 - z)); infinite at 0 and 1."""
    z = np.asarray(z, np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(z) - np.log1p(-z))


def value(z: npt.ArrayLike, p: float, tilt: float = 0.0) -> Floats:
    """H, in nats."""
    z = np.asarray(z, np.float64)
    return np.asarray((2 * z - 1) * (logit(z) - (float(logit(p)) - tilt)))


def slope(z: npt.ArrayLike, p: float) -> Floats:
    """dH / dz, without a tilt."""
    z = np.asarray(z, np.float64)
    return np.asarray(2 * (logit(z) - float(logit(p))) + (2 * z - 1) / (z * (1 - z)))


def lowest(p: float, tilt: float = 0.0) -> float:
    """The z at which H is lowest: u + sinh u = a, where the derivative by u is 0."""
    return float(_expit(_lowest_logit(float(logit(p)) - tilt)))


def passed(losses: npt.ArrayLike, p_low: float, p_high: float, tilt: float = 0.0) -> tuple[Floats, Floats]:
    """z0, z1 (t,): for each loss and every p in between, H(z; p) > loss wherever z < z0 or z > z1.

    At each end of p, H > loss outside the two roots. H is linear in logit p: above the loss at both ends, above it in
    between. So the smaller of the lower and the larger of the upper roots do, on whichever side of 1/2 they lie.
    An end at which H is above the loss everywhere asks for nothing; where both are so, z0 = 1 > z1 = 0.
    """
    losses = np.atleast_1d(np.asarray(losses, np.float64))
    ends = [_roots(losses, float(logit(p)) - tilt) for p in (p_low, p_high)]
    return np.minimum(ends[0][0], ends[1][0]), np.maximum(ends[0][1], ends[1][1])


def _roots(losses: Floats, a: float) -> tuple[Floats, Floats]:
    """Rounded outward; (1, 0) where H is above the loss everywhere."""
    if math.isinf(a):  # nothing is known of H
        return np.zeros(len(losses)), np.ones(len(losses))
    bottom = _lowest_logit(a)
    least = math.tanh(bottom / 2) * (bottom - a)
    everywhere = losses < least - 1e-12 * (1 + abs(least))
    sides = np.array([[1.0], [-1.0]])
    above, below = _expit(-_root_above(losses, sides * a, sides * bottom)) * (1 - _OUTWARD)  # 1 - z1, z0
    return np.where(everywhere, 1.0, below), np.where(everywhere, 0.0, np.nextafter(1 - above, 1.0))


def _root_above(losses: Floats, a: Floats, bottom: Floats) -> Floats:
    """The larger u with tanh(u / 2)(u - a) = loss, by halving: it rises from `bottom` on. For each a (m, 1): (m, t).

    At 2 and beyond tanh(u / 2) > 0.76, so the loss is passed before a + 1.4 loss. Mirrored, a and u change their signs.
    """
    low = np.broadcast_to(bottom, (len(a), len(losses)))
    high = np.maximum(np.maximum(np.maximum(2.0, a), bottom), a + 1.4 * np.maximum(losses, 0))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        short = np.tanh(middle / 2) * (middle - a) < losses
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return high


def _lowest_logit(a: float) -> float:
    low, high = sorted((0.0, math.copysign(min(abs(a), 40.0), a)))  # u + sinh u rises, and |u| < |a|
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if middle + math.sinh(middle) < a else (low, middle)
    return (low + high) / 2


def _expit(u: npt.ArrayLike) -> Floats:
    """1 / (1 + e^-u), small values to full precision."""
    u = np.asarray(u, np.float64)
    return np.asarray(np.exp(-np.logaddexp(0, -u)))
