"""Labels alone: what who reads how common they are learns of each record."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from labeldp_audit.core.release import Release
from labeldp_audit.mechanisms import Dummy


def by_enumeration(mechanism, release, eta, i):
    """log P(how many have each label | class of record i), over all noisy labels."""
    classes, n = eta.shape[1], len(eta)
    channel, told = mechanism.channel(classes), np.sort(release.view)
    found = np.zeros(classes)
    for c in range(classes):
        hit = eta.copy()
        hit[i] = np.eye(classes)[c]
        hit = hit @ channel
        for said in itertools.product(range(classes), repeat=n):
            if np.array_equal(np.sort(said), told):
                found[c] += np.prod(hit[np.arange(n), list(said)])
    return np.log(found)


def centred(logs):
    return logs - logs.mean(axis=-1, keepdims=True)


def test_of_two_classes_it_is_what_their_counts_tell():
    mechanism, eta = Dummy(1.5), np.random.default_rng(0).dirichlet([0.7, 0.7], 6)
    eta[0] = [0, 1]
    for view in ([0, 1, 1, 0, 1, 1], [0] * 6):
        release = Release(np.array(view), np.arange(6))
        exactly = np.array([by_enumeration(mechanism, release, eta, i) for i in range(6)])
        assert centred(mechanism.loglik(release, eta)) == pytest.approx(centred(exactly), abs=1e-9)
        assert np.ptp(exactly, axis=1).max() > 0.1
        assert mechanism.joined(release).tolist() == [0] * 6


def test_of_more_classes_it_is_near_that():
    mechanism, rng = Dummy(2.0, 3), np.random.default_rng(1)
    eta = rng.dirichlet([1.0] * 3, 7)
    release = Release(np.array([0, 0, 1, 2, 2, 2, 2]), np.arange(7))
    exactly = centred(np.array([by_enumeration(mechanism, release, eta, i) for i in range(7)]))
    found = centred(mechanism.loglik(release, eta))
    assert np.abs(found - exactly).max() < 0.35 * np.abs(exactly).max()
    assert np.array_equal(found.argmax(axis=1), exactly.argmax(axis=1))
