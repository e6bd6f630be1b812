"""The privacy loss of a release that replaces labels one by one, when the features are public (001, Definitions 2, 3).

    nu(y, s, x) = log P(s | y) / P(s | 1 - y) + log P(y | x) / P(1 - y | x) - log P(y) / P(1 - y)
    nu_bar(x)   = E nu(Y, S, x) = (2 eta - 1)(logit eta - logit p) + eta KL(Q1 || Q0) + (1 - eta) KL(Q0 || Q1)

with Qc the law of what is said of somebody of class c. The last two terms are linear in eta, so with

    h    = (KL(Q1 || Q0) + KL(Q0 || Q1)) / 2
    tilt = (KL(Q1 || Q0) - KL(Q0 || Q1)) / 2
    nu_bar(x) = (2 eta - 1)(logit eta - (logit p - tilt)) + h

what is left of the features is `feature_loss` (bounds/certificates/feature_loss.py). Randomized response has tilt 0 and
h = (1 - 2 pi) log((1 - pi) / pi). With p the share of positives the mean of `feature_loss` is a divergence,

    E feature_loss = p KL(P1 || P0) + (1 - p) KL(P0 || P1) = I - h(p),   I = E (2 eta - 1) logit eta,

P1 and P0 the laws of the features given the label, h(p) = (2 p - 1) logit p (ERRATA A10). I (001, section 4), of which
a term is `feature_loss` at p = 1/2, is half the Jeffreys divergence there alone; coarser features can only lower the
weighted one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..bounds.certificates.feature_loss import logit
from ..bounds.certificates.feature_loss import lowest as lowest_eta
from ..bounds.certificates.feature_loss import value as feature_loss
from ..core.arrays import Floats

__all__ = ["NOTHING_SAID", "Noise", "feature_loss", "feature_loss_range", "logit", "lowest_eta", "noise_loss"]


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
