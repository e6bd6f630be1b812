"""How often does a report say something false? Whole audits of simulated tables, in worlds where eta is the same for
all neighbours, so that nothing but chance can go wrong. Each check has a liar that it must catch.
"""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from simulated import COMMANDS, findings, searched, table_of
from truths import Truth, is_missed, most_misses
from worlds import WORLDS, World, atoms, true_p

from labeldp_audit.bounds.intervals import mistakes
from labeldp_audit.core.finding import Bound
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import DEFAULT_MECHANISM, Settings
from labeldp_audit.estimators import crossfit
from labeldp_audit.estimators.boosted import Boosted
from labeldp_audit.estimators.contract import Task
from labeldp_audit.measures import guess, loss, tail
from labeldp_audit.questions import advantage, eta_range, guessing, intervals, worst_case
from labeldp_audit.questions import tail as estimate_j

ROWS, K = 1000, 60
AUDITS, LIES = 2000, 400
CONFIDENCES = (0.99, 0.8)
UNEVEN = "channel:matrix=0.9 0.1/0.4 0.6"
SPECS = ("rr:epsilon=0.5|3", "llp:k=2|5", "laplace-llp:k=3,epsilon=2", "channel:matrix=0.9 0.1/0.3 0.7")


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
COIN = islands("coin", (1.0,), (0.5,))
PLACES = (
    WORLDS["no signal"],
    WORLDS["plateaus"],
    World("few distinct rows", few_rows, atoms(np.full(8, 1 / 8), FEW)),
    islands("given away", (0.15, 0.7, 0.15), (0.0, 0.4, 1.0)),
    islands("rare", (0.7, 0.3), (0.01, 0.1)),
)


def by_neighbors(table, points, labels, k=(K,)):
    return searched(points, labels, *k)


def reports(world, times, *commands, how=by_neighbors, rows=ROWS, **settings):
    """Findings and truth of each of many small audits; the equal strengths are left out, which take long."""
    rng, p = np.random.default_rng(20), true_p(world)
    truth = Truth(*world.law(), guess.balanced([1 - p, p]) if settings.get("utility") == "balanced" else np.ones(2))
    with patch.object(advantage, "_same", return_value=()):
        for _ in range(times):
            points, labels, _ = world.draw(rows, rng)
            table = table_of(labels, points)
            eta = how(table, points, labels)
            for command in commands:
                specs = SPECS if command is advantage else (*DEFAULT_MECHANISM, UNEVEN)
                yield findings(command, table, eta, **{"mechanism": specs, "bags": 40, **settings}), truth


def misses(world, times, *commands, **settings):
    """Reports with anything false in them."""
    return sum(
        any(is_missed(one, truth) for one in said) for said, truth in reports(world, times, *commands, **settings)
    )


def test_one_audit_of_each_world_holds_the_truth():
    for world in PLACES:
        assert misses(world, 3, *COMMANDS) == 0


@pytest.mark.parametrize("utility", ["zero-one", "balanced"])
def test_nor_is_an_advantage_false(utility):
    for world in PLACES:
        assert misses(world, 1, advantage, utility=utility) == 0


def test_with_smoothness_a_report_is_about_people():
    """|eta(x) - eta(z)| <= 0.45 2 pi |x - z|, and the ball round x that ends at z has mass |x - z| or more."""
    assert misses(WORLDS["wave"], 3, *COMMANDS, confidence=0.8, smoothness="2.83,1") == 0


def test_without_it_only_about_neighbourhood_averages():
    """Four in ten rows are no neighbourhood of a person."""

    def wide(*known):
        return by_neighbors(*known, k=(400,))

    assert misses(WORLDS["wave"], 3, estimate_j, how=wide) == 3
    assert misses(WORLDS["wave"], 3, worst_case, eta_range, how=wide) == 0  # they have no outer limit


