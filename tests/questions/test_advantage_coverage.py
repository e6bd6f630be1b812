"""How often is an advantage, or a bound on it, outside the limits of a report? As test_coverage.py, with liars."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from simulated import findings, searched, table_of
from test_coverage import DUST, PLACES, ROWS, K, islands, most_misses
from worlds import World, true_p

from labeldp_audit.core.eta import Law
from labeldp_audit.measures import advantage as measured
from labeldp_audit.measures import guess
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.questions import advantage, guessing, published_bounds
from labeldp_audit.questions.guessing import Payoffs

SPECS = ("rr:epsilon=0.5|3", "llp:k=2|5", "laplace-llp:k=3,epsilon=2", "channel:matrix=0.9 0.1/0.3 0.7")
AUDITS = 80


class Truth:
    def __init__(self, world, payoff):
        weights, eta = world.law()
        if len(eta) > 100:  # a fine grid: a tenth of it says as much
            weights, eta = weights[::10] / weights[::10].sum(), eta[::10]
        self.law, self.payoff = Law(weights, np.stack([1 - eta, eta], axis=1)), payoff
        self.before = measured.uninformed(self.law, payoff)
        truth = float(weights @ eta), 1 - self.before, float(weights @ (eta * (1 - eta)))
        facts = ((value,) * 3 for value in truth)
        self.known = published_bounds.Known(*facts, Payoffs(payoff, payoff, payoff), self.law)
        self.gains = {}

    def gain(self, spec):
        if spec not in self.gains:
            [mechanism] = MECHANISMS.parse(spec)
            self.gains[spec] = measured.exact(mechanism, self.law, self.payoff).mean
        return self.gains[spec]

    def of(self, finding):
        quantity = finding.quantity.removeprefix("certified_")
        if quantity == "uninformed_utility":
            return self.before
        if finding.quantity == "advantage_bound":
            [ceiling] = [one for one in published_bounds.CEILINGS if one.name == finding.at["bound"]]
            return ceiling.value(self.known.estimate(MECHANISMS.parse(finding.mechanism)[0]))
        return self.added(finding) + (self.before if quantity == "informed_utility" else 0.0)

    def added(self, finding):
        """Features alone add nothing, and labels in the clear all that is missed."""
        baselines = {"features": 0.0, "no-noise": 1 - self.before}
        return self.gain(finding.mechanism) if finding.mechanism else baselines[finding.at["baseline"]]


def limited(finding):
    return finding.bound.low is not None and not finding.quantity.startswith("equivalent")


def audits(world, times, balanced=False, **settings):
    """Findings and truth of each of many small audits; the equal strengths are left out, which take long."""
    rng, p = np.random.default_rng(21), true_p(world)
    truth = Truth(world, guess.balanced([1 - p, p]) if balanced else np.ones(2))
    with patch.object(advantage, "_same", return_value=()):
        for _ in range(times):
            points, labels, _ = world.draw(ROWS, rng)
            table, eta = table_of(labels, points), searched(points, labels, K)
            utility = "balanced" if balanced else "zero-one"
            options = {"mechanism": SPECS, "bags": 40, "utility": utility, **settings}
            yield findings(advantage, table, eta, **options), truth


def is_missed(finding, truth):
    true = truth.of(finding)
    return not finding.bound.low - DUST <= true <= finding.bound.high + DUST


def misses(world, times, **settings):
    return sum(
        any(is_missed(one, truth) for one in said if limited(one)) for said, truth in audits(world, times, **settings)
    )


FEW_ATOMS = [world for world in PLACES if len(world.law()[0]) <= 10]


@pytest.mark.parametrize("balanced", [False, True])
def test_one_audit_of_each_world_holds_the_truth(balanced):
    for world in FEW_ATOMS:
        assert misses(world, 2, balanced=balanced) == 0


@pytest.mark.slow
@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("world", FEW_ATOMS, ids=lambda world: world.name)
@pytest.mark.parametrize("confidence", [0.99, 0.8])
def test_reports_are_false_as_rarely_as_they_say(world, balanced, confidence):
    missed = misses(world, AUDITS, balanced=balanced, confidence=confidence)
    assert missed <= most_misses(AUDITS, confidence)


# ---- liars


def seen(table, eta, payoffs, miss):
    """Guesses that are judged by the labels they were made from."""
    labels = table.labels[eta.rows]
    counts = eta.counts.copy()
    counts[np.arange(len(labels)), labels] += 20
    return float(np.mean(labels != counts.argmax(axis=1)))


def plugged(table, eta, payoffs, miss):
    """What the counts themselves make of it."""
    return float(np.mean(1 - eta.probability.max(axis=1)))


def test_and_that_test_has_teeth():
    """Labels are chance: neighbours look sure where nobody can be. An honest audit is false once in a hundred."""
    coin = islands("coin", (1.0,), (0.5,))
    for liar in (seen, plugged):
        with patch.object(guessing, "missed", liar):
            assert misses(coin, 8) > 6
    assert misses(coin, 8) == 0


def test_upper_limits_hold_where_neighbours_hide_what_features_tell():
    """Nothing is assumed about eta: not even that it is even among neighbours."""

    def features(n, rng):
        points = rng.random((n, 8), dtype=np.float32)
        return points, np.where(points[:, 0] * 40 % 2 < 1, 0.05, 0.6)

    world = World("stripes", features, lambda: (np.array([0.5, 0.5]), np.array([0.05, 0.6])))
    for said, truth in audits(world, 5):
        for one in said:
            if one.quantity == "advantage":
                assert truth.of(one) <= one.bound.high


def test_the_advantage_is_estimated_nearer_than_by_the_counts_themselves():
    """At eta = 1/2 the noise of 60 labels takes a twentieth of the people's doubt away: 0.399 / sqrt 60."""
    ours, theirs = [], []
    for said, truth in audits(islands("coin", (1.0,), (0.5,)), 8, mechanism=("rr:epsilon=2",)):
        [found] = [one.bound.estimate for one in said if one.quantity == "advantage" and one.mechanism]
        [plug_in] = [one.bound.estimate for one in said if one.quantity == "plug_in_utility"]
        ours.append(truth.gain("rr:epsilon=2") - found)
        theirs.append(plug_in - truth.before)
    assert np.mean(theirs) > 0.04
    assert abs(np.mean(ours)) < np.mean(theirs) / 2  # what is left is that the classes of 1000 rows are not even
