"""The law of eta behind counts: nearer to the truth than the counts, as likely as a law can be, and put right by the
rows' own labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit, xlog1py, xlogy

from labeldp_audit.core.eta import Law
from labeldp_audit.measures.eta_law import deconvolution
from labeldp_audit.measures.eta_law.recalibration import recalibrated

quick = settings(deadline=None, max_examples=60, derandomize=True)
GROUPS = 20_000
PEOPLE = {
    "fair": lambda rng: np.full(GROUPS, 0.5),
    "three in ten": lambda rng: np.full(GROUPS, 0.3),
    "one in ten": lambda rng: np.full(GROUPS, 0.1),
    "even": lambda rng: rng.random(GROUPS),
    "skew": lambda rng: rng.beta(0.3, 3, GROUPS),
}


def draw(name, k, seed=7):
    """Of GROUPS people: eta, and the positives among k neighbours."""
    rng = np.random.default_rng(seed)
    eta = PEOPLE[name](rng)
    return eta, rng.binomial(k, eta)


def mean_of(found, of=lambda eta: eta):
    return float(found.weight @ of(found.eta[:, 1]))


def error(eta):
    """R* of CERTIFICATES d."""
    return np.minimum(eta, 1 - eta)


def gain(eta):
    """What randomized response with pi = 0.1 adds (003, Theorem 3.7)."""
    return np.maximum(0.0, error(eta) - 0.1)


# The table of CERTIFICATES d: biases of the plug-in there are -.124, -.040, -.010, -.023, -.006, +.034, +.012.
@pytest.mark.parametrize(
    ("name", "k", "of", "margin"),
    [
        ("fair", 10, error, 0.012),
        ("fair", 100, error, 0.004),
        ("three in ten", 10, gain, 0.002),
        ("even", 10, error, 0.003),
        ("even", 100, error, 0.0015),
        ("skew", 10, error, 0.003),
        ("one in ten", 10, gain, 0.004),
        ("one in ten", 100, gain, 0.002),
    ],
)
def test_it_is_near_where_the_counts_are_not(name, k, of, margin):
    off, plug_in_off = [], []
    for eta, s in (draw(name, k, seed) for seed in range(4)):
        off.append(mean_of(deconvolution.law(s, np.full(GROUPS, k)), of) - of(eta).mean())
        plug_in_off.append(of(s / k).mean() - of(eta).mean())
    assert abs(np.mean(off)) < margin < abs(np.mean(plug_in_off))
    assert np.abs(off).max() < 2 * margin


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


@pytest.mark.parametrize("name", ["fair", "one in ten", "skew"])
@pytest.mark.parametrize("k", [1, 10, 300])
def test_the_gradient_says_that_the_maximum_is_reached(name, k):
    """max gradient - 1 bounds the log likelihood per person that any law on the grid has more."""
    _, s = draw(name, k)
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
    assert 1 - mean_of(deconvolution.law(k - s, k)) == pytest.approx(mean_of(found), abs=1e-3)
    order = np.random.default_rng(0).permutation(len(s))
    again = deconvolution.law(s[order], k[order])
    assert np.array_equal(found.weight, again.weight)
    assert np.array_equal(found.eta, again.eta)


@pytest.mark.parametrize(("name", "k"), [("fair", 10), ("even", 1), ("skew", 141)])
def test_the_mean_stays(name, k):
    """A hundredth of its own standard error would be enough."""
    _, s = draw(name, k)
    near = 0.1 * np.std(s / k) / math.sqrt(GROUPS)
    assert mean_of(deconvolution.law(s, np.full(GROUPS, k))) == pytest.approx(s.mean() / k, abs=near)


@pytest.mark.parametrize("positive", [False, True])
def test_labels_that_never_differ(positive):
    """Of a hundred people with 141 neighbours each, one unlike neighbour in all is what may be left open."""
    k = np.full(100, 141)
    found = deconvolution.law(k * positive, k)
    assert 0 <= found.weight @ found.eta[:, int(not positive)] * k.sum() < 1.2


# ---- trials that vary, by ties


def varied(rng, q=60_000):
    return 100 + rng.geometric(0.01, q)


def test_people_are_thinned_where_trials_vary_and_still_have_their_noise():
    rng = np.random.default_rng(3)
    k = varied(rng)
    s = rng.binomial(k, 0.5)
    successes, trials, share = deconvolution._pairs(s, k)
    assert len(share) <= deconvolution.PAIRS < len(np.unique(k * 10_000 + s))
    assert share.sum() == pytest.approx(1)
    assert share @ (successes / trials) == pytest.approx((s / k).mean(), abs=1e-4)
    assert share @ trials == pytest.approx(k.mean(), rel=0.03)
    assert set(zip(successes, trials, strict=True)) <= set(zip(s, k, strict=True))
    assert mean_of(deconvolution.law(s, k), error) > 0.5 - 0.004 > 0.5 - 0.02 > error(s / k).mean()


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
    assert found.weight[np.abs(found.eta[:, 1] - 0.123) < 0.01].sum() == pytest.approx(np.mean(k > 141), abs=0.01)
    assert mean_of(found) == pytest.approx((s / k).mean(), abs=1e-3)


# ---- averages that are off on the whole, or shrunk, are put right by the rows' own labels

K = 60


def sample(rng, shift, shrink, rows=20_000):
    """eta of rows, and counts whose averages are expit(shift + shrink logit eta)."""
    eta = rng.beta(1, 3, rows)
    successes = rng.binomial(K, expit(shift + shrink * logit(eta)))
    return eta, successes, np.full(rows, K), (rng.random(rows) < eta).astype(np.uint8)


@pytest.mark.parametrize(("shift", "shrink"), [(-0.5, 1.0), (0.0, 0.5), (0.3, 0.7)])
def test_a_law_that_is_off_is_put_right(shift, shrink):
    eta, successes, trials, labels = sample(np.random.default_rng(4), shift, shrink)
    found = deconvolution.law(successes, trials)
    right = recalibrated(found, successes, trials, labels, labels.mean())
    assert mean_of(right, error) == pytest.approx(float(error(eta).mean()), abs=0.006)
    assert mean_of(right) == pytest.approx(labels.mean(), abs=1e-9)
    if shrink != 1:
        assert abs(mean_of(found, error) - float(error(eta).mean())) > 0.02  # what it mends


def test_labels_that_have_nothing_to_do_with_counts_leave_no_doubt_that_they_do_not():
    rng = np.random.default_rng(5)
    _, successes, trials, _ = sample(rng, 0.0, 1.0)
    labels = (rng.random(len(trials)) < 0.3).astype(np.uint8)
    right = recalibrated(deconvolution.law(successes, trials), successes, trials, labels, labels.mean())
    assert mean_of(right, error) == pytest.approx(0.3, abs=0.02)


def test_chance_in_few_rows_is_not_made_into_knowledge():
    """Nobody can be told apart; the fit may follow 30 labels no further than belief beforehand lets it."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        successes, labels = rng.binomial(K, 0.5, 30), rng.integers(2, size=30)
        law = Law(np.array([0.5, 0.5]), np.array([[0.52, 0.48], [0.48, 0.52]]))
        right = recalibrated(law, successes, np.full(30, K), labels, 0.5)
        assert np.ptp(right.eta[:, 1]) < 0.1


