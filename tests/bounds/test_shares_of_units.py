"""Limits for shares of records in bags, and the liar who takes members of a bag for independent trials."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import rel_entr

from labeldp_audit.bounds.intervals import clopper_pearson, shares_of_units
from labeldp_audit.mechanisms import MECHANISMS

MISS = 0.1


def together(rng, bags, size, share):
    """All members of a bag hit, or none."""
    return np.repeat(rng.random(bags) < share, size), np.repeat(np.arange(bags), size)


def missed(limits, draw, truth, times=400, seed=0):
    rng = np.random.default_rng(seed)
    ends = np.array([limits(*draw(rng)) for _ in range(times)])
    return np.mean(ends[:, 0] > truth), np.mean(ends[:, 1] < truth)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("bags", [3, 40])
def test_limits_of_bags_hold(bags, share):
    both = missed(
        lambda hit, unit: shares_of_units.of_units(hit, unit, MISS), lambda rng: together(rng, bags, 8, share), share
    )
    assert max(both) <= MISS + 0.04


def test_who_takes_members_for_trials_is_caught():
    both = missed(lambda hit, unit: shares_of_units.of_records(hit, MISS), lambda rng: together(rng, 40, 8, 0.5), 0.5)
    assert min(both) > MISS + 0.1


@pytest.mark.parametrize("sizes", [(5,), (4, 5), (1, 9)])
def test_bags_of_several_sizes(sizes):
    unit = np.repeat(np.arange(60), np.tile(sizes, 60 // len(sizes)))
    chance = np.random.default_rng(0).random(60)[unit]

    def draw(rng):
        return rng.random(len(unit)) < chance, unit

    both = missed(lambda hit, unit: shares_of_units.of_units(hit, unit, MISS), draw, chance.mean(), 200)
    assert max(both) <= MISS + 0.05


def test_many_bags_that_differ_little_are_known_well():
    """Bets see that means of bags hardly vary."""
    terms = np.clip(0.5 + 0.01 * np.random.default_rng(0).normal(size=5000), 0, 1)
    low, high = shares_of_units.mean_limits(terms, 0.01)
    assert 0.49 < low < 0.5 < high < 0.51


def test_records_of_their_own_are_counted():
    low, high = shares_of_units.of_records(np.arange(100) < 30, 0.05)
    assert low == pytest.approx(0.225, abs=0.003)
    assert high == pytest.approx(0.384, abs=0.003)


def test_nothing_is_known_of_nobody():
    assert shares_of_units.of_records(np.empty(0, bool), 0.1) == (0, 1)
    assert shares_of_units.of_units(np.empty(0, bool), np.empty(0, np.int64), 0.1) == (0, 1)
    low, high = shares_of_units.of_units(np.ones(4, bool), np.zeros(4, np.int64), 0.1)
    assert 0 <= low < 0.1
    assert high == 1


def test_limits_of_trials_are_nearly_those_of_counts():
    hit = np.arange(1000) < 300
    counted, bet = shares_of_units.of_records(hit, 1e-5), shares_of_units.of_units(hit, np.arange(1000), 1e-5)
    assert bet[0] <= counted[0] < bet[0] + 0.02
    assert bet[1] - 0.02 < counted[1] <= bet[1]


def test_terms_of_different_means_are_no_help_to_who_bets():
    """Half of the units always hit, and half never do."""
    low, high = shares_of_units.mean_limits(np.tile([0.0, 1.0], 50), 0.1)
    assert low < 0.5 < high


@pytest.mark.parametrize("bags", [5, 60])
def test_limits_of_differences_hold_and_see_both_sides(bags):
    """What is gained and lost hangs together within a bag."""

    def draw(rng):
        way = rng.choice([-1, 0, 1], bags, p=[0.2, 0.5, 0.3])
        return np.repeat(way == 1, 4), np.repeat(way == -1, 4), np.repeat(np.arange(bags), 4)

    both = missed(lambda *drawn: shares_of_units.difference_of_units(*drawn, MISS), draw, 0.1)
    assert max(both) <= MISS + 0.04
    assert shares_of_units.difference_of_units(*(np.empty(0, bool),) * 2, np.empty(0, np.int64), MISS) == (-1, 1)


# ---- claims about members of bags whose counts are published


def given_what_is_published(eta, weight):
    """(2^k, k) labels of a bag, and how likely each is where a count is as likely as `weight` says: (k + 1,)."""
    labels = np.array([*itertools.product((0, 1), repeat=len(eta))])
    law = np.prod(np.where(labels, eta, 1 - eta), axis=1) * weight[labels.sum(axis=1)]
    return labels, law / law.sum()


def largest_ratio(eta, weight):
    """Of the moment generating function of a count of some members to that of independent ones, over all members."""
    labels, law = given_what_is_published(eta, weight)
    mean, worst = law @ labels, 0.0
    for some in itertools.product((0, 1), repeat=len(eta)):
        for t in (-3.0, -0.5, 0.5, 3.0):
            alone = np.prod(np.where(some, 1 - mean + mean * np.exp(t), 1.0))
            worst = max(worst, law @ np.exp(t * (labels @ np.array(some))) / alone)
    return worst


@pytest.mark.parametrize("weight", [[0, 0, 1, 0, 0, 0], [0.02, 0.1, 0.5, 0.1, 0.02, 0.004], [1, 1, 1, 1, 1, 1]])
def test_labels_of_a_bag_repel_each_other_given_its_count(weight):
    """By brute force: a count, one with geometric noise, and nothing."""
    for seed in range(5):
        assert largest_ratio(np.random.default_rng(seed).random(5), np.array(weight, float)) <= 1 + 1e-12


def test_and_they_do_not_where_noise_is_not_log_concave():
    assert largest_ratio(np.full(5, 0.5), np.array([1, 0.1, 0.01, 0.01, 0.1, 1.0])) > 1.2


@pytest.mark.parametrize("spec", ["llp:k=5", "geometric-llp:k=5,epsilon=0.7", "laplace-llp:k=5,epsilon=2"])
def test_every_mechanism_whose_labels_repel_has_log_concave_noise(spec):
    [mechanism] = MECHANISMS.parse(spec, 2)
    assert mechanism.repels
    if mechanism.decay < np.inf:
        z = np.arange(-10, 11) / mechanism.steps  # further out differences of sums are rounded
        law = np.diff(mechanism.noise_at_most(z))
        assert np.all(law[1:-1] ** 2 >= law[:-2] * law[2:] * (1 - 1e-6))
    assert {one for one in MECHANISMS.names() if MECHANISMS.get(one).repels.fget(None)} == {
        "llp", "geometric-llp", "laplace-llp"
    }  # fmt: skip


@pytest.mark.parametrize("weight", [[0, 0, 0, 1, 0, 0], [0.1, 0.3, 0.9, 0.3, 0.1, 0.03]])
def test_limits_of_claims_hold(weight):
    rng = np.random.default_rng(1)
    eta, claim = rng.random(5), np.tile([0, 1, 1, 0, -1], 20)
    labels, law = given_what_is_published(eta, np.array(weight))
    truth = float(law @ (labels == claim[:5]).mean(axis=1))

    def draw(rng):
        drawn = labels[rng.choice(len(law), 20, p=law)].reshape(-1)
        return drawn == claim, claim

    both = missed(lambda hit, claim: shares_of_units.of_claims(hit, claim, MISS), draw, truth)
    assert max(both) <= MISS


def test_who_takes_labels_that_hang_together_for_such_claims_is_caught():
    def draw(rng):
        hit, _ = together(rng, 40, 8, 0.5)
        return hit, np.ones(320, np.int64)

    assert min(missed(lambda hit, claim: shares_of_units.of_claims(hit, claim, MISS), draw, 0.5)) > MISS + 0.05


@pytest.mark.parametrize(("count", "n"), [(0, 40), (1, 7), (30, 100), (40, 40)])
def test_chernoff_is_a_little_wider_than_counts(count, n):
    low, high = shares_of_units.chernoff(count, n, 1e-3)
    exact = clopper_pearson.limits_of_counts(count, n, 1e-3)
    assert exact[0].item() - 0.06 < low <= exact[0].item() + 1e-4
    assert exact[1].item() - 1e-4 <= high < exact[1].item() + 0.06
    if 0 < count < n:
        for end in (low, high):
            assert n * (rel_entr(count / n, end) + rel_entr(1 - count / n, 1 - end)) == pytest.approx(np.log(1e3))
