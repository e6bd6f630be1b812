"""Counts of bags, plain and with noise: against sums over every way in which labels can fall, and integrals."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from bags_by_hand import BAGS, PAYOFFS, both, gain, joint
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.randomness import OperatingSystem
from labeldp_audit.core.release import Guide, Release
from labeldp_audit.mechanisms import GeometricProportions, LabelProportions, LaplaceProportions, RandomizedResponse
from labeldp_audit.mechanisms.bag_gain import gains
from labeldp_audit.mechanisms.label_proportions import gain_of_alike

EPSILONS = (1e-3, 0.1, 1.0, 4.0, 30.0, 1e3)
EVERY_BAG = pytest.mark.parametrize("hit", BAGS.values(), ids=BAGS.keys())


def of_size(k, epsilon=None):
    return LabelProportions(k) if epsilon is None else LaplaceProportions(k, epsilon)


def gain_of_bag(hit, epsilon=None, payoff=(1.0, 1.0)):
    return of_size(len(hit), epsilon).gain(both(hit)[None], np.array(payoff))[0]


def loglik_of_bag(hit, view, epsilon=None):
    release = Release(np.array([view]), np.zeros(len(hit), int))
    return of_size(len(hit), epsilon).loglik(release, both(hit))


# ---- what the best guess gains


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 3), st.floats(0, 3))
def test_gain_is_what_the_best_answers_are_worth(hit, worth0, worth1):
    found = gain_of_bag(hit, payoff=(worth0, worth1))
    assert found == pytest.approx(gain(hit, (worth0, worth1)), abs=1e-14)
    assert np.all(found >= 0)


@EVERY_BAG
def test_gain_of_odd_bags(hit):
    for payoff in PAYOFFS:
        assert gain_of_bag(hit, payoff=payoff) == pytest.approx(gain(hit, payoff), abs=2e-15 * max(payoff))


def theorem_34(p, k):
    """E (2 alpha - 1)_+ for p <= 1/2, alpha the share of positives (ERRATA B4); terms in logarithms."""
    terms = [
        math.lgamma(k + 1) - math.lgamma(s + 1) - math.lgamma(k - s + 1) + s * math.log(p) + (k - s) * math.log1p(-p)
        for s in range(k // 2 + 1, k + 1)
    ]
    return math.fsum((2 * s / k - 1) * math.exp(term) for s, term in enumerate(terms, k // 2 + 1))


@pytest.mark.parametrize("k", [2, 3, 64, 511, 4096])
@pytest.mark.parametrize("p", [0.5, 0.3, 0.01])
def test_records_that_are_all_alike(p, k):
    """Theorem 3.4, also where the gain is far below the rounding error of 1."""
    for hit in (p, 1 - p):
        found = gain_of_bag(np.full(k, hit))
        assert found == pytest.approx(np.full(k, theorem_34(p, k)), rel=1e-9 if hit == p else 1e-7, abs=1e-270)


@pytest.mark.parametrize("payoff", [(1.0, 1.0), (0.52, 16.7), (3.0, 0.6)])
@pytest.mark.parametrize("p", [0.0, 1e-9, 0.3, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("k", [1, 2, 7, 512])
def test_the_closed_form_is_what_the_kernels_add_up(p, k, payoff):
    """Theorem 3.4. Below 1e-150 the kernels have few digits left, and the closed form has all."""
    closed = gain_of_alike(1 - p, p, k, np.array(payoff))
    kernels = gains(np.full((1, k), p), np.full((1, k), 1 - p), np.array(payoff), math.inf)
    assert kernels[0] == pytest.approx(np.full(k, closed), rel=1e-9, abs=1e-130)


def test_bags_do_not_know_of_each_other():
    eta = both(np.random.default_rng(3).random((5, 40)))
    together = LabelProportions(40).gain(eta, np.ones(2))
    assert np.array_equal(together, np.concatenate([LabelProportions(40).gain(one[None], np.ones(2)) for one in eta]))


def with_many_digits(hit, i, epsilon, payoff=(1, 1)):
    """The integral of the positive part by antiderivatives in 150 decimal digits, where cancellation does no harm."""
    with localcontext(prec=150):
        law, eta, e = [Decimal(1)], Decimal(hit[i]), (-Decimal(epsilon)).exp()
        for p in [Decimal(p) for j, p in enumerate(hit) if j != i]:
            law = [(1 - p) * same + p * less for same, less in zip([*law, 0], [0, *law], strict=True)]
        a, c = eta * Decimal(payoff[1]), (1 - eta) * Decimal(payoff[0])
        a, c = (a, c) if a <= c else (-a, -c)
        left, right = [Decimal(0)], [Decimal(0)]
        for falling, rising in zip(law, reversed(law), strict=True):
            left.append(falling + e * left[-1])
            right.insert(0, rising + e * right[0])
        total = max((a * e - c) * right[0], 0) + max((a - c * e) * left[-1], 0)
        for t in range(len(law)):
            p, q = a * left[t] - c * left[t + 1], a * right[t] - c * right[t + 1]
            ends = p + e * q > 0, e * p + q > 0
            middle = (-p / q * e).sqrt() if ends[0] != ends[1] else Decimal(1)  # exp(-epsilon (1 - zero))
            total += (p + q) * (1 - e) if all(ends) else 0
            if ends[0] != ends[1]:  # p (e^x's integral) + q (e^(1 - x)'s) on the side where it is positive
                after = p * (e / middle - e) + q * (1 - middle)
                total += after if ends[1] else p * (1 - e / middle) + q * (middle - e)
        return float(total / 2)


LONG = [[0.01] * 64, [0.97] * 30, [*np.linspace(0, 0.2, 30)], [*np.linspace(0.1, 1, 25)]]


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 3.5, 8.0, 30.0, 300.0])
@pytest.mark.parametrize("hit", [*LONG, BAGS["mixed"], BAGS["certain ones"], BAGS["rare"], BAGS["one"]])
def test_noisy_gains_are_right_in_their_own_size(hit, epsilon):
    """Some are 1e-50, others 0 because no noisy count changes the mind of anybody."""
    for payoff in ((1, 1), (1, 3)):
        found = gain_of_bag(hit, epsilon, payoff)
        for i in {0, min(1, len(hit) - 1), len(hit) // 2, len(hit) - 1}:
            assert found[i] == pytest.approx(with_many_digits(hit, i, epsilon, payoff), rel=1e-10, abs=1e-300)


def test_and_those_digits_are_an_integral():
    """On a fine grid."""
    hit, epsilon = BAGS["mixed"], 0.7
    x, step = np.linspace(-60, 70, 2_000_001, retstep=True)
    laws = joint(hit)[3]
    density = [sum(p * np.exp(-epsilon * abs(x - s)) for s, p in enumerate(law)) * epsilon / 2 for law in laws]
    positive = np.maximum(density[1] - density[0] if hit[3] <= 0.5 else density[0] - density[1], 0)
    assert with_many_digits(hit, 3, epsilon) == pytest.approx(positive.sum() * step, rel=1e-6)


def test_one_record_alone():
    """Two Laplace laws that lie 1 apart: 1 - 2 P(wrong) = 1 - e^(-epsilon / 2), half of it for a fair coin."""
    for epsilon in (1e-9, *EPSILONS, math.inf):
        assert gain_of_bag([0.5], epsilon) == pytest.approx(-math.expm1(-epsilon / 2) / 2, rel=1e-12)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(
    st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40).map(np.array),
    st.floats(-3, 3),
    st.floats(-3, 3),
)
def test_more_noise_tells_less_and_none_more_than_randomized_response(hit, first, second):
    """Record by record. ERRATA C1: (min(eta, 1 - eta) - pi)_+ bounds whatever has epsilon label privacy; 0 exactly."""
    less, more = sorted((10**first, 10**second))
    noisier, clearer, count = gain_of_bag(hit, less), gain_of_bag(hit, more), gain_of_bag(hit)
    assert np.all(noisier >= 0)
    assert np.all(noisier <= clearer + 1e-14)
    assert np.all(clearer <= count + 1e-14)
    bound = np.maximum(np.minimum(hit, 1 - hit) - 1 / (1 + math.exp(min(less, 700))), 0)
    assert np.all(noisier <= bound + 1e-15)
    assert np.array_equal(gain_of_bag(hit, math.inf), gains(hit[None], 1 - hit[None], np.ones(2), math.inf)[0])


# ---- with geometric noise


def whole_gain(hit, epsilon, payoff):
    """(k,) the best answers to each whole number that may be published."""
    k, far = len(hit), math.ceil(50 / epsilon)
    views, r = np.arange(-far, k + far + 1), math.exp(-epsilon)
    noise = (1 - r) / (1 + r) * np.exp(-epsilon * np.abs(views - np.arange(k + 1)[:, None]))  # (k + 1, views)
    worth = (joint(hit) @ noise) * np.asarray(payoff)[:, None]  # (k, 2, views)
    return worth.max(axis=1).sum(axis=1) - worth.sum(axis=2).max(axis=1)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 30.0])
@EVERY_BAG
def test_gain_of_geometric_noise_is_what_the_best_answers_are_worth(hit, epsilon):
    for payoff in PAYOFFS:
        found = GeometricProportions(len(hit), epsilon).gain(both(hit)[None], np.array(payoff))[0]
        assert found == pytest.approx(whole_gain(hit, epsilon, payoff), abs=1e-14)
        assert np.all(found >= 0)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0, 20.0])
def test_bags_of_one_with_geometric_noise_are_randomized_response(epsilon):
    """What is published says 0 or 1 by being at most 0 or not, with e^epsilon for its odds either way."""
    eta = both(np.linspace(0, 1, 41))[:, None]
    for payoff in PAYOFFS:
        same = RandomizedResponse(epsilon).gain(eta, np.array(payoff))
        assert GeometricProportions(1, epsilon).gain(eta, np.array(payoff)) == pytest.approx(same, abs=1e-15)
    for view in (-3, 0, 1, 7):
        [logs] = GeometricProportions(1, epsilon).loglik(Release(np.array([view]), np.zeros(1, int)), both([0.2]))
        assert logs[1] - logs[0] == pytest.approx(epsilon if view > 0 else -epsilon, rel=1e-12)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40).map(np.array),
    st.floats(-3, 3),
)
def test_geometric_noise_tells_no_less_than_laplace_noise_which_has_more_on_top(hit, power):
    epsilon = 10**power
    whole = GeometricProportions(len(hit), epsilon).gain(both(hit)[None], np.ones(2))[0]
    assert np.all(gain_of_bag(hit, epsilon) <= whole + 1e-14)
    assert np.all(
        whole <= np.minimum(gain_of_bag(hit), RandomizedResponse(epsilon).gain(both(hit), np.ones(2))) + 1e-14
    )


# ---- how likely a release is


def others_of(hit, i):
    return joint(np.delete(hit, i))[0].sum(axis=0) if len(hit) > 1 else np.ones(1)


@EVERY_BAG
def test_loglik_of_a_count_is_the_law_of_the_others(hit):
    """Also of counts that cannot be, and of records whose label is certain: then the others must explain the count."""
    for i in range(len(hit)):
        padded = np.concatenate([np.zeros(3), others_of(hit, i), np.zeros(4)])
        for count in range(-1, len(hit) + 2):
            with np.errstate(divide="ignore"):
                expected = np.log([padded[count + 3], padded[count + 2]])
            assert loglik_of_bag(hit, count)[i] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 20.0])
@EVERY_BAG
def test_loglik_of_a_noisy_count_is_the_density(hit, epsilon):
    k = len(hit)
    for view in (-700.0, -1.3, 0.4, 1.0, k / 2 + 0.21, k + 0.7, k + 30.0):
        found = loglik_of_bag(hit, view, epsilon)
        for i, c in itertools.product(range(k), (0, 1)):
            logs = -epsilon * np.abs(view - c - np.arange(k))
            expected = logs.max() + math.log(others_of(hit, i) @ np.exp(logs - logs.max())) + math.log(epsilon / 2)
            assert found[i, c] == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_views_that_the_reader_takes_for_impossible():
    """P(14 of 20) is 1e-162 of 20 with eta = 1e-12: what one record then says is 14 / 20 against 6 / 20. And 1000
    records with eta = 1e-9 of which 700 are reported positive: no NaN, and what one record says of it is 7 : 3."""
    for p in (1e-12, 1e-30, 1e-290):
        log_others = [math.log(math.comb(19, s)) + s * math.log(p) for s in (14, 13)]
        assert loglik_of_bag(np.full(20, p), 14) == pytest.approx(np.tile(log_others, (20, 1)), rel=1e-12)
    found = loglik_of_bag(np.full(1000, 1e-9), 700.0, 50.0)
    said = found[:, 1] + math.log(1e-9) - found[:, 0]
    assert said == pytest.approx(np.full(1000, math.log(7 / 3)), abs=1e-6)


@pytest.mark.parametrize("view", [-1e300, -1e6, -0.7, 0.5, 3.0, 1e6, 1e300])
def test_a_label_moves_no_density_by_more_than_epsilon(view):
    for epsilon, hit in itertools.product(EPSILONS, BAGS.values()):
        found = loglik_of_bag(hit, view, epsilon)
        assert not np.any(np.isnan(found))
        assert np.all(np.abs(found[:, 1] - found[:, 0]) <= epsilon + 1e-15 * np.abs(found).max())


def test_bags_in_any_order_and_of_any_size():
    rng = np.random.default_rng(8)
    bag = rng.integers(0, 7, 60)
    hit, view = rng.random(60), rng.integers(0, 8, 7)
    found = LabelProportions(8).loglik(Release(view, bag), both(hit))
    for b in range(7):
        assert np.array_equal(found[bag == b], loglik_of_bag(hit[bag == b], view[b]))


# ---- what is released


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 11, 103])
def test_bags_have_k_records_or_a_few_more(n):
    labels = np.arange(n) % 2
    release = LabelProportions(4).release(labels, Guide(2), rng=np.random.default_rng(n))
    sizes = np.bincount(release.bag, minlength=len(release.view))
    assert len(sizes) == max(1, n // 4)
    assert sizes.max() - sizes.min() <= 1
    assert sizes.min() >= min(n, 4)
    assert np.array_equal(release.view, [labels[release.bag == b].sum() for b in range(len(sizes))])


def test_bags_are_random():
    none = np.zeros(4000, int)
    first, again = (LabelProportions(2).release(none, Guide(2), rng=np.random.default_rng(s)).bag for s in (1, 2))
    assert np.mean(first[0::2] == first[1::2]) < 0.01
    assert np.mean(first == again) < 0.01


NOISY = (
    GeometricProportions(4, 0.3),
    GeometricProportions(4, 2.0),
    LaplaceProportions(4, 0.5),
    LaplaceProportions(4, 3.0),
)


def most_apart(released, claimed):
    """The largest distance between the law of the noise that was published and the one that is claimed, in units of
    what chance makes of it: above 1.95 once in a thousand times (Kolmogorov)."""
    labels = np.ones(80_000, int)
    noise = np.sort(released.release(labels, Guide(2), rng=np.random.default_rng(5)).view - 4)
    told = claimed.noise_at_most(noise)
    n = len(noise)
    last = np.append(np.diff(noise) > 0, True)  # of equal ones
    seen = np.arange(1, n + 1) / n
    return math.sqrt(n) * np.abs(seen - told)[last].max()


@pytest.mark.parametrize("mechanism", NOISY, ids=lambda one: one.spec)
def test_noise_has_the_law_that_is_claimed(mechanism):
    assert most_apart(mechanism, mechanism) < 1.95
    for liar in (0.9, 1.1):
        assert most_apart(type(mechanism)(4, mechanism.epsilon * liar), mechanism) > 1.95


@pytest.mark.parametrize("mechanism", NOISY, ids=lambda one: one.spec)
def test_one_label_moves_the_law_of_the_noise_by_epsilon_and_total_variation(mechanism):
    """There is e^epsilon between the laws of noise on 0 and on 1 everywhere but between 0 and 1."""
    step = 1 / mechanism.steps
    assert mechanism.steps * step == 1 and math.log2(mechanism.steps).is_integer()
    at = np.arange(-4, 5) * step
    mass = mechanism.noise_at_most(at) - mechanism.noise_at_most(at - step)
    moved = mechanism.noise_at_most(at - 1) - mechanism.noise_at_most(at - step - 1)
    assert np.log(mass / moved)[at <= 0] == pytest.approx(mechanism.epsilon, rel=1e-5)
    around = np.linspace(-2, 3, 5 * 64 + 1)
    apart = mechanism.noise_at_most(around) - mechanism.noise_at_most(around - 1)
    assert apart.max() == pytest.approx(mechanism.total_variation(2), rel=1e-6)


@pytest.mark.parametrize("epsilon", [1e-9, 0.5, 1.0, 1000.0, 1e9])
def test_laplace_noise_is_published_on_a_grid_that_counts_are_on(epsilon):
    mechanism = LaplaceProportions(4, epsilon)
    release = mechanism.release(np.ones(4000, int), Guide(2), rng=OperatingSystem())
    steps = release.view * mechanism.steps
    assert np.array_equal(steps, np.round(steps))
    assert epsilon / mechanism.steps <= 2.0**-20 or mechanism.steps == 2**40
    assert mechanism.steps == 1 or epsilon / mechanism.steps > 2.0**-21
    assert len(np.unique(release.view)) > 900 or epsilon == 1e9


@pytest.mark.parametrize("steps", [1, 2, 8, 64])
def test_laplace_noise_on_a_grid_adds_hardly_more_than_laplace_noise(steps):
    """Never less, and less than (epsilon step)^2 / 8 more; so at the step of a release, nothing that a report shows."""
    for epsilon, hit in itertools.product((0.3, 1.0, 3.0), ([0.3], [0.5, 0.2, 0.9], [0.1, 0.45, 0.5, 0.77])):
        k, far = len(hit), math.ceil(40 / epsilon)
        views, fall = np.arange(-far * steps, (k + far) * steps + 1) / steps, epsilon / steps
        noise = math.tanh(fall / 2) * np.exp(-epsilon * np.abs(views - np.arange(k + 1)[:, None]))
        worth = joint(hit) @ noise
        found = worth.max(axis=1).sum(axis=1) - worth.sum(axis=2).max(axis=1)
        more = found - gain_of_bag(hit, epsilon)
        assert np.all(more >= -1e-13) and np.all(more <= fall**2 / 8 + 1e-13)


def test_what_is_told_of_the_noise():
    for mechanism in NOISY:
        release = mechanism.release(np.ones(80_000, int), Guide(2), rng=np.random.default_rng(5))
        told = mechanism.learner(release, 2)["noise"]
        assert np.var(release.view - 4) == pytest.approx(told["variance"], rel=0.1)
        assert (
            Fraction(told["epsilon"]) == Fraction(mechanism.epsilon) and Fraction(told["step"]) * mechanism.steps == 1
        )
        [promised] = mechanism.guarantees(2)
        assert promised.epsilon == mechanism.epsilon
    whole = GeometricProportions(4, 0.3).release(np.zeros(400, int), Guide(2), rng=OperatingSystem()).view
    assert whole.dtype == np.int64 and whole.min() < 0


@pytest.mark.parametrize("kind", [GeometricProportions, LaplaceProportions])
def test_the_ends_of_epsilon(kind):
    release = kind(4, math.inf).release(np.ones(40, int), Guide(2), rng=OperatingSystem())
    assert np.all(release.view == 4) and kind(4, math.inf).guarantees(2) == ()
    assert "noise" not in kind(4, math.inf).learner(release, 2)
    assert kind(4, math.inf).noise_at_most(np.array([-0.5, 0.0, 2.0])).tolist() == [0, 1, 1]
    with pytest.raises(SpecError, match="noise too large to be counted"):
        kind(4, 1e-10).release(np.ones(40, int), Guide(2), rng=OperatingSystem())


def test_the_noise_is_laplace():
    """Mean distance of the published from the true count: 1 / epsilon."""
    labels = np.ones(40_000, int)
    for epsilon in (0.5, 3.0):
        release = LaplaceProportions(4, epsilon).release(labels, Guide(2), rng=np.random.default_rng(1))
        assert np.mean(np.abs(release.view - 4)) * epsilon == pytest.approx(1, abs=0.04)
        assert LaplaceProportions(4, epsilon).total_variation(2) == pytest.approx(1 - math.exp(-epsilon / 2))
    assert np.all(LaplaceProportions(4, math.inf).release(labels, Guide(2), rng=np.random.default_rng(1)).view == 4)
