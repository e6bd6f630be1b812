"""Populations with few kinds of people: what releases of their labels tell, by adding up all that can happen.

law = law_of([0.3, 0.7], [0.1, 0.6])
bag_advantage(law, k=3)
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.stats import binom

from labeldp_audit.core.eta import Law


def law_of(weights, eta):
    eta = np.array(eta, np.float64)
    return Law(np.array(weights, np.float64), np.stack([1 - eta, eta], axis=1))


def spread_of(law):
    return float(law.weight @ (law.eta[:, 0] * law.eta[:, 1]))


def missed(law, payoff=(1.0, 1.0)):
    """Payoff that the best guess from the features misses."""
    return float(law.weight @ (law.eta * payoff).min(axis=1))


def numbers_of(etas):
    """P(s of these labels are positive)."""
    chance = np.ones(1)
    for eta in etas:
        chance = np.convolve(chance, [1 - eta, eta])
    return chance


def atoms(law):
    return zip(law.weight, law.eta[:, 1], strict=True)


def crowds(law, others):
    """Each draw of so many people, with its probability, and the law of how many of them are positive."""
    for who in itertools.product(range(len(law.weight)), repeat=others):
        yield math.prod(law.weight[i] for i in who), numbers_of(law.eta[list(who), 1])


def gain(eta, if_positive, if_negative, payoff):
    """What an outcome adds to the best guess; the last arguments are its probabilities under the two labels."""
    told = np.stack([payoff[0] * (1 - eta) * if_negative, payoff[1] * eta * if_positive])
    return told.max(axis=0).sum() - max(payoff[0] * (1 - eta), payoff[1] * eta)


def bag_advantage(law, k, payoff=(1.0, 1.0)):
    total = 0.0
    for chance, numbers in crowds(law, k - 1):
        shifted, same = np.append(0.0, numbers), np.append(numbers, 0.0)
        total += chance * sum(w * gain(eta, shifted, same, payoff) for w, eta in atoms(law))
    return total


def largest_probability(law, others):
    """E max_s P(s of the others are positive), as in ERRATA B5."""
    return sum(chance * numbers.max() for chance, numbers in crowds(law, others))


def noisy_bag_advantage(law, k, epsilon):
    """Laplace noise of scale 1 / epsilon on the number, added up on a fine grid."""
    x = np.linspace(-30 / epsilon, k + 30 / epsilon, 40_001)
    total = 0.0
    for chance, numbers in crowds(law, k - 1):
        spots = np.arange(len(numbers))[:, None]
        same = numbers @ np.exp(-epsilon * abs(x - spots))
        shifted = numbers @ np.exp(-epsilon * abs(x - 1 - spots))
        for weight, eta in atoms(law):
            total += chance * weight * gain(eta, shifted / shifted.sum(), same / same.sum(), (1.0, 1.0))
    return total


def channel_advantage(law, channel, payoff=(1.0, 1.0)):
    """channel[y] is the law of the outcome under label y."""
    return sum(w * gain(eta, channel[1], channel[0], payoff) for w, eta in atoms(law))


def private_channel(epsilon, delta):
    """Kairouz, Oh and Viswanath: with probability delta the label itself, otherwise randomized response."""
    keep = (1 - delta) / (1 + math.exp(-epsilon))
    return np.array([[delta, keep, 1 - delta - keep, 0.0], [0.0, 1 - delta - keep, keep, delta]])


def one_eta(eta, k):
    """Advantage in a bag whose members all have the same eta."""
    s = np.arange(k + 1)
    told = np.stack([eta * binom.pmf(s - 1, k - 1, eta), (1 - eta) * binom.pmf(s, k - 1, eta)])
    return float(np.maximum(0.0, told[0] - told[1] if eta <= 0.5 else told[1] - told[0]).sum())
