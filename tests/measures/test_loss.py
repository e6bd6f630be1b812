"""The loss of one person: definitions, its lowest point, its roots, its range over intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from channels import flipping, mean_loss, noise_of, of_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.measures import divergence, loss
from labeldp_audit.mechanisms.channel import Channel
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
        (eta if y else 1 - eta) * (1 - pi if y == said else pi) * loss.nu(y, epsilon if said else -epsilon, eta, p)
        for y in (0, 1)
        for said in (0, 1)
    )
    assert mean == pytest.approx(float(loss.nu_bar(eta, p, flipping(epsilon))), rel=1e-6, abs=1e-6)


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
    ends = loss.roots(tau, p, flipping(epsilon))
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
    assert all(0 < z < 1 for z in loss.roots(1e6, 0.3, flipping(1.0)))
    assert loss.roots(5.0, 0.3, flipping(math.inf)) is None


boxes = st.tuples(st.floats(0, 1), st.floats(0, 1), priors, priors, st.floats(-8, 8) | st.just(0.0))


def dense(box):
    low, high = sorted(box[:2])
    p_low, p_high = sorted(box[2:4])
    tilt = box[4]
    eta = np.concatenate([np.linspace(low, high, 201), [0.5] if low <= 0.5 <= high else []])
    eta = np.concatenate([eta, np.clip([loss.lowest_eta(p, tilt) for p in (p_low, p_high)], low, high)])
    return np.stack([loss.feature_loss(eta, float(p), tilt) for p in np.linspace(p_low, p_high, 21)])


def loss_range(box):
    low, high = sorted(box[:2])
    least, most = loss.feature_loss_range(np.array([low]), np.array([high]), *sorted(box[2:4]), box[4])
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
    box = (0.2, 0.9, 0.3, 0.3, 0.0)
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
    nu_bar = float(loss.nu_bar(eta, p, flipping(epsilon)))
    ends = loss.roots(tau, p, flipping(epsilon))
    beyond = ends is None or eta < ends[0] or eta > ends[1]
    assert beyond == (nu_bar > tau) or nu_bar == pytest.approx(tau, abs=1e-6)


# ---- any way of replacing labels one by one

cells = st.floats(1e-9, 1) | st.sampled_from([0.0, 1.0])
channels = (
    st.integers(1, 4)
    .flatmap(lambda said: st.tuples(*[st.lists(cells, min_size=said, max_size=said)] * 2))
    .filter(lambda rows: all(sum(row) > 0.01 for row in rows))
    .map(lambda rows: tuple(tuple(cell / math.fsum(row) for cell in row) for row in rows))
)
UNEVEN = ((0.9, 0.1), (0.2, 0.8))


@quick
@given(st.floats(0, 1), priors, channels)
def test_the_loss_under_a_channel_is_the_mean_of_its_definition(eta, p, rows):
    found = float(loss.nu_bar(eta, p, of_rows(rows)))
    assert found == pytest.approx(mean_loss(eta, p, rows), rel=1e-9, abs=1e-9)


def test_and_another_noise_is_caught():
    """Randomized response with the same epsilon, or the noise of one class alone, in its place."""
    noise = of_rows(UNEVEN)
    for other in (flipping(noise.most), flipping(math.log(8)), loss.Noise(noise.loss, 0.0, 0.0, 0.0, 0.0)):
        assert abs(float(loss.nu_bar(0.8, 0.3, other)) - mean_loss(0.8, 0.3, UNEVEN)) > 0.01


@quick
@given(channels, st.floats(0, 1))
def test_what_it_adds_on_average_is_two_divergences(rows, p):
    noise, (negative, positive) = of_rows(rows), np.array(rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (
            np.where(a > 0, a * np.log(a / b), 0).sum() for a, b in ((positive, negative), (negative, positive))
        )
    if math.isinf(noise.loss):
        assert math.inf in (one, other) and noise.tilt == 0
    else:
        assert noise.mean(p) == pytest.approx(p * one + (1 - p) * other, rel=1e-9, abs=1e-9)
        assert abs(noise.tilt) <= noise.loss + 1e-12


@pytest.mark.parametrize("pi", [0.0, 1e-9, 0.01, 0.15, 0.3, 0.5])
def test_the_channel_of_randomized_response_is_randomized_response(pi):
    """With a tilt that is nothing at all, so that both share what is computed of the features."""
    same, mirrored = of_rows(((1 - pi, pi), (pi, 1 - pi))), of_rows(((pi, 1 - pi), (1 - pi, pi)))
    expected = flipping(epsilon_from_pi(pi))
    assert same == mirrored
    assert same.tilt == expected.tilt == 0
    assert (same.loss, same.most_of_positive, same.most_of_negative, same.least) == pytest.approx(
        (expected.loss, expected.most, expected.most, expected.most), rel=1e-14, abs=1e-14
    )
    assert same.randomized_response == pytest.approx(expected.most, rel=1e-14)


def test_what_is_said_in_several_words_is_the_same_release():
    """An output split in two tells no more."""
    one, other = (
        of_rows(((0.85, 0.15), (0.15, 0.85))),
        of_rows(((0.6, 0.25, 0.15), (0.6 * 3 / 17, 0.25 * 3 / 17, 0.85))),
    )
    assert (one.loss, one.tilt) == pytest.approx((other.loss, other.tilt), abs=1e-12)
    assert other.randomized_response == pytest.approx(one.most)


@pytest.mark.parametrize(
    "rows", [UNEVEN, ((0.5, 0, 0.5), (0, 0.5, 0.5)), ((1, 0), (0.2, 0.8)), ((0.7, 0.2, 0.1), (0.1, 0.2, 0.7))]
)
def test_what_is_no_randomized_response(rows):
    assert of_rows(rows).randomized_response is None


@pytest.mark.parametrize(
    "rows", [((1, 0), (0.2, 0.8)), ((0.8, 0.2), (0, 1)), ((1, 0), (0, 1)), ((0.5, 0, 0.5), (0, 0.5, 0.5))]
)
@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
def test_what_one_class_alone_can_say_is_an_infinite_loss_for_everybody(rows, eta):
    """The release gives it away, or the features do: 0 times infinity is 0, and the loss of the features is not."""
    assert loss.nu_bar(eta, 0.3, of_rows(rows)) == mean_loss(eta, 0.3, rows) == math.inf
    assert of_rows(rows).mean(0.3) == math.inf


def test_what_tells_nothing_adds_nothing():
    for rows in (((1.0,), (1.0,)), ((0.3, 0.7), (0.3, 0.7)), ((0.5, 0.5, 0), (0.5, 0.5, 0))):
        noise = of_rows(rows)
        assert (noise.loss, noise.tilt, noise.most, noise.randomized_response) == (0, 0, 0, 0)


@quick
@given(st.floats(-2, 30), priors, channels)
def test_roots_of_a_channel_are_where_its_loss_is_tau(over, p, rows):
    noise = of_rows(rows)
    if math.isinf(noise.loss):
        assert loss.roots(over, p, noise) is None
        return
    ends, bottom = loss.roots(over + noise.loss, p, noise), loss.lowest_eta(p, noise.tilt)
    assert np.all(loss.nu_bar(np.linspace(0, 1, 101), p, noise) >= loss.nu_bar(bottom, p, noise) - 1e-9)
    for end in () if ends is None else [end for end in ends if 1e-9 < end < 1 - 1e-9]:
        assert mean_loss(end, p, rows) == pytest.approx(over + noise.loss, abs=1e-5)


def test_a_channel_for_other_labels_has_no_loss():
    from labeldp_audit.mechanisms.label_proportions import LabelProportions
    from labeldp_audit.questions import releases

    assert releases.noise_of(Channel(((1, 0, 0), (0, 1, 0), (0, 0, 1)))) is None
    assert releases.noise_of(LabelProportions(2)) is None
    assert noise_of(Channel(UNEVEN)).most_of_negative == pytest.approx(math.log(4.5))
