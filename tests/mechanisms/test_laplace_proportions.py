"""Label proportions with Laplace noise: against integrals over what is published, and against what must hold."""

from __future__ import annotations

import itertools
import json
import math
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from bags_by_hand import BAGS, both, joint, mean_gain
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.release import Release
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.label_proportions import LabelProportions
from labeldp_audit.mechanisms.laplace_proportions import LaplaceProportions

CASES = json.loads((Path(__file__).parent.parent / "oracle" / "cases.json").read_text(encoding="utf-8"))
EPSILONS = (1e-3, 0.1, 1.0, 4.0, 30.0, 1e3)
ONE = np.ones(2)


def gain_of_bag(hit, epsilon, payoff=(1.0, 1.0)):
    mechanism = LabelProportions(len(hit)) if epsilon is None else LaplaceProportions(len(hit), epsilon)
    return mechanism.gain(both(hit)[None], np.array(payoff))[0]


def loglik_of_bag(hit, view, epsilon):
    release = Release(np.array([float(view)]), np.zeros(len(hit), int))
    return LaplaceProportions(len(hit), epsilon).loglik(release, both(hit))


def guess(i, hit, view, epsilon):
    """A* of Theorem 6.3: the likelier label."""
    with np.errstate(divide="ignore"):
        return int(np.argmax(np.log(both(hit)) + loglik_of_bag(hit, view, epsilon), axis=1)[i])


ANSWERS = {
    "laplace_llp_advantage": lambda weights, eta, k, epsilon: mean_gain(LaplaceProportions(k, epsilon), weights, eta),
    "laplace_llp_attacker": guess,
}


@pytest.mark.parametrize("case", [case for case in CASES if case["fn"] in ANSWERS], ids=lambda case: case["id"])
def test_case(case):
    assert ANSWERS[case["fn"]](*case["args"]) == pytest.approx(case["expected"], rel=1e-9, abs=1e-15)


def test_each_answer_has_a_case():
    assert set(ANSWERS) <= {case["fn"] for case in CASES}


def integral(hit, epsilon, payoff):
    """(k,): the positive part, from zero to zero and from integer to integer, so that every piece is smooth."""
    k, law, found = len(hit), joint(hit) * np.array(payoff)[:, None], []
    counts = np.arange(k + 1)
    for i in range(k):
        sign = 1 if law[i, 1].sum() <= law[i, 0].sum() else -1
        weights = sign * (law[i, 1] - law[i, 0])

        def difference(x, weights=weights):
            return float(weights @ np.exp(-epsilon * np.abs(x - counts))) * epsilon / 2

        knots = [-40 / epsilon - 1, -1 / epsilon, *counts, k + 1 / epsilon, k + 1 + 40 / epsilon]
        total = 0.0
        for low, high in itertools.pairwise(sorted(knots)):
            signs = difference(low) > 0, difference(high) > 0
            zero = [brentq(difference, low, high, xtol=1e-15)] if signs[0] != signs[1] else []
            for start, end in itertools.pairwise([low, *zero, high]):
                if difference((start + end) / 2) > 0:
                    total += quad(difference, start, end, epsabs=1e-15, epsrel=1e-12, limit=200)[0]
        found.append(total)
    return found


# quad may doubt pieces that are next to nothing; whether their sum is right is asserted.
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("payoff", [(1.0, 1.0), (1.0, 3.0)])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.7, 4.0, 30.0])
@pytest.mark.parametrize("name", ["one", "halves", "alike", "mixed", "certain ones", "rare"])
def test_gain_is_the_integral(name, epsilon, payoff):
    assert gain_of_bag(BAGS[name], epsilon, payoff) == pytest.approx(integral(BAGS[name], epsilon, payoff), abs=1e-11)


