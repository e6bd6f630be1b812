"""What every mechanism of the list keeps to."""

from __future__ import annotations

import math
import re
from dataclasses import FrozenInstanceError, fields, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.audits.strengths import scale_of
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.release import Guide, Release
from labeldp_audit.core.settings import Settings
from labeldp_audit.mechanisms import MECHANISMS, Channel, LabelProportions, LaplaceProportions, RandomizedResponse
from labeldp_audit.mechanisms import randomized_response as rr
from labeldp_audit.mechanisms.per_record import PerRecord, epsilon_of
from labeldp_audit.questions.releases import wanted

KINDS = list(MECHANISMS)
EXAMPLES = [MECHANISMS.parse(kind.example)[0] for kind in KINDS]
EPSILONS = (0.0, 1e-9, 0.1, 4.59511985, 1000.0, math.inf)
SIZES = (1, 7, 300)


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


def guide_of(eta):
    """What a mechanism may look at: clusters, a prior and a model that tell something of eta."""
    prior = 0.5 * eta + 0.5 / eta.shape[1]
    return Guide(eta.shape[1], np.argmax(eta, axis=1), prior, lambda rows, soft, others: prior[others])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_parses_to_itself(kind):
    [example] = MECHANISMS.parse(kind.example)
    assert type(example) is kind is MECHANISMS.get(kind.name)
    assert example.spec == kind.example
    assert kind.summary


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_spec_place_and_claim_agree(mechanism):
    """A spec begins with the name and leads back. What is a number in it is one in the report, and what the mechanism
    claims is there as its epsilon. Nobody changes it."""
    [again] = MECHANISMS.parse(mechanism.spec)
    where = mechanism.at()
    assert again.spec == mechanism.spec and mechanism.spec.partition(":")[0] == mechanism.name
    assert again.at() == pytest.approx(where, rel=1e-5)
    assert wanted(Settings(mechanism=(mechanism,)), getattr(mechanism, "classes", 2))
    written = dict(part.split("=") for part in mechanism.spec.partition(":")[2].split(","))
    numbers = {name: float(value) for name, value in written.items() if name != "matrix"}
    assert {name: where[name] for name in numbers} == pytest.approx(numbers, rel=1e-5)
    assert all(isinstance(value, float) and not math.isnan(value) for value in where.values())
    claim = mechanism.claim(getattr(mechanism, "classes", 2))
    assert where.get("epsilon") == (None if claim is None else pytest.approx(claim, rel=1e-14))
    with pytest.raises(FrozenInstanceError):
        setattr(mechanism, fields(mechanism)[0].name, 3.0)


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


class Leaky(PerRecord):
    """Says nothing of some labels, which no row of its channel knows of."""

    name, example, summary = "leaky", "leaky:", ""
    rows: ClassVar = [[0.5, 0.4], [0.4, 0.5]]

    @classmethod
    def parse(cls, fields, classes=2):
        return cls()

    @property
    def spec(self):
        return "leaky:"

    def channel(self, classes):
        return np.array(self.rows)


@pytest.mark.parametrize(
    "rows", [[[0.5, 0.4], [0.4, 0.5]], [[0.9, 0.2], [0.2, 0.9]], [[1.1, -0.1], [0, 1]], [[math.nan] * 2] * 2, [0.5] * 2]
)
@pytest.mark.parametrize("mechanism", ["leaky:", Leaky()], ids=["spec", "object"])
def test_a_channel_whose_rows_are_no_laws_is_refused(monkeypatch, mechanism, rows):
    monkeypatch.setitem(MECHANISMS._own, "leaky", lambda: Leaky)
    monkeypatch.setattr(Leaky, "rows", rows)
    with pytest.raises(SpecError, match="'leaky:' cannot be: a row of its channel is no distribution"):
        wanted(Settings(mechanism=(mechanism,)))
    monkeypatch.setattr(Leaky, "rows", [[0.9, 0.1], [0.2, 0.8]])
    [made] = wanted(Settings(mechanism=(mechanism,)), 3)
    assert (made.unfit(2), made.unfit(3)) == ("", "its channel has 2 rows and the label 3 classes")


# Its channel, where it has one.


