"""Labels released within the most likely classes, in one stage or several: which classes, by which law, and who would
be caught spending more."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import chisquare

from labeldp_audit.bounds.intervals import clopper_pearson
from labeldp_audit.core.errors import AssumptionError
from labeldp_audit.core.release import Guide
from labeldp_audit.mechanisms import PriorResponse, RandomizedResponse, StagedResponse, exact
from labeldp_audit.mechanisms.prior_response import channels_within, distinct, most_likely, numerators_within, released

MISS = 1e-4


def truth(prior, some, epsilon):
    """P(said == true) where only these classes may be said."""
    own = math.exp(epsilon) / (math.exp(epsilon) + len(some) - 1)
    return own * sum(prior[one] for one in some)


def worst_shortfall(choose, epsilons=(0.05, 0.5, 1.0, 2.0, 5.0), classes=5):
    """Of the classes that are chosen, against all sets of classes there are."""
    rng, worst = np.random.default_rng(3), 0.0
    prior = rng.dirichlet(np.full(classes, 0.6), 60)
    sets = [some for size in range(1, classes + 1) for some in itertools.combinations(range(classes), size)]
    for epsilon in epsilons:
        for row, kept in zip(prior, choose(prior, epsilon), strict=True):
            best = max(truth(row, some, epsilon) for some in sets)
            worst = max(worst, best - truth(row, np.flatnonzero(kept), epsilon))
    return worst


def test_no_other_classes_would_be_right_more_often():
    assert worst_shortfall(most_likely) < 1e-12


@pytest.mark.parametrize("off", [-1, 1])
def test_and_one_class_more_or_less_would_be_seen(off):
    def other(prior, epsilon):
        counts = np.clip(most_likely(prior, epsilon).sum(axis=1) + off, 1, prior.shape[1])
        return np.argsort(np.argsort(-prior, axis=1), axis=1) < counts[:, None]

    assert worst_shortfall(other) > 1e-3


def test_equal_classes_are_kept_in_their_order():
    assert most_likely(np.full((1, 4), 0.25), 1.0).all()
    assert most_likely(np.array([[0.0, 0.5, 0.5]]), 0.0).tolist() == [[False, True, False]]
    assert most_likely(np.array([[0.1, 0.9]]), 30.0).all()
    tied = most_likely(np.array([[0.24, 0.26, 0.26, 0.24], [0.0, 0.45, 0.1, 0.45]]), 1.5)
    assert tied.tolist() == [[True] * 4, [False, True, False, True]]
    assert most_likely(np.array([[0.3, 0.4, 0.3]]), 1.6).sum() == 3


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.1, 1.0, 5.0, 30.0, 40.0])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
def test_channels_spend_no_more_than_was_asked_and_hardly_less(epsilon, count):
    rows = numerators_within(epsilon, count)
    assert len(rows) == count + 1 and len({sum(row) for row in rows}) == 1
    spent = exact.epsilon_of(rows)
    assert spent <= epsilon + math.ulp(epsilon)  # which is rounded up
    assert count == 1 or spent >= epsilon * (1 - (1e-6 if epsilon < 30 else 0.01)) - 1e-15
    assert max(rows[-1]) - min(rows[-1]) <= 1


def test_labels_are_drawn_by_the_channels_that_are_published():
    rng, n = np.random.default_rng(5), 60_000
    prior = np.array([[0.4, 0.3, 0.3], [0.02, 0.5, 0.48], [0.9, 0.05, 0.05]])[np.arange(n) % 3]
    labels = np.arange(n) // 3 % 3
    mechanism = PriorResponse(1.0)
    release = mechanism.release(labels, Guide(3, prior=prior), rng=rng)
    assert sorted(release.facts["most_likely"]) == [[0], [0, 1, 2], [1, 2]]
    told = mechanism.channels_told(mechanism.learner(release, 3))
    assert np.array_equal(told, release.channels)
    for group, label in itertools.product(range(3), range(3)):
        said = release.view[(release.group == group) & (labels == label)]
        law = release.channels[group, label]
        counts = np.bincount(said, minlength=3)
        assert counts[law == 0].sum() == 0
        assert np.sum(law > 0) == 1 or chisquare(counts[law > 0], law[law > 0] * len(said)).pvalue > MISS
    assert release.facts["constant"] == pytest.approx(1 / 3)


def test_too_many_channels_are_refused():
    kept = np.random.default_rng(0).random((4000, 100)) < 0.5
    with pytest.raises(AssumptionError, match="4,000 different channels of 100 classes"):
        released(np.zeros(4000, np.int64), kept, 1.0)


# ---- what is spent


def seen(mechanism, label, n=200_000, seed=0):
    """How often each class is said in place of a label, of three; the prior makes the last one unlikely."""
    prior = np.tile([0.5, 0.4, 0.1], (n, 1))
    labels = np.full(n, label)
    return np.bincount(
        mechanism.release(labels, Guide(3, prior=prior), rng=np.random.default_rng(seed)).view, minlength=3
    )


def epsilon_low(mechanism):
    """The largest log ratio of what is said under two labels, its lower limit."""
    counts = [seen(mechanism, label, seed=label) for label in range(3)]
    n, worst = counts[0].sum(), 0.0
    for one, other in itertools.permutations(counts, 2):
        low, high = clopper_pearson.lower(one, n, MISS / 18), clopper_pearson.upper(other, n, MISS / 18)
        worst = max(worst, float(np.log(np.maximum(low, 1e-300) / high).max()))
    return worst


class InTheClear(PriorResponse):
    """Says labels as they are that are not among the most likely ones."""

    def release(self, labels, guide, *, rng):
        release = super().release(labels, guide, rng=rng)
        outside = release.channels[release.group, labels, labels] == 0
        return type(release)(np.where(outside, labels, release.view), release.bag)


class Doubled(PriorResponse):
    def release(self, labels, guide, *, rng):
        return PriorResponse(2 * self.epsilon).release(labels, guide, rng=rng)


def test_what_is_seen_is_within_epsilon():
    assert 0.9 < epsilon_low(PriorResponse(1.0)) <= 1.0


@pytest.mark.parametrize("liar", [InTheClear(1.0), Doubled(1.0)], ids=lambda m: type(m).__name__)
def test_and_who_spends_more_is_seen(liar):
    assert epsilon_low(liar) > 1.0


# ---- in stages


@dataclass
class Told:
    """A model that knows eta; and what it was shown."""

    eta: np.ndarray
    shown: list

    def __call__(self, rows, soft, others):
        self.shown.append((rows, soft, others))
        return self.eta[others] @ RandomizedResponse(2.0).channel(self.eta.shape[1])


def world(n=6000, classes=3):
    rng = np.random.default_rng(8)
    eta = rng.dirichlet(np.full(classes, 0.4), n)
    return np.sum(rng.random(n)[:, None] >= eta.cumsum(axis=1)[:, :-1], axis=1), eta


def test_one_stage_is_randomized_response():
    labels, _ = world()
    staged = StagedResponse(2.0, 1).release(labels, Guide(3), rng=np.random.default_rng(1))
    assert staged.channels.shape == (1, 3, 3)
    assert staged.channels[0] == pytest.approx(RandomizedResponse(2.0).channel(3), abs=1e-15)


def test_later_stages_know_what_was_released_and_no_true_label():
    labels, eta = world()
    model = Told(eta, [])
    release = StagedResponse(2.0, 3).release(labels, Guide(3, learn=model), rng=np.random.default_rng(1))
    (first, soft, second), (both, later, third) = model.shown
    assert sorted([*first, *second, *third]) == list(range(len(labels)))
    assert sorted(both) == sorted([*first, *second])
    assert np.array_equal(soft, np.eye(3)[release.view[first]])
    again = most_likely(eta, 2.0)
    for part in (second, third):
        assert np.array_equal(release.channels[release.group[part]].sum(axis=1) > 0, again[part])
    assert later.sum(axis=1) == pytest.approx(np.ones(len(both)))
    late = np.isin(both, second)
    expected = eta[both] @ RandomizedResponse(2.0).channel(3)
    z = (later - expected)[late].sum(axis=0) / np.sqrt(((later - expected)[late] ** 2).sum(axis=0))
    assert np.all(np.abs(z) < 4)


def leaked(mechanism):
    """Records whose law moves with the label of another one, though what was released of that one stays."""
    labels, _ = world(400, 2)
    learns = Guide(2, learn=lambda rows, soft, others: np.tile(soft.mean(axis=0), (len(others), 1)))
    first = mechanism.release(labels, learns, rng=np.random.default_rng(2))
    moved = 0
    for one in range(0, 400, 10):
        other = labels.copy()
        other[one] = 1 - other[one]
        again = mechanism.release(other, learns, rng=np.random.default_rng(2))
        if again.view[one] == first.view[one]:
            moved += not np.array_equal(again.view, first.view)
    return moved


class Peeking(StagedResponse):
    """Its model sees true labels."""

    def release(self, labels, guide, *, rng):
        def learn(rows, soft, others):
            share = labels[rows].mean()
            rest = np.random.default_rng(int(1e9 * share)).random(len(others))
            return np.stack([1 - rest, rest], axis=1)

        return super().release(labels, Guide(guide.classes, learn=learn), rng=rng)


def test_a_label_speaks_through_its_release_alone():
    assert leaked(StagedResponse(1.0, 3)) == 0
    assert leaked(Peeking(1.0, 3)) > 0


def test_the_prior_is_what_the_predictions_tell():
    _, eta = world(50)
    for epsilon in (0.1, 1.0, 10.0):
        told = eta @ RandomizedResponse(epsilon).channel(3)
        assert StagedResponse(epsilon).prior_of(told) == pytest.approx(eta, abs=1e-12)
    assert StagedResponse(0.0).prior_of(eta) == pytest.approx(np.full(eta.shape, 1 / 3))


def test_stages_keep_more_labels_than_one():
    labels, eta = world()
    right = []
    for stages in (1, 2, 4):
        guide = Guide(3, learn=Told(eta, []))
        right.append(
            np.mean(StagedResponse(2.0, stages).release(labels, guide, rng=np.random.default_rng(4)).view == labels)
        )
    assert right[0] + 0.01 < right[1] and right[1] + 0.005 < right[2]


def test_channels_of_sets():
    kept = np.array([[True, False, True]])
    [found] = channels_within(kept, math.log(3.0))
    assert found == pytest.approx(np.array([[0.75, 0, 0.25], [0.5, 0, 0.5], [0.25, 0, 0.75]]), abs=1e-12)


def test_kinds_of_rows_are_told_apart():
    cells = np.random.default_rng(0).integers(0, 3, (500, 11), np.uint8)
    cells[:, 2:10] = 1
    many = np.random.default_rng(0).integers(0, 256, (500, 4), np.uint8).repeat(2, axis=0)
    for some in (*(cells[:, :width] for width in (1, 3, 8, 11)), many, many[:0]):
        first, group = distinct(some)
        assert np.array_equal(some[first][group], some)
        assert len(first) == len(np.unique(some, axis=0))
