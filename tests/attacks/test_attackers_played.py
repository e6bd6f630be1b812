"""Attackers in worlds so small that what they can expect is added up, label by label and release by release."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from labeldp_audit.attacks import ATTACKS, Features, Seen, proportions
from labeldp_audit.attacks.contract import log_odds, posterior, told
from labeldp_audit.attacks.prediction import inverted
from labeldp_audit.attacks.proportions import matched, predicted
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.release import Guide, Release
from labeldp_audit.mechanisms import (
    Channel,
    GeometricProportions,
    LabelProportions,
    LaplaceProportions,
    RandomizedResponse,
)
from labeldp_audit.mechanisms.per_record import gain_of_channel

ORACLE = json.loads((Path(__file__).parent.parent / "oracle" / "cases.json").read_text(encoding="utf-8"))
ETA = np.array([0.1, 0.35, 0.6, 0.95])
EVEN = np.ones(2)
KINDS = {kind.name: kind for kind in ATTACKS}


def of(eta):
    return np.column_stack([1 - np.asarray(eta), eta])


def seen(mechanism, release, eta, labels, payoff=EVEN, **more):
    eta = of(eta) if np.ndim(eta) == 1 else eta
    return Seen(mechanism, release, eta, np.tile(payoff, (len(eta), 1)), np.asarray(labels), **more)


def expected(name, mechanism, eta, releases, payoff=EVEN):
    """The mean payoff of a guess, over all labels and all releases of them."""
    attack, total = KINDS[name](), 0.0
    for labels in itertools.product((0, 1), repeat=len(eta)):
        chance = np.prod([e if y else 1 - e for e, y in zip(eta, labels, strict=True)])
        for release, likely in releases(np.array(labels)):
            guess = attack.read(seen(mechanism, release, eta, labels, payoff)).guess
            total += chance * likely * float(np.mean(payoff[np.array(labels)] * (guess == labels)))
    return total


def said_one_by_one(mechanism):
    channel = mechanism.channel(2)

    def releases(labels):
        for view in itertools.product(range(channel.shape[1]), repeat=len(labels)):
            yield Release(np.array(view), np.arange(len(labels))), np.prod(channel[labels, view])

    return releases


def one_bag(labels):
    yield Release(np.array([labels.sum()]), np.zeros(len(labels), np.int64)), 1.0


PAYOFFS = [EVEN, np.array([0.7, 2.0])]


@pytest.mark.parametrize("payoff", PAYOFFS)
@pytest.mark.parametrize("mechanism", [RandomizedResponse(0.8), RandomizedResponse(3.0),
                                       Channel(((0.5, 0.3, 0.2), (0.1, 0.3, 0.6)))])  # fmt: skip
def test_the_optimal_attacker_gains_what_the_mechanism_says(mechanism, payoff):
    before = expected("features", mechanism, ETA, said_one_by_one(mechanism), payoff)
    assert before == pytest.approx(float(np.mean((of(ETA) * payoff).max(axis=1))))
    after = expected("optimal", mechanism, ETA, said_one_by_one(mechanism), payoff)
    gain = gain_of_channel(of(ETA), mechanism.channel(2), payoff).mean()
    assert after - before == pytest.approx(float(gain))


@pytest.mark.parametrize("payoff", PAYOFFS)
def test_of_a_bag_too(payoff):
    mechanism = LabelProportions(4)
    gained = expected("optimal", mechanism, ETA, one_bag, payoff) - expected(
        "features", mechanism, ETA, one_bag, payoff
    )
    assert gained == pytest.approx(float(mechanism.gain(of(ETA)[None], payoff).mean()))


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.learns and name != "guess"])
def test_nobody_without_labels_beats_the_optimal_attacker(name):
    for mechanism, releases in (
        (RandomizedResponse(0.8), said_one_by_one(RandomizedResponse(0.8))), (LabelProportions(4), one_bag),
    ):  # fmt: skip
        if name == "bounded" and mechanism.claim(2) is None:
            continue
        got, best = (expected(one, mechanism, ETA, releases) for one in (name, "optimal"))
        assert got <= best + 1e-12 or name == "all-others"


def test_majority_takes_the_release_at_its_word():
    release = Release(np.array([3, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    read = KINDS["majority"]().read(seen(LabelProportions(4), release, np.full(8, 0.01), np.zeros(8, int)))
    assert read.guess.tolist() == [1] * 4 + [0] * 4
    assert posterior(read.belief)[:, 1] == pytest.approx([0.75] * 4 + [0.25] * 4)
    labels = np.array([0, 1, 1, 0])
    read = KINDS["majority"]().read(seen(RandomizedResponse(0.1), Release(labels, np.arange(4)), ETA, labels))
    assert read.guess.tolist() == labels.tolist()


def test_who_knows_all_others_knows_the_last_of_a_bag():
    labels = np.array([0, 1, 1, 0, 1, 0])
    mechanism = LabelProportions(3)
    release = Release(np.array([2, 1]), np.array([0, 0, 0, 1, 1, 1]))
    read = KINDS["all-others"]().read(seen(mechanism, release, np.full(6, 0.5), labels))
    assert read.guess.tolist() == labels.tolist()
    assert posterior(read.belief)[np.arange(6), labels] == pytest.approx(np.ones(6))


def test_who_knows_all_others_is_moved_by_no_more_than_epsilon():
    rng = np.random.default_rng(0)
    mechanism, labels = LaplaceProportions(3, 0.7), rng.integers(0, 2, 300)
    release = mechanism.release(labels, Guide(2), rng=rng)
    world = seen(mechanism, release, rng.random(300), labels)
    moved = log_odds(KINDS["all-others"]().read(world).belief) - log_odds(KINDS["features"]().read(world).belief)
    assert 0.5 < np.abs(moved).max() <= 0.7 + 1e-9


@pytest.mark.parametrize(
    "case", [one for one in ORACLE if one["fn"] == "laplace_llp_attacker"], ids=lambda one: one["id"]
)
def test_a_star_of_noisy_counts(case):
    place, eta, noisy, epsilon = case["args"]
    release = Release(np.array([noisy]), np.zeros(len(eta), np.int64))
    world = seen(LaplaceProportions(len(eta), epsilon), release, np.array(eta), np.zeros(len(eta), int))
    assert KINDS["optimal"]().read(world).guess[place] == case["expected"]


@pytest.mark.parametrize("noisy", [-3.0, 0.2, 1.0, 1.7, 4.0])
def test_a_star_star_as_it_has_to_be(noisy):
    """ERRATA B1: eta = 0.1, epsilon = 0.5. A* answers 0 whatever the noisy count is; as printed A** answers 1."""
    eta = np.array([0.1, 0.9, 0.5])
    release = Release(np.array([noisy]), np.zeros(3, np.int64))
    world = seen(LaplaceProportions(3, 0.5), release, eta, np.zeros(3, int))
    star, bounded = (KINDS[name]().read(world) for name in ("optimal", "bounded"))
    assert star.guess.tolist()[:2] == bounded.guess.tolist()[:2] == [0, 1]
    assert star.guess[2] == bounded.guess[2]


@pytest.mark.parametrize("mechanism", [RandomizedResponse(0.5), LaplaceProportions(5, 0.5)])
def test_a_star_star_guesses_as_a_star(mechanism):
    rng = np.random.default_rng(1)
    eta = rng.random(2000)
    labels = (rng.random(2000) < eta).astype(np.int64)
    release = mechanism.release(labels, Guide(2), rng=rng)
    for payoff in PAYOFFS:
        world = seen(mechanism, release, eta, labels, payoff)
        star, bounded = (KINDS[name]().read(world).guess for name in ("optimal", "bounded"))
        assert np.array_equal(star, bounded)


def test_and_not_where_the_epsilon_is_a_lie():
    class Liar(RandomizedResponse):
        def claim(self, classes):
            return 0.01

    rng = np.random.default_rng(1)
    eta, mechanism = rng.random(2000), Liar(2.0)
    labels = (rng.random(2000) < eta).astype(np.int64)
    world = seen(mechanism, mechanism.release(labels, Guide(2), rng=rng), eta, labels)
    star, bounded = (KINDS[name]().read(world).guess for name in ("optimal", "bounded"))
    assert not np.array_equal(star, bounded)


def test_what_contradicts_the_release_is_guessed_from_features():
    release = Release(np.array([2]), np.zeros(2, np.int64))
    eta = np.array([[1.0, 0.0], [0.2, 0.8]])
    found = told(seen(LabelProportions(2), release, eta, [0, 1]), eta)
    assert posterior(found)[0].tolist() == [1.0, 0.0]
    assert np.isfinite(posterior(found)).all()


def taught(x, fold):
    def learn(said, outputs):
        raise AssertionError("PropMatch needs no labels")

    return Features(lambda: x, learn, fold)


def bags_with_features(n=6000, k=3, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    eta = 1 / (1 + np.exp(-2 * x[:, 0]))
    labels = (rng.random(n) < eta).astype(np.int64)
    mechanism = LabelProportions(k)
    return x, eta, labels, mechanism, mechanism.release(labels, Guide(2), rng=rng)


def test_propmatch_learns_from_shares_alone():
    x, eta, _labels, _mechanism, release = bags_with_features()
    weights = matched(x, release.bag, release.view.astype(float))
    assert weights[0] == pytest.approx(2, abs=0.25)
    assert abs(weights[1]) < 0.15
    assert np.abs(predicted(x, weights) - eta).mean() < 0.03


def test_propmatch_beats_the_baseline_where_bags_tell():
    x, eta, labels, mechanism, release = bags_with_features()
    world = seen(mechanism, release, eta, labels, features=taught(x, release.bag % 5))
    right = {name: np.mean(KINDS[name]().read(world).guess == labels) for name in ("features", "propmatch", "optimal")}
    assert right["propmatch"] > right["features"] + 0.03
    assert right["propmatch"] <= right["optimal"] + 0.01


def test_and_learns_nothing_where_shares_say_nothing():
    x, _eta, _labels, _mechanism, release = bags_with_features()
    shuffled = Release(np.random.default_rng(3).permutation(release.view), release.bag)
    weights = matched(x, shuffled.bag, shuffled.view.astype(float))
    assert np.abs(weights[:2]).max() < 0.3


def test_noise_on_counts_does_not_bias_propmatch():
    x, _eta, labels, _, _ = bags_with_features(20_000)
    mechanism = LaplaceProportions(3, 1.0)
    release = mechanism.release(labels, Guide(2), rng=np.random.default_rng(4))
    weights = matched(x, release.bag, release.view.astype(float), noisy=True)
    assert weights[0] == pytest.approx(2, abs=0.5)


@pytest.mark.parametrize(
    ("mechanism", "noisy"),
    [(LabelProportions(3), False), (LaplaceProportions(3, 1.0), True), (GeometricProportions(3, 1.0), True)],
)
def test_propmatch_knows_which_counts_have_noise(mechanism, noisy, monkeypatch):
    """Cutting off what noise added would bias it."""
    x, eta, labels, _, _ = bags_with_features(300)
    release = mechanism.release(labels, Guide(2), rng=np.random.default_rng(4))
    asked = []
    monkeypatch.setattr(proportions, "matched", lambda *given: (asked.append(given[-1]), np.zeros(3))[1])
    KINDS["propmatch"]().read(seen(mechanism, release, eta, labels, features=taught(x, release.bag % 2)))
    assert asked == [noisy, noisy]


class Silent(LabelProportions):
    """Says nothing of any record, so that what the model says is all there is."""

    def loglik(self, release, eta):
        return np.zeros(eta.shape)


def test_propmatch_sees_no_count_of_the_fold_that_it_scores():
    x, eta, labels, _, release = bags_with_features(600)
    fold = release.bag % 2
    other = Release(np.where(np.arange(len(release.view)) % 2 == 0, 0, release.view), release.bag)
    first, again = (
        KINDS["propmatch"]().read(seen(Silent(3), one, eta, labels, features=taught(x, fold))).belief
        for one in (release, other)
    )
    assert np.array_equal(first[fold == 0], again[fold == 0])
    assert not np.allclose(first[fold == 1], again[fold == 1])


def test_prediction_turns_outputs_into_classes():
    eta = np.array([[0.2, 0.8], [0.5, 0.5]])
    channel = RandomizedResponse(1.0).channel(2)
    assert inverted(eta @ channel, channel) == pytest.approx(eta)
    wide = Channel(((0.5, 0.3, 0.2), (0.1, 0.3, 0.6))).channel(2)
    assert inverted(eta @ wide, wide) == pytest.approx(eta)
    constant = np.array([[0.0, 1.0], [0.0, 1.0]])  # as of prior-rr where the prior decides
    assert inverted(eta, constant) == pytest.approx(eta)


def test_prediction_guesses_what_the_model_says():
    eta, labels = np.linspace(0.01, 0.99, 50), np.zeros(50, int)
    channel = RandomizedResponse(1.0).channel(2)
    features = Features(lambda: eta[:, None], lambda said, outputs: of(eta) @ channel, np.arange(50) % 5)
    world = seen(RandomizedResponse(1.0), Release(labels, np.arange(50)), np.full(50, 0.5), labels, features=features)
    assert KINDS["prediction"]().read(world).guess.tolist() == (eta > 0.5).astype(int).tolist()


def test_own_guesses_are_taken_as_they_are():
    own = np.array([1, 0, -1])
    world = seen(RandomizedResponse(1.0), Release(np.zeros(3, int), np.arange(3)), np.full(3, 0.5), [1, 1, 1])
    assert KINDS["guess"]().unfit(world)
    world = seen(world.mechanism, world.release, np.full(3, 0.5), [1, 1, 1], supplied=own)
    assert (KINDS["guess"]().read(world).guess == world.labels).tolist() == [True, False, False]


def test_the_list():
    assert next(iter(ATTACKS)).name == "features"
    for kind in ATTACKS:
        assert ATTACKS.parse(kind.example)[0].name == kind.name
        assert kind.summary
    with pytest.raises(SpecError, match="no parameters"):
        ATTACKS.parse("optimal:k=1")
    with pytest.raises(SpecError, match="optimum"):
        ATTACKS.parse("optimum")


def test_log_odds():
    eta = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    with np.errstate(divide="ignore"):
        found = log_odds(np.log(eta) + 3)
    assert found[0] == pytest.approx(np.log(eta[0] / (1 - eta[0])))
    assert found[1].tolist() == [np.inf, -np.inf, -np.inf]