@pytest.mark.parametrize(
    ("mechanism", "classes"), [(case, c) for case, c in WORLDS if case.channel(c) is not None], ids=name_of
)
def test_rows_of_the_channel_are_laws_of_the_claimed_epsilon(mechanism, classes):
    """Above 700 the smaller probability is 0 in double precision."""
    channel, claim = mechanism.channel(classes), mechanism.claim(classes)
    assert len(channel) == classes
    assert np.all(channel >= 0)
    assert channel.sum(axis=1) == pytest.approx(np.ones(classes), rel=1e-12)
    assert 700 < claim < math.inf or epsilon_of(channel) == pytest.approx(claim, rel=1e-9, abs=1e-12)


class Boasts:
    """Claims half of its epsilon."""

    def claim(self, classes):
        return self.epsilon / 2

    def total_variation(self, classes):
        return super().total_variation(classes) / 2


class Boaster(Boasts, RandomizedResponse):
    pass


class BoastingBags(Boasts, LaplaceProportions):
    pass


class Uncounted(LabelProportions):
    """Says that only counts matter, and publishes the label of the first of each bag."""

    def release(self, labels, guide, *, rng):
        bag = super().release(labels, guide, rng=rng).bag
        return Release(labels[np.unique(bag, return_index=True)[1]], bag)


class Louder(RandomizedResponse):
    """Releases at half the noise that its likelihood knows of."""

    def release(self, labels, guide, *, rng):
        return RandomizedResponse(self.epsilon / 2).release(labels, guide, rng=rng)


class NoisierBags(LaplaceProportions):
    def release(self, labels, guide, *, rng):
        return LaplaceProportions(self.k, self.epsilon / 4).release(labels, guide, rng=rng)


class MixedUpBags(LaplaceProportions):
    """Publishes each count for some other bag."""

    def release(self, labels, guide, *, rng):
        release = super().release(labels, guide, rng=rng)
        return Release(np.roll(release.view, 1), release.bag)


class Greedy(LabelProportions):
    """Says that its bags add more than they do."""

    def gain(self, eta, payoff):
        return 1.2 * super().gain(eta, payoff)


# What is released.


@pytest.mark.parametrize(("mechanism", "classes"), WORLDS, ids=name_of)
def test_each_record_is_in_a_bag_that_is_large_enough(mechanism, classes):
    for n in (0, 1, 2, 5, 299, 301, 700):
        labels, eta = people(classes, n)
        release = mechanism.release(labels, guide_of(eta), rng=np.random.default_rng(0))
        assert release.bag.shape == (n,)
        sizes = np.bincount(release.bag, minlength=len(release.view))
        assert len(sizes) == len(release.view)
        assert n == 0 or sizes.min() >= min(mechanism.bag, n)
        assert not mechanism.law_known or mechanism.loglik(release, eta).shape == (n, classes)


def only_counts_matter(mechanism):
    """Labels change places within their bags."""
    labels, eta = people(2, 600)
    first = mechanism.release(labels, guide_of(eta), rng=np.random.default_rng(4))
    order = np.lexsort((labels, first.bag))
    moved = np.empty_like(labels)
    moved[np.argsort(first.bag, kind="stable")] = labels[order]
    again = mechanism.release(moved, guide_of(eta), rng=np.random.default_rng(4))
    return np.array_equal(first.view, again.view) and np.array_equal(first.bag, again.bag)


@pytest.mark.parametrize("mechanism", [case for case in CASES if case.counts_only], ids=name_of)
def test_only_counts_matter_where_it_says_so(mechanism):
    assert only_counts_matter(mechanism)


def test_and_that_test_has_teeth():
    assert not only_counts_matter(Uncounted(8))


def largest_ratio(mechanism, classes):
    """Of the likelihoods of what was released under two labels of one record, all others known and unknown."""
    labels, eta = people(classes, 600)
    release = mechanism.release(labels, guide_of(eta), rng=np.random.default_rng(1))
    ratios = []
    for belief in (eta, np.eye(classes)[labels]):
        logs = mechanism.loglik(release, belief)
        ratios.append(np.max(np.abs(logs[:, :, None] - logs[:, None])))
    return max(ratios)


@pytest.mark.parametrize(
    ("mechanism", "classes"),
    [(m, c) for m, c in WORLDS if m.law_known and m.claim(c) is not None and m.claim(c) < 700],
    ids=name_of,
)
def test_no_label_moves_a_release_by_more_than_is_claimed(mechanism, classes):
    largest, claim = largest_ratio(mechanism, classes), mechanism.claim(classes)
    assert largest <= claim * (1 + 1e-9) + 1e-12
    assert largest >= 0.9 * claim or mechanism.bag * claim < 1 or claim > 20 or mechanism.judged_as


