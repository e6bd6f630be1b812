"""Bounds on an attacker's advantage, against populations small enough to add up all that can happen."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import i0e
from scipy.stats import binom
from small_populations import (
    bag_advantage,
    channel_advantage,
    largest_probability,
    law_of,
    missed,
    noisy_bag_advantage,
    one_eta,
    private_channel,
    spread_of,
)

from labeldp_audit.bounds.published import advantage_ceilings as ceilings
from labeldp_audit.bounds.published import label_inference as wu
from labeldp_audit.bounds.published import label_proportions as bags
from labeldp_audit.bounds.published import laplace_proportions as laplace
from labeldp_audit.mechanisms import LabelProportions, LaplaceProportions, RandomizedResponse

NEVER_BELOW = 1e-12  # rounding

quick = settings(deadline=None, max_examples=60, derandomize=True)
chances = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-9, 0.5, 1.0]))
epsilons = st.one_of(st.floats(0, 12), st.sampled_from([0.0, 1e-9, 800.0, math.inf]))
deltas = st.sampled_from([0.0, 1e-6, 0.05, 1.0])
payoffs = st.sampled_from([(1.0, 1.0), (0.6, 3.0), (0.0, 1.0)])
laws = st.lists(st.tuples(st.floats(0.01, 1), chances), min_size=1, max_size=3).map(
    lambda atoms: law_of(np.array([w for w, _ in atoms]) / sum(w for w, _ in atoms), [eta for _, eta in atoms])
)


# ---- no bound is below the truth


@quick
@given(laws, st.integers(1, 5), payoffs)
def test_what_a_bag_tells_is_within_every_bound(law, k, payoff):
    advantage, spread, peak = bag_advantage(law, k) - NEVER_BELOW, spread_of(law), largest_probability(law, k - 1)
    assert advantage <= min(missed(law), 2 * spread) * peak
    assert advantage <= bags.unimodal_from_error_sharp(missed(law), k)
    assert advantage <= bags.unimodal_closed(spread, k)
    assert advantage <= bags.lemma_a1(k, float(law.weight @ law.eta[:, 1]), spread)
    weighted = bag_advantage(law, k, payoff) - NEVER_BELOW
    assert weighted <= bags.unimodal_from_error_sharp(missed(law, payoff), k, payoff)


@quick
@given(st.one_of(st.floats(1e-12, 1 - 1e-12), st.sampled_from([0.0, 1e-9, 0.5, 1.0])), st.integers(1, 1000))
def test_one_eta_for_all_is_within_every_bound(eta, k):
    advantage, spread, rarer = one_eta(eta, k) * (1 - 1e-9) - 1e-300, eta * (1 - eta), min(eta, 1 - eta)
    assert advantage <= rarer * bags.largest_probability_sharp(spread, k - 1)
    assert advantage <= bags.unimodal_from_error_sharp(rarer, k)
    assert advantage <= bags.unimodal_closed(spread, k)
    assert advantage <= bags.lemma_a1(k, eta, spread)
    assert advantage <= bags.theorem_3_4_sqrt(eta, k)
    assert advantage <= bags.theorem_3_4_bernstein(eta, k)


def test_printed_constant_of_lemma_a1_is_too_small():
    """ERRATA B2: of a binomial, more than 1 / (2 k) lies outside of the printed range, less outside of ours."""
    k, p = 100, 0.5
    log = math.log(8 * k)
    printed = log / 3 + math.sqrt(2 * log + 12 * k * p * (1 - p) * log) / 6

    def outside(t):
        return binom.sf(k * p + t, k, p) + binom.cdf(k * p - t, k, p)

    assert outside(printed) > 1 / (2 * k) > outside(bags.deviation(p, k))


def test_the_peak_is_the_largest():
    v = np.linspace(0.01, 5, 100_001)
    assert 0 < bags.PEAK - (np.sqrt(v) * i0e(v)).max() < 1e-6


@quick
@given(laws, st.integers(1, 3), st.floats(0.1, 4))
def test_what_a_noisy_bag_tells_is_within_every_bound(law, k, epsilon):
    advantage, spread = noisy_bag_advantage(law, k, epsilon) - 1e-5, spread_of(law)
    assert advantage <= laplace.theorem_6_4_sharp(spread, epsilon) <= laplace.theorem_6_4(spread, epsilon)
    assert advantage <= wu.best_of_all(law, epsilon)
    assert advantage <= bags.unimodal_from_error_sharp(missed(law), k)


def test_sharp_theorem_6_4_is_reached():
    """One record and a fair coin. Half a percent less would not hold."""
    law, epsilon = law_of([1.0], [0.5]), 1.0
    assert noisy_bag_advantage(law, 1, epsilon) > 0.995 * laplace.theorem_6_4_sharp(0.25, epsilon)


def some_channel(rng, epsilon, delta, outcomes=6):
    """Noise on the outcomes of the strongest private channel: private too."""
    return private_channel(epsilon, delta) @ rng.dirichlet(np.full(outcomes, 0.3), size=4)


@quick
@given(laws, epsilons, deltas, payoffs, st.integers(0, 1000))
def test_private_channels_are_within_every_bound_and_the_best_of_all_is_reached(law, epsilon, delta, payoff, seed):
    channel = some_channel(np.random.default_rng(seed), epsilon, delta)
    advantage = channel_advantage(law, channel, payoff) - NEVER_BELOW
    bounds = [
        wu.best_of_all(law, epsilon, delta, payoff),
        wu.wu_improved(missed(law, payoff), epsilon, delta),
        wu.wu_theorem_2(float(law.weight @ (law.eta @ payoff)), epsilon, delta),
        wu.wu_corollary_1(max(payoff), epsilon, delta),
    ]
    assert advantage <= bounds[0]
    assert all(sharper <= looser + NEVER_BELOW for sharper, looser in itertools.pairwise(bounds))
    reached = channel_advantage(law, private_channel(epsilon, delta), payoff)
    assert bounds[0] == pytest.approx(reached, abs=1e-12)


def test_and_those_tests_have_teeth():
    """Channels that are not as private as they say."""
    law, rng = law_of([0.5, 0.5], [0.3, 0.6]), np.random.default_rng(1)
    assert channel_advantage(law, private_channel(2.0, 0.0)) > wu.best_of_all(law, 1.0)
    assert channel_advantage(law, private_channel(2.0, 0.3)) > wu.wu_improved(missed(law), 1.0, 0.1)
    assert any(channel_advantage(law, some_channel(rng, 2.0, 0.0)) > wu.best_of_all(law, 0.5) for _ in range(20))


# ---- ends


def test_total_variation():
    assert wu.total_variation(0.0) == 0
    assert wu.total_variation(math.inf) == 1 == wu.total_variation(0.3, 1.0)
    assert wu.total_variation(1e-12) == pytest.approx(5e-13, rel=1e-9)
    assert wu.total_variation(1.0, 0.01) == pytest.approx(1 - 2 * 0.99 / (1 + math.e), rel=1e-14)


def test_laplace_at_its_ends():
    for bound in (laplace.theorem_6_4, laplace.theorem_6_4_sharp):
        assert bound(0.2, 0.0) == 0 == bound(0.0, 1.0)
        assert bound(0.2, math.inf) == 0.4
    assert laplace.theorem_6_4_sharp(0.25, 1e-12) == pytest.approx(2.5e-13, rel=1e-9)


def test_bags_at_their_ends():
    for k in (1, 2, 10**9):
        assert 0 == bags.unimodal_closed(0.0, k) == bags.unimodal_from_error_sharp(0.0, k) == bags.lemma_a1(k, 0.0, 0.0)
        assert bags.theorem_3_4_sqrt(1.0, k) == 0
        assert bags.theorem_3_4_bernstein(0.5, k) == 1
    assert bags.unimodal_closed(0.25, 1) == 0.5 == bags.lemma_a1(1, 0.5, 0.25) == bags.unimodal_from_error_sharp(0.5, 1)
    assert bags.unimodal_from_error_sharp(0.0, 3, (0.0, 0.0)) == 0
    assert 0 < bags.unimodal_from_error_sharp(0.5, 10**15) < 1e-7
    assert bags.theorem_3_4_bernstein(0.2, 10**6) == 0
    assert 0 < bags.unimodal_closed(1e-300, 10**6) <= 2e-300


@quick
@given(st.floats(0, 0.5), st.floats(0, 0.5), st.integers(1, 10**6), st.sampled_from([(1.0, 1.0), (0.5, 2.0)]))
def test_the_unimodal_bounds_rise_with_what_is_missed(one, other, k, payoff):
    low, high = sorted((one, other))
    assert bags.unimodal_closed(low / 2, k) <= bags.unimodal_closed(high / 2, k) * (1 + 1e-12)
    lower, higher = (bags.unimodal_from_error_sharp(e * sum(payoff) / 2, k, payoff) for e in (low, high))
    assert lower <= higher * (1 + 1e-12)


def test_the_sharp_unimodal_bound_rises_everywhere_and_is_a_bound():
    others = 10**6
    means = np.geomspace(1e-3, others / 4, 20_000)
    sharp, plain = (
        np.array([bound(mean / others, others) for mean in means])
        for bound in (bags.largest_probability_sharp, bags.largest_probability)
    )
    assert np.all(np.diff(means * sharp) > 0)
    assert np.all(sharp <= plain)
    crowd = 10**12
    ratio = bags.largest_probability_sharp(0.25, crowd) / bags.largest_probability(0.25, crowd)
    assert ratio == pytest.approx(math.sqrt(0.5), abs=1e-3)
    for n, eta in itertools.product((1, 2, 30, 1000), (0.001, 0.1, 0.5)):
        assert binom.pmf(np.arange(n + 1), n, eta).max() <= bags.largest_probability_sharp(eta * (1 - eta), n)


# ---- ceilings: above what mechanisms gain, sharp where they can be, and rising with what they are made of

strengths = st.sampled_from([0.1, 1.0, 4.0, 12.0])


def gain(mechanism, eta):
    """Mean advantage over the members of bags that all have this eta, or over single records."""
    return float(mechanism.gain(np.stack([1 - eta, eta], axis=-1), np.ones(2)).mean())


def made_of(eta):
    return float(np.minimum(eta, 1 - eta).mean()), float((eta * (1 - eta)).mean())


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20).map(np.array), strengths)
def test_randomized_response_gains_no_more_and_as_much_where_labels_are_sure_or_coins(eta, epsilon):
    assert gain(RandomizedResponse(epsilon), eta[:, None]) <= ceilings.of_private(*made_of(eta), epsilon) + 1e-12
    eta = np.array([0.0, 0.5, 1.0, 0.5])
    assert gain(RandomizedResponse(epsilon), eta[:, None]) == pytest.approx(ceilings.of_private(*made_of(eta), epsilon))


@quick
@given(st.floats(0, 1), st.integers(1, 60), strengths)
def test_bags_gain_no_more(eta, k, epsilon):
    bag = np.full((1, k), eta)
    assert gain(LabelProportions(k), bag) <= ceilings.of_counts(*made_of(bag), k) + 1e-12
    noisy = ceilings.of_noisy_counts(*made_of(bag), k, epsilon)
    assert gain(LaplaceProportions(k, epsilon), bag) <= noisy + 1e-12


@quick
@given(st.floats(0, 0.5), st.floats(0, 0.25), st.floats(0, 0.1), st.integers(1, 500), strengths)
def test_ceilings_rise_with_both_limits(missed, spread, more, k, epsilon):
    for bound in (
        lambda m, s: ceilings.of_private(m, s, epsilon),
        lambda m, s: ceilings.of_counts(m, s, k),
        lambda m, s: ceilings.of_noisy_counts(m, s, k, epsilon),
    ):
        assert 0 <= bound(missed, spread) <= bound(missed + more, spread) + 1e-12
        assert bound(missed, spread) <= bound(missed, spread + more) + 1e-12
    # CERTIFICATES c3 takes both; what is taken here is never more
    assert ceilings.of_counts(missed, spread, k) <= min(missed, bags.unimodal_closed(spread, k)) + 1e-12


def test_theorem_6_4_adds_something():
    """Labels are coins, alone in their bag, and the noise is weak."""
    assert ceilings.of_noisy_counts(0.5, 0.25, 1, 2.0) == pytest.approx(0.5 * (1 - math.exp(-1)))
    assert ceilings.of_noisy_counts(0.5, 0.25, 1, 2.0) < ceilings.of_private(0.5, 0.25, 2.0)
