"""Upper limits of an advantage from upper limits of the error and of the spread (error_cells.py).

    missed_high  upper limit of E min(eta, 1 - eta)         spread_high  upper limit of E eta (1 - eta)

Every bound rises with both, so it holds wherever they do. As min(z, 1 - z) <= 2 z (1 - z), the error is at most twice
the spread, and so limited. In the spread itself only noisy counts gain: a count's bound by the error is never larger
than its bound by the spread (label_proportions.py), because the spread is at least half of the error.
Payoff 1 for right guesses.
"""

from __future__ import annotations

from . import label_inference, label_proportions, laplace_proportions


def error(missed_high: float, spread_high: float) -> float:
    return min(missed_high, 2 * spread_high, 0.5)


def of_private(missed_high: float, spread_high: float, epsilon: float, delta: float = 0.0) -> float:
    """ERRATA C1: TV times the error, for every (epsilon, delta)-private release; (1 - 2 pi) times it for randomized
    response. Sharp: eta is 0, 1/2 or 1 for all that is known. The spread says no more there.
    """
    return label_inference.wu_improved(error(missed_high, spread_high), epsilon, delta)


def of_counts(missed_high: float, spread_high: float, k: int) -> float:
    """For bags of k whose number of positives is published (CERTIFICATES c3, ERRATA B5 and sharper)."""
    missed = error(missed_high, spread_high)
    return min(missed, label_proportions.unimodal_from_error_sharp(missed, k))


def of_noisy_counts(missed_high: float, spread_high: float, k: int, epsilon: float) -> float:
    """With Laplace noise of scale 1 / epsilon on the number: all of these, and Theorem 6.4 of 003 (ERRATA B7), which is
    smaller where epsilon is large and labels are hard to guess.
    """
    return min(
        of_counts(missed_high, spread_high, k),
        of_private(missed_high, spread_high, epsilon),
        laplace_proportions.theorem_6_4_sharp(min(spread_high, missed_high, 0.25), epsilon),
    )
