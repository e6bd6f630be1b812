"""What every mechanism of the list keeps to."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import numpy as np
import pytest

from labeldp_audit.audits.strengths import scale_of
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.release import Release
from labeldp_audit.core.settings import Settings
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.channel import Channel
from labeldp_audit.mechanisms.label_proportions import LabelProportions
from labeldp_audit.mechanisms.laplace_proportions import LaplaceProportions
from labeldp_audit.mechanisms.per_record import epsilon_of
from labeldp_audit.mechanisms.randomized_response import RandomizedResponse
from labeldp_audit.questions.releases import wanted

KINDS = list(MECHANISMS)
EXAMPLES = [MECHANISMS.parse(kind.example)[0] for kind in KINDS]
EPSILONS = (0.0, 1e-9, 0.1, 1.0, 4.59511985, 30.0, 1000.0, math.inf)
SIZES = (1, 2, 7, 300)


def allowed(mechanism, **changes):
    try:
        return [replace(mechanism, **changes)]
    except ValueError:
        return []


def levels(mechanism):
    """The example, and what becomes of it where it has an epsilon or a size."""
    names = {field.name for field in fields(mechanism)}
    found = [mechanism]
    found += [case for one in EPSILONS if "epsilon" in names for case in allowed(mechanism, epsilon=one)]
    found += [case for one in SIZES if "k" in names for case in allowed(mechanism, k=one)]
    return found


CASES = [case for example in EXAMPLES for case in levels(example)]
PAYOFFS = {2: ([1.0, 1.0], [1.0, 5.0], [2.0, 1.0]), 3: ([1.0, 1.0, 1.0], [1.0, 4.0, 2.0])}
WORLDS = [(case, classes) for case in CASES for classes in PAYOFFS if not case.unfit(classes)]


def name_of(value):
    return getattr(value, "spec", None)


def people(classes, n=4200, seed=11):
    """eta (n, C) with certain, undecided and doubtful records among them, and labels drawn from it."""
    rng = np.random.default_rng(seed)
    eta = rng.dirichlet(np.full(classes, 0.7), n)
    eta[: n // 10] = np.eye(classes)[rng.integers(0, classes, n // 10)]
    eta[n // 10 : n // 5] = 1 / classes
    labels = np.sum(rng.random(n)[:, None] >= eta.cumsum(axis=1)[:, :-1], axis=1)
    return labels, eta


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_parses_to_itself(kind):
    [example] = MECHANISMS.parse(kind.example)
    assert type(example) is kind
    assert example.spec == kind.example
    assert kind.summary
    assert MECHANISMS.get(kind.name) is kind


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_a_spec_leads_back(mechanism):
    [again] = MECHANISMS.parse(mechanism.spec)
    assert again.spec == mechanism.spec
    assert again.at() == pytest.approx(mechanism.at(), rel=1e-5)


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_a_spec_begins_with_the_name(mechanism):
    assert mechanism.spec.partition(":")[0] == mechanism.name
    assert wanted(Settings(mechanism=(mechanism,)), getattr(mechanism, "classes", 2))


@dataclass(frozen=True)
class Impostor(RandomizedResponse):
    """Stands in reports as another."""

    name = "impostor"

    @property
    def spec(self):
        return f"rr:epsilon={self.epsilon:g}"


@pytest.mark.parametrize("mechanism", ["impostor:epsilon=1", Impostor(1.0)])
def test_and_one_that_does_not_is_refused(monkeypatch, mechanism):
    monkeypatch.setitem(MECHANISMS._own, "impostor", lambda: Impostor)
    with pytest.raises(SpecError, match="'impostor' has the spec 'rr:epsilon=1', which does not begin with its name"):
        wanted(Settings(mechanism=(mechanism, "rr:epsilon=1")))
    with pytest.raises(SpecError, match="does not begin with its name"):
        scale_of("impostor")


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_where_and_spec_agree(mechanism):
    """What is a number in the spec is one in the report; and what it claims is there as its epsilon."""
    where = mechanism.at()
    written = dict(part.split("=") for part in mechanism.spec.partition(":")[2].split(","))
    numbers = {name: float(value) for name, value in written.items() if name != "matrix"}
    assert {name: where[name] for name in numbers} == pytest.approx(numbers, rel=1e-5)
    assert all(isinstance(value, float) and not math.isnan(value) for value in where.values())
    claim = mechanism.claim(getattr(mechanism, "classes", 2))
    assert where.get("epsilon") == (None if claim is None else pytest.approx(claim, rel=1e-14))


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_nobody_changes_it(mechanism):
    with pytest.raises(FrozenInstanceError):
        setattr(mechanism, fields(mechanism)[0].name, 3.0)


# Its channel, where it has one.


def keeps_its_promise(mechanism, classes):
    epsilon = epsilon_of(mechanism.channel(classes))
    return epsilon == pytest.approx(mechanism.claim(classes), rel=1e-9, abs=1e-12)


CHANNELS = [(case, classes) for case, classes in WORLDS if case.channel(classes) is not None]


@pytest.mark.parametrize(("mechanism", "classes"), CHANNELS, ids=name_of)
def test_rows_of_the_channel_are_laws(mechanism, classes):
    channel = mechanism.channel(classes)
    assert len(channel) == classes
    assert np.all(channel >= 0)
    assert channel.sum(axis=1) == pytest.approx(np.ones(classes), rel=1e-12)


@pytest.mark.parametrize(("mechanism", "classes"), CHANNELS, ids=name_of)
def test_the_epsilon_of_the_channel_is_the_claimed_one(mechanism, classes):
    """Above 700 the smaller probability is 0 in double precision."""
    assert 700 < mechanism.claim(classes) < math.inf or keeps_its_promise(mechanism, classes)


@dataclass(frozen=True)
class Boaster(RandomizedResponse):
    """Claims half of its epsilon."""

    def claim(self, classes):
        return self.epsilon / 2

    def total_variation(self, classes):
        return super().total_variation(classes) / 2


@dataclass(frozen=True)
class BoastingBags(LaplaceProportions):
    def claim(self, classes):
        return self.epsilon / 2

    def total_variation(self, classes):
        return super().total_variation(classes) / 2


@dataclass(frozen=True)
class Uncounted(LabelProportions):
    """Says that only counts matter, and publishes the label of the first of each bag."""

    def release(self, labels, eta, *, rng):
        bag = super().release(labels, eta, rng=rng).bag
        return Release(labels[np.unique(bag, return_index=True)[1]], bag)


@dataclass(frozen=True)
class Louder(RandomizedResponse):
    """Releases at half the noise that its likelihood knows of."""

    def release(self, labels, eta, *, rng):
        return RandomizedResponse(self.epsilon / 2).release(labels, eta, rng=rng)


@dataclass(frozen=True)
class NoisierBags(LaplaceProportions):
    def release(self, labels, eta, *, rng):
        return LaplaceProportions(self.k, self.epsilon / 4).release(labels, eta, rng=rng)


@dataclass(frozen=True)
class MixedUpBags(LaplaceProportions):
    """Publishes each count for some other bag."""

    def release(self, labels, eta, *, rng):
        release = super().release(labels, eta, rng=rng)
        return Release(np.roll(release.view, 1), release.bag)


@dataclass(frozen=True)
class Greedy(LabelProportions):
    """Says that its bags add more than they do."""

    def gain(self, eta, payoff):
        return 1.2 * super().gain(eta, payoff)


# What is released.


@pytest.mark.parametrize(("mechanism", "classes"), WORLDS, ids=name_of)
def test_each_record_is_in_a_bag_that_is_large_enough(mechanism, classes):
    for n in (0, 1, 2, 5, 299, 301, 700):
        labels, eta = people(classes, n)
        release = mechanism.release(labels, eta, rng=np.random.default_rng(0))
        assert release.bag.shape == (n,)
        sizes = np.bincount(release.bag, minlength=len(release.view))
        assert len(sizes) == len(release.view)
        assert n == 0 or sizes.min() >= min(mechanism.bag, n)
        assert mechanism.loglik(release, eta).shape == (n, classes)


def only_counts_matter(mechanism):
    """Labels change places within their bags."""
    labels, eta = people(2, 600)
    first = mechanism.release(labels, eta, rng=np.random.default_rng(4))
    order = np.lexsort((labels, first.bag))
    moved = np.empty_like(labels)
    moved[np.argsort(first.bag, kind="stable")] = labels[order]
    again = mechanism.release(moved, eta, rng=np.random.default_rng(4))
    return np.array_equal(first.view, again.view) and np.array_equal(first.bag, again.bag)


@pytest.mark.parametrize("mechanism", [case for case in CASES if case.counts_only], ids=name_of)
def test_only_counts_matter_where_it_says_so(mechanism):
    assert only_counts_matter(mechanism)


def test_and_that_test_has_teeth():
    assert not only_counts_matter(Uncounted(8))


def largest_ratio(mechanism, classes):
    """Of the likelihoods of what was released under two labels of one record, all others known and unknown."""
    labels, eta = people(classes, 600)
    release = mechanism.release(labels, eta, rng=np.random.default_rng(1))
    ratios = []
    for belief in (eta, np.eye(classes)[labels]):
        logs = mechanism.loglik(release, belief)
        ratios.append(np.max(np.abs(logs[:, :, None] - logs[:, None])))
    return max(ratios)


@pytest.mark.parametrize(
    ("mechanism", "classes"), [(m, c) for m, c in WORLDS if m.claim(c) is not None and m.claim(c) < 700], ids=name_of
)
def test_no_label_moves_a_release_by_more_than_is_claimed(mechanism, classes):
    largest, claim = largest_ratio(mechanism, classes), mechanism.claim(classes)
    assert largest <= claim * (1 + 1e-9) + 1e-12
    assert largest >= 0.9 * claim or mechanism.bag * claim < 1 or claim > 20


@pytest.mark.parametrize("liar", [Boaster(1.0), BoastingBags(2, 1.0)], ids=name_of)
def test_and_that_one_too(liar):
    assert largest_ratio(liar, 2) > 1.5 * liar.claim(2)


def exceeds_total_variation(mechanism, classes):
    """ERRATA C1: an attacker gains at most total variation times E[1 - max eta]."""
    _, eta = people(classes, 600)
    eta = eta[: len(eta) // mechanism.bag * mechanism.bag].reshape(-1, mechanism.bag, classes)
    gain = mechanism.gain(eta, np.ones(classes))
    return bool(np.any(gain > mechanism.total_variation(classes) * (1 - eta.max(axis=-1)) + 1e-12))


@pytest.mark.parametrize(("mechanism", "classes"), WORLDS, ids=name_of)
def test_total_variation_bounds_the_gain(mechanism, classes):
    assert not exceeds_total_variation(mechanism, classes)


@pytest.mark.parametrize("liar", [Boaster(1.0), BoastingBags(1, 1.0)], ids=name_of)
def test_and_that_one_has_teeth_as_well(liar):
    assert exceeds_total_variation(liar, 2)


# Release, likelihood and gain tell the same story.


def posterior(eta, loglik):
    with np.errstate(divide="ignore"):
        logs = np.log(eta) + loglik
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)


def z(differences, bag):
    """Sum over its standard error; what is in one bag hangs together. 1e-3: rounding errors, and what happens to fewer
    than one record of a million, are nothing."""
    sums = np.bincount(bag, weights=differences)
    return float(sums.sum() / math.hypot(1e-3, *sums))


def told(mechanism, classes):
    labels, eta = people(classes)
    release = mechanism.release(labels, eta, rng=np.random.default_rng(20))
    return labels, eta, release.bag, posterior(eta, mechanism.loglik(release, eta))


def shortfall(mechanism, classes, payoff):
    """What the best guess after the release earns, beyond the best one before and the gain; in standard errors."""
    labels, eta, bag, post = told(mechanism, classes)
    payoff, order = np.array(payoff), np.argsort(bag, kind="stable")
    gain = np.empty(len(labels))
    gain[order] = mechanism.gain(eta[order].reshape(-1, mechanism.bag, classes), payoff).ravel()
    guess = np.argmax(payoff * post, axis=1)
    earned = payoff[guess] * (guess == labels)
    return z(earned - np.max(payoff * eta, axis=1) - gain, bag)


def miscalibration(mechanism, classes):
    """Mean of (post - eta) (label - post), which is 0 whatever is released."""
    labels, eta, bag, post = told(mechanism, classes)
    return z(np.sum((post - eta) * (np.eye(classes)[labels] - post), axis=1), bag)


@pytest.mark.parametrize(("mechanism", "classes"), WORLDS, ids=name_of)
def test_the_best_guess_earns_the_gain(mechanism, classes):
    for payoff in PAYOFFS[classes]:
        assert abs(shortfall(mechanism, classes, payoff)) < 4


@pytest.mark.parametrize(("mechanism", "classes"), WORLDS, ids=name_of)
def test_loglik_describes_release(mechanism, classes):
    assert abs(miscalibration(mechanism, classes)) < 4


@pytest.mark.parametrize(
    "liar", [Louder(2.0), NoisierBags(2, 4.0), MixedUpBags(2, 4.0), Greedy(2)], ids=lambda m: type(m).__name__
)
def test_liars_are_caught(liar):
    assert shortfall(liar, 2, [1.0, 1.0]) < -4
    assert miscalibration(liar, 2) < -4 or isinstance(liar, Greedy)


def test_a_channel_says_what_randomized_response_says():
    _, eta = people(2, 50)
    rr = RandomizedResponse(1.3)
    same = Channel(tuple(map(tuple, rr.channel(2))))
    assert same.gain(eta[:, None], np.ones(2)) == pytest.approx(rr.gain(eta[:, None], np.ones(2)), abs=1e-15)
    assert same.claim(2) == pytest.approx(1.3, rel=1e-12)
