"""How far a release moves the log odds of the true label: against every way in which labels and releases can fall."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from small_populations import law_of

from labeldp_audit.core.eta import Law
from labeldp_audit.measures import advantage, log_odds
from labeldp_audit.measures.log_odds import Changes
from labeldp_audit.mechanisms import Channel, GeometricProportions, LabelProportions, LaplaceProportions
from labeldp_audit.mechanisms import RandomizedResponse as Flips

SHARES = (0.1, 0.5, 0.9, 0.99)
THREE = Channel(((0.7, 0.2, 0.1), (0.1, 0.8, 0.1), (0.25, 0.25, 0.5)))


def logit(p):
    return math.inf if p >= 1 else -math.inf if p <= 0 else math.log(p) - math.log1p(-p)


def quantile(outcomes, share):
    """outcomes: (change, probability); by definition."""
    total = 0.0
    for change, chance in sorted(outcomes):
        total += chance
        if total >= share - 1e-12:
            return change
    raise AssertionError


def of_every_channel(channel, weights, etas):
    """Bayes, person by person, label by label, output by output."""
    for weight, eta in zip(weights, etas, strict=True):
        for true, said in itertools.product(range(len(eta)), range(channel.shape[1])):
            chance = weight * eta[true] * channel[true, said]
            if chance > 0:
                after = eta[true] * channel[true, said] / (np.asarray(eta) @ channel[:, said])
                yield logit(after) - logit(eta[true]), chance


def of_every_bag(weights, hit, k, noise):
    """Each bag, each way its labels fall, each count that may be published; noise(z) its probability. Bayes over all
    labels of the bag."""
    for members in itertools.product(range(len(hit)), repeat=k):
        p = [hit[one] for one in members]
        ways = list(itertools.product((0, 1), repeat=k))
        chances = {way: math.prod(p[i] if y else 1 - p[i] for i, y in enumerate(way)) for way in ways}
        bag = math.prod(weights[one] for one in members)
        for view in range(-40, k + 41):
            told = {way: chance * noise(view - sum(way)) for way, chance in chances.items()}
            for i, y in itertools.product(range(k), (0, 1)):
                same = sum(chance for way, chance in told.items() if way[i] == y)
                before = p[i] if y else 1 - p[i]
                if same > 0:
                    other = sum(chance for way, chance in told.items() if way[i] != y)
                    after = math.inf if other <= 0 else math.log(same) - math.log(other)
                    yield after - logit(before), bag * same / k


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("mechanism", [Flips(0.7), Flips(math.inf), Channel(((0.9, 0.1), (0.4, 0.6)))], ids=str)
def test_two_classes_are_added_up(mechanism, share):
    weights, hit = [0.2, 0.5, 0.3], [0.1, 0.5, 0.8]
    law, channel = law_of(weights, hit), mechanism.channel(2)
    expected = quantile(of_every_channel(channel, weights, [(1 - one, one) for one in hit]), share)
    for found in (log_odds.of_two(channel, mechanism.log_ratios(), law), log_odds.of_channel(channel, law)):
        assert found.quantile(share) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("mechanism", [Flips(1.0, 3), THREE], ids=["rr", "channel"])
def test_more_classes_are_added_up(mechanism, share):
    weights, etas = [0.2, 0.5, 0.3], [(0.1, 0.2, 0.7), (0.5, 0.25, 0.25), (0.0, 0.9, 0.1)]
    law = Law(np.array(weights), np.array(etas))
    found = log_odds.of_channel(mechanism.channel(3), law).quantile(share)
    assert found == pytest.approx(quantile(of_every_channel(mechanism.channel(3), weights, etas), share), abs=1e-12)


def test_too_much_to_add_up_is_drawn(monkeypatch):
    law = Law(np.array([0.4, 0.6]), np.array([(0.1, 0.2, 0.7), (0.5, 0.25, 0.25)]))
    whole = log_odds.of_channel(THREE.channel(3), law)
    drawn = log_odds.drawn(THREE, advantage.from_law(law), stream(3))
    assert miss(drawn, whole) < 1.95
    monkeypatch.setattr(log_odds, "MOST_CELLS", 17)
    assert log_odds.of_channel(THREE.channel(3), law) is None


def stream(seed):
    return lambda block: np.random.default_rng([seed, block])


def upto(changes, values):
    """P(change <= value), of values that lie between those that have a probability."""
    return np.append(0.0, changes.upto)[np.searchsorted(changes.values, values, side="right")]


def miss(drawn, whole):
    """The largest distance of the two laws in units of chance, each bag counted once: above 1.95 once in a thousand
    times where members of a bag hang together fully, more rarely otherwise (Kolmogorov)."""
    ends = np.unique(np.round(whole.values[np.isfinite(whole.values)], 6))
    between = np.append(ends[:-1] + np.diff(ends) / 2, [ends[0] - 1e-3, ends[-1] + 1e-3])
    return math.sqrt(drawn.bags) * np.abs(upto(drawn, between) - upto(whole, between)).max()


def geometric(epsilon):
    r = math.exp(-epsilon)
    return lambda z: (1 - r) / (1 + r) * r ** abs(z)


@pytest.mark.parametrize(
    ("mechanism", "noise"),
    [(LabelProportions(3), lambda z: float(z == 0)), (GeometricProportions(3, 1.0), geometric(1.0))],
    ids=["llp", "geometric-llp"],
)
def test_bags_are_drawn_as_every_bag_adds_up(mechanism, noise):
    weights, hit = [0.3, 0.7], [0.2, 0.6]
    values, chance = np.array(list(of_every_bag(weights, hit, 3, noise))).T
    assert chance.sum() == pytest.approx(1, abs=1e-9)
    whole = Changes.of(values, chance)
    drawn = log_odds.drawn(mechanism, advantage.from_law(law_of(weights, hit)), stream(1))
    assert miss(drawn, whole) < 1.95
    other = log_odds.drawn(mechanism, advantage.from_law(law_of([0.6, 0.4], hit)), stream(1))
    assert miss(other, whole) > 1.95
    assert drawn.bags * 3 >= 30_000 and drawn.bags == len(drawn.values) // 3


@pytest.mark.parametrize(
    "mechanism", [GeometricProportions(5, 0.8), LaplaceProportions(5, 0.8)], ids=["whole", "laplace"]
)
def test_nobody_is_moved_beyond_epsilon(mechanism):
    law = law_of([0.2, 0.3, 0.3, 0.2], [0.0, 0.1, 0.5, 1.0])
    found = log_odds.drawn(mechanism, advantage.from_law(law), stream(2))
    assert np.abs(found.values).max() <= 0.8 * (1 + 1e-12)
    assert found.quantile(0.99) > 0.75


def test_who_is_in_a_bag_of_labels_that_are_all_alike_is_given_away():
    """(1 - p)^2 + p^2 of them."""
    law = law_of([1.0], [0.3])
    found = log_odds.drawn(LabelProportions(2), advantage.from_law(law), stream(4))
    assert np.mean(np.isinf(found.values)) == pytest.approx(0.58, abs=5 * 0.5 / math.sqrt(found.bags))
    assert found.quantile(0.1) == pytest.approx(logit(0.3)) and found.quantile(0.3) == pytest.approx(logit(0.7))
    assert found.quantile(0.5) == math.inf


def test_as_many_bags_as_were_asked_for_are_drawn():
    law = advantage.from_law(law_of([0.5, 0.5], [0.2, 0.7]))
    for bags in (1, 7, 5000):
        assert log_odds.drawn(LabelProportions(4), law, stream(5), bags).bags == bags


def test_labels_that_are_certain_before():
    """Of two classes the ratio stays; of three, what is ruled out counts alike."""
    logs = np.log(THREE.channel(3))
    eta = np.array([[1.0, 0.0, 0.0]])
    [found] = log_odds.changes(eta, logs[:, 0][None], np.array([0]))
    assert found == pytest.approx(math.log(0.7 / ((0.1 + 0.25) / 2)))
