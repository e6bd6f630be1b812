"""Bounds on what the share of positive labels in a bag tells about each of its k members: 003, section 3.1.

An attacker sees the features of all k members and the number of positive labels among them. The advantage is how much
more often the best guess is right than without that number. k is always the size of the bag, so that a member stands
against k - 1 others; the paper's Lemma A.1 and ERRATA B5 write k for those others. Members are independent.

    p       P(Y = 1)
    spread  E[eta (1 - eta)], the least Brier score of any prediction from the features
    error   E min(eta, 1 - eta), the least share of wrong guesses from the features
"""

from __future__ import annotations

import math

import numpy as np

PEAK = 0.468823  # max over v of sqrt(v) e^-v I_0(v), 0.46882236, rounded up
LEVELS = 1 - 0.7 * 0.9 ** np.arange(80)  # 0.3 to 0.9998


def theorem_3_4_sqrt(p: float, k: int) -> float:
    """003, Theorem 3.4: sqrt(p (1 - p) / k). Only where labels do not depend on features: eta = p."""
    return math.sqrt(p * (1 - p) / k)


def theorem_3_4_bernstein(p: float, k: int) -> float:
    """003, appendix A.3: exp(-k (1/2 - p)^2 / (2 p (1 - p) + |1 - 2 p| / 3)). Only where eta = p."""
    return math.exp(-k * (0.5 - p) ** 2 / (2 * p * (1 - p) + abs(1 - 2 * p) / 3))


def deviation(p: float, n: int) -> float:
    """t with P(|Bin(n, p) - n p| > t) <= 1 / (4 n), by Bernstein: sqrt(n) c_n of Lemma A.1, as in ERRATA B2."""
    log = math.log(8 * n)
    return log / 3 + math.sqrt(log**2 / 9 + 2 * log * n * p * (1 - p))


def lemma_a1(k: int, p: float, spread: float) -> float:
    """003, Lemma A.1 with the constants of ERRATA B2; the law behind the rate of Theorem 3.5.

    E (1 / (2 n) + sqrt((2 t + 2) S)), n = k - 1 others, E = spread, S = (1 - 2 E)^n + pi / (8 E n)^(3/2)
    + pi / (2 e E n^2), t = deviation(p, n). Without others it is 2 E.
    """
    n = k - 1
    if n == 0:
        return 2 * spread
    # E^2 S, which is finite at E = 0
    squares = spread**2 * (1 - 2 * spread) ** n
    squares += math.pi * math.sqrt(spread) / (8 * n) ** 1.5 + math.pi * spread / (2 * math.e * n**2)
    return spread / (2 * n) + math.sqrt((2 * deviation(p, n) + 2) * squares)


def largest_probability(spread: float, others: int) -> float:
    """min{1, e^(-n E / 2) + PEAK sqrt(2 / (n E))}, at least E max_s P(n others have s positives); E = spread.

    Given eta_1..eta_n, the number of positives has variance V = sum eta_j (1 - eta_j), and no probability above
    PEAK / sqrt(V) (Baillon, Cominetti and Vaisman 2016, doi:10.1017/S0963548315000127). V is below half its mean n E
    with probability at most e^(-n E / 2) (Chernoff; its terms are at most 1/4).
    """
    mean = others * spread
    return 1.0 if mean == 0 else min(1.0, math.exp(-mean / 2) + PEAK * math.sqrt(2 / mean))


def largest_probability_sharp(spread: float, others: int) -> float:
    """min over t of e^(-4 n E (t log t + 1 - t)) + PEAK / sqrt(t n E), and 1: as `largest_probability`, and sharper.

    There V is compared with half its mean, here with t times it, for whichever t is best: each gives a bound. For many
    others t is near 1, and the bound smaller by sqrt 2.
    """
    mean = others * spread
    if mean == 0:
        return 1.0
    low = np.exp(-4 * mean * (LEVELS * np.log(LEVELS) + 1 - LEVELS))
    return min(1.0, float(np.min(low + PEAK / np.sqrt(LEVELS * mean))))


def unimodal_closed(spread: float, k: int) -> float:
    """ERRATA B5: 2 E min{1, e^(-n E / 2) + .663 / sqrt(n E)}, n = k - 1, E = spread; no logarithms.

    Adv <= E[eta (1 - eta) sum_s |P(s) - P(s - 1)|], P(s) the probability that the others have s positives, and P is
    unimodal: it rises to its largest value and falls from it. Rises with the spread, so an upper limit of it will do.
    """
    return 2 * spread * largest_probability(spread, k - 1)


def unimodal_from_error_sharp(error: float, k: int, payoff: tuple[float, float] = (1.0, 1.0)) -> float:
    """R largest_probability_sharp(R / 2, n), n = k - 1, R = error: sharper than `unimodal_closed`.

    Where eta <= 1/2 the number s gains [eta P(s - 1) - (1 - eta) P(s)]_+ <= eta [P(s - 1) - P(s)]_+. These falls of a
    unimodal P add up to its largest value; likewise where eta > 1/2. So Adv <= R E max_s P(s), whose bound falls with
    the spread, and the spread is at least R / 2.

    With payoff (u0, u1) for right guesses of each label, `error` is the payoff that the best guess from the features
    misses, W = E min(u1 eta, u0 (1 - eta)), and the spread is at least W / (u0 + u1).

    Rises with R, so an upper limit of R will do. With x = n E, h = t log t + 1 - t: where t is best, e^(-4 h x) =
    PEAK / (8 (t x)^(3/2) |log t|). So the slope of x times the bound, e^(-4 h x) (1 - 4 h x) + PEAK / (2 sqrt(t x)), is
    PEAK / (2 sqrt(t x)) times 1 + (1 - 4 h x) / (4 t x |log t|), which is positive: h < t |log t| for t >= 0.3.
    """
    return error * largest_probability_sharp(error / sum(payoff), k - 1) if error > 0 else 0.0
