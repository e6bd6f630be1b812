"""How far the features of positive and negative people lie apart: lower limits without assumptions (CERTIFICATES a1).

    e^((alpha - 1) D_alpha(P1 || P0)) = 1 + sum of b f(a / b),   f(t) = t^alpha - 1 - alpha (t - 1),       alpha > 1
    KL(P1 || P0)                      =     sum of b f(a / b),   f(t) = t log t - t + 1,                   alpha = 1
    D_inf(P1 || P0)                   = log of the largest a / b

over all features; coarser ones lower each. With these f a term is at least 0, rises with a and falls with b where
a >= b, and the other way round where a <= b: so limits as near to each other as they may be give a lower limit of the
term (class_boxes.py). Cutting a cell in two can only raise the sum, so whichever nodes are best may be taken.

All orders, and both directions, hold at once with the box. Folds are drawn from the same people, so each of their
limits holds for these, and the largest does. Upper limits are impossible (unknowable.py).
"""

from __future__ import annotations

import math

import numpy as np

from ...core.arrays import Floats
from .class_boxes import ClassBox

_BOTH = 30.0  # a power beyond e^30 is all there is of f, to double precision


def positive_from_negative(box: ClassBox, order: float) -> float:
    """[P] lower limit of D_order(P1 || P0), for any order from 1 to infinity."""
    return _largest(box, box.a, box.b, order)


def negative_from_positive(box: ClassBox, order: float) -> float:
    """[P] lower limit of D_order(P0 || P1): the same limits of a and b are the right ones."""
    return _largest(box, box.b, box.a, order)


def mean_loss(box: ClassBox, p_low: float, p_high: float) -> float:
    """[P] lower limit of E H(eta; p) = p KL(P1 || P0) + (1 - p) KL(P0 || P1) (ERRATA A10), linear in p.

    Beside nubar_cells.mean_loss_of_people: better where rows are few or a class is rare.
    """
    one, other = _log_terms(box.a, box.b, 1.0), _log_terms(box.b, box.a, 1.0)
    with np.errstate(divide="ignore"):
        both = [np.logaddexp(np.log(p) + one, np.log1p(-p) + other) for p in (p_low, p_high)]
    return min(math.exp(float(box.best(terms, np.logaddexp).max())) for terms in both)


def _largest(box: ClassBox, a: Floats, b: Floats, order: float) -> float:
    if math.isinf(order):
        return max(0.0, float(np.log(a / b).max()))
    log_sum = float(box.best(_log_terms(a, b, order), np.logaddexp).max())
    return math.exp(log_sum) if order == 1 else float(np.logaddexp(0.0, log_sum)) / (order - 1)


def _log_terms(a: Floats, b: Floats, order: float) -> Floats:
    """log b f(a / b): in logarithms no power overflows; -inf where a = b."""
    log_t, far = np.log(a / b), a / b - 1
    with np.errstate(divide="ignore"):
        if order == 1:
            return np.asarray(np.log(np.maximum(0.0, a * log_t - (a - b))))
        power = order * log_t
        near = np.log(np.maximum(0.0, np.expm1(np.minimum(power, _BOTH)) - order * far))
        rest = np.maximum(0.0, 1 + order * far) * np.exp(-np.maximum(power, _BOTH))
        return np.asarray(np.log(b) + np.where(power > _BOTH, power + np.log1p(-rest), near))