def exceeds_total_variation(mechanism, classes):
    """ERRATA C1: an attacker gains at most total variation times E[1 - max eta]."""
    _, eta = people(classes, 600)
    eta = eta[: len(eta) // mechanism.bag * mechanism.bag].reshape(-1, mechanism.bag, classes)
    gain = mechanism.gain(eta, np.ones(classes))
    return bool(np.any(gain > mechanism.total_variation(classes) * (1 - eta.max(axis=-1)) + 1e-12))


@pytest.mark.parametrize(("mechanism", "classes"), WORLDS, ids=name_of)
def test_total_variation_bounds_the_gain(mechanism, classes):
    assert not exceeds_total_variation(mechanism, classes)


def test_and_those_two_have_teeth():
    for liar in (Boaster(1.0), BoastingBags(2, 1.0)):
        assert largest_ratio(liar, 2) > 1.5 * liar.claim(2)
    assert exceeds_total_variation(Boaster(1.0), 2) and exceeds_total_variation(BoastingBags(1, 1.0), 2)


def gain_knowing_others(mechanism, classes):
    """Of one record in each of 60 bags, all others certain."""
    _, eta = people(classes, 60 * mechanism.bag)
    bags = eta[-60 * mechanism.bag :].reshape(-1, mechanism.bag, classes).copy()
    bags[:, 1:] = np.eye(classes)[np.arange(bags[:, 1:].size // classes).reshape(bags[:, 1:].shape[:2]) % classes]
    payoff = np.arange(1.0, classes + 1)
    return mechanism.gain(bags, payoff)[:, 0], mechanism.alone.gain(bags[:, :1], payoff)[:, 0]


@pytest.mark.parametrize(("mechanism", "classes"), [one for one in WORLDS if one[0].alone is not None], ids=name_of)
def test_who_knows_all_other_labels_gains_what_is_said(mechanism, classes):
    assert mechanism.alone.bag == 1 and mechanism.alone.claim(classes) == mechanism.claim(classes)
    within, alone = gain_knowing_others(mechanism, classes)
    assert within == pytest.approx(alone, rel=1e-9, abs=1e-13)


class Sociable(LabelProportions):
    """Says that the labels of others do not help."""

    @property
    def alone(self):
        return RandomizedResponse(1.0)


def test_and_that_one_has_teeth_too():
    within, alone = gain_knowing_others(Sociable(4), 2)
    assert within.mean() > 1.2 * alone.mean()


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
    release = mechanism.release(labels, guide_of(eta), rng=np.random.default_rng(20))
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


@pytest.mark.parametrize(("mechanism", "classes"), [one for one in WORLDS if one[0].law_known], ids=name_of)
def test_loglik_describes_release_and_the_best_guess_earns_the_gain(mechanism, classes):
    assert abs(miscalibration(mechanism, classes)) < 4
    for payoff in PAYOFFS[classes]:
        short = shortfall(mechanism, classes, payoff)
        assert short < 4
        assert short > -4 or mechanism.judged_as  # what is judged as the worst of its epsilon earns less


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


# What a spec may be.


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("rr:epsilon=0", [RandomizedResponse(0.0)]),
        ("rr:epsilon=inf", [RandomizedResponse(math.inf)]),
        ("rr:pi=0", [RandomizedResponse(math.inf)]),
        ("rr:pi=0.5", [RandomizedResponse(0.0)]),
        ("rr:lambda=1", [RandomizedResponse(0.0)]),
        ("rr:epsilon=2|0.5|1", [RandomizedResponse(2.0), RandomizedResponse(0.5), RandomizedResponse(1.0)]),
        ("llp: k = 16", [LabelProportions(16)]),
        ("llp:k=2|64", [LabelProportions(2), LabelProportions(64)]),
        ("laplace-llp:epsilon=0.5,k=16", [LaplaceProportions(16, 0.5)]),
        ("laplace-llp:k=2,epsilon=inf", [LaplaceProportions(2, math.inf)]),
        ("channel:matrix=0.9 0.1/0.2 0.8", [Channel(((0.9, 0.1), (0.2, 0.8)))]),
    ],
)
def test_specs(spec, expected):
    found = MECHANISMS.parse(spec)
    assert found == expected
    assert math.copysign(1, getattr(found[0], "epsilon", 1)) == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rr", "wants one of epsilon, pi and lambda"),
        ("rr:pi=0.1,epsilon=2", "wants one of epsilon, pi and lambda"),
        ("rr:sigma=1", "unknown parameter 'sigma'"),
        ("rr:pi=0.6", "pi = 0.6 is not between 0 and 0.5"),
        ("rr:lambda=1.01", "lambda = 1.01 is not between 0 and 1"),
        ("laplace:epsilon=1", "unknown mechanism 'laplace'"),
        ("llp", "wants k"),
        ("llp:k=0", "k = 0 is not a whole number from 1 to 4096"),
        ("llp:k=4097", "k = 4097 is not a whole number"),
        ("laplace-llp:k=8", "wants epsilon"),
        ("laplace-llp:k=8,epsilon=0", "epsilon = 0 is not above 0"),
        ("channel", "wants a matrix"),
        ("channel:rows=1 0/0 1", "unknown parameter 'rows'"),
        ("channel:matrix=1", "a row for each class"),
        ("channel:matrix=0.9 0.1/1", "all of one length"),
        ("channel:matrix=/", "a row for each class"),
        ("channel:matrix=0.9 0.2/0.1 0.9", "row 1 of the matrix is no distribution"),
        ("channel:matrix=0.9 0.1/1.1 -0.1", "row 2 of the matrix is no distribution"),
        ("channel:matrix=0.9 x/0.1 0.9", "a cell of the matrix is not a number"),
    ],
)
def test_specs_that_cannot_be(spec, message):
    with pytest.raises(SpecError, match=re.escape(message)):
        MECHANISMS.parse(spec)


