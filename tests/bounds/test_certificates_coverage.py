"""How often is something certified that is false? Each simulated audit draws rows, labels and folds.

Whatever a box says holds at once: one false statement among all of them counts. [U] statements are judged by the eta of
the rows drawn, [P] ones by the population. Each test has a liar that it catches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom
from scored_populations import COIN, NOISY, PLATEAUS, POPULATIONS

from labeldp_audit.bounds.certificates import (
    boxes,
    class_boxes,
    divergence_cells,
    error_cells,
    feature_loss,
    nubar_cells,
    repeated_rows,
    score_trees,
    tail_cells,
)
from labeldp_audit.bounds.intervals import clopper_pearson

ROWS, FOLDS, MISS, AUDITS = 5000, 5, 0.2, 400
TAUS = np.linspace(-1, 8, 60)
TINY = 1e-9

each_population = pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.name)


@dataclass(frozen=True)
class Sample:
    eta: np.ndarray
    positive: np.ndarray
    score: np.ndarray
    fold: np.ndarray

    @classmethod
    def of(cls, population, rng):
        eta = rng.choice(population.eta, ROWS, p=population.weight)
        return cls(eta, rng.random(ROWS) < eta, population.score(eta, rng), rng.permutation(ROWS) % FOLDS)

    def prior(self, miss):
        count = int(self.positive.sum())
        low, high = (limit(count, ROWS, miss / 2) for limit in (clopper_pearson.lower, clopper_pearson.upper))
        return float(low), float(high)

    def box(self, miss):
        return boxes.of_trees(score_trees.grown(self.score, self.fold), self.positive, miss)


def of_nodes(sample, population, miss=MISS):
    """Is the mean of eta over any node outside its limits? What all the rest is built on."""
    trees = score_trees.grown(sample.score, sample.fold)
    box = boxes.of_trees(trees, sample.positive, miss)
    total = np.concatenate([[0], np.cumsum(sample.eta[trees.order])])
    mean = (total[trees.stop] - total[trees.start]) / trees.rows
    return bool(np.any((mean < box.low) | (mean > box.high)))


def of_rows(sample, population):
    """[U] Is anything false that the box and p say?"""
    box, p = sample.box(0.95 * MISS), sample.prior(0.05 * MISS)
    loss = feature_loss.value(sample.eta, population.p)
    share = tail_cells.share_losing_more(box, TAUS, *p)
    true_share = np.array([(loss > tau).mean() for tau in TAUS])
    far = feature_loss.logit(sample.eta) - feature_loss.logit(population.p)
    for_positive, for_negative = nubar_cells.worst_losses(box, *p)
    least = np.minimum(sample.eta, 1 - sample.eta)
    return (
        bool(np.any(share > true_share + TINY))
        or nubar_cells.mean_loss(box, *p) > loss.mean() + TINY
        or for_positive > max(0, far.max()) + TINY
        or for_negative > max(0, -far.min()) + TINY
        or error_cells.error(box) < least.mean() - TINY
        or error_cells.spread(box) < (sample.eta * (1 - sample.eta)).mean() - TINY
    )


def of_people(sample, population):
    """[P] from the box, the tail at one tau."""
    box, p = sample.box(0.35 * MISS), sample.prior(0.05 * MISS)
    loss = feature_loss.value(population.eta, population.p)
    least = np.minimum(population.eta, 1 - population.eta)
    share = float(tail_cells.people_losing_more(box, np.array([1.0]), *p, 0.2 * MISS)[0])
    rows = error_cells.of_people(error_cells.error(box), 0.5, ROWS, 0.2 * MISS)
    return (
        share > population.weight @ (loss > 1) + TINY
        or nubar_cells.mean_loss_of_people(box, *p, 0.2 * MISS) > population.weight @ loss + TINY
        or rows < population.weight @ least - TINY
    )


def divergence(population, order, swapped=False):
    eta = 1 - population.eta if swapped else population.eta
    a, b = (population.weight * one / (population.weight @ one) for one in (eta, 1 - eta))
    if order == 1:
        return float(a @ np.log(a / b))
    if math.isinf(order):
        return float(np.log(a / b).max())
    return float(np.logaddexp.reduce(order * np.log(a) + (1 - order) * np.log(b))) / (order - 1)


def of_classes(sample, population):
    """[P] all orders, both ways, and the mean loss, from one box."""
    box, p = class_boxes.of_scores(sample.score, sample.positive, sample.fold, 0.95 * MISS), sample.prior(0.05 * MISS)
    loss = population.weight @ feature_loss.value(population.eta, population.p)
    return divergence_cells.mean_loss(box, *p) > loss + TINY or any(
        divergence_cells.positive_from_negative(box, order) > divergence(population, order) + TINY
        or divergence_cells.negative_from_positive(box, order) > divergence(population, order, swapped=True) + TINY
        for order in (1.0, 1.5, 2.0, 8.0, math.inf)
    )


def of_scores(sample, population):
    """[U] from scores made elsewhere."""
    squares = (sample.score - sample.positive) ** 2
    return error_cells.spread_of_rows(squares, sample.fold, MISS) < (sample.eta * (1 - sample.eta)).mean() - TINY


def of_pairs(sample, population):
    """[U] and [P] for rows in groups of equal eta, sorted by their label within."""
    order = np.lexsort((sample.positive, np.round(sample.eta, 12)))
    eta, positive = sample.eta[order], sample.positive[order]
    group = np.unique(np.round(eta, 12), return_inverse=True)[1] * 8 + np.arange(ROWS) % 8
    pairs = repeated_rows.drawn(group.astype(np.int64), np.random.default_rng(int(positive.sum())))
    low = repeated_rows.rarely_differ(pairs.differ(positive), len(pairs.first), MISS / 2)
    for pi in (0.0, 0.05, 0.2):
        rows = 2 * len(pairs.first) / ROWS * repeated_rows.error_of_pairs(low, pi)
        truth = np.maximum(0, np.minimum(eta, 1 - eta) - pi).mean()
        people = population.weight @ np.maximum(0, np.minimum(population.eta, 1 - population.eta) - pi)
        if rows > truth + TINY or repeated_rows.of_people(rows, pi, ROWS, MISS / 6) > people + TINY:
            return True
    return False


def misses(statements, population, audits=AUDITS, draw=Sample.of):
    rng = np.random.default_rng(11)
    return sum(statements(draw(population, rng), population) for _ in range(audits))


def most_misses(audits):
    """More than that has probability below 1 in 1000 if each audit is false with probability MISS."""
    return int(binom.ppf(0.999, audits, MISS))


STATEMENTS = [of_nodes, of_rows, of_people, of_classes, of_scores, of_pairs]
each_kind = pytest.mark.parametrize("statements", STATEMENTS, ids=lambda statements: statements.__name__)


@pytest.mark.slow
@each_population
@each_kind
def test_certificates_are_false_as_rarely_as_they_say(statements, population):
    assert misses(statements, population) <= most_misses(AUDITS)


@each_kind
def test_one_certificate_holds(statements):
    assert misses(statements, NOISY, 1) == 0


# ---- liars


def cheat(population, rng):
    """Scores that have seen the labels they are judged by."""
    sample = Sample.of(population, rng)
    seen = np.where(rng.random(ROWS) < 0.5, np.where(sample.positive, 0.95, 0.05), sample.score)
    return Sample(sample.eta, sample.positive, seen, sample.fold)


@pytest.mark.parametrize("statements", [of_rows, of_people, of_classes, of_scores], ids=lambda kind: kind.__name__)
def test_scores_that_saw_the_labels_are_caught(statements):
    assert misses(statements, COIN, 10, cheat) > most_misses(10)


def by_file(group, rng):
    """The first rows of each group with its last ones, in a file sorted by label."""
    kinds = [np.flatnonzero(group == kind) for kind in np.unique(group)]
    first = np.concatenate([rows[: len(rows) // 2] for rows in kinds])
    last = np.concatenate([rows[::-1][: len(rows) // 2] for rows in kinds])
    return repeated_rows.Pairs(first, last)


def test_pairs_that_follow_the_file_are_caught(monkeypatch):
    monkeypatch.setattr(repeated_rows, "drawn", by_file)
    assert misses(of_pairs, PLATEAUS, 10) > most_misses(10)


@pytest.mark.slow
def test_a_level_spent_four_times_over_is_caught():
    assert misses(lambda *audit: of_nodes(*audit, 4 * MISS), COIN, 200) > most_misses(200)


@pytest.mark.slow
@pytest.mark.parametrize("statements", [of_rows, of_classes], ids=lambda kind: kind.__name__)
def test_limits_without_doubt_are_caught(statements, monkeypatch):
    """The counts themselves in place of their limits."""
    share = lambda count, n, miss: (np.asarray(count) + 0.01) / (np.asarray(n) + 0.02)  # noqa: E731
    monkeypatch.setattr(class_boxes.clopper_pearson, "lower", share)
    monkeypatch.setattr(class_boxes.clopper_pearson, "upper", share)
    monkeypatch.setattr(clopper_pearson, "limits_of_counts", lambda count, n, miss: (share(count, n, 0),) * 2)
    assert misses(statements, COIN, 10) > most_misses(10)


@pytest.mark.parametrize("liar", [False, True])
def test_mean_loss_of_a_group_in_cells(liar):
    """Rows and positives are drawn; p is known. A liar who takes shares of positives for their chances is caught."""
    rng = np.random.default_rng(4)
    share, eta, p = np.array([0.5, 0.4, 0.1]), np.array([0.02, 0.3, 0.9]), 0.2
    truth, n, false = float(share @ feature_loss.value(eta, p)), 400, 0
    for _ in range(AUDITS):
        rows = rng.multinomial(n, share)
        positive = rng.binomial(rows, eta)
        if liar:
            low = float(rows / n @ feature_loss.value(np.clip(positive / rows, 1e-3, 0.999), p))
        else:
            low = nubar_cells.mean_loss_in_cells(rows, positive, p, p, MISS)
        false += low > truth + TINY
    assert (false > binom.ppf(0.999, AUDITS, MISS)) == liar
    assert liar or low > 0.3 * truth  # of some use
