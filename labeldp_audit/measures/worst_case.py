"""The largest privacy loss anybody can have (001, section 3):

    nu_max = max(R1 + logit M - logit p, R0 + logit p - logit m),  m and M the essential extremes of eta,
    R1 = max_s log P(s | 1) / P(s | 0),  R0 = max_s log P(s | 0) / P(s | 1);  for randomized response both are epsilon.

Somebody positive loses most where eta is largest and what is said speaks most for a positive label, somebody negative
at the other ends. At least R1 and R0, because m <= p <= M; infinite where somebody's features give the label away.
ERRATA A9: the limits follow those of m, M and p, never a clip.
"""

from __future__ import annotations

from .loss import Noise, logit


def log_ratio_of_min(eta_min: float) -> float:
    """log (1 - m) / m: the odds against a positive label where they are longest."""
    return 0.0 - float(logit(eta_min))  # -0.0 would be printed


def log_ratio_of_max(eta_max: float) -> float:
    """log M / (1 - M): the odds on a positive label where they are longest."""
    return float(logit(eta_max))


def nu_max(log_ratio_min: float, log_ratio_max: float, p: float, noise: Noise) -> float:
    prior = float(logit(p))
    return max(of_ends(noise, log_ratio_max - prior, log_ratio_min + prior))


def nu_max_interval(
    eta_min: tuple[float, float], eta_max: tuple[float, float], p: tuple[float, float], noise: Noise
) -> tuple[float, float]:
    """The range of nu_max over intervals (low, high) of m, M and p; it falls in m, rises in M."""
    p_low, p_high = (float(logit(end)) for end in p)
    low = of_ends(noise, log_ratio_of_max(eta_max[0]) - p_high, log_ratio_of_min(eta_min[1]) + p_low)
    high = of_ends(noise, log_ratio_of_max(eta_max[1]) - p_low, log_ratio_of_min(eta_min[0]) + p_high)
    return max(low), max(high)


def of_ends(noise: Noise, for_positive: float, for_negative: float) -> tuple[float, float]:
    """The largest loss of somebody positive and of somebody negative, from logit M - logit p and logit p - logit m,
    neither of which is below 0, whatever limits of it say."""
    return noise.most_of_positive + max(0.0, for_positive), noise.most_of_negative + max(0.0, for_negative)
