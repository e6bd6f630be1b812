"""What the published count of a bag, plain or with noise, adds to what an attacker expects; exact.

With a = worth of a right "1" times hit, c = worth of a right "0" times miss, q the law of the others' count and f0, f1
the densities of what is published under y_i = 0 and 1, the gain is what the answer without the release loses where it
is not the better one: the integral of [a f1 - c f0]_+ if a <= c, else of [c f0 - a f1]_+ (003, Theorem 3.3; ERRATA B4).
Noise is Laplace noise, or geometric, which is the same at whole numbers alone: then it is a sum.

`divide` gives v = miss q; hence the factors A = odds * worth1 and C = worth0 in place of a and c.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.compiled import compiled
from .poisson_binomial import LANES, divide, law_of_sum, odds_of, sides


@compiled
def gains(hit: Floats, miss: Floats, worth: Floats, epsilon: float, whole: bool = False) -> Floats:
    """hit, miss (b, k), worth (2,) -> (b, k). epsilon = inf: the count itself. whole: noise is geometric."""
    out = np.zeros(hit.shape)
    for b in range(len(hit)):
        low, high = sides(hit[b], miss[b])
        if len(low) + len(high) > 0:
            some = np.concatenate((low, high))
            law, first, last = law_of_sum(hit[b][some], miss[b][some])
            m = len(some)
            _gains_of_side(law, first, last, low, hit[b], miss[b], worth[1], worth[0], epsilon, whole, out[b])
            mirrored = law[::-1].copy()
            _gains_of_side(
                mirrored, m - last, m - first, high, miss[b], hit[b], worth[0], worth[1], epsilon, whole, out[b]
            )
    return out


@compiled
def _gains_of_side(
    law: Floats, first: int, last: int, members: Integers, hit: Floats, miss: Floats,
    worth1: float, worth0: float, epsilon: float, whole: bool, out: Floats,
) -> None:  # fmt: skip
    without = np.empty((len(law), LANES))
    for start in range(0, len(members), LANES):
        some = members[start : start + LANES]
        odds = odds_of(some, hit, miss)
        divide(law, first, last, odds, without)
        last_other = min(last, len(law) - 2)
        if math.isinf(epsilon):
            gain = _of_count(without, first, last_other, odds * worth1, worth0)
        else:
            gain = _of_noisy_count(without, first, last_other, odds * worth1, worth0, epsilon, whole)
        for j in range(len(some)):
            out[some[j]] = gain[j]


@compiled
def _of_count(without: Floats, first: int, last: int, a: Floats, c: float) -> Floats:
    """sum_s [a v[s - 1] - c v[s]]_+, or of the negative parts where a > c."""
    lanes = len(a)
    sign = np.where(a <= c, 1.0, -1.0)
    up, down = sign * a, sign * c
    gain = np.empty(lanes)
    for j in range(lanes):
        gain[j] = max(-down[j] * without[first, j], 0.0) + max(up[j] * without[last, j], 0.0)
    for s in range(first + 1, last + 1):
        here, below = without[s], without[s - 1]
        for j in range(lanes):
            gain[j] += max(up[j] * below[j] - down[j] * here[j], 0.0)
    return gain


@compiled
def _of_noisy_count(without: Floats, first: int, last: int, a: Floats, c: float, epsilon: float, whole: bool) -> Floats:
    """The same with noise, e = exp(-epsilon), in units of epsilon / 2 and with sums from the left and from the right

        left[t] = sum_{b <= t} v[b] e^(t - b),  right[t] = sum_{b >= t} v[b] e^(b - t).

    On [t, t + 1] the difference of densities is P e^x + Q e^(1 - x): P = a left[t - 1] - c left[t] and
    Q = a right[t] - c right[t + 1]. It has at most one zero there; before 0 and after k it has none. Of geometric noise
    the density is (1 - e) / (1 + e) times that, at whole numbers.
    """
    lanes = len(a)
    e, rest = math.exp(-epsilon), -math.expm1(-epsilon)
    sign = np.where(a <= c, 1.0, -1.0)
    near, far = sign * (a - c + c * rest), sign * (a - c - a * rest)  # a - c e and a e - c
    a, d = sign * a, sign * c
    right = np.empty((last + 2, LANES))
    right[last + 1] = 0.0
    for t in range(last, first - 1, -1):
        for j in range(lanes):
            right[t, j] = without[t, j] + e * right[t + 1, j]
    gain = np.maximum(far * right[first, :lanes], 0.0)  # before the first
    left = np.zeros(lanes)
    p, q = np.empty(lanes), np.empty(lanes)
    for t in range(first, last + 1):
        turns = 0
        for j in range(lanes):
            v = without[t, j]
            p[j] = near[j] * left[j] - d[j] * v
            q[j] = far[j] * right[t + 1, j] + a[j] * v
            left[j] = v + e * left[j]
            at_start, at_end = p[j] + e * q[j], e * p[j] + q[j]
            if whole:
                gain[j] += rest * max(at_start, 0.0) if t > first else 0.0
                continue
            gain[j] += rest * (p[j] + q[j]) if at_start >= 0 and at_end >= 0 else 0.0
            turns += 1 if (at_start >= 0) != (at_end >= 0) else 0
        if turns > 0:
            for j in range(lanes):
                gain[j] += _beyond_zero(p[j], q[j], e)
    return (gain + np.maximum(near * left, 0.0)) / (1.0 + e if whole else 2.0)


@compiled
def _beyond_zero(p: float, q: float, e: float) -> float:
    """The integral of [P e^x + Q e^(1 - x)]_+ on [0, 1], times epsilon, if the sign changes there; else 0.

    For P < 0 < Q the zero is at 1 - h / epsilon, h = (epsilon + log(Q / -P)) / 2. Written around its zero the
    difference is a hyperbolic sine, whose integral up to 1 is Q (1 - exp(-h))^2: nothing cancels.
    """
    if (p + e * q >= 0) == (e * p + q >= 0):
        return 0.0
    small, large = min(p, q), max(p, q)
    if small >= 0 or large <= 0:
        return 0.0
    share = (large + e * small) / (large * (1.0 + math.sqrt(-small / large * e)))  # 1 - e^-h
    return large * share * share
