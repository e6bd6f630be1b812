"""How much people with like scores differ, from pairs of rows that share a level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from labeldp_audit.measures.eta_law import unresolved
from labeldp_audit.measures.eta_law.moments import Averages


def drawn(effect, n=60_000, rows_of_a_level=6, seed=1):
    """Everybody has the score .1; levels move log-odds by a normal effect."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, n // rows_of_a_level, n)
    eta = expit(logit(0.1) + effect * rng.normal(size=level.max() + 1))[level]
    return level, eta.mean(), rng.random(n) < eta, rng.integers(0, 5, n)


def told(level, mean, positive, fold, same=None, blind=False):
    alone = np.arange(len(level))
    columns, same = ([level], alone) if same is None else ([], same)
    return unresolved.variance(columns, [], same, np.full(len(level), mean), positive, fold, blind=blind)


@pytest.mark.parametrize("effect", [0.5, 0.8])
def test_what_levels_move_is_found(effect):
    """By columns whose effects add up, or by equal rows, whose effects are all there is."""
    level, mean, positive, fold = drawn(effect)
    estimate, most = told(level, mean, positive, fold)
    assert estimate.mean() == pytest.approx(effect**2, rel=0.35)
    assert np.all(most >= estimate) and most.mean() > effect**2
    assert np.allclose(told(level, mean, positive, fold, same=level)[0], estimate)
    score = np.full(len(level), mean)
    two, _ = unresolved.variance([level, level], [], np.arange(len(level)), score, positive, fold)
    three, _ = unresolved.variance([level], [], level, score, positive, fold)
    assert np.allclose(two, 2 * estimate) and np.allclose(three, estimate)


@pytest.mark.parametrize("seed", range(3))
def test_chance_is_nothing(seed):
    """But for what passes one standard error, which is little."""
    estimate, most = told(*drawn(0.0, seed=seed))
    assert estimate.mean() < 0.2
    assert most.mean() < 0.5


def test_labels_that_a_fold_shares_by_chance_do_not_pass_for_levels():
    """What a model learnt of a level's labels in other folds is in the score of all its rows of this one."""
    level, mean, positive, _ = drawn(0.0, n=4000)
    assert told(level, mean, positive, np.arange(4000))[0].max() == 0


def test_people_keep_their_mean_and_are_spread():
    mean = np.array([0.01, 0.3, 0.5, 0.95])
    found = unresolved.people(mean, np.full(4, 0.8))
    assert found.mean(axis=0) == pytest.approx(mean, rel=2e-3)
    assert np.all(found.std(axis=0) > 0.004)
    assert np.allclose(unresolved.people(mean, np.zeros(4)), mean)
    assert np.array_equal(unresolved.people(np.array([0.0, 1.0]), np.ones(2))[0], [0.0, 1.0])


@pytest.mark.parametrize("n", [2, 19])
def test_too_few_pairs_leave_everything_open_where_scores_are_blind(n):
    level = np.zeros(n, int)
    estimate, most = told(level, 0.5, np.ones(n, bool), level, blind=True)
    assert not estimate.any() and np.all(np.isinf(most))
    assert not told(level, 0.5, np.ones(n, bool), level)[1].any()


@pytest.mark.parametrize("n", [1, 40])
def test_names_tell_of_nobody_and_leave_everything_open_where_scores_are_blind(n):
    """As many levels as people may be all that tells them apart, or nothing."""
    asked = np.arange(n), 0.5, np.ones(n, bool), np.zeros(n, int)
    assert not told(*asked)[1].any()
    assert np.all(np.isinf(told(*asked, blind=True)[1]))


def test_crossed_categories_are_seen_beside_a_number():
    """Parity of two: neither tells anything by itself, and no two rows are equal in all features."""
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 2, (2, 4000))
    positive = rng.random(4000) < expit(3 * (2 * (first ^ second) - 1))
    asked = np.full(4000, 0.5), positive, rng.integers(0, 5, 4000)
    for blind in (False, True):
        estimate, most = unresolved.variance([first, second], [], np.arange(4000), *asked, blind=blind)
        assert most.min() > estimate.min() > 2
    alone = unresolved.variance([first], [], np.arange(4000), *asked)[1]
    assert not alone.any()


def test_where_scores_are_blind_what_few_pairs_cannot_exclude_may_be():
    """The error counts whether or not anything is found, or few people would have narrow limits."""
    few, many = (told(*drawn(0.0, n=n), blind=True)[1].mean() for n in (200, 60_000))
    assert few > 1 and many < 0.5


