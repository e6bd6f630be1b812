"""The law of a count of independent positives, and the laws without each one of them.

With v[s] = P(S = s, y_i = 0) = miss_i P(S_-i = s) and u[s] = P(S = s, y_i = 1) = hit_i P(S_-i = s - 1),

    law[s] = v[s] + u[s],    u[s] = odds_i v[s - 1],

so that v follows from the law upwards, or downwards. Errors are multiplied by u / v in each step upwards and by v / u
in each step downwards, relative to the values; as laws of sums are log-concave, u / v only grows with s. So we go
upwards until u > v and from there on downwards: relative accuracy in both tails, where a plain division has lost
every digit. For odds <= 1 the step upwards is also stable absolutely; members with odds > 1 see the mirror image.

Members are the lanes of the innermost loops. Probabilities below 1e-280 count as 0.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.compiled import compiled

_ROUNDING = 1e-12  # of a probability that was added up

LANES = 32
_LEAST = 1e-280  # what was dropped below _DROPPED is less than a rounding error of this
_DROPPED = 1e-300


@compiled
def law_of_sum(hit: Floats, miss: Floats) -> tuple[Floats, int, int]:
    """(n + 1,) by direct convolution, all terms positive; first and last index that are not negligible."""
    n = len(hit)
    law, longer = np.zeros(n + 1), np.zeros(n + 1)
    law[0] = 1.0
    first, last = 0, 0
    for i in range(n):
        p, q = hit[i], miss[i]
        new, same, less = longer[first + 1 : last + 1], law[first + 1 : last + 1], law[first:last]
        for s in range(len(new)):  # slices: what is known to be in range becomes vector code
            new[s] = q * same[s] + p * less[s]
        longer[first], longer[last + 1] = q * law[first], p * law[last]
        last += 1
        first, last = _trim(longer, first, last, _DROPPED)
        law, longer = longer, law
    law[:first] = 0.0
    law[last + 1 :] = 0.0
    first, last = _trim(law, first, last, _LEAST)
    return law, first, last


def law_of_binomials(n: Integers, p: Floats) -> tuple[int, Floats]:
    """The law of a sum of independent Bin(n_c, p_c) from its first likely value on: what is left out at either end has
    less than 1e-16 (Bernstein 1924)."""
    from scipy.stats import binom

    first, law = 0, np.ones(1)
    for many, share in zip(n.tolist(), p.tolist(), strict=True):
        middle, reach = many * share, 9 * (many * share * (1 - share)) ** 0.5 + 40
        low, high = max(0, int(middle - reach)), min(many, int(middle + reach) + 1)
        first, law = first + low, np.convolve(law, binom.pmf(np.arange(low, high + 1), many, share))
    return first, law


def tails_of_count(count: int, n: Integers, p: Floats) -> tuple[float, float]:
    """P(a sum of independent Bin(n_c, p_c) is at most, and at least, that count), no less than they are."""
    first, law = law_of_binomials(n, p)
    upto = np.clip([count - first + 1, count - first], 0, len(law))
    at_most, at_least = law[: upto[0]].sum(), law[upto[1] :].sum()
    return min(1.0, float(at_most) + _ROUNDING), min(1.0, float(at_least) + _ROUNDING)


@compiled
def _trim(law: Floats, first: int, last: int, least: float) -> tuple[int, int]:
    while law[first] < least and first < last:
        first += 1
    while law[last] < least and first < last:
        last -= 1
    return first, last


@compiled
def divide(law: Floats, first: int, last: int, odds: Floats, without: Floats) -> None:
    """Fills without (n + 1, lanes) from first to last: v of each lane. 0 < odds (lanes,) <= 1."""
    lanes = len(odds)
    turn = np.full(lanes, float(first))  # the last s with u <= v so far
    without[first, :lanes] = law[first]
    for s in range(first + 1, last + 1):
        p, before, here, above = law[s], float(s - 1), float(s), without[s]
        below = without[s - 1]
        for j in range(lanes):
            u = odds[j] * below[j]
            v = p - u if u < p else 0.0
            above[j] = v
            turn[j] = here if turn[j] == before and u <= v else turn[j]
        if s % 16 == 0 and turn.max() < here:
            break
    for j in range(lanes):
        if turn[j] < last:
            without[last, j] = 0.0
    _downwards(law, last, odds, turn, without)


@compiled
def _downwards(law: Floats, last: int, odds: Floats, turn: Floats, without: Floats) -> None:
    lanes = len(odds)
    least = int(turn.min())
    inverse = np.minimum(1.0 / odds, 1e300)
    for s in range(last, least, -1):
        p, here, above, below = law[s], float(s), without[s], without[s - 1]
        for j in range(lanes):
            kept, u = below[j], max(p - above[j], 0.0)
            below[j] = inverse[j] * u if here > turn[j] else kept


@compiled
def odds_of(members: Integers, hit: Floats, miss: Floats) -> Floats:
    odds = np.empty(len(members))
    for j in range(len(members)):
        odds[j] = hit[members[j]] / miss[members[j]]
    return odds


@compiled
def sides(hit: Floats, miss: Floats) -> tuple[Integers, Integers]:
    """Members by what is likelier: negative, or positive, who see the mirror image; the certain ones in neither."""
    uncertain = (hit > 0) & (miss > 0)
    return np.nonzero(uncertain & (hit <= miss))[0], np.nonzero(uncertain & (hit > miss))[0]
