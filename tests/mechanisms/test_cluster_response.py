"""Labels drawn from clusters: the law of 004, Algorithm 1, what it spends, and who would be caught spending more."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from empirical_epsilon import largest_ratio
from sklearn.linear_model import LogisticRegression

from labeldp_audit.core.release import Guide
from labeldp_audit.mechanisms import ClusterResponse, RandomizedResponse, exact
from labeldp_audit.mechanisms import cluster_response as clusters
from labeldp_audit.mechanisms.cluster_response import Plan, best_plan, parts_of, plan_of
from labeldp_audit.mechanisms.per_record import loglik_of
from labeldp_audit.neighbors import clusters as neighbor_clusters

FOUR = np.array([0, 0, 1, 1])  # labels of a cluster
MISS = 1e-4


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.1, 0.5, 1.0, 4.0, 30.0, 40.0])
def test_a_plan_spends_no_more_than_was_asked_and_hardly_less(epsilon, classes):
    for histograms in (Fraction(0), Fraction(1, 8), Fraction(1)):
        for floor in (1 / classes, 0.1 / classes):
            plan = plan_of(epsilon, classes, histograms, floor)
            assert plan.kept + plan.replaced == exact.WHOLE and plan.replaced >= classes * plan.least > 0
            spent = plan.of_histograms + Fraction(math.nextafter(plan.of_labels, 0))  # which is rounded up
            assert spent <= Fraction(epsilon)
            assert float(spent) >= epsilon * (1 - (1e-6 if epsilon < 30 else 1e-3)) - 1e-15  # 2^-64 is coarse there


def test_and_what_it_spends_is_that_of_its_channels():
    plan = plan_of(1.0, 3, Fraction(1, 4), 0.05)
    parts = parts_of(np.array([[0.0, 0.5, 0.5], [-3.0, 9.0, 0.1], [1 / 3, 1 / 3, 1 / 3]]), plan)
    assert [sum(row) for row in parts] == [plan.replaced] * 3 and min(map(min, parts)) == plan.least
    numerators = [[[one + plan.kept * (s == y) for s, one in enumerate(row)] for y in range(3)] for row in parts]
    spent = max(map(exact.epsilon_of, numerators))
    assert spent == plan.of_labels <= 0.75 + 1e-15
    assert plan.of_labels == pytest.approx(math.log1p((1 - plan.resampled) / (plan.resampled * plan.floor)), rel=1e-12)


def test_good_plans_are_for_the_sizes_of_clusters():
    """In tiny clusters noise drowns all counts: what is left is randomized response. In large ones labels are drawn
    from counts, and released labels differ less."""
    tiny, large = (best_plan(0.5, 2, np.full(50, size)) for size in (2, 5000))
    assert tiny.each == 0 and tiny.floor == pytest.approx(0.5)
    assert large.each > 0 and large.floor < 0.1
    assert best_plan(0.5, 2, np.full(50, 5000)) == large


def drawn(mechanism, labels, runs, rng):
    """The same cluster so many times: (runs,) whether its first share is the floor, and what its first label became."""
    n = len(labels)
    release = mechanism.release(np.tile(labels, runs), Guide(2, clusters=np.repeat(np.arange(runs), n)), rng=rng)
    law = np.array(release.facts["q"])[:, 0]
    return 2 * (law <= law.min() + 1e-12) + release.view[::n]


def seen(mechanism, runs):
    rng = np.random.default_rng(5)
    return largest_ratio([drawn(mechanism, labels, runs, rng) for labels in (FOUR, np.array([1, 0, 1, 1]))], MISS)


@dataclass(frozen=True)
class Half(ClusterResponse):
    """Half of its epsilon for histograms, and tau = 0.45."""

    def plan(self, classes, sizes):
        return plan_of(self.epsilon, classes, Fraction(1, 2), 0.45)


@dataclass(frozen=True)
class AsPrinted(Half):
    """004, Theorem 1: 1 / sigma in the place of 2 / sigma."""

    def plan(self, classes, sizes):
        honest = super().plan(classes, sizes)
        return replace(honest, each=2 * honest.each)


def test_what_is_printed_spends_too_much():
    """ERRATA E1."""
    assert seen(AsPrinted(1.0), 30_000) > 1.0


@pytest.mark.slow
def test_no_outcome_is_more_likely_than_epsilon_allows():
    assert 0.85 < seen(Half(1.0), 1_000_000) <= 1.0
    assert seen(AsPrinted(1.0), 1_000_000) > 1.3


def test_labels_are_drawn_as_the_channels_say():
    rng = np.random.default_rng(2)
    labels, cluster = rng.integers(0, 3, 300_000), np.repeat([0, 1], 150_000)
    release = ClusterResponse(2.0).release(labels, Guide(3, clusters=cluster), rng=rng)
    for one in (0, 1):
        for true in range(3):
            said = release.view[(cluster == one) & (labels == true)]
            seen = np.bincount(said, minlength=3) / len(said)
            assert np.abs(seen - release.channels[one, true]).max() < 5 * 0.5 / math.sqrt(len(said))


def test_the_manifest_tells_the_channels():
    rng = np.random.default_rng(2)
    mechanism = Half(1.0)
    release = mechanism.release(rng.integers(0, 3, 1000), Guide(3, clusters=np.arange(1000) % 7), rng=rng)
    told = mechanism.learner(release, 3)
    assert np.array_equal(mechanism.channels_told(told), release.channels)
    law, kept = np.array(told["q"]), 1 - told["lambda"]
    assert release.channels == pytest.approx(kept * np.eye(3) + told["lambda"] * law[:, None], abs=1e-15)


def test_the_modified_loss_undoes_the_channel():
    law = np.array([0.5, 0.3, 0.2])
    channel = 0.6 * np.eye(3) + 0.4 * law[:, None]  # P(said | y), a column for each y
    assert clusters.modified_loss(law, 0.4) @ channel == pytest.approx(np.eye(3), abs=1e-15)


def test_a_cluster_that_nobody_is_in_and_a_single_record():
    for cluster in ([0], [3]):
        release = ClusterResponse(1.0).release(
            np.array([1]), Guide(2, clusters=np.array(cluster)), rng=np.random.default_rng(0)
        )
        assert len(release.view) == 1 and release.channels.sum(axis=2) == pytest.approx(1)


def test_plans_that_are_made_by_hand():
    plan = Plan(Fraction(1, 2), 3 << 62, 1 << 60)
    assert (plan.resampled, plan.floor, plan.of_histograms) == (0.25, 0.25, 1)
    assert plan.of_labels == pytest.approx(math.log(13))  # 1 + .75 / (.25 * .25)


# ---- what a cluster tells


def by_enumeration(release, eta, classes, member):
    """log P(noisy counts, what is said of others | label of a member): over all labels of the others."""
    each = float(Fraction(release.facts["exact"]["inverse_sigma"]))
    noisy, size = np.array(release.facts["noisy_counts"])[0], len(eta)
    likely = np.zeros(classes)
    for labels in itertools.product(range(classes), repeat=size):
        counts = np.bincount(labels, minlength=classes)
        chance = math.exp(-each * np.abs(noisy - counts).sum())
        for i, label in enumerate(labels):
            chance *= release.channels[0, label, release.view[i]] * (eta[i, label] if i != member else 1.0)
        likely[labels[member]] += chance
    return np.log(likely)


def centred(logs):
    return logs - logs.mean(axis=-1, keepdims=True)


@pytest.mark.parametrize("mechanism", [Half(3.0), Half(0.7)])
def test_loglik_is_what_is_said_and_what_the_counts_tell(mechanism):
    rng = np.random.default_rng(4)
    eta, most = rng.dirichlet([0.7, 0.7], 6), 0.0
    for labels in (np.array([0, 1, 1, 0, 1, 1]), np.zeros(6, np.int64)):
        release = mechanism.release(labels, Guide(2), rng=rng)
        exactly = np.array([by_enumeration(release, eta, 2, i) for i in range(6)])
        assert centred(mechanism.loglik(release, eta)) == pytest.approx(centred(exactly), abs=1e-9)
        most = max(most, np.abs(centred(loglik_of(release)) - centred(exactly)).max())
    assert most > 0.02 or mechanism.epsilon < 1


def test_who_knows_all_other_labels_is_moved_by_epsilon_although_labels_say_nothing():
    """All of epsilon is in the counts."""
    rng = np.random.default_rng(4)
    labels, cluster = rng.integers(0, 3, 2000), np.arange(2000) // 10
    mechanism = ClusterResponse(0.5, 200)
    release = mechanism.release(labels, Guide(3, clusters=cluster), rng=rng)
    assert release.facts["epsilon_of_histograms"] == 0.5 and np.ptp(loglik_of(release), axis=1).max() < 1e-12
    assert np.array_equal(mechanism.joined(release), cluster)
    known = np.eye(3)[labels]
    found = mechanism.loglik(release, known)
    counts, noisy = np.zeros((200, 3)), np.array(release.facts["noisy_counts"])
    np.add.at(counts, (cluster, labels), 1)
    others = (counts[cluster] - known)[:, None] + np.eye(3)  # (n, own label, class)
    assert centred(found) == pytest.approx(centred(-0.25 * np.abs(noisy[cluster][:, None] - others).sum(axis=2)))
    assert np.ptp(found, axis=1).max() == pytest.approx(0.5)


def test_labels_alone_are_weighed_one_by_one():
    release = ClusterResponse(2.0, 4).release(np.arange(40) % 2, Guide(2), rng=np.random.default_rng(0))
    assert release.facts["epsilon_of_histograms"] == 0 and ClusterResponse(2.0, 4).joined(release) is None


# ---- what a learner keeps


def accuracies(mechanism, clusters_of, epsilon, seeds=4, n=3000):
    """Mean accuracy of a logistic model that learns from released labels of 5 classes: 20 normal clouds in 20
    dimensions, of whose labels 9 in 10 are the cloud's and the others any."""
    found = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        centres = 2 * rng.normal(size=(20, 20))
        side = (centres @ rng.normal(size=(20, 5))).argmax(axis=1)
        cloud = rng.integers(0, 20, n + 5000)
        x = (centres[cloud] + rng.normal(size=(n + 5000, 20))).astype(np.float32)
        labels = np.where(rng.random(n + 5000) < 0.9, side[cloud], rng.integers(0, 5, n + 5000))
        guide = Guide(5, clusters=clusters_of(x[:n], rng))
        said = mechanism(epsilon).release(labels[:n], guide, rng=rng).view
        found.append(LogisticRegression(max_iter=200).fit(x[:n], said).score(x[n:], labels[n:]))
    return float(np.mean(found))


def of_features(x, rng):
    return neighbor_clusters.clusters(x, 20, 0, 1)


def by_lot(x, rng):
    return rng.integers(0, 20, len(x))


def test_good_clusters_keep_more_accuracy_than_randomized_response_and_bad_ones_do_not():
    """004, Figure 1, at epsilon 0.5."""
    plain = accuracies(RandomizedResponse, by_lot, 0.5)
    assert accuracies(ClusterResponse, of_features, 0.5) > plain + 0.05
    assert accuracies(ClusterResponse, by_lot, 0.5) < plain
