"""Labels exchanged among peers: the exact delta of 004, Algorithm 2, and what a cluster tells of a label."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.release import ANYBODY, PEER, Guide
from labeldp_audit.mechanisms import MECHANISMS, PeerToPeer
from labeldp_audit.mechanisms import peer_to_peer as p2p


def law_by_enumeration(labels, alpha):
    """P(j positive labels are published), over all noise and all choices of peers."""
    size = len(labels)
    law = np.zeros(size + 1)
    for flips in itertools.product((0, 1), repeat=size):
        noisy = np.array(labels) ^ np.array(flips)
        chance = np.prod(np.where(flips, alpha, 1 - alpha)) / size**size
        for peers in itertools.product(range(size), repeat=size):
            law[noisy[list(peers)].sum()] += chance
    return law


def test_laws_are_those_of_the_algorithm():
    every = p2p.laws(4, 4, 0.2)
    assert every.shape == (3, 5)
    for k, law in enumerate(every):
        assert law == pytest.approx(law_by_enumeration([1] * k + [0] * (4 - k), 0.2), abs=1e-14)


@pytest.mark.parametrize("size", [2, 5, 8])
def test_delta_is_the_largest_over_all_labels(size):
    """Beyond half of the cluster, too."""
    alpha, epsilon, every = 0.1, 0.5, np.arange(size + 1)
    laws = []
    for k in range(size + 1):
        noisy = np.convolve(binom.pmf(every[: k + 1], k, 1 - alpha), binom.pmf(every[: size - k + 1], size - k, alpha))
        laws.append(noisy @ binom.pmf(every, size, every[:, None] / size))
    largest = max(
        np.maximum(0, laws[a] - math.exp(epsilon) * laws[b]).sum()
        for k in range(size)
        for a, b in ((k, k + 1), (k + 1, k))
    )
    assert p2p.delta_at(epsilon, size, alpha) == pytest.approx(largest, abs=1e-11)


def test_larger_clusters_hide_more():
    alpha = 0.2
    found = [p2p.epsilon_at(1e-6, np.array([size]), alpha) for size in (2, 20, 200)]
    assert found == sorted(found, reverse=True) and found[-1] < 0.5
    assert p2p.epsilon_at(1e-6, np.array([2, 200]), alpha) == found[0]
    assert p2p.delta_at(found[-1], 200, alpha) <= 1e-6 < p2p.delta_at(found[-1] * 0.999, 200, alpha)


def exactly(epsilon, size, alpha, theta, noisy_ones):
    """Of a reader who sees whose labels are published: by enumeration of who publishes, and of noise and peers."""
    ways = np.zeros(2)
    for seen in range(size + 1):
        two = []
        for ones in (noisy_ones, noisy_ones + 1):
            law = np.zeros(seen + 1)
            for flips in itertools.product((0, 1), repeat=size):
                noisy = np.array([1] * ones + [0] * (size - ones)) ^ np.array(flips)
                chance = np.prod(np.where(flips, alpha, 1 - alpha)) / size**seen
                for peers in itertools.product(range(size), repeat=seen):
                    law[noisy[list(peers)].sum()] += chance
            two.append(law)
        for way in range(2):
            more, less = two[way], two[1 - way]
            weight = math.comb(size, seen) * theta**seen * (1 - theta) ** (size - seen)
            ways[way] += weight * np.maximum(0, more - math.exp(epsilon) * less).sum()
    return ways.max()


@pytest.mark.parametrize("theta", [0.3, 1.0])
def test_delta_of_a_part_of_the_labels_is_that_of_the_algorithm(theta):
    for epsilon in (0.0, 0.2):
        every = [exactly(epsilon, 4, 0.2, theta, ones) for ones in range(2)]
        assert p2p.deltas_at(epsilon, 4, 0.2, theta) == pytest.approx(every, abs=1e-13)
    assert p2p.delta_at(0.2, 4, 0.2, 0.3) < 0.6 * p2p.delta_at(0.2, 4, 0.2)


def test_no_labels_are_always_the_worst():
    """Who takes the cluster without positives for the worst one says too little."""
    found = p2p.deltas_at(0.2, 50, 0.4)
    assert found.max() > 1.2 * found[0] and found.argmax() == 3


# ---- large clusters


@pytest.mark.parametrize(("people", "positives"), [(900, 0), (900, 300), (20_000, 2400), (100_000, 50_000)])
def test_laws_of_large_clusters_are_right_within_what_they_say(people, positives):
    """Against whole numbers."""
    seen = 4000
    made = p2p.pair(people, positives, seen, 0.0)
    assert made.off < 1e-8
    for law, noisy in ((made.first, positives), (made.second, positives + 1)):
        j = int(binom.ppf(p2p._TAIL, seen, positives / people)) + np.arange(len(law))
        for place in range(0, len(j), max(1, len(j) // 20)):
            i = int(j[place])
            known = Fraction(math.comb(seen, i) * noisy**i * (people - noisy) ** (seen - i), people**seen)
            assert abs(Fraction(float(law[place])) - known) <= Fraction(made.off) * known + Fraction(1, 10**280)
        assert 1 - law.sum() < 1e-12


@pytest.mark.parametrize("alpha", [0.001, 0.02, 0.12, 0.4])
@pytest.mark.parametrize("theta", [1.0, 0.5, 0.05])
def test_what_is_said_of_large_clusters_covers_all_labels_and_is_hardly_more(alpha, theta):
    """Held against all labels of clusters that are small enough."""
    for size in (60, 120) if theta == 1 else (60, 80):
        for epsilon in (0.0, 0.1, 0.5):
            exact = p2p.delta_at(epsilon, size, alpha, theta)
            assert exact <= p2p.large_delta_at(epsilon, size, size, alpha, theta)
        close = p2p.epsilon_at(1e-4, np.array([size]), alpha, theta)
        assert p2p.large_delta_at(1.15 * close, size, size, alpha, theta) <= 1e-4 or close < 1e-6


@pytest.mark.parametrize("theta", [1.0, 0.2])
def test_one_delta_covers_clusters_of_all_sizes_from_the_smallest_on(theta):
    for epsilon in (0.0, 0.2, 0.8):
        every = [p2p.delta_at(epsilon, size, 0.1, theta) for size in (30, 31, 45, 90)]
        assert max(every) <= p2p.large_delta_at(epsilon, 30, 90, 0.1, theta)


def test_and_one_for_the_largest_does_not_cover_smaller_ones():
    assert p2p.delta_at(0.2, 30, 0.1) > p2p.large_delta_at(0.2, 90, 90, 0.1)


def test_readers_of_large_clusters_have_less_than_the_flips():
    found = [p2p.epsilon_at(1e-6, np.array([size]), 0.12) for size in (300, 310, 1000, 4000)]
    assert found[3] < 0.11 < found[2] < 0.22 < found[0] < 0.44
    assert found[1] == pytest.approx(found[0], rel=0.02)
    assert p2p.epsilon_at(1e-6, np.array([300, 4000]), 0.12) == found[0]
    assert p2p.epsilon_at(1e-6, np.array([1000, 1100, 4000]), 0.12) == pytest.approx(found[2], rel=0.03)


@pytest.mark.parametrize(("alpha", "theta"), [(1e-12, 1.0), (1e-13, 0.1), (0.1, 1e-13), (0.1, 1e-17)])
def test_large_clusters_with_hardly_a_flip_or_hardly_a_label(alpha, theta):
    assert 0 < p2p.epsilon_at(1e-6, np.array([400]), alpha, theta) <= p2p.epsilon_from_pi(alpha)


def test_rows_that_publish_nothing_are_drawn_and_said():
    mechanism, n = PeerToPeer(2.0, theta=0.25), 40_000
    cluster = np.arange(n) % 400
    release = mechanism.release(np.ones(n, int), Guide(2, clusters=cluster), rng=np.random.default_rng(3))
    share = np.mean(release.view != p2p.SILENT)
    assert abs(share - 0.25) < norm.isf(1e-6) * math.sqrt(0.25 * 0.75 / n) and mechanism.outputs(2) == 3
    assert set(np.unique(release.view)) == {0, 1, p2p.SILENT}
    [pure], (reader, message, _) = mechanism.guarantees(2), mechanism.guarantees_of(release)
    assert (pure.epsilon, message.epsilon) == (2.0, 2.0)
    assert reader.epsilon < 0.8 * p2p.epsilon_at(1e-6, np.array([100]), mechanism.alpha)


def test_the_count_of_a_cluster_tells_of_each_label_what_bayes_says():
    rng = np.random.default_rng(0)
    eta, alpha, said = rng.random(6), 0.2, 2
    chance = np.zeros((6, 2))
    for labels in itertools.product((0, 1), repeat=6):
        weight = np.prod(np.where(labels, eta, 1 - eta))
        ones = sum(labels)
        noisy = np.convolve(binom.pmf(range(ones + 1), ones, 1 - alpha), binom.pmf(range(7 - ones), 6 - ones, alpha))
        for i, label in enumerate(labels):
            own = eta[i] if label else 1 - eta[i]
            chance[i, label] += weight / own * (noisy @ binom.pmf(said, 6, np.arange(7) / 6))
    assert p2p._of_cluster(said, eta, alpha, 6) == pytest.approx(np.log(chance), abs=1e-12)


def test_peers_are_drawn_uniformly_and_only_from_the_own_cluster():
    rng = np.random.default_rng(1)
    limits = np.array([1, 2, 3, 7, 1 << 40] * 20_000)
    found = p2p.below(limits, rng)
    assert np.all((found >= 0) & (found < limits))
    for limit in (2, 3, 7):
        seen = np.bincount(found[limits == limit], minlength=limit)
        assert np.abs(seen - 20_000 / limit).max() < 5 * math.sqrt(20_000 / limit)
    cluster = np.arange(3000) % 3
    release = PeerToPeer(30.0).release((cluster == 1).astype(int), Guide(2, clusters=cluster), rng=rng)
    assert np.array_equal(release.view, cluster == 1)


def test_published_labels_are_as_common_as_noisy_ones():
    mechanism, n = PeerToPeer(1.0), 40_000
    release = mechanism.release(np.ones(n, int), Guide(2, clusters=np.arange(n) % 100), rng=np.random.default_rng(3))
    share, alpha = release.view.mean(), mechanism.alpha
    assert abs(share - (1 - alpha)) < norm.isf(1e-6) * math.sqrt(2 * alpha * (1 - alpha) / n)


def test_guarantees_are_by_viewer():
    mechanism = PeerToPeer(2.0, delta=1e-6)
    release = mechanism.release(np.zeros(600, int), Guide(2, clusters=np.arange(600) % 3), rng=np.random.default_rng(0))
    [pure] = mechanism.guarantees(2)
    reader, message, seldom = mechanism.guarantees_of(release)
    assert (pure.epsilon, pure.delta, pure.viewer) == (2.0, 0.0, ANYBODY)
    assert reader.viewer == ANYBODY and reader.epsilon < 1.0 and reader.delta == 1e-6
    assert (message.viewer, message.epsilon, seldom.viewer, seldom.delta) == (PEER, 2.0, PEER, 1 / 200)


def test_alpha_is_another_way_to_write_epsilon():
    [made] = MECHANISMS.parse("p2p:alpha=0.1,clusters=7")
    assert made.epsilon == pytest.approx(math.log(9)) and made.clusters == 7
    with pytest.raises(SpecError, match="one of epsilon and alpha"):
        MECHANISMS.parse("p2p:alpha=0.1,epsilon=1")
    with pytest.raises(SpecError, match="wants epsilon"):
        MECHANISMS.parse("p2p")
