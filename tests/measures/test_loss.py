"""The loss of one person: definitions, its lowest point, its roots, its range over intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.measures import divergence, loss
from labeldp_audit.mechanisms.randomized_response import epsilon_from_pi, pi_from_epsilon

quick = settings(deadline=None, max_examples=200, derandomize=True)
inside = st.floats(1e-9, 1 - 1e-9)
priors = st.one_of(st.floats(1e-6, 1 - 1e-6), st.sampled_from([1e-6, 0.5, 1 - 1e-6]))
epsilons = st.one_of(st.floats(0, 50), st.sampled_from([0.0, 1e-12, 700.0, 1e6]))


@quick
@given(inside, priors, st.floats(0, 30))
def test_nu_bar_is_the_mean_of_nu(eta, p, epsilon):
    pi = pi_from_epsilon(epsilon)
    mean = sum(
        (eta if y else 1 - eta) * (1 - pi if y == said else pi) * loss.nu(y, said, eta, p, epsilon)
        for y in (0, 1)
        for said in (0, 1)
    )
    assert mean == pytest.approx(float(loss.nu_bar(eta, p, epsilon)), rel=1e-6, abs=1e-6)


@quick
@given(st.floats(1e-6, 0.5))
def test_noise_loss_from_pi(pi):
    """h(pi) = (1 - 2 pi) log((1 - pi) / pi)."""
    expected = (1 - 2 * pi) * math.log((1 - pi) / pi)
    assert loss.noise_loss(epsilon_from_pi(pi)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "h"), [(0.0, 0.0), (800.0, 800.0), (1e6, 1e6), (math.inf, math.inf)])
def test_noise_loss_at_the_ends(epsilon, h):
    """At 800 the flip probability is no longer a number that a computer can hold."""
    assert loss.noise_loss(epsilon) == h


def test_the_loss_is_infinite_where_features_tell_all():
    assert loss.feature_loss([0.0, 1.0], 0.3).tolist() == [math.inf, math.inf]
    assert loss.logit([0.0, 0.5, 1.0]).tolist() == [-math.inf, 0.0, math.inf]


def test_the_loss_of_rare_people_keeps_its_digits():
    """eta = 1 - 1e-12: log1p, lest 1 - eta lose its digits."""
    eta = 1 - 1e-12
    assert float(loss.logit(eta)) == pytest.approx(math.log(eta / (1.0 - eta)), rel=1e-12)
    assert float(loss.logit(1e-300)) == pytest.approx(-690.7755278982137, rel=1e-14)


@quick
@given(st.one_of(st.floats(1e-6, 0.49), st.floats(0.51, 1 - 1e-6)))
def test_the_lowest_point_is_between_half_and_p(p):
    """ERRATA A1: not at 1/2. The derivative 2 (logit z - logit p) + (2 z - 1) / (z (1 - z)) is 0 there."""
    z = loss.lowest_eta(p)
    assert min(p, 0.5) < z < max(p, 0.5)
    slope = 2 * (loss.logit(z) - loss.logit(p)) + (2 * z - 1) / (z * (1 - z))
    assert abs(slope) < 1e-11 * (1 + abs(loss.logit(p)))
    nearby = loss.feature_loss([z - 1e-4 * z, z, z + 1e-4 * (1 - z)], p)
    assert nearby[1] <= min(nearby)


@quick
@given(priors)
def test_the_lowest_loss_is_at_most_that_of_the_noise(p):
    """H(1/2) = H(p) = h, so features can help to hide a label."""
    assert loss.feature_loss(loss.lowest_eta(p), p) <= 0
    assert loss.feature_loss([0.5, p], p) == pytest.approx([0, 0], abs=1e-9)


@quick
@given(st.floats(-2, 40), priors, epsilons)
def test_roots_are_where_the_loss_is_tau(over, p, epsilon):
    tau = over + loss.noise_loss(epsilon)
    ends = loss.roots(tau, p, epsilon)
    lowest = float(loss.feature_loss(loss.lowest_eta(p), p))
    if ends is None:
        assert over < lowest + 1e-9 * (1 + epsilon)
        return
    assert ends[0] <= loss.lowest_eta(p) <= ends[1]
    # Above 0 means between: as near as probabilities next to 1 can be told apart.
    slack = 1e-6 * (1 + epsilon)
    assert loss.feature_loss(ends[0], p) == pytest.approx(over, abs=slack)
    if ends[1] < 1 - 1e-9:
        assert loss.feature_loss(ends[1], p) == pytest.approx(over, abs=slack)


def test_roots_are_never_0_or_1():
    assert all(0 < z < 1 for z in loss.roots(1e6, 0.3, 1.0))
    assert loss.roots(5.0, 0.3, math.inf) is None


boxes = st.tuples(st.floats(0, 1), st.floats(0, 1), priors, priors)


def dense(box):
    low, high = sorted(box[:2])
    p_low, p_high = sorted(box[2:])
    eta = np.concatenate([np.linspace(low, high, 201), [0.5] if low <= 0.5 <= high else []])
    eta = np.concatenate([eta, np.clip([loss.lowest_eta(p_low), loss.lowest_eta(p_high)], low, high)])
    return np.stack([loss.feature_loss(eta, float(p)) for p in np.linspace(p_low, p_high, 21)])


def loss_range(box):
    low, high = sorted(box[:2])
    least, most = loss.feature_loss_range(np.array([low]), np.array([high]), *sorted(box[2:]))
    return float(least[0]), float(most[0])


@quick
@given(boxes)
def test_the_range_holds_every_loss_of_the_box(box):
    (least, most), every = loss_range(box), dense(box)
    assert least <= every.min() + 1e-12
    assert most == math.inf or most >= every.max() - 1e-12 * (1 + abs(every.max()))


@quick
@given(boxes)
def test_and_is_no_wider(box):
    (least, most), every = loss_range(box), dense(box)
    assert least == pytest.approx(every.min(), abs=1e-9)
    assert most == pytest.approx(every.max(), rel=1e-9, abs=1e-9)


def test_and_that_test_has_teeth():
    """The loss at the ends alone is no range: inside, it is lower."""
    box = (0.2, 0.9, 0.3, 0.3)
    assert min(loss.feature_loss([0.2, 0.9], 0.3)) > dense(box).min()


@quick
@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=20))
def test_identities_of_the_divergences(eta):
    """E feature_loss = E jeffreys - h(p) = p KL(P1 || P0) + (1 - p) KL(P0 || P1) >= 0. ERRATA A10."""
    eta = np.array(eta)
    p = float(eta.mean())
    weighted = float(loss.feature_loss(eta, p).mean())
    positive, negative = eta / eta.sum(), (1 - eta) / (1 - eta).sum()
    kl = float((positive * np.log(positive / negative)).sum()), float((negative * np.log(negative / positive)).sum())
    assert weighted == pytest.approx(p * kl[0] + (1 - p) * kl[1], abs=1e-9)
    assert weighted == pytest.approx(float((divergence.jeffreys_terms(eta) - divergence.jeffreys_terms(p)).mean()))
    assert weighted >= -1e-12


@quick
@given(st.floats(0, 1), priors, st.floats(0, 20), st.floats(-1, 30))
def test_above_tau_is_beyond_the_roots(eta, p, epsilon, tau):
    """Two ways to the same people, but for those whose loss is tau itself."""
    nu_bar = float(loss.nu_bar(eta, p, epsilon))
    ends = loss.roots(tau, p, epsilon)
    beyond = ends is None or eta < ends[0] or eta > ends[1]
    assert beyond == (nu_bar > tau) or nu_bar == pytest.approx(tau, abs=1e-6)