def with_many_digits(hit, i, epsilon):
    """The integral by antiderivatives in 150 decimal digits, where cancellation does no harm."""
    with localcontext(prec=150):
        law, a, e = [Decimal(1)], Decimal(hit[i]), (-Decimal(epsilon)).exp()
        for p in [Decimal(p) for j, p in enumerate(hit) if j != i]:
            law = [(1 - p) * same + p * less for same, less in zip([*law, 0], [0, *law], strict=True)]
        a, c = (a, 1 - a) if a <= 1 - a else (-a, a - 1)
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


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 3.5, 8.0, 30.0, 300.0])
@pytest.mark.parametrize("hit", [[0.01] * 64, [0.97] * 30, [*np.linspace(0, 0.2, 30)], [*np.linspace(0.1, 1, 25)]])
def test_gains_are_right_in_their_own_size(hit, epsilon):
    """Some are 1e-50, others 0 because no noisy count changes the mind of anybody."""
    found = gain_of_bag(hit, epsilon)
    for i in (0, 1, len(hit) // 2, len(hit) - 1):
        assert found[i] == pytest.approx(with_many_digits(hit, i, epsilon), rel=1e-11, abs=1e-300)


def test_one_record_alone():
    """Two Laplace laws that lie 1 apart: 1 - 2 P(wrong) = 1 - e^(-epsilon / 2), half of it for a fair coin."""
    for epsilon in (1e-9, *EPSILONS, math.inf):
        assert gain_of_bag([0.5], epsilon) == pytest.approx(-math.expm1(-epsilon / 2) / 2, rel=1e-12)


bags = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(bags, st.floats(-3, 3), st.floats(-3, 3))
def test_more_noise_tells_less(hit, first, second):
    """Record by record: noise can be added, and nothing that is computed of a release tells more than it does."""
    less, more = sorted((10**first, 10**second))
    noisier, clearer, count = gain_of_bag(hit, less), gain_of_bag(hit, more), gain_of_bag(hit, None)
    assert np.all(noisier >= 0)
    assert np.all(noisier <= clearer + 1e-14)
    assert np.all(clearer <= count + 1e-14)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(bags, st.floats(-3, 3))
def test_no_more_than_randomized_response_of_the_same_epsilon(hit, exponent):
    """ERRATA C1: (min(eta, 1 - eta) - pi)_+ bounds whatever has epsilon label differential privacy; 0 exactly below."""
    epsilon, hit = 10**exponent, np.array(hit)
    bound = np.maximum(np.minimum(hit, 1 - hit) - 1 / (1 + math.exp(epsilon)), 0) if epsilon < 700 else hit
    assert np.all(gain_of_bag(hit, epsilon) <= bound + 1e-15)


def test_hardly_any_noise():
    hit = np.random.default_rng(2).random(200)
    assert gain_of_bag(hit, 1e3) == pytest.approx(gain_of_bag(hit, None), rel=1e-12)
    assert np.array_equal(gain_of_bag(hit, math.inf), gain_of_bag(hit, None))


@pytest.mark.parametrize("p", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0])
def test_a_large_bag(epsilon, p):
    """k = 4096, all alike: a sum over a fine grid, as far as there is anything to sum."""
    k = 4096
    s = np.arange(round(k * p) - 300, round(k * p) + 300)
    logs = np.array([math.lgamma(k) - math.lgamma(i + 1) - math.lgamma(k - i) for i in s])
    others = np.exp(logs + s * math.log(p) + (k - 1 - s) * math.log1p(-p))
    x, step = np.linspace(s[0] - 20 / epsilon, s[-1] + 20 / epsilon, 10_000, retstep=True)
    f0, f1 = (np.exp(-epsilon * np.abs(x[:, None] - c - s)) @ others * epsilon / 2 for c in (0, 1))
    sign = 1 if p <= 0.5 else -1
    expected = np.sum(np.maximum(sign * (p * f1 - (1 - p) * f0), 0)) * step
    assert gain_of_bag(np.full(k, p), epsilon) == pytest.approx(np.full(k, expected), rel=2e-3, abs=1e-15)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 20.0])
@pytest.mark.parametrize("hit", BAGS.values(), ids=BAGS.keys())
def test_loglik_is_the_density(hit, epsilon):
    k = len(hit)
    for view in (-700.0, -1.3, 0.0, 0.4, 1.0, k / 2 + 0.21, k, k + 0.7, k + 30.0):
        found = loglik_of_bag(hit, view, epsilon)
        for i in range(k):
            others = joint(np.delete(hit, i))[0].sum(axis=0) if k > 1 else np.ones(1)
            for c in (0, 1):
                logs = -epsilon * np.abs(view - c - np.arange(k))
                expected = logs.max() + math.log(others @ np.exp(logs - logs.max())) + math.log(epsilon / 2)
                assert found[i, c] == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_views_that_the_reader_takes_for_impossible():
    """1000 records with eta = 1e-9 and 700 positives are reported: no NaN, and what one record says of it is 7 : 3."""
    found = loglik_of_bag(np.full(1000, 1e-9), 700, 50.0)
    assert np.all(np.isfinite(found))
    said = found[:, 1] + math.log(1e-9) - found[:, 0]
    assert said == pytest.approx(np.full(1000, math.log(7 / 3)), abs=1e-6)


@pytest.mark.parametrize("view", [-1e300, -1e6, -0.7, 0.5, 3.0, 1e6, 1e300])
def test_a_label_moves_no_density_by_more_than_epsilon(view):
    for epsilon, hit in itertools.product(EPSILONS, BAGS.values()):
        found = loglik_of_bag(hit, view, epsilon)
        assert not np.any(np.isnan(found))
        assert np.all(np.abs(found[:, 1] - found[:, 0]) <= epsilon + 1e-15 * np.abs(found).max())


def test_the_noise_is_laplace():
    """Mean distance of the published from the true count: 1 / epsilon."""
    labels, eta = np.ones(40_000, int), both(np.full(40_000, 0.5))
    for epsilon in (0.5, 3.0):
        release = LaplaceProportions(4, epsilon).release(labels, eta, rng=np.random.default_rng(1))
        assert np.mean(np.abs(release.view - 4)) * epsilon == pytest.approx(1, abs=0.04)
    assert np.all(LaplaceProportions(4, math.inf).release(labels, eta, rng=np.random.default_rng(1)).view == 4)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("laplace-llp:k=8", "wants epsilon"),
        ("laplace-llp", "wants k and epsilon"),
        ("laplace-llp:k=8,epsilon=0", "epsilon = 0 is not above 0"),
        ("laplace-llp:k=8,epsilon=-1", "epsilon = -1 is not above 0"),
        ("laplace-llp:k=0,epsilon=1", "k = 0 is not a whole number from 1 to 4096"),
        ("laplace-llp:k=8,sigma=1", "unknown parameter 'sigma'"),
    ],
)
def test_specs_that_cannot_be(spec, message):
    with pytest.raises(SpecError) as error:
        MECHANISMS.parse(spec)
    assert message in str(error.value)


def test_what_it_says_of_itself():
    [mechanism] = MECHANISMS.parse("laplace-llp:epsilon=0.5,k=16")
    assert mechanism == LaplaceProportions(16, 0.5)
    assert (mechanism.bag, mechanism.at(), mechanism.claim(2)) == (16, {"k": 16.0, "epsilon": 0.5}, 0.5)
    assert mechanism.total_variation(2) == pytest.approx(1 - math.exp(-0.25))
    assert (LaplaceProportions(2, math.inf).spec, LaplaceProportions(2, math.inf).claim(2)) == (
        "laplace-llp:k=2,epsilon=inf",
        math.inf,
    )
