"""How surprising counts are if a release is what it claims: p-values that are exact or too large, never too small.

Each function states the theorem by which its p-value holds for every number of rows, not for many alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers

_OUTWARD = 1 + 1e-6  # beyond the error of logarithms of factorials


def of_counts(
    count: npt.ArrayLike, n: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, *, alike: npt.ArrayLike = True
) -> Floats:
    """Two-sided, of each count: n independent trials, whose mean probability is from low to high.

    The binomial tail, doubled. For trials that are not alike it holds from n mean + 1 on, and below n mean - 1
    (Hoeffding 1956, Theorem 5, doi:10.1214/aoms/1177728178); nearer to the mean the p-value is 1.
    """
    from scipy.special import betainc, betaincc

    k, n, low, high, same = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (count, n, low, high, alike)))
    with np.errstate(invalid="ignore"):
        above = np.where(k > 0, betainc(np.maximum(k, 1), n - k + 1, high), 1.0)
        below = np.where(k < n, betaincc(k + 1, np.maximum(n - k, 1), low), 1.0)
    above = np.where((same > 0) | (k >= n * high + 1), above, 1.0)
    below = np.where((same > 0) | (k <= n * low - 1), below, 1.0)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(above, below)))


def of_draws(count: npt.ArrayLike, n: int, marked: npt.ArrayLike, size: npt.ArrayLike) -> Floats:
    """Two-sided, of each count of marked ones among `size` of n that were drawn without putting back: hypergeometric.

    By Hoeffding 1963, Theorem 4: the exponential bound of the binomial law holds without putting back, too.
    """
    k, marked, size = np.broadcast_arrays(*(np.asarray(one, np.float64) for one in (count, marked, size)))
    share = marked / max(n, 1)
    return np.asarray(np.minimum(1.0, 2 * np.exp(-size * _kl(k / np.maximum(size, 1), share))))


def of_bags(count: Integers, size: Integers, n: int, marked: int) -> float:
    """Of the marked ones that n records put into random bags: is the share of bags with few, or with many, too large?

    Counts of bags are negatively associated (Joag-Dev and Proschan 1983, doi:10.1214/aos/1176346079), and so are the
    events that they are at least t, and that they are at most t: Chernoff's bound of independent ones holds for how
    many of these come true. Two tests for each t share the level.
    """
    sizes, bags = np.unique(size, return_counts=True)
    most = int(sizes.max(initial=0))
    law = np.zeros(most + 1)
    for one, many in zip(sizes.tolist(), bags.tolist(), strict=True):
        law[: one + 1] += many * hypergeometric(n, marked, one)
    total = int(bags.sum())
    found = np.bincount(count, minlength=most + 1)[: most + 1]
    law = law / max(total, 1)
    worst = 0.0
    for seen, expected in ((found, law), (found[::-1], law[::-1])):
        share, mean = np.cumsum(seen)[:-1] / max(total, 1), np.minimum(1.0, np.cumsum(expected)[:-1] * _OUTWARD)
        worst = max(worst, float(np.max(np.where(share > mean, _kl(share, mean), 0.0), initial=0.0)))
    return float(min(1.0, 2 * max(most, 1) * np.exp(-total * worst)))


def of_law(values: Floats, at_most: Callable[[Floats], Floats]) -> tuple[float, float]:
    """The largest distance of the empirical distribution function from at_most(z) = P(noise <= z), and its p-value.

    Dvoretzky, Kiefer and Wolfowitz with Massart's constant (1990): 2 exp(-2 m distance^2), for every law, discrete
    ones too.
    """
    levels, counts = np.unique(values, return_counts=True)
    if not len(levels):
        return 0.0, 1.0
    upto = np.cumsum(counts) / len(values)
    before = at_most(np.nextafter(levels, -np.inf))
    distance = max(
        float(np.max(np.abs(upto - at_most(levels)))), float(np.max(np.abs(np.append(0, upto[:-1]) - before)))
    )
    return distance, float(min(1.0, 2 * np.exp(-2 * len(values) * distance**2)))


def hypergeometric(n: int, marked: int, size: int) -> Floats:
    """(size + 1,) P(so many marked ones among `size` of n)."""
    from scipy.special import gammaln

    k = np.arange(size + 1)
    possible = (k <= marked) & (size - k <= n - marked)
    k = np.clip(k, max(0, size - (n - marked)), min(size, marked))

    def choose(many: int, few: npt.ArrayLike) -> Floats:
        return np.asarray(gammaln(many + 1) - gammaln(np.asarray(few) + 1) - gammaln(many - np.asarray(few) + 1))

    log = choose(marked, k) + choose(n - marked, size - k) - choose(n, size)
    return np.where(possible, np.exp(log), 0.0)


def _kl(share: Floats, mean: Floats) -> Floats:
    """Of two coins; infinite where what came is impossible."""
    from scipy.special import rel_entr

    return np.asarray(rel_entr(share, mean) + rel_entr(1 - share, 1 - mean))