def test_what_cannot_be_made():
    for make in (
        lambda: RandomizedResponse(-1e-9),
        lambda: RandomizedResponse(math.nan),
        lambda: Channel(3),
        lambda: Channel((("a", "b"), (0, 1))),
    ):
        with pytest.raises(SpecError):
            make()


def test_whom_they_fit():
    assert (LabelProportions(16).bag, LabelProportions(16).claim(2), LabelProportions(16).unfit(2)) == (16, None, "")
    assert "--positive" in LabelProportions(16).unfit(3)
    assert "its channel has 2 rows and the label 3 classes" in Channel(((0.9, 0.1), (0.2, 0.8))).unfit(3)


# Three ways to write the same noise.


@settings(deadline=None, derandomize=True)
@given(st.floats(0, 30), st.integers(2, 20))
def test_randomized_response_there_and_back(epsilon, c):
    """Near epsilon = 0 and for tiny probabilities alike."""
    assert rr.epsilon_from_pi(rr.pi_from_epsilon(epsilon, c), c) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
    again = rr.lambda_from_epsilon(epsilon, c)
    assert rr.epsilon_from_lambda(again, c) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
    assert again * (c - 1) / c == pytest.approx(rr.pi_from_epsilon(epsilon, c), rel=1e-12)
    for name, value in RandomizedResponse(epsilon).at().items():
        [same] = MECHANISMS.parse(f"rr:{name}={value!r}")
        assert same.epsilon == pytest.approx(epsilon, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("tiny", [1e-300, 5e-324])
def test_tiny_probabilities_have_a_finite_epsilon(tiny):
    """ERRATA A11: a flip is not a resampling."""
    assert rr.epsilon_from_pi(tiny) == pytest.approx(-math.log(tiny), rel=1e-12)
    assert rr.epsilon_from_lambda(tiny) == pytest.approx(math.log(2) - math.log(tiny), rel=1e-12)


def test_labels_in_the_clear():
    assert rr.epsilon_from_pi(0) == rr.epsilon_from_lambda(0) == math.inf
    for epsilon in (math.inf, 1e6):
        assert rr.pi_from_epsilon(epsilon) == rr.lambda_from_epsilon(epsilon) == 0


@pytest.mark.parametrize("classes", range(2, 12))
def test_every_parameter_of_a_report_can_be_typed_back(classes):
    """Rounded to fifteen digits, the largest pi of some numbers of classes is above what it may be."""
    for epsilon in (0.0, 0.1, 5.0):
        [made] = MECHANISMS.parse(f"rr:epsilon={epsilon}", classes)
        for name, value in made.at().items():
            [again] = MECHANISMS.parse(f"rr:{name}={value!r}", classes)
            assert again.epsilon == pytest.approx(epsilon, abs=1e-13)
