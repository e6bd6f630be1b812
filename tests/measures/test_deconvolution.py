"""The law of eta behind binomial counts: nearer to the truth than the counts, and as likely as a law can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import xlog1py, xlogy
from scipy.stats import binom

from labeldp_audit.measures.eta_law import deconvolution

quick = settings(deadline=None, max_examples=60, derandomize=True)
GROUPS = 20_000


def draw(etas, k, seed=7):
    """Of GROUPS people: eta, and the positives among k neighbours."""
    rng = np.random.default_rng(seed)
    eta = etas(rng)
    return eta, rng.binomial(k, eta)


def fair(rng):
    return np.full(GROUPS, 0.5)


def three_in_ten(rng):
    return np.full(GROUPS, 0.3)


def one_in_ten(rng):
    return np.full(GROUPS, 0.1)


def even(rng):
    return rng.random(GROUPS)


def skew(rng):
    return rng.beta(0.3, 3, GROUPS)


def mean_of(found, of):
    return float(found.weight @ of(found.eta[:, 1]))


def error(eta):
    """R* of CERTIFICATES d."""
    return np.minimum(eta, 1 - eta)


def gain(eta):
    """What randomized response with pi = 0.1 adds (003, Theorem 3.7)."""
    return np.maximum(0.0, error(eta) - 0.1)


# ---- the table of CERTIFICATES d: biases of the plug-in there are -.124, -.040, -.010, -.023, -.006, +.034, +.012


@pytest.mark.parametrize(
    ("etas", "k", "of", "margin"),
    [
        (fair, 10, error, 0.012),
        (fair, 10, gain, 0.012),
        (fair, 100, error, 0.004),
        (three_in_ten, 10, error, 0.002),
        (three_in_ten, 10, gain, 0.002),
        (even, 10, error, 0.003),
        (even, 10, gain, 0.003),
        (even, 100, error, 0.0015),
        (skew, 10, error, 0.003),
        (one_in_ten, 10, gain, 0.004),
        (one_in_ten, 100, gain, 0.002),
    ],
)
def test_it_is_near_where_the_counts_are_not(etas, k, of, margin):
    off, plug_in_off = [], []
    for eta, s in (draw(etas, k, seed) for seed in range(4)):
        off.append(mean_of(deconvolution.law(s, np.full(GROUPS, k)), of) - of(eta).mean())
        plug_in_off.append(of(s / k).mean() - of(eta).mean())
    assert abs(np.mean(off)) < margin < abs(np.mean(plug_in_off))
    assert np.abs(off).max() < 2 * margin


def test_plug_in_is_below_by_the_advantage_of_a_bag():
    """CERTIFICATES d: at 1/2, E |share - 1/2| of ten coins."""
    _, s = draw(fair, 10)
    exact = binom.pmf(np.arange(11), 10, 0.5) @ np.abs(np.arange(11) / 10 - 0.5)
    assert 0.5 - error(s / 10).mean() == pytest.approx(exact, abs=2e-3)


# ---- as likely as a law can be


def log_likelihood(weight, eta, s, k):
    """Without the binomial coefficients, which are the same for every law."""
    logs = xlogy(s[:, None], eta) + xlog1py((k - s)[:, None], -eta)
    highest = logs.max(axis=1)
    return float(np.sum(highest + np.log(np.exp(logs - highest[:, None]) @ weight)))


@quick
@given(st.integers(1, 200), st.integers(1, 60), st.sampled_from([0.2, 1.0, 5.0]), st.integers(0, 10**6))
def test_no_law_is_much_more_likely(q, most, shape, seed):
    rng = np.random.default_rng(seed)
    k = rng.integers(1, most + 1, q)
    eta = rng.beta(shape, shape, q)
    s = rng.binomial(k, eta)
    found = deconvolution.law(s, k)
    reached = log_likelihood(found.weight, found.eta[:, 1], s, k)
    allowed = deconvolution.DOUBT + 0.1 + 0.01 * q / most  # the grid, which a law off it may beat by a little
    for rival in (eta, s / k, rng.random(30), np.full(1, s.sum() / k.sum())):
        assert log_likelihood(np.full(len(rival), 1 / len(rival)), rival, s, k) <= reached + allowed


@pytest.mark.parametrize("etas", [fair, one_in_ten, even, skew])
@pytest.mark.parametrize("k", [1, 10, 300])
def test_the_gradient_says_that_the_maximum_is_reached(etas, k):
    """max gradient - 1 bounds the log likelihood per person that any law on the grid has more."""
    _, s = draw(etas, k)
    successes, trials, share = deconvolution._pairs(s, np.full(GROUPS, k))
    likelihood = deconvolution._likelihood(successes, trials, deconvolution._grid(k))
    smooth = deconvolution._soon(likelihood, share)
    best = deconvolution._most_likely(likelihood, share, smooth, deconvolution.GAP / GROUPS)
    assert best.min() >= 0
    assert best.sum() == pytest.approx(1)
    gradient = share / (likelihood @ best) @ likelihood
    assert gradient.max() - 1 <= deconvolution.GAP / GROUPS
    assert gradient[best > 0] == pytest.approx(1, abs=1e-2)
    given_up = GROUPS * share @ np.log(likelihood @ best / (likelihood @ smooth))
    near = deconvolution._nearest(likelihood, share, best, smooth, deconvolution.DOUBT / GROUPS)
    lost = GROUPS * share @ np.log(likelihood @ best / (likelihood @ near))
    assert lost == pytest.approx(min(given_up, deconvolution.DOUBT), rel=1e-6, abs=1e-6)


# ---- what it looks like


@quick
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 3)), min_size=1, max_size=40),
    st.sampled_from([1, 50, 10**5]),
)
def test_it_is_a_law(rows, times):
    """Whatever the counts; nobody has to have any."""
    s = np.concatenate([[positive * times] * people for positive, _, people in rows])
    k = s + np.concatenate([[negative * times] * people for _, negative, people in rows])
    found = deconvolution.law(s, k)
    assert found.weight.sum() == pytest.approx(1, abs=1e-12)
    assert found.weight.min() >= deconvolution.LEAST
    assert np.all((found.eta >= 0) & (found.eta <= 1))
    assert found.eta.sum(axis=1) == pytest.approx(1, abs=1e-15)
    swapped = deconvolution.law(k - s, k)
    assert swapped.weight @ swapped.eta[:, 0] == pytest.approx(found.weight @ found.eta[:, 1], abs=1e-3)
    order = np.random.default_rng(0).permutation(len(s))
    again = deconvolution.law(s[order], k[order])
    assert np.array_equal(found.weight, again.weight)
    assert np.array_equal(found.eta, again.eta)


@pytest.mark.parametrize("k", [1, 10, 141])
@pytest.mark.parametrize("etas", [fair, even, skew])
def test_the_mean_stays(etas, k):
    """A hundredth of its own standard error would be enough."""
    _, s = draw(etas, k)
    found = deconvolution.law(s, np.full(GROUPS, k))
    assert mean_of(found, lambda eta: eta) == pytest.approx(s.mean() / k, abs=0.1 * np.std(s / k) / math.sqrt(GROUPS))


def test_two_kinds_of_people_are_told_apart():
    _, s = draw(lambda rng: rng.choice([0.05, 0.4], GROUPS, p=[0.7, 0.3]), 100)
    found = deconvolution.law(s, np.full(GROUPS, 100))
    near = [found.weight[np.abs(found.eta[:, 1] - at) < 0.03].sum() for at in (0.05, 0.4)]
    assert near == pytest.approx([0.7, 0.3], abs=0.02)


@pytest.mark.parametrize("positive", [False, True])
def test_labels_that_never_differ(positive):
    """Of a hundred people with 141 neighbours each, one unlike neighbour in all is what may be left open."""
    k = np.full(100, 141)
    found = deconvolution.law(k * positive, k)
    assert 0 <= found.weight @ found.eta[:, int(not positive)] * k.sum() < 1.2


def test_determined_labels():
    """Neighbours all alike, 0 or 1 by turns: nothing is left in the middle."""
    found = deconvolution.law(np.tile([0, 50], 500), np.full(1000, 50))
    assert mean_of(found, error) < 1e-4
    assert mean_of(found, lambda eta: eta) == pytest.approx(0.5, abs=1e-6)


# ---- ties: trials that vary


def varied(rng, q=60_000):
    return 100 + rng.geometric(0.01, q)


def test_people_are_thinned_where_trials_vary():
    rng = np.random.default_rng(3)
    k = varied(rng)
    s = rng.binomial(k, rng.beta(1, 4, len(k)))
    successes, trials, share = deconvolution._pairs(s, k)
    assert len(share) <= deconvolution.PAIRS < len(np.unique(k * 10_000 + s))
    assert share.sum() == pytest.approx(1)
    assert share @ (successes / trials) == pytest.approx((s / k).mean(), abs=1e-4)
    assert share @ trials == pytest.approx(k.mean(), rel=0.03)
    assert set(zip(successes, trials, strict=True)) <= set(zip(s, k, strict=True))


def test_thinned_people_still_have_their_noise():
    rng = np.random.default_rng(4)
    k = varied(rng)
    s = rng.binomial(k, 0.5)
    assert mean_of(deconvolution.law(s, k), error) > 0.5 - 0.004
    assert error(s / k).mean() < 0.5 - 0.02


def test_a_common_pair_keeps_its_weight():
    """Half of the people saw no positive among 100; the others all differ."""
    rng = np.random.default_rng(5)
    k = np.append(np.full(60_000, 100), varied(rng))
    s = np.append(np.zeros(60_000, np.int64), rng.binomial(k[60_000:], 0.6))
    successes, _, share = deconvolution._pairs(s, k)
    assert share[successes == 0].sum() == pytest.approx(0.5, abs=1e-3)


def test_few_people_with_very_many_neighbours():
    """More than the grid can resolve: they neither vanish nor draw the rest after them."""
    rng = np.random.default_rng(6)
    k = np.where(rng.random(GROUPS) < 0.05, 10**6, 141)
    s = np.where(k > 141, rng.binomial(k, 0.123), rng.binomial(k, 0.4))
    found = deconvolution.law(s, k)
    many = np.mean(k > 141)
    assert found.weight[np.abs(found.eta[:, 1] - 0.123) < 0.01].sum() == pytest.approx(many, abs=0.01)
    assert mean_of(found, lambda eta: eta) == pytest.approx((s / k).mean(), abs=1e-3)