def test_what_a_model_is_off_by_as_a_whole_is_no_effect_of_levels():
    level, mean, _, fold = drawn(0.0, rows_of_a_level=60)
    off = mean + np.array([-0.05, 0.05, 0.0, 0.05, -0.05])[fold]
    positive = np.random.default_rng(1).random(len(level)) < off
    assert told(level, mean, positive, fold, blind=True)[1].mean() < 0.1  # 0.05^2 / (0.1 0.9)^2 is 0.3


def parted(effect, n=4000, seed=1):
    """Everybody has the score .5, and one number moves log-odds evenly from -effect to effect."""
    rng = np.random.default_rng(seed)
    number = rng.random(n)
    eta = expit(effect * (2 * number - 1))
    return (number * 8).astype(int), np.full(n, 0.5), rng.random(n) < eta, rng.integers(0, 5, n)


def told_by_parts(part, score, positive, fold, blind=False):
    return unresolved.variance([], [part], np.arange(len(part)), score, positive, fold, blind=blind)[1]


def test_a_number_that_scores_make_nothing_of_is_found_by_its_parts():
    spread = 4 * (1 - np.tanh(1))  # Var(eta) / (m (1 - m))^2 = 4 E tanh(x / 2)^2
    assert told_by_parts(*parted(2.0)).mean() == pytest.approx(spread, rel=0.1)
    assert not told_by_parts(*parted(0.2)).any()  # less than a band is wide


def test_blind_scores_must_show_that_there_is_nothing_to_see():
    """200 people and no model that tells them apart: the error of their pairs stays."""
    assert not told_by_parts(*parted(0.0, n=200)).any()
    assert told_by_parts(*parted(0.0, n=200), blind=True).mean() > 0.2
    assert told_by_parts(*parted(0.0, n=20_000), blind=True).mean() < 0.02


@pytest.mark.parametrize("seed", range(2))
def test_many_columns_of_noise_are_nothing(seed):
    """The luckiest of thirty is no evidence; and one that is real among them is seen."""
    rng = np.random.default_rng(seed)
    level, mean, positive, fold = drawn(0.8, n=10_000, seed=seed)
    noise = [rng.integers(0, 10_000 // size, 10_000) for size in (3, 6, 20, 60, 200) * 6]
    score, alone = np.full(10_000, mean), np.arange(10_000)
    coins = rng.random(10_000) < mean
    assert unresolved.variance(noise, [], alone, score, coins, fold)[0].mean() < 0.1
    assert unresolved.variance([*noise, level], [], alone, score, positive, fold)[0].mean() > 0.2


# ---- what the error of the model leaves open


def half_planes(error, n=8000, seed=1):
    """A step of eta from .1 to .9 where the true score is 0; scores with a normal error, and those of halves apart."""
    rng = np.random.default_rng(seed)
    true, noise = rng.normal(size=n), rng.normal(size=(2, n)) * error * np.sqrt(2)
    score, eta = true + noise.mean(axis=0), np.where(true > 0, 0.9, 0.1)
    apart = np.where(np.arange(n) % 5 == 0, noise[0] - noise[1], np.nan)
    return score, rng.random(n) < eta, eta, apart


def by_score(score, value):
    """The mean of a value around each score."""
    place = np.argsort(score)
    smooth = np.convolve(value[place], np.ones(201) / 201, mode="same")
    return np.interp(score, score[place], smooth)


@pytest.mark.parametrize("error", [0.05, 0.2, 0.5])
def test_of_model_covers_a_step_at_every_size_of_error(error):
    """All people are beyond .125 and .875, though averages of like scores are not."""
    score, positive, eta, apart = half_planes(error)
    mean, roots = by_score(score, eta), (np.array([0.125]), np.array([0.875]))
    true = by_score(score, eta**2) - mean**2
    most = unresolved.of_eta(unresolved.of_model(score, positive, mean, apart), mean)
    assert Averages.of(mean, mean, np.zeros(len(mean))).share_beyond(*roots)[0] < 0.95
    assert Averages.of(mean, mean, most).share_beyond(*roots)[0] > 0.999
    assert most.mean() < 2 * true.mean()


def test_of_model_is_nothing_where_models_agree():
    score, positive, eta, apart = half_planes(0.2)
    assert not unresolved.of_model(score, positive, by_score(score, eta), 0.01 * apart).any()
    assert not unresolved.of_model(np.zeros(400), positive[:400], np.full(400, 0.5), apart[:400]).any()


def test_of_model_is_nothing_where_eta_is_flat():
    score, positive, _, apart = half_planes(0.2)
    coin = np.random.default_rng(2).permutation(positive)
    assert np.mean(unresolved.of_model(score, coin, np.full(len(score), coin.mean()), apart) > 0) < 0.1
