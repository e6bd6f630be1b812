"""Labels exchanged among peers: the exact delta of 004, Algorithm 2, and what a cluster tells of a label."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.release import ANYBODY, PEER, Guide
from labeldp_audit.mechanisms import MECHANISMS, PeerToPeer
from labeldp_audit.mechanisms import peer_to_peer as p2p
from labeldp_audit.mechanisms.randomized_response import epsilon_from_pi


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
    assert p2p.epsilon_at(1e-6, np.array([200, 5000]), alpha) == epsilon_from_pi(alpha)
    assert p2p.delta_at(found[-1], 200, alpha) <= 1e-6 < p2p.delta_at(found[-1] * 0.999, 200, alpha)


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
    assert p2p._of_cluster(said, eta, alpha) == pytest.approx(np.log(chance), abs=1e-12)


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
