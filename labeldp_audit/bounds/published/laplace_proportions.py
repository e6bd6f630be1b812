"""Bounds on what a noisy share of positive labels tells about each member of a bag: 003, Theorem 6.4.

The share of positive labels among k members is published with Laplace noise of scale 1 / (k epsilon), which makes it
epsilon-private in each label. The advantage is how much more often the best guess is right than without that number.

    spread  E[eta (1 - eta)], the least Brier score of any prediction from the features

Both hold for every bag size; the bounds of label_proportions.py hold too, because noise tells nothing new. So does
label_inference.best_of_all, which is sharper still (ERRATA B7). Members are independent.
"""

from __future__ import annotations

import math


def theorem_6_4(spread: float, epsilon: float) -> float:
    """003, Theorem 6.4 as printed: 2 (1 - e^-epsilon) E[eta (1 - eta)]."""
    return -2 * math.expm1(-epsilon) * spread


def theorem_6_4_sharp(spread: float, epsilon: float) -> float:
    """ERRATA B7: 2 (1 - e^(-epsilon / 2)) E[eta (1 - eta)].

    2 (1 - e^(-epsilon / 2)) is the integral of |f(z) - f(z - 1 / k)| for the density f of the noise, exactly.
    """
    return -2 * math.expm1(-epsilon / 2) * spread