@pytest.mark.parametrize("labels", [[0, 1], [1, 1], [0, 0]])
def test_extremes(labels):
    """Two rows, averages of 0 and 1, labels for or against them."""
    law = Law(np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    right = recalibrated(law, np.array([0, 5]), np.array([5, 5]), np.array(labels, np.uint8), 0.4)
    assert np.all((right.eta > 0) & (right.eta < 1))
    assert right.eta[0, 1] < right.eta[1, 1]


@pytest.mark.parametrize("period", [2, 4])
def test_the_order_of_the_rows_has_no_part_in_it(period):
    """Matched cases and controls stand in turns; taking every so-manieth row would find one class only."""
    rng = np.random.default_rng(7)
    _, successes, trials, labels = sample(rng, -0.5, 0.8, rows=60_000)
    order = np.argsort(rng.random(len(labels)) + np.where(labels == 1, 0.0, 2.0), kind="stable")
    turns = np.argsort(np.argsort(labels[order], kind="stable") % (len(labels) // period), kind="stable")
    law = deconvolution.law(successes, trials)
    one, other = (
        recalibrated(law, successes[some], trials[some], labels[some], labels.mean())
        for some in (rng.permutation(len(labels)), order[turns])
    )
    assert mean_of(one, error) == pytest.approx(mean_of(other, error), rel=1e-6)