@pytest.mark.slow
@pytest.mark.parametrize("world", PLACES, ids=lambda world: world.name)
@pytest.mark.parametrize(("k", "audits"), [((K,), AUDITS), ((7, 15, 30, K), AUDITS // 4)], ids=["one k", "k chosen"])
def test_reports_are_false_no_more_often_than_promised(world, k, audits):
    found, rng, truth = Counter(), np.random.default_rng(20), Truth(*world.law())
    for _ in range(audits):
        points, labels, _ = world.draw(ROWS, rng)
        table, eta = table_of(labels, points), searched(points, labels, *k)
        for command in COMMANDS:
            for confidence in CONFIDENCES:
                asked = {"mechanism": (*DEFAULT_MECHANISM, UNEVEN), "confidence": confidence}
                false = any(is_missed(one, truth) for one in findings(command, table, eta, **asked))
                found[command.__name__, confidence] += false
    print(f"{world.name}: of {audits} reports each, false: {dict(found)}")  # shown with -s
    assert all(number <= most_misses(audits, 1 - confidence) for (_, confidence), number in found.items())


@pytest.mark.slow
@pytest.mark.parametrize("utility", ["zero-one", "balanced"])
@pytest.mark.parametrize("world", PLACES, ids=lambda world: world.name)
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_advantages_are_false_as_rarely_as_they_say(world, utility, confidence):
    missed = misses(world, 80, advantage, utility=utility, confidence=confidence)
    assert missed <= most_misses(80, 1 - confidence)


# ---- liars: each leaves out one step of the argument


def each_alone(q, miss):
    """Every interval at the level of the report, as if there were one."""
    return mistakes.Mistakes(0, miss)


def share_as_it_is(losses, tau, wrong, miss, of_people=None):
    """The sample is taken for the population."""
    q = len(losses.estimate)
    return tuple(tail.number_above(values, tau) / q for values in (losses.estimate, losses.low[0], losses.high[-1]))


def estimates_for_truth(box, believed, prior, tilt):
    gain = loss.feature_loss(box.plain, prior.p, tilt)
    rows = tail.Losses.of(gain, gain, gain)
    return intervals.Losses(rows, 0, gain, np.full(len(gain), 1 / len(gain)), "none")


def within_a_hundredth(table, eta, *more):
    """Of what the counts think of themselves."""
    guessed = float(eta.probability.max(axis=1).mean())
    return guessing.Features(Bound(guessed, guessed - 0.01, guessed + 0.01, eta.queries, "none"), 1 - guessed)


def seen(table, eta, payoffs, miss):
    """Guesses that are judged by the labels they were made from."""
    labels = table.labels[eta.rows]
    counts = eta.counts.copy()
    counts[np.arange(len(labels)), labels] += 20
    return float(np.mean(labels != counts.argmax(axis=1)))


def plugged(table, eta, payoffs, miss):
    """What the counts themselves make of it."""
    return float(np.mean(1 - eta.probability.max(axis=1)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "command", "home", "name", "lie"),
    [
        (PLACES[0], worst_case, intervals, "simultaneous", each_alone),
        (PLACES[0], eta_range, intervals, "simultaneous", each_alone),
        (PLACES[0], estimate_j, intervals, "tolerated", each_alone),
        (PLACES[0], estimate_j, intervals, "losses_of", estimates_for_truth),
        (PLACES[0], eta_range, guessing, "of_features", within_a_hundredth),
        (PLACES[3], estimate_j, tail, "share_above", share_as_it_is),
    ],
)
def test_and_that_test_has_teeth(place, command, home, name, lie):
    with patch.object(home, name, lie):
        assert misses(place, LIES, command, confidence=0.8) > most_misses(LIES, 0.2)


@pytest.mark.parametrize("lie", [seen, plugged])
def test_labels_that_are_chance_show_who_judges_by_what_was_seen(lie):
    """Neighbours look sure where nobody can be. An honest audit is false once in a hundred."""
    with patch.object(guessing, "missed", lie):
        assert misses(COIN, 8, advantage) > 6
    assert misses(COIN, 8, advantage) == 0


def test_upper_limits_hold_where_neighbours_hide_what_features_tell():
    """Nothing is assumed about eta: not even that it is even among neighbours."""

    def features(n, rng):
        points = rng.random((n, 8), dtype=np.float32)
        return points, np.where(points[:, 0] * 40 % 2 < 1, 0.05, 0.6)

    world = World("stripes", features, lambda: (np.array([0.5, 0.5]), np.array([0.05, 0.6])))
    for said, truth in reports(world, 5, advantage):
        assert all(truth.of(one) <= one.bound.high for one in said if one.quantity == "advantage")


def test_the_advantage_is_estimated_nearer_than_by_the_counts_themselves():
    """At eta = 1/2 the noise of 60 labels takes a twentieth of the people's doubt away: 0.399 / sqrt 60."""
    ours, theirs = [], []
    for said, truth in reports(COIN, 8, advantage, mechanism=("rr:epsilon=2",)):
        [found] = [one.bound.estimate for one in said if one.quantity == "advantage" and one.mechanism]
        [plug_in] = [one.bound.estimate for one in said if one.quantity == "plug_in_utility"]
        ours.append(truth.gain("rr:epsilon=2") - found)
        theirs.append(plug_in - truth.before)
    assert np.mean(theirs) > 0.04
    assert abs(np.mean(ours)) < np.mean(theirs) / 2  # what is left is that the classes of 1000 rows are not even


# ---- by trees


class Cheat(Boosted):
    """Learns by heart the labels it is judged by."""

    def fit(self, lesson):
        labels = lesson.labels
        sure = np.where(np.random.default_rng(lesson.seed).random(len(labels)) < 0.9, labels, 1 - labels)
        return lambda rows: np.where(sure[rows, None] == np.arange(2), 0.99, 0.01)


def misses_of_trees(world, audits, estimator):
    def learnt(table, points, labels):
        return estimator.estimate(Task(table, table, Settings(), Silent()))[0]

    return misses(world, audits, advantage, how=learnt, rows=1500, confidence=0.8)


THREE = islands("three", (0.2, 0.5, 0.3), (0.02, 0.4, 0.9))


@pytest.mark.slow
@pytest.mark.parametrize("world", [COIN, THREE], ids=lambda world: world.name)
def test_trees_are_false_as_rarely_as_they_say(world):
    assert misses_of_trees(world, 60, Boosted()) <= most_misses(60, 0.2)


def test_one_audit_by_trees_holds_and_one_that_learns_by_heart_is_caught(monkeypatch):
    assert misses_of_trees(THREE, 2, Boosted()) == 0
    monkeypatch.setattr(crossfit, "_seen", lambda labels, *rows: labels)
    assert misses_of_trees(COIN, 4, Cheat()) == 4
