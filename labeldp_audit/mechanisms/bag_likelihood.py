"""How likely the published count of a bag is for each label of each member, plain or with noise.

The count may be one that the reader takes for all but impossible. So the members' odds are first multiplied by
e^theta, which makes it an ordinary one (exponential tilting):

    P(S = s) = tilted P(S = s) * e^(-theta s) * prod_j (miss_j + hit_j e^theta).

With noise, |theta| <= epsilon: beyond that the density of the noise falls more slowly than the law of the count.
Where a count is published several times, with noise of its own each time, densities are multiplied.
It is the density of Laplace noise; geometric noise has it too, at whole numbers and up to a factor.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.compiled import compiled
from .poisson_binomial import LANES, divide, law_of_sum, odds_of, sides

_ROUNDS = 200  # halvings of a bracket; a few are enough
_LEAST = 1e-290


@compiled
def log_likelihoods(hit: Floats, miss: Floats, starts: Integers, views: Floats, epsilon: float) -> Floats:
    """Records in the order of their bags, bag b from starts[b] on, views (bags, V) -> (n, 2): log P(views | y_i)."""
    out = np.full((len(hit), 2), -math.inf)
    for b in range(len(views)):
        of = slice(starts[b], starts[b + 1])
        if starts[b] < starts[b + 1]:
            _of_bag(hit[of], miss[of], views[b], epsilon, out[of])
    return out


@compiled
def _of_bag(hit: Floats, miss: Floats, views: Floats, epsilon: float, out: Floats) -> None:
    some = np.nonzero((hit > 0) & (miss > 0))[0]
    m = len(some)
    unexplained = views - np.sum(miss <= 0)  # by those who are certainly positive
    log_odds = np.log(hit[some]) - np.log(miss[some])
    most = epsilon * len(views)
    theta = min(max(_tilt(log_odds, min(max(unexplained.mean(), 0.5), m - 0.5)), -most), most)
    hits, misses, grown = _tilted(hit, miss, theta)
    law, first, last = law_of_sum(hits[some], misses[some])
    noise = _log_noise(m, unexplained, epsilon, theta)
    for i in range(len(hit)):
        if hit[i] <= 0 or miss[i] <= 0:
            own = 1 if miss[i] <= 0 else 0
            for c in range(2):
                out[i, c] = _log_sum(law, noise[1 + c - own : m + 2 + c - own]) - theta * own
    low, high = sides(hits, misses)
    noise = noise[1 : m + 2].copy()
    _of_side(law, first, last, low, hits, misses, noise, 0, out)
    _of_side(law[::-1].copy(), m - last, m - first, high, misses, hits, noise[::-1].copy(), 1, out)
    total = grown.sum()
    for i in range(len(hit)):
        out[i, 0] += total - grown[i]
        out[i, 1] += total - grown[i] + theta


@compiled
def _tilted(hit: Floats, miss: Floats, theta: float) -> tuple[Floats, Floats, Floats]:
    """Tilted probabilities, all 0 for who is certain, and log (miss + hit e^theta), 0 for who is certain."""
    hits, misses, grown = np.zeros(len(hit)), np.zeros(len(hit)), np.zeros(len(hit))
    for i in range(len(hit)):
        if hit[i] > 0 and miss[i] > 0:
            negative, positive = math.log(miss[i]), math.log(hit[i]) + theta
            grown[i] = max(negative, positive) + math.log1p(math.exp(-abs(negative - positive)))
            hits[i] = max(math.exp(positive - grown[i]), _LEAST)
            misses[i] = max(math.exp(negative - grown[i]), _LEAST)
    return hits, misses, grown


@compiled
def _of_side(
    law: Floats, first: int, last: int, members: Integers, hit: Floats, miss: Floats,
    noise: Floats, mirrored: int, out: Floats,
) -> None:  # fmt: skip
    """In the mirror image the labels have changed places."""
    without = np.empty((len(law), LANES))
    for start in range(0, len(members), LANES):
        some = members[start : start + LANES]
        divide(law, first, last, odds_of(some, hit, miss), without)
        for way in range(2):
            sums = _log_sums(without, first, min(last, len(law) - 2), noise[way:], len(some))
            for j in range(len(some)):
                out[some[j], way ^ mirrored] = sums[j] - math.log(miss[some[j]])


@compiled
def _tilt(log_odds: Floats, target: float) -> float:
    """theta with sum_j expit(log_odds_j + theta) within a standard deviation of target; 0 if 0 is one."""
    if len(log_odds) == 0:
        return 0.0
    below, above, theta = -log_odds.max() - 40.0, -log_odds.min() + 40.0, 0.0
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-log_odds - theta))
        mean = p.sum()
        if abs(mean - target) <= 0.25 + math.sqrt(np.sum(p * (1 - p))):
            break
        if mean < target:
            below = theta
        else:
            above = theta
        theta = (below + above) / 2
    return theta


@compiled
def _log_noise(m: int, views: Floats, epsilon: float, theta: float) -> Floats:
    """log (density of the views at a count of s, times e^(-theta s)) for s = -1 .. m + 1."""
    logs = np.full(m + 3, -math.inf)
    for at in range(m + 3):
        s = at - 1
        if not math.isinf(epsilon):
            logs[at] = -theta * s - epsilon * np.sum(np.abs(views - s)) + len(views) * math.log(epsilon / 2)
        elif np.all(views == s):
            logs[at] = -theta * s
    return logs


@compiled
def _log_sum(law: Floats, logs: Floats) -> float:
    """log sum_s law[s] e^logs[s]"""
    most = float(logs.max())
    if most == -math.inf:
        return most
    total = np.sum(law * np.exp(logs - most))
    return most + math.log(total) if total > 0 else -math.inf


@compiled
def _log_sums(without: Floats, first: int, last: int, logs: Floats, lanes: int) -> Floats:
    """(lanes,): log sum_s v[s] e^logs[s]"""
    sums = np.zeros(lanes)
    most = float(logs[first : last + 1].max())
    if most == -math.inf:
        return sums - math.inf
    for s in range(first, last + 1):
        weight, here = math.exp(logs[s] - most), without[s]
        if weight > 0:
            for j in range(lanes):
                sums[j] += weight * here[j]
    for j in range(lanes):
        sums[j] = most + math.log(sums[j]) if sums[j] > 0 else -math.inf
    return sums
