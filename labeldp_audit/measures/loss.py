"""The privacy loss of a release that replaces labels one by one, when the features are public (001, Definitions 2, 3).

    nu(y, s, x) = log P(s | y) / P(s | 1 - y) + log P(y | x) / P(1 - y | x) - log P(y) / P(1 - y)
    nu_bar(x)   = E nu(Y, S, x) = (2 eta - 1)(logit eta - logit p) + eta KL(Q1 || Q0) + (1 - eta) KL(Q0 || Q1)

with Qc the law of what is said of somebody of class c. The last two terms are linear in eta, so with

    h    = (KL(Q1 || Q0) + KL(Q0 || Q1)) / 2
    tilt = (KL(Q1 || Q0) - KL(Q0 || Q1)) / 2
    nu_bar(x) = (2 eta - 1)(logit eta - (logit p - tilt)) + h

a release that tells more of the one class than of the other acts as another p would. What is left of the features is
`feature_loss`: H of ERRATA A1, strictly convex in eta, infinite at 0 and 1, lowest between 1/2 and that other p, and
there it can be negative. Randomized response has tilt 0 and h = (1 - 2 pi) log((1 - pi) / pi).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats

_LEAST, _MOST = math.ulp(0.0), math.nextafter(1.0, 0.0)  # the probabilities next to 0 and 1


def logit(probability: npt.ArrayLike) -> Floats:
    """log(z / (1 - z)); infinite at 0 and 1."""
    z = np.asarray(probability, np.float64)
    with np.errstate(divide="ignore"):
        return np.log(z) - np.log1p(-z)


def noise_loss(epsilon: float) -> float:
    """h of randomized response: 0 where labels are replaced by coins, infinite where they are published.

    From epsilon, because pi = 1 / (1 + e^epsilon) is rounded to 0 long before epsilon is large.
    """
    return epsilon * math.tanh(epsilon / 2)


@dataclass(frozen=True)
class Noise:
    """What a release lets through of labels of two classes that it replaces one by one, in nats."""

    loss: float  # h
    tilt: float
    most_of_positive: float  # the largest log P(s | 1) / P(s | 0)
    most_of_negative: float  # the largest log P(s | 0) / P(s | 1)
    least: float  # the smallest of both, whatever its sign

    @classmethod
    def of(cls, channel: Floats, log_ratios: Floats) -> Noise:
        """channel (2, S), log_ratios (S,) r(s) = log P(s | 1) / P(s | 0).

        With w = (Q0 + Q1) / 2, Q1 - Q0 is 2 w tanh(r / 2): h = sum_s w r tanh(r / 2), in which nothing cancels, and
        tilt = sum_s w r. Where s can be said of one class alone, everybody's loss is infinite: with Q1(s) > Q0(s) = 0
        that of all with eta > 0 by the release, and of the others by their features.
        """
        said = channel.max(axis=0) > 0
        weight, ratio = channel.mean(axis=0)[said].tolist(), log_ratios[said].tolist()
        loss = math.fsum(w * noise_loss(r) for w, r in zip(weight, ratio, strict=True))
        tilt = math.fsum(w * r for w, r in zip(weight, ratio, strict=True)) if loss < math.inf else 0.0
        return cls(loss, tilt, max(ratio), 0.0 - min(ratio), min(map(abs, ratio)))

    @property
    def most(self) -> float:
        """What is said moves nobody's log-odds further: the epsilon of the release."""
        return max(self.most_of_positive, self.most_of_negative)

    @property
    def randomized_response(self) -> float | None:
        """The epsilon of the randomized response that this is but for names: all that is said tells as much."""
        return self.most if self.least >= self.most * (1 - 1e-12) else None

    def mean(self, p: float) -> float:
        """p KL(Q1 || Q0) + (1 - p) KL(Q0 || Q1): what it adds to the mean loss where a share p is positive."""
        return self.loss + (2 * p - 1) * self.tilt


NOTHING_SAID = Noise(0.0, 0.0, 0.0, 0.0, 0.0)  # no label is published


def feature_loss(eta: npt.ArrayLike, p: float, tilt: float = 0.0) -> Floats:
    """(2 eta - 1)(logit eta - logit p + tilt), in nats."""
    eta = np.asarray(eta, np.float64)
    return (2 * eta - 1) * (logit(eta) - (float(logit(p)) - tilt))


def nu(y: int, log_ratio: float, eta: float, p: float) -> float:
    """The loss of one person whose label is y and of whom was said what is e^log_ratio as likely for 1 as for 0."""
    return float((1 if y == 1 else -1) * (log_ratio + logit(eta) - logit(p)))


def nu_bar(eta: npt.ArrayLike, p: float, noise: Noise) -> Floats:
    return feature_loss(eta, p, noise.tilt) + noise.loss


def lowest_eta(p: float, tilt: float = 0.0) -> float:
    """Where nu_bar is lowest: u + sinh u = logit p - tilt, u = logit eta (the derivative of feature_loss, set to 0)."""
    from scipy.optimize import brentq
    from scipy.special import expit

    a = float(logit(p)) - tilt
    if a == 0:
        return 0.5
    u = brentq(lambda u: u + math.sinh(u) - a, *sorted((0.0, math.copysign(min(abs(a), 40.0), a))), xtol=1e-15)
    return float(expit(u))


def roots(tau: float, p: float, noise: Noise) -> tuple[float, float] | None:
    """The two eta at which nu_bar is tau: above tau means below the first or above the second.

    None where nu_bar is above tau everywhere. Neither is 0 or 1, where nu_bar is infinite. Solved in u = logit eta:
    tanh(u / 2)(u - logit p + tilt) = tau - h.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    a, target = float(logit(p)) - noise.tilt, tau - noise.loss

    def excess(u: float) -> float:
        return math.tanh(u / 2) * (u - a) - target

    bottom = float(logit(lowest_eta(p, noise.tilt)))
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


def feature_loss_range(
    low: Floats, high: Floats, p_low: float, p_high: float, tilt: float = 0.0
) -> tuple[Floats, Floats]:
    """The smallest and largest feature_loss over eta in [low, high] and p in [p_low, p_high].

    For given eta it is linear in logit p, and for given p convex in eta: the largest is at a corner, the smallest at
    an end of the range of p, where eta is as near to `lowest_eta` as it may come.
    """
    smallest = np.full(np.shape(low), np.inf)
    largest = np.full(np.shape(low), -np.inf)
    for p in (p_low, p_high):
        nearest = np.clip(lowest_eta(p, tilt), low, high)
        smallest = np.minimum(smallest, feature_loss(nearest, p, tilt))
        largest = np.maximum(largest, np.maximum(feature_loss(low, p, tilt), feature_loss(high, p, tilt)))
    return smallest, largest
