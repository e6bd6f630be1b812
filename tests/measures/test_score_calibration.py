"""What labels make of scores: as simply as they allow; and whether they fit given probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.estimators import reliability
from labeldp_audit.estimators.calibration import calibrated, line, log_odds, logistic

N = 20_000


def asked(score, eta, seed=0):
    rng = np.random.default_rng(seed)
    return calibrated(score, rng.random(len(score)) < eta, np.arange(len(score)), rng)


def spread(seed=1, n=N):
    return logistic(np.random.default_rng(seed).normal(-1, 1.5, n))


def test_scores_stay_as_they_are_or_are_taken_back_along_a_line():
    score = spread()
    assert np.array_equal(asked(score, score), score)
    assert np.abs(asked(logistic(2 * log_odds(score) + 0.5), score) - score).max() < 0.03
    assert np.abs(asked(score, np.full(N, 0.3)) - 0.3).max() < 0.02  # they say nothing


def test_a_region_that_gives_the_label_away_is_sure():
    score = spread()
    region = np.arange(N) % 8 == 0
    score[region] = logistic(np.random.default_rng(3).normal(5, 0.5, region.sum()))
    found = asked(score, np.where(region, 1.0, score))
    assert np.mean(found[region] == 1) > 0.95
    assert np.abs(found[~region] - score[~region]).mean() < 0.02


def test_a_long_tail_is_not_called_certain():
    """The last run without a positive is just as long as the first one takes to come."""
    eta = logistic(np.random.default_rng(4).normal(-1, 3, N))
    found = asked(logistic(1.5 * log_odds(eta)), eta)
    assert 0 < found.min() < found.max() < 1


def test_a_row_sees_neither_its_own_label_nor_that_of_another_row_of_the_same_person():
    """Labels are coins. Ten rows a person, one score and all labels alike: with nine of them in sight each is known."""
    rng = np.random.default_rng(7)
    people = np.repeat(np.arange(300), 10)
    score, label = rng.uniform(0.3, 0.7, 300), rng.random(300) < 0.5
    alone = calibrated(score[people], label[people], people, rng)
    together = calibrated(score[people], label[people], np.arange(3000), rng)

    def loss(said):
        return -np.log(np.where(label[people], said, 1 - said)).mean()

    assert loss(alone) > 0.68
    assert loss(together) < loss(alone), "the test has teeth"


@pytest.mark.parametrize("n", [1, 3, 25])
@pytest.mark.parametrize("share", [0.0, 1.0, 0.5])
def test_hardly_any_rows(n, share):
    labels = np.arange(n) < share * n
    found = calibrated(np.linspace(0.2, 0.8, n), labels, np.arange(n), np.random.default_rng(0))
    assert np.all((found >= 0) & (found <= 1))


def test_a_line_is_logistic_regression_and_never_falls():
    rng = np.random.default_rng(8)
    at = rng.normal(size=50_000)
    hits = (rng.random(50_000) < logistic(0.3 + 0.7 * at)).astype(np.int64)
    assert line(at, np.ones(50_000, np.int64), hits) == pytest.approx([0.3, 0.7], abs=0.04)
    constant, slope = line(at, np.ones(50_000, np.int64), (at < 0).astype(np.int64))
    assert slope == 0
    assert logistic(np.array(constant)) == pytest.approx(0.5, abs=0.01)


# ---- do labels fit given probabilities?


def wrong(probability, labels, miss=0.01):
    return list(reliability.faults(np.stack([1 - probability, probability], axis=1), labels, ("no", "yes"), miss))


def test_true_probabilities_are_rarely_doubted():
    rng, doubted = np.random.default_rng(8), 0
    for _ in range(300):
        eta = rng.beta(0.3, 1, 500)
        doubted += bool(wrong(eta, rng.random(500) < eta, 0.2))
    assert doubted <= 80  # 60 are allowed; by one in a hundred thousand there are more


@pytest.mark.parametrize("bent", [lambda eta: eta / 2, lambda eta: eta**3, lambda eta: (eta > 0.5) * 1.0])
def test_and_that_test_has_teeth(bent):
    rng = np.random.default_rng(9)
    eta = rng.random(20_000)
    [fault] = wrong(bent(eta), rng.random(20_000) < eta)
    assert fault["label"] == "yes"


def test_few_rows_are_not_told_apart():
    assert wrong(np.array([0.2, 0.9]), np.array([False, True])) == []
    [fault] = wrong(np.array([0.0, 0.0]), np.array([False, True]))
    assert fault["rows"] == 2


def test_an_impossible_label_is_infinitely_surprising():
    probability = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert reliability.log_loss(probability, np.array([0, 1])) == pytest.approx(np.log(2) / 2)
    assert reliability.log_loss(probability, np.array([1, 1])) == np.inf


def test_right_chances_are_rarely_a_wonder():
    rng = np.random.default_rng(11)
    found = []
    for _ in range(400):
        chance = rng.beta(0.3, 2, 3000)
        found.append(reliability.wonder(chance, rng.random(3000) < chance, 20))
    for level in (0.01, 0.1, 0.5):
        assert abs(np.mean(np.array(found) < level) - level) < 4 * np.sqrt(level * (1 - level) / 400)
    assert reliability.wonder(np.array([0.0, 0.3]), np.array([False, True]), 1) == 1
    assert reliability.wonder(np.full(50, 1e-6), np.zeros(50, bool), 1) == 1


def test_many_groups_that_are_each_a_little_off_are_a_wonder_together():
    rng = np.random.default_rng(12)
    chance = np.sort(rng.uniform(0.05, 0.95, 20_000))
    off = chance + np.where(np.arange(20_000) // 1000 % 2, 0.025, -0.025)
    is_class = rng.random(20_000) < off
    table = reliability.table(np.column_stack([1 - chance, chance]), is_class.astype(int), ("0", "1"), 20, 0.001)
    assert all(one.fits for one in table)
    assert reliability.wonder(chance, is_class, 20) < 0.005
