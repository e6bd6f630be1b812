"""Limits for shares of records in bags, and the liar who takes members of a bag for independent trials."""

from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.bounds.intervals import shares_of_units

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
