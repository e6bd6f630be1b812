"""How likely the published count of a bag is for each label of each member, plain or with Laplace noise.

The count may be one that the reader takes for all but impossible. So the members' odds are first multiplied by
e^theta, which makes it an ordinary one (exponential tilting):

    P(S = s) = tilted P(S = s) * e^(-theta s) * prod_j (miss_j + hit_j e^theta).

With noise, |theta| <= epsilon: beyond that the density of the noise falls more slowly than the law of the count.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled import compiled
from ..model import Floats, Integers
from .poisson_binomial import LANES, divide, law_of_sum, sides

_ROUNDS = 200  # halvings of a bracket; a few are enough
_LEAST = 1e-290


@compiled
def log_likelihoods(hit: Floats, miss: Floats, starts: Integers, views: Floats, epsilon: float) -> Floats:
    """Records in the order of their bags, bag b from starts[b] on -> (n, 2): log P(view | y_i = 0 and 1)."""
    out = np.full((len(hit), 2), -math.inf)
    for b in range(len(views)):
        of = slice(starts[b], starts[b + 1])
        if starts[b] < starts[b + 1]:
            _of_bag(hit[of], miss[of], views[b], epsilon, out[of])
    return out


@compiled
def _of_bag(hit: Floats, miss: Floats, view: float, epsilon: float, out: Floats) -> None:
    low, high = sides(hit, miss)
    some = np.concatenate((low, high))
    m = len(some)
    view -= np.sum(miss <= 0)  # what certain positives do not explain
    log_odds = np.log(hit[some]) - np.log(miss[some])
    theta = min(max(_tilt(log_odds, min(max(view, 0.5), m - 0.5)), -epsilon), epsilon)
    hits, misses = np.zeros(len(hit)), np.zeros(len(hit))
    hits[some] = np.maximum(1 / (1 + np.exp(-log_odds - theta)), _LEAST)
    misses[some] = np.maximum(1 / (1 + np.exp(log_odds + theta)), _LEAST)
    each = np.zeros(len(hit))  # log (miss + hit e^theta)
    for i in some:
        x, y = math.log(miss[i]), math.log(hit[i]) + theta
        each[i] = max(x, y) + math.log1p(math.exp(-abs(x - y)))
    scale = each.sum()
    law, first, last = law_of_sum(hits[some], misses[some])
    noise = _log_noise(m, view, epsilon, theta)  # at -1 .. m + 1
    for i in range(len(hit)):
        if hit[i] <= 0 or miss[i] <= 0:
            own = 1 if miss[i] <= 0 else 0
            for c in range(2):
                shift = c - own
                out[i, c] = scale + theta * shift + _log_sum(law, noise[1 + shift : 2 + shift + m])
    low_tilted, high_tilted = sides(hits, misses)
    for mirror in range(2):
        members = high_tilted if mirror else low_tilted
        plain, turned = (misses, hits) if mirror else (hits, misses)
        seen = law[::-1].copy() if mirror else law
        start_at, end_at = (m - last, m - first) if mirror else (first, last)
        at = noise[1 : m + 2][::-1].copy() if mirror else noise[1 : m + 2]
        without = np.empty((m + 1, LANES))
        for start in range(0, len(members), LANES):
            part = members[start : start + LANES]
            divide(seen, start_at, end_at, plain[part] / turned[part], without)
            sums = _log_sums(without, start_at, min(end_at, m - 1), at, len(part))
            for j in range(len(part)):
                i = part[j]
                for c in range(2):
                    way = 1 - c if mirror else c
                    out[i, c] = sums[way, j] - math.log(turned[i]) + scale - each[i] + theta * c


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
def _log_noise(m: int, view: float, epsilon: float, theta: float) -> Floats:
    """log (density of the view at a count of s, times e^(-theta s)) for s = -1 .. m + 1."""
    s = np.arange(-1.0, m + 2.0)
    if math.isinf(epsilon):
        return np.where(s == view, -theta * s, -math.inf)
    return -theta * s - epsilon * np.abs(view - s) + math.log(epsilon / 2)


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
    """(2, lanes): log sum_s v[s] e^logs[s], and the same with logs[s + 1]; each in a scale of its own."""
    sums = np.zeros((2, lanes))
    for way in range(2):
        most = logs[first + way : last + way + 1].max()
        weights = np.exp(logs - most) if most > -math.inf else np.zeros(len(logs))
        for s in range(first, last + 1):
            weight, here = weights[s + way], without[s]
            if weight > 0:
                for j in range(lanes):
                    sums[way, j] += weight * here[j]
        for j in range(lanes):
            sums[way, j] = most + math.log(sums[way, j]) if sums[way, j] > 0 else -math.inf
    return sums
