"""How often does a report say something false? Whole audits of simulated tables, in worlds where eta is the same for
all neighbours, so that nothing but chance can go wrong. Each check has a liar that it must catch.
"""

from __future__ import annotations

import math
from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from channels import Atoms
from scipy.stats import binom
from simulated import COMMANDS, findings, searched, table_of
from worlds import WORLDS, World, atoms, nu_bar, true_jeffreys, true_p, true_uninformed_utility

from labeldp_audit.bounds.intervals import mistakes
from labeldp_audit.core.finding import Bound
from labeldp_audit.core.settings import DEFAULT_MECHANISM
from labeldp_audit.measures import loss, tail
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.questions import eta_range, guessing, intervals, worst_case
from labeldp_audit.questions import tail as estimate_j

ROWS, K = 1000, 60
AUDITS, LIES = 2000, 400
CONFIDENCES = (0.99, 0.8)
DUST = 1e-12
UNEVEN = "channel:matrix=0.9 0.1/0.4 0.6"


def islands(name, weights, etas):
    """Far apart, each larger than a neighbourhood."""

    def features(n, rng):
        island = rng.choice(len(etas), n, p=weights)
        points = rng.random((n, 2)) + 10.0 * island[:, None]
        return points.astype(np.float32), np.array(etas)[island]

    return World(name, features, atoms(weights, etas))


def few_rows(n, rng):
    """Eight distinct rows; all rows of a kind are neighbours of each other."""
    which = rng.integers(8, size=n)
    return which[:, None].astype(np.float32), FEW[which]


FEW = np.array([0.02, 0.1, 0.2, 0.3, 0.5, 0.6, 0.8, 0.97])
PLACES = (
    WORLDS["no signal"],
    WORLDS["plateaus"],
    World("few distinct rows", few_rows, atoms(np.full(8, 1 / 8), FEW)),
    islands("given away", (0.15, 0.7, 0.15), (0.0, 0.4, 1.0)),
    islands("rare", (0.7, 0.3), (0.01, 0.1)),
)


class Truth:
    def __init__(self, world):
        self.p = true_p(world)
        self.weights, self.eta = world.law()
        self.released = {}
        gain = float(self.weights @ nu_bar(self.eta, self.p, 0.5))
        with np.errstate(divide="ignore"):
            log_odds = np.log(self.eta) - np.log1p(-self.eta)
        self.values = {
            "eta_min": self.eta.min(),
            "eta_max": self.eta.max(),
            "log_ratio_min": -log_odds.min(),
            "log_ratio_max": log_odds.max(),
            "jeffreys": true_jeffreys(world),
            "weighted_jeffreys": gain,
            "uninformed_utility": true_uninformed_utility(world),
        }

    def under(self, spec):
        """Of the features alone where there is no release."""
        if spec not in self.released:
            channel = [[0.5, 0.5]] * 2 if spec is None else MECHANISMS.parse(spec, 2)[0].channel(2).tolist()
            self.released[spec] = Atoms(self.weights, self.eta, channel)
        return self.released[spec]

    def of(self, finding):
        quantity = finding.quantity.removeprefix("certified_")
        if quantity == "j":
            return self.under(finding.mechanism).share_above(finding.at["tau"])
        if quantity == "j_added":
            shares = [self.under(spec).share_above(finding.at["tau"]) for spec in (finding.mechanism, None)]
            return shares[0] - shares[1]
        if quantity == "nu_max":
            return self.under(finding.mechanism).worst
        if quantity == "mean_loss":
            return self.under(finding.mechanism).mean
        if quantity == "renyi":
            return self.divergence(finding.at["alpha"], finding.at["of"] == "positive from negative")
        return self.values[quantity]

    def divergence(self, order, forward):
        """D_order(P || Q) for people with one label and with the other."""
        ones, zeros = self.weights * self.eta / self.p, self.weights * (1 - self.eta) / (1 - self.p)
        a, b = (ones, zeros) if forward else (zeros, ones)
        a, b = a[a > 0], b[a > 0]
        if np.any(b == 0):
            return math.inf
        ratio = np.log(a / b)
        if math.isinf(order):
            return float(ratio.max())
        return float(a @ ratio) if order == 1 else float(np.log(a @ np.exp((order - 1) * ratio))) / (order - 1)


def is_missed(finding, truth):
    if finding.bound.low is None:
        return False
    true = truth.of(finding)
    return not finding.bound.low - DUST <= true <= finding.bound.high + DUST


