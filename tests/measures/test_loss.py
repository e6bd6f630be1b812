"""The loss of one person and the largest of all: definitions, the lowest point, where it is passed, ranges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from channels import flipping, largest_loss, mean_loss, nu_bar, of_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.certificates import feature_loss
from labeldp_audit.measures import loss, worst_case
from labeldp_audit.mechanisms import Channel, LabelProportions
from labeldp_audit.mechanisms.randomized_response import epsilon_from_pi
from labeldp_audit.questions import releases

quick = settings(deadline=None, max_examples=120, derandomize=True)
shares = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))
inside = st.floats(1e-6, 1 - 1e-6)
priors = st.one_of(inside, st.sampled_from([1e-6, 0.5, 1 - 1e-6]))
tilts = st.floats(-6, 6) | st.just(0.0)
cells = st.floats(1e-9, 1) | st.sampled_from([0.0, 1.0])
channels = (
    st.integers(1, 4)
    .flatmap(lambda said: st.tuples(*[st.lists(cells, min_size=said, max_size=said)] * 2))
    .filter(lambda rows: all(sum(row) > 0.01 for row in rows))
    .map(lambda rows: tuple(tuple(cell / math.fsum(row) for cell in row) for row in rows))
)
UNEVEN = ((0.9, 0.1), (0.2, 0.8))
ONE_CLASS_ALONE = [((1, 0), (0.2, 0.8)), ((0.8, 0.2), (0, 1)), ((1, 0), (0, 1)), ((0.5, 0, 0.5), (0, 0.5, 0.5))]


# ---- of the features


def test_the_loss_is_infinite_where_features_tell_all_and_that_of_rare_people_keeps_its_digits():
    assert loss.feature_loss([0.0, 1.0], 0.3).tolist() == [math.inf, math.inf]
    assert loss.logit([0.0, 0.5, 1.0]).tolist() == [-math.inf, 0.0, math.inf]
    eta = 1 - 1e-12  # log1p, lest 1 - eta lose its digits
    assert float(loss.logit(eta)) == pytest.approx(math.log(eta / (1.0 - eta)), rel=1e-12)
    assert float(loss.logit(1e-300)) == pytest.approx(-690.7755278982137, rel=1e-14)


@quick
@given(st.one_of(st.floats(1e-6, 0.49), st.floats(0.51, 1 - 1e-6)))
def test_the_lowest_point_is_between_half_and_p(p):
    """ERRATA A1: not at 1/2. The slope is 0 there; H(1/2) = H(p) = 0, so features can help to hide a label."""
    z = loss.lowest_eta(p)
    assert min(p, 0.5) < z < max(p, 0.5)
    assert abs(feature_loss.slope(z, p)) < 1e-11 * (1 + abs(loss.logit(p)))
    nearby = loss.feature_loss([z - 1e-4 * z, z, z + 1e-4 * (1 - z)], p)
    assert nearby[1] <= min(nearby) and nearby[1] <= 0
    assert loss.feature_loss([0.5, p], p) == pytest.approx([0, 0], abs=1e-9)


@quick
@given(st.floats(0.001, 0.999), inside)
def test_the_slope_is_that_of_the_loss(z, p):
    step = 1e-6 * min(z, 1 - z)
    rise = float(loss.feature_loss(z + step, p) - loss.feature_loss(z - step, p))
    assert feature_loss.slope(z, p) == pytest.approx(rise / (2 * step), rel=1e-4, abs=1e-3)


@quick
@given(inside, st.floats(-3, 30), tilts)
def test_the_loss_is_passed_at_its_roots(p, tau, tilt):
    z0, z1 = (end[0] for end in feature_loss.passed(tau, p, p, tilt))
    bottom = loss.lowest_eta(p, tilt)
    least = float(loss.feature_loss(bottom, p, tilt))
    if z0 > z1:
        assert (z0, z1) == (1, 0) and tau <= least + 1e-9 * (1 + abs(least))
        return
    assert z0 <= bottom <= z1
    for end in (z for z in (z0, z1) if 1e-300 < z < 1 - 1e-6):
        found = float(loss.feature_loss(end, p, tilt))
        assert found == pytest.approx(max(tau, least), rel=1e-9, abs=1e-9) and found >= tau - 1e-12


@quick
@given(st.tuples(inside, inside).map(sorted), st.floats(-3, 12), st.floats(0, 1), tilts)
def test_beyond_the_roots_the_loss_is_above_for_every_p_in_between(ends, tau, part, tilt):
    z0, z1 = (end[0] for end in feature_loss.passed(tau, *ends, tilt))
    p = ends[0] + part * (ends[1] - ends[0])
    part_of = np.linspace(0.01, 1 - 1e-6, 20)
    beyond = np.concatenate([z0 * part_of, 1 - (1 - z1) * part_of])
    assert np.all(loss.feature_loss(beyond, p, tilt) > tau - 1e-9)


def test_roots_at_the_ends():
    z0, z1 = feature_loss.passed([0.0, 700.0, 1e6], 0.3, 0.3)
    assert z0[0] == pytest.approx(0.3) and z1[0] == pytest.approx(0.5)
    assert 0 <= z0[2] <= z0[1] < 1e-300 and z1[1] == z1[2] == 1
    assert feature_loss.passed([1.0], 0.0, 0.4)[0] == 0  # nothing is known of p


@quick
@given(st.tuples(shares, shares).map(sorted), st.tuples(priors, priors).map(sorted), tilts)
def test_the_range_holds_every_loss_of_the_box_and_is_no_wider(eta, p, tilt):
    least, most = (float(end[0]) for end in loss.feature_loss_range(*(np.array([end]) for end in eta), *p, tilt))
    lowest = np.clip([loss.lowest_eta(end, tilt) for end in p], *eta)
    some = np.concatenate([np.linspace(*eta, 201), np.clip([0.5], *eta), lowest])
    every = np.stack([loss.feature_loss(some, float(one), tilt) for one in np.linspace(*p, 21)])
    assert (least, most) == pytest.approx((every.min(), every.max()), rel=1e-9, abs=1e-9)
    assert least <= every.min() + 1e-12


@quick
@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=20))
def test_the_mean_is_a_divergence(eta):
    """E feature_loss = I - h(p) = p KL(P1 || P0) + (1 - p) KL(P0 || P1) >= 0. ERRATA A10."""
    eta = np.array(eta)
    p = float(eta.mean())
    weighted = float(loss.feature_loss(eta, p).mean())
    positive, negative = eta / eta.sum(), (1 - eta) / (1 - eta).sum()
    kl = float((positive * np.log(positive / negative)).sum()), float((negative * np.log(negative / positive)).sum())
    assert weighted == pytest.approx(p * kl[0] + (1 - p) * kl[1], abs=1e-9)
    assert weighted == pytest.approx(float((loss.feature_loss(eta, 0.5) - loss.feature_loss(p, 0.5)).mean()), abs=1e-12)
    assert weighted >= -1e-12


# ---- of a release that replaces labels one by one


@pytest.mark.parametrize(("epsilon", "h"), [(0.0, 0.0), (800.0, 800.0), (1e6, 1e6), (math.inf, math.inf)])
def test_noise_loss_at_the_ends(epsilon, h):
    """At 800 the flip probability is no longer a number that a computer can hold."""
    assert flipping(epsilon).loss == loss.noise_loss(epsilon) == h


@quick
@given(st.floats(0, 1), priors, channels)
def test_the_loss_under_a_channel_is_the_mean_of_its_definition(eta, p, rows):
    assert float(nu_bar(eta, p, of_rows(rows))) == pytest.approx(mean_loss(eta, p, rows), rel=1e-9, abs=1e-9)


def test_and_another_noise_is_caught():
    """Randomized response with the same epsilon, or the noise of one class alone, in its place."""
    noise = of_rows(UNEVEN)
    for other in (flipping(noise.most), flipping(math.log(8)), loss.Noise(noise.loss, 0.0, 0.0, 0.0, 0.0)):
        assert abs(float(nu_bar(0.8, 0.3, other)) - mean_loss(0.8, 0.3, UNEVEN)) > 0.01


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


@pytest.mark.parametrize("pi", [0.0, 1e-9, 0.15, 0.5])
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
    one = of_rows(((0.85, 0.15), (0.15, 0.85)))
    other = of_rows(((0.6, 0.25, 0.15), (0.6 * 3 / 17, 0.25 * 3 / 17, 0.85)))
    assert (one.loss, one.tilt) == pytest.approx((other.loss, other.tilt), abs=1e-12)
    assert other.randomized_response == pytest.approx(one.most)


@pytest.mark.parametrize("rows", [UNEVEN, *ONE_CLASS_ALONE[::3], ((0.7, 0.2, 0.1), (0.1, 0.2, 0.7))])
def test_what_is_no_randomized_response(rows):
    assert of_rows(rows).randomized_response is None


@pytest.mark.parametrize("rows", ONE_CLASS_ALONE)
@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
def test_what_one_class_alone_can_say_is_an_infinite_loss_for_everybody(rows, eta):
    """The release gives it away, or the features do: 0 times infinity is 0, and the loss of the features is not."""
    assert nu_bar(eta, 0.3, of_rows(rows)) == mean_loss(eta, 0.3, rows) == math.inf
    assert of_rows(rows).mean(0.3) == math.inf


def test_what_tells_nothing_adds_nothing():
    for rows in (((1.0,), (1.0,)), ((0.5, 0.5, 0), (0.5, 0.5, 0))):
        noise = of_rows(rows)
        assert (noise.loss, noise.tilt, noise.most, noise.randomized_response) == (0, 0, 0, 0)


def test_a_channel_for_other_labels_has_no_loss():
    assert releases.noise_of(Channel(((1, 0, 0), (0, 1, 0), (0, 0, 1)))) is None
    assert releases.noise_of(LabelProportions(2)) is None


# ---- the largest anybody can have


def largest(low, high, p, noise):
    return worst_case.nu_max(worst_case.log_ratio_of_min(low), worst_case.log_ratio_of_max(high), p, noise)


@quick
@given(st.tuples(shares, inside, shares).map(sorted).filter(lambda eta: 0 < eta[1] < 1), channels)
def test_nu_max_is_the_largest_nu(eta, rows):
    """Of anybody, whatever the label and what is said of it; the ends may be 0 and 1."""
    low, p, high = eta
    expected = largest_loss(np.array([low, p, high]), p, rows)
    assert largest(low, high, p, of_rows(rows)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@quick
@given(
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(shares, shares, shares).map(sorted),
    st.tuples(inside, inside, inside).map(sorted),
    st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)),
)
def test_the_interval_holds_all_that_its_ends_allow(least, most, p, kept):
    noise = of_rows(((kept[0], 1 - kept[0]), (1 - kept[1], kept[1])))
    low, high = worst_case.nu_max_interval((least[0], least[2]), (most[0], most[2]), (p[0], p[2]), noise)
    assert noise.most <= low <= largest(least[1], most[1], p[1], noise) <= high


def test_nu_max_is_infinite_where_it_is_infinite_and_a_zero_has_no_sign():
    for given_ends in (
        (0.0, 0.6, 0.3, flipping(1.0)),
        (0.2, 1.0, 0.3, flipping(1.0)),
        (0.2, 0.6, 0.3, flipping(math.inf)),
    ):
        assert largest(*given_ends) == math.inf
    assert worst_case.nu_max_interval((0, 0.1), (0.9, 1), (0.4, 0.6), flipping(1.0))[1] == math.inf
    assert math.copysign(1, worst_case.log_ratio_of_min(0.5)) == math.copysign(1, worst_case.log_ratio_of_max(0.5)) == 1


def test_the_direction_matters():
    """Whoever is surely negative is told so by what 99 of 100 negatives hear; a positive answer tells as much."""
    told = of_rows(((0.99, 0.01), (0.5, 0.5)))
    assert (told.most_of_negative, told.most_of_positive) == pytest.approx((math.log(1.98), math.log(50)))
    at = [worst_case.nu_max(low, high, 0.5, told) for low, high in ((4.0, 0.5), (0.5, 4.0))]
    assert at == pytest.approx([math.log(1.98) + 4, math.log(50) + 4])
    assert at[0] < told.most + 4, "the epsilon of the release and the longest odds belong to different people"
