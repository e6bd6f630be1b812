"""How far the features of positive and negative people lie apart: lower limits of D_alpha(P1 || P0), from the box.

With a = eta / p and b = (1 - eta) / (1 - p), the densities of P1 and P0 with respect to the features of all people,

    e^((alpha - 1) D_alpha) = 1 + E b f(a / b),   f(t) = t^alpha - 1 - alpha (t - 1),       alpha > 1
    KL                      =     E b f(a / b),   f(t) = t log t - t + 1,                   alpha = 1

f is convex with f(1) = f'(1) = 0. So b f(a / b) is convex in eta, 0 at eta = p, and farther from p it is larger; it
falls as p comes nearer. In a cell it is by Jensen at least what it is at the limit of eta that is nearest to p, with p
as near as it may be. (CERTIFICATES a1 takes generators like these, but counts each class by itself, in cells that are
fixed before all features: bounds/renyi_cells.py. This way all rows and the cells of the box may be used.)

To pass from the rows to people, f is continued by its tangent beyond t = B. That leaves it convex, below f, and the
terms between 0 and max(f'(B) / p, f(0) / (1 - p)), so Hoeffding holds. A few B are tried, each at its share.

All are [P]: a statement about P1 and P0 is one about people. Assumes independent rows and p_low <= p <= p_high.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..model import Floats
from . import feature_loss, hoeffding
from .boxes import Box

_LEAST = 1e-300
BENDS = (1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 100.0, 1000.0)  # fixed before any data


def positive_from_negative(box: Box, order: float, p_low: float, p_high: float, miss: float) -> float:
    """Lower limit of D_order(P1 || P0), order >= 1 or infinite; misses with probability at most `miss` beside the box
    and p. Infinity needs none of it: its D is log ess sup a / b, and people like those of a cell reach its mean eta.
    """
    if not 0 < p_low <= p_high < 1:
        return 0.0
    if math.isinf(order):
        return max(0.0, float(feature_loss.logit(box.low.max()) - feature_loss.logit(p_high)))
    a, b = _densities(box, p_low, p_high)
    return _limit(box, a, b, p_low, 1 - p_high, order, miss)


def negative_from_positive(box: Box, order: float, p_low: float, p_high: float, miss: float) -> float:
    """The same for D_order(P0 || P1): the classes change places."""
    if not 0 < p_low <= p_high < 1:
        return 0.0
    if math.isinf(order):
        return max(0.0, float(feature_loss.logit(p_low) - feature_loss.logit(box.high.min())))
    a, b = _densities(box, p_low, p_high)
    return _limit(box, b, a, 1 - p_high, p_low, order, miss)


@dataclass(frozen=True)
class _Generator:
    """f / f'(B), straight beyond B: no power overflows, whatever the order."""

    order: float
    bend: float

    @property
    def log_slope(self) -> float:
        """log f'(B); f'(B) is alpha (B^(alpha - 1) - 1), or log B."""
        lead = (self.order - 1) * math.log(self.bend)
        if self.order == 1:
            return math.log(math.log(self.bend))
        return math.log(self.order) + lead + math.log(-math.expm1(-lead))

    @property
    def at_zero(self) -> float:
        """f(0) / f'(B)."""
        return (self.order - 1 if self.order > 1 else 1.0) * math.exp(-self.log_slope)

    def __call__(self, t: Floats) -> Floats:
        kept = np.minimum(t, self.bend)
        return np.maximum(0.0, self._curved(kept)) + (t - kept)

    def _curved(self, t: Floats) -> Floats:
        log_t = np.log(np.maximum(t, 1e-300))
        if self.order == 1:
            return np.asarray((t * log_t - t + 1) * math.exp(-self.log_slope))
        power = np.exp(self.order * log_t - self.log_slope)
        return np.asarray(power - (1 + self.order * (t - 1)) * math.exp(-self.log_slope))


def _densities(box: Box, p_low: float, p_high: float) -> tuple[Floats, Floats]:
    """(m,) a and b of each node where they differ least; both 1 where they may be equal."""
    above, below = box.low > p_high, box.high < p_low
    a = np.where(above, box.low / p_high, np.where(below, box.high / p_low, 1.0))
    b = np.where(above, (1 - box.low) / (1 - p_high), np.where(below, (1 - box.high) / (1 - p_low), 1.0))
    return a, b


def _limit(box: Box, a: Floats, b: Floats, share_a: float, share_b: float, order: float, miss: float) -> float:
    """share_a and share_b: at least that many people have the label of a, and of b."""
    return max(0.0, *(_bent(box, a, b, share_a, share_b, _Generator(order, bend), miss / len(BENDS)) for bend in BENDS))


def _bent(box: Box, a: Floats, b: Floats, share_a: float, share_b: float, f: _Generator, miss: float) -> float:
    most = max(1 / share_a, f.at_zero / share_b)  # of b f(a / b), in units of f'(B)
    b = np.maximum(b, _LEAST)
    mean = float(box.mean_at_least(b * f(a / b)))
    share = hoeffding.share_lower(min(1.0, mean / most), box.n, miss)
    if share <= 0:
        return 0.0
    log_excess = math.log(most * share) + f.log_slope
    return math.exp(log_excess) if f.order == 1 else float(np.logaddexp(0, log_excess)) / (f.order - 1)