def misses(world, audits, confidences=CONFIDENCES, commands=COMMANDS, k=(K,), **settings):
    """Reports with anything false in them, by command and confidence."""
    rng, truth, found = np.random.default_rng(20), Truth(world), Counter()
    for _ in range(audits):
        points, labels, _ = world.draw(ROWS, rng)
        table, eta = table_of(labels, points), searched(points, labels, *k)
        for command in commands:
            for confidence in confidences:
                asked = {"mechanism": (*DEFAULT_MECHANISM, UNEVEN), **settings}
                said = findings(command, table, eta, confidence=confidence, **asked)
                found[command.__name__, confidence] += any(is_missed(finding, truth) for finding in said)
    return found


def most_misses(audits, confidence):
    """More than this many happen to an honest tool once in a million."""
    return binom.isf(1e-6, audits, 1 - confidence)


def test_one_audit_of_each_world_holds_the_truth():
    for world in PLACES:
        assert not any(misses(world, 3, (0.99,)).values())


def test_with_smoothness_a_report_is_about_people():
    """|eta(x) - eta(z)| <= 0.45 2 pi |x - z|, and the ball round x that ends at z has mass |x - z| or more."""
    assert not any(misses(WORLDS["wave"], 3, (0.8,), k=(60,), smoothness="2.83,1").values())


def test_without_it_only_about_neighbourhood_averages():
    """Four in ten rows are no neighbourhood of a person."""
    assert misses(WORLDS["wave"], 3, (0.99,), (worst_case, eta_range), k=(400,)) == {
        (worst_case.__name__, 0.99): 3,
        (eta_range.__name__, 0.99): 3,
    }


@pytest.mark.slow
@pytest.mark.parametrize("world", PLACES, ids=lambda world: world.name)
def test_reports_are_false_no_more_often_than_promised(world):
    found = misses(world, AUDITS)
    print(f"{world.name}: of {AUDITS} reports each, false: {dict(found)}")  # shown with -s
    for command in COMMANDS:
        for confidence in CONFIDENCES:
            assert found[command.__name__, confidence] <= most_misses(AUDITS, confidence)


@pytest.mark.slow
@pytest.mark.parametrize("world", PLACES, ids=lambda world: world.name)
def test_neither_where_labels_choose_k(world):
    found = misses(world, AUDITS // 4, k=(7, 15, 30, K))
    print(f"{world.name}, k chosen: of {AUDITS // 4} reports each, false: {dict(found)}")
    for command in COMMANDS:
        for confidence in CONFIDENCES:
            assert found[command.__name__, confidence] <= most_misses(AUDITS // 4, confidence)


# ---- liars: each leaves out one step of the argument


def each_alone(q, miss):
    """Every interval at the level of the report, as if there were one."""
    return mistakes.Mistakes(0, miss)


def share_as_it_is(losses, tau, wrong, miss):
    """The sample is taken for the population."""
    q = len(losses.estimate)
    shares = [tail.number_above(values, tau) / q for values in (losses.estimate, losses.low[0], losses.high[-1])]
    return shares[0], shares[1], shares[2]


def estimates_for_truth(box, believed, prior, tilt):
    gain = loss.feature_loss(box.plain, prior.p, tilt)
    rows = tail.Losses.of(gain, gain, gain)
    return intervals.Losses(rows, 0, gain, np.full(len(gain), 1 / len(gain)), "none")


def within_a_hundredth(table, eta, *more):
    """Of what the counts think of themselves."""
    guessed = float(eta.probability.max(axis=1).mean())
    return guessing.Features(Bound(guessed, guessed - 0.01, guessed + 0.01, eta.queries, "none"), 1 - guessed)


LIARS = [
    ("no signal", worst_case, intervals, "simultaneous", each_alone),
    ("no signal", eta_range, intervals, "simultaneous", each_alone),
    ("no signal", estimate_j, intervals, "tolerated", each_alone),
    ("no signal", estimate_j, intervals, "losses_of", estimates_for_truth),
    ("no signal", eta_range, guessing, "of_features", within_a_hundredth),
    ("given away", estimate_j, tail, "share_above", share_as_it_is),
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "command", "home", "name", "lie"), LIARS)
def test_and_that_test_has_teeth(place, command, home, name, lie):
    [world] = [world for world in PLACES if world.name == place]
    with patch.object(home, name, lie):
        found = misses(world, LIES, (0.8,), (command,))
    assert found[command.__name__, 0.8] > most_misses(LIES, 0.8)
