"""Laws of counts, against exact fractions and against the convolution of the others."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from bags_by_hand import BAGS

from labeldp_audit.core.compiled import compiled
from labeldp_audit.mechanisms.poisson_binomial import LANES, divide, law_of_sum, odds_of, sides

RNG = np.random.default_rng(5)


def exact(hit):
    """(n, n) in rational numbers, rounded once."""
    laws = []
    for i in range(len(hit)):
        law = [Fraction(1)]
        for p in [Fraction(p) for j, p in enumerate(hit) if j != i]:
            law = [(1 - p) * same + p * less for same, less in zip([*law, 0], [0, *law], strict=True)]
        laws.append([float(p) for p in law])
    return np.array(laws)


def convolved(hit, i):
    law = np.ones(1)
    for p in np.delete(hit, i):
        law = np.convolve(law, [1 - p, p])
    return law


def worst(found, expected, least=1e-250):
    """The largest relative error where the value is not negligible."""
    seen = expected > least
    return float(np.max(np.abs(found - expected)[seen] / expected[seen], initial=0.0))


@compiled
def leave_one_out(hit, miss):
    """(n, n): row i is the law of how many of the others are positive; 0 .. n - 1."""
    n = len(hit)
    laws = np.zeros((n, n))
    uncertain = np.nonzero((hit > 0) & (miss > 0))[0]
    sure = int(np.sum(miss <= 0))
    m = len(uncertain)
    law, first, last = law_of_sum(hit[uncertain], miss[uncertain])
    for i in range(n):
        if hit[i] <= 0 or miss[i] <= 0:
            start = sure - (1 if miss[i] <= 0 else 0)
            laws[i, start : start + m + 1] = law
    without = np.empty((m + 1, LANES))
    low, high = sides(hit, miss)
    for start in range(0, len(low), LANES):
        some = low[start : start + LANES]
        divide(law, first, last, odds_of(some, hit, miss), without)
        for j in range(len(some)):
            row = laws[some[j], sure : sure + m]
            row[first : last + 1] = without[first : min(last, m - 1) + 1, j] / miss[some[j]]
    for start in range(0, len(high), LANES):
        some = high[start : start + LANES]
        divide(law[::-1].copy(), m - last, m - first, odds_of(some, miss, hit), without)
        for j in range(len(some)):
            row = laws[some[j], sure : sure + m][::-1]
            row[m - last : m - first + 1] = without[m - last : min(m - first, m - 1) + 1, j] / hit[some[j]]
    return laws


def ours(hit):
    hit = np.asarray(hit, dtype=float)
    return leave_one_out(hit, 1 - hit)


def forwards_only(hit):
    """What the text book does: relative accuracy is lost in the right tail."""
    hit = np.asarray(hit, dtype=float)
    law, _, _ = law_of_sum(hit, 1 - hit)
    laws = np.zeros((len(hit), len(hit)))
    for i, p in enumerate(hit):
        for s in range(len(hit)):
            laws[i, s] = (law[s] - p * (laws[i, s - 1] if s else 0.0)) / (1 - p)
    return laws


EXACT = [hit for name, hit in BAGS.items() if name != "nearly certain"]
EXACT += [[], RNG.random(25), RNG.random(20) ** 6, 1 - RNG.random(20) ** 6, [0.5] * 33, [0.0, 1e-12, 1e-300, 1.0, 0.3]]


@pytest.mark.parametrize("hit", EXACT, ids=range(len(EXACT)))
def test_every_probability_is_right_in_its_own_size(hit):
    """In both tails: many of them are far below 1e-16."""
    assert worst(ours(hit), exact(hit)) < 1e-13
    assert np.all(ours(hit) >= 0)


def test_and_that_test_has_teeth():
    hit = np.linspace(0.01, 0.5, 40)
    assert worst(ours(hit), exact(hit)) < 1e-13
    assert worst(forwards_only(hit), exact(hit)) > 1


@pytest.mark.parametrize("k", [63, 65, 512])
def test_large_bags(k):
    """Around a multiple of the number of lanes, and where tails are below the smallest double."""
    hit = np.random.default_rng(k).beta(0.6, 1.1, k)
    found = ours(hit)
    for i in range(0, k, max(1, k // 25)):
        expected = convolved(hit, i)
        assert np.max(np.abs(found[i] - expected)) < 1e-14
        assert worst(found[i], expected, 1e-150) < 1e-11


def test_the_largest_bag():
    hit = np.full(4096, 0.5)
    law, first, last = law_of_sum(hit, 1 - hit)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    assert law[first] >= 1e-280 > law[first - 1]
    assert law[last] >= 1e-280 > law[last + 1]
    assert (law @ np.arange(4097), law @ (np.arange(4097) - 2048.0) ** 2) == pytest.approx((2048, 1024), rel=1e-11)
