"""The privacy loss of randomized response when the features are public (001, Definitions 2 and 3; 000, Theorem 6.4).

    nu(y, said, x) = log P(said | y) / P(said | 1 - y) + log P(y | x) / P(1 - y | x) - log P(y) / P(1 - y)
    nu_bar(x)      = E nu(Y, Said, x) = (2 eta - 1)(logit eta - logit p) + h
    h              = (1 - 2 pi) log((1 - pi) / pi) = epsilon tanh(epsilon / 2),  epsilon = log((1 - pi) / pi)

nu_bar splits into what the features give away, `feature_loss`, and what the noise lets through, `noise_loss`. The
first is H of ERRATA A1: strictly convex in eta, infinite at 0 and 1, lowest between 1/2 and p, and there it can be
negative.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats

_LEAST, _MOST = math.ulp(0.0), math.nextafter(1.0, 0.0)  # the probabilities next to 0 and 1


def logit(probability: npt.ArrayLike) -> Floats:
    """log(z / (1 - z)); infinite at 0 and 1."""
    z = np.asarray(probability, np.float64)
    with np.errstate(divide="ignore"):
        return np.log(z) - np.log1p(-z)


def feature_loss(eta: npt.ArrayLike, p: float) -> Floats:
    """(2 eta - 1)(logit eta - logit p), in nats."""
    eta = np.asarray(eta, np.float64)
    return (2 * eta - 1) * (logit(eta) - float(logit(p)))


def noise_loss(epsilon: float) -> float:
    """h: 0 where labels are replaced by coins, infinite where they are published.

    From epsilon, because pi = 1 / (1 + e^epsilon) is rounded to 0 long before epsilon is large.
    """
    return epsilon * math.tanh(epsilon / 2)


def nu(y: int, said: int, eta: float, p: float, epsilon: float) -> float:
    """The loss of one person whose label is y and for whom `said` was published."""
    told = epsilon if said == y else -epsilon
    side = 1 if y == 1 else -1
    return float(told + side * (logit(eta) - logit(p)))


def nu_bar(eta: npt.ArrayLike, p: float, epsilon: float) -> Floats:
    return feature_loss(eta, p) + noise_loss(epsilon)


def lowest_eta(p: float) -> float:
    """Where nu_bar is lowest: u + sinh u = logit p, with u = logit eta (the derivative of feature_loss, set to 0)."""
    from scipy.optimize import brentq
    from scipy.special import expit

    a = float(logit(p))
    if a == 0:
        return 0.5
    u = brentq(lambda u: u + math.sinh(u) - a, *sorted((0.0, math.copysign(min(abs(a), 40.0), a))), xtol=1e-15)
    return float(expit(u))


def roots(tau: float, p: float, epsilon: float) -> tuple[float, float] | None:
    """The two eta at which nu_bar is tau: above tau means below the first or above the second.

    None where nu_bar is above tau everywhere. Neither is 0 or 1, where nu_bar is infinite. Solved in u = logit eta:
    tanh(u / 2)(u - logit p) = tau - h.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    a, target = float(logit(p)), tau - noise_loss(epsilon)

    def excess(u: float) -> float:
        return math.tanh(u / 2) * (u - a) - target

    bottom = float(logit(lowest_eta(p)))
    if excess(bottom) > 0:
        return None
    ends = []
    for side in (-1, 1):
        reach = 1.0
        while excess(bottom + side * reach) < 0:
            reach *= 2
        u = brentq(excess, *sorted((bottom, bottom + side * reach)), xtol=1e-14, rtol=1e-15)
        ends.append(min(max(float(expit(u)), _LEAST), _MOST))
    return ends[0], ends[1]


def feature_loss_range(low: Floats, high: Floats, p_low: float, p_high: float) -> tuple[Floats, Floats]:
    """The smallest and largest feature_loss over eta in [low, high] and p in [p_low, p_high].

    For given eta it is linear in logit p, and for given p convex in eta: the largest is at a corner, the smallest at
    an end of the range of p, where eta is as near to `lowest_eta` as it may come.
    """
    smallest = np.full(np.shape(low), np.inf)
    largest = np.full(np.shape(low), -np.inf)
    for p in (p_low, p_high):
        nearest = np.clip(lowest_eta(p), low, high)
        smallest = np.minimum(smallest, feature_loss(nearest, p))
        largest = np.maximum(largest, np.maximum(feature_loss(low, p), feature_loss(high, p)))
    return smallest, largest
