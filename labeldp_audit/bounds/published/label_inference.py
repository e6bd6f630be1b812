"""What label differential privacy alone promises against an attacker who knows the features: 002, section 4.

An (epsilon, delta)-private release of the labels can be told from a release of any other label of one person only by

    TV = 1 - 2 (1 - delta) / (1 + e^epsilon) = delta + (1 - delta) tanh(epsilon / 2)

(Kairouz, Oh and Viswanath 2015, arXiv:1311.0776, Remark A.1). Every bound here is on the advantage: the expected payoff
of the best attacker who sees the release, less that of the best one who does not. All hold for every mechanism that is
(epsilon, delta)-private in each single label, and assume that a person's label, given the features, does not depend on
the labels of others.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ...core.eta import Law


def total_variation(epsilon: float, delta: float = 0.0) -> float:
    """TV: 0 where the release says nothing, 1 where it may say everything (epsilon infinite, or delta 1)."""
    return delta + (1 - delta) * math.tanh(epsilon / 2)


def wu_theorem_2(mean_best_payoff: float, epsilon: float, delta: float = 0.0) -> float:
    """002, Theorem 2: TV E[the most that any guess at the label can pay].

    With payoff 1 / (2 P(Y = y)) that expectation is 1, but only averaged over the features (ERRATA C2).
    """
    return total_variation(epsilon, delta) * mean_best_payoff


def wu_corollary_1(largest_payoff: float, epsilon: float, delta: float = 0.0) -> float:
    """002, Corollary 1: TV B for payoffs between 0 and B. Payoff 1 / (2 P(Y = y)) has B = 1 / (2 min_y P(Y = y))."""
    return total_variation(epsilon, delta) * largest_payoff


def wu_improved(mean_lost_payoff: float, epsilon: float, delta: float = 0.0) -> float:
    """ERRATA C1: TV E[payoff that the best guess from the features alone misses], E[1 - max_y P(y | x)] for payoff 1.

    The proof of Theorem 2 with the other label y* = the best guess: a person with it loses nothing. Assumes that only
    a right guess pays.
    """
    return total_variation(epsilon, delta) * mean_lost_payoff


def best_of_all(law: Law, epsilon: float, delta: float = 0.0, payoff: npt.ArrayLike = (1.0, 1.0)) -> float:
    """ERRATA C1: E[delta m + (1 - delta)(m - pi)_+], m = min(eta, 1 - eta), pi = 1 / (1 + e^epsilon). Two classes.

    No (epsilon, delta)-private mechanism gives more away, and one gives as much: with probability delta the label,
    otherwise randomized response. Every other such mechanism is made from that one by noise (Kairouz, Oh and Viswanath
    2015). With payoff (2,) for right guesses: m is the smaller of the worths payoff_c P(c | x), M the
    larger, and (m - pi)_+ becomes ((1 - pi) m - pi M)_+.
    """
    worth = law.eta * np.asarray(payoff, np.float64)
    least, most = worth.min(axis=1), worth.max(axis=1)
    keep, flip = (1 + math.tanh(epsilon / 2)) / 2, (1 - math.tanh(epsilon / 2)) / 2
    return law.mean(delta * least + (1 - delta) * np.maximum(0.0, keep * least - flip * most))
