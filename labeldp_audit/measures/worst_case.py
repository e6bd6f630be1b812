"""The largest privacy loss anybody can have (001, section 3):

    nu_max = epsilon + max(logit M - logit p, logit p - logit m),  m and M the essential extremes of eta.

At least epsilon, because m <= p <= M; infinite where somebody's features give the label away. ERRATA A9: the limits
follow those of m, M and p, never a clip.
"""

from __future__ import annotations

from .loss import logit


def log_ratio_of_min(eta_min: float) -> float:
    """log (1 - m) / m: the odds against a positive label where they are longest."""
    return 0.0 - float(logit(eta_min))  # -0.0 would be printed


def log_ratio_of_max(eta_max: float) -> float:
    """log M / (1 - M): the odds on a positive label where they are longest."""
    return float(logit(eta_max))


def nu_max(log_ratio_min: float, log_ratio_max: float, p: float, epsilon: float) -> float:
    prior = float(logit(p))
    return epsilon + max(0.0, log_ratio_min + prior, log_ratio_max - prior)


def nu_max_interval(
    eta_min: tuple[float, float], eta_max: tuple[float, float], p: tuple[float, float], epsilon: float
) -> tuple[float, float]:
    """The range of nu_max over intervals (low, high) of m, M and p; it falls in m, rises in M."""
    p_low, p_high = (float(logit(end)) for end in p)
    low = epsilon + max(0.0, log_ratio_of_max(eta_max[0]) - p_high, log_ratio_of_min(eta_min[1]) + p_low)
    high = epsilon + max(0.0, log_ratio_of_max(eta_max[1]) - p_low, log_ratio_of_min(eta_min[0]) + p_high)
    return low, high
