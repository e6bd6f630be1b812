"""Exact tests of soft labels, exchanged labels and labels alone: honest releases pass at the level that is stated, and
each liar is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labeldp_audit.core.release import Guide, Release
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.alibi import STEPS, soft
from labeldp_audit.questions import verifying
from labeldp_audit.questions.verifying import Trials

LEVEL = 0.001  # of each check at 0.99
CLUSTERS = 40


def world(classes, n, seed):
    rng = np.random.default_rng(seed)
    labels = np.minimum(rng.geometric(0.5, n) - 1, classes - 1)
    return labels, rng.integers(0, CLUSTERS, n), rng


def p_values(mechanism, release, labels, classes):
    told = mechanism.outcomes(release, classes, labels)
    law = told.law.reshape(-1, told.law.shape[2])
    kind = told.kind * told.law.shape[1] + labels
    trials = Trials(kind, told.said, law, law, told.law.shape[1], np.arange(len(labels)), told.stays, told.drawn)
    found = {one.check: one.p for one in verifying.of_trials(trials)}
    tails = mechanism.tails(release, labels)
    return found if tails is None else found | {"noise": verifying.of_tails(tails)}


def honest(mechanism, labels, cluster, classes, rng):
    release = mechanism.release(labels, Guide(classes, clusters=cluster), rng=rng)
    return replace(release, view=rng.permutation(release.view)) if mechanism.name == "dummy" else release


SPECS = [
    ("alibi:epsilon=1", 2), ("alibi:epsilon=1", 3), ("alibi:epsilon=4", 5), ("p2p:epsilon=1", 2), ("p2p:epsilon=4", 2),
    ("p2p:epsilon=2,theta=0.3", 2),
    ("dummy:epsilon=1", 2), ("dummy:epsilon=3", 4), ("cluster-rr:epsilon=0.5,clusters=40", 3),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "classes"), SPECS)
def test_honest_releases_pass_at_the_level_that_is_stated(spec, classes):
    """Each check by itself, at 0.05: of 60 releases 11 alarms or more come less than once in 5,000 times."""
    [mechanism] = MECHANISMS.parse(spec, classes)
    alarms = {}
    for seed in range(60):
        labels, cluster, rng = world(classes, 800, seed)
        found = p_values(mechanism, honest(mechanism, labels, cluster, classes, rng), labels, classes)
        assert all(found.values())
        for check, p in found.items():
            alarms[check] = alarms.get(check, 0) + (p < 0.05)
    assert max(alarms.values()) < 11


# ---- soft labels


def numbers(mechanism, labels, classes, rng, each=None):
    """Noisy ones, clipped; `each` instead of the mechanism's own."""
    r = np.exp(-(float(mechanism.each) if each is None else each))
    shape = (len(labels), classes)
    noisy = rng.geometric(1 - r, shape) - rng.geometric(1 - r, shape)
    noisy[np.arange(len(labels)), labels] += STEPS
    return np.clip(noisy, 0, STEPS)


def half_the_noise(mechanism, labels, classes, rng):
    return numbers(mechanism, labels, classes, rng, 2 * float(mechanism.each))


def a_tenth_less(mechanism, labels, classes, rng):
    return numbers(mechanism, labels, classes, rng, 1.1 * float(mechanism.each))


def rounded_away(mechanism, labels, classes, rng):
    return np.rint(numbers(mechanism, labels, classes, rng) / STEPS).astype(int) * STEPS


def one_class_unprotected(mechanism, labels, classes, rng):
    clear = STEPS * np.eye(classes, dtype=int)[labels]
    return np.where((labels == 1)[:, None], clear, numbers(mechanism, labels, classes, rng))


def every_64th_in_the_clear(mechanism, labels, classes, rng):
    clear = STEPS * np.eye(classes, dtype=int)[labels]
    return np.where((np.arange(len(labels)) % 64 == 9)[:, None], clear, numbers(mechanism, labels, classes, rng))


def noise_used_twice(mechanism, labels, classes, rng):
    half = numbers(mechanism, np.zeros(len(labels) // 2, int), classes, rng)
    twice = np.tile(half, (2, 1))
    return twice[np.arange(len(labels))[:, None], (np.arange(classes) - labels[:, None]) % classes]


def others_alike(mechanism, labels, classes, rng):
    """The odds of the true class against each other one have the honest law, but all others are alike."""
    seen = numbers(mechanism, labels, classes, rng)
    rows, other = np.arange(len(labels)), (labels + 1) % classes
    found = np.tile(seen[rows, other][:, None], (1, classes))
    found[rows, labels] = seen[rows, labels]
    return found


@pytest.mark.parametrize(
    ("liar", "check", "classes"),
    [
        *((liar, "channel", classes) for liar in (half_the_noise, a_tenth_less, rounded_away, one_class_unprotected)
          for classes in (2, 3, 6)),
        *((every_64th_in_the_clear, "position", classes) for classes in (2, 3)),
        *((noise_used_twice, "repeats", classes) for classes in (2, 3)),
        (others_alike, "channel", 3), (others_alike, "channel", 6),
    ],
)  # fmt: skip
def test_liars_of_soft_labels_are_caught(liar, check, classes):
    [mechanism] = MECHANISMS.parse("alibi:epsilon=2", classes)
    labels, _, rng = world(classes, 16_384, 1)
    release = Release(soft(liar(mechanism, labels, classes, rng).T, 2.0).T, np.arange(len(labels)))
    assert mechanism.impossible(release) == 0
    assert p_values(mechanism, release, labels, classes)[check] < LEVEL


def test_the_laws_of_soft_labels_are_those_of_all_numbers():
    """Three classes, by enumeration."""
    [mechanism] = MECHANISMS.parse("alibi:epsilon=3", 3)
    other = mechanism._law()
    u = np.stack(np.meshgrid(*[np.arange(STEPS + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    likely = other[STEPS - u[:, 0]] * other[u[:, 1]] * other[u[:, 2]]
    release = Release(soft(u.T, 3.0).T, np.arange(len(u)))
    assert mechanism.impossible(release) == 0
    for labels in (np.zeros(len(u), int), None):
        told = mechanism.outcomes(release, 3, labels)
        if labels is None:  # of y = 0, whichever of the others j is
            law = np.bincount(told.said, likely, minlength=4)
            assert told.law[0, 0] == pytest.approx(law, abs=1e-14)
            continue
        assert told.law.sum(axis=2) == pytest.approx(1)
        above = likely[u[:, 0] > np.maximum(u[:, 1], u[:, 2])].sum()
        assert (told.law * told.stays).sum(axis=2) == pytest.approx(above)


def test_digits_below_the_noise_are_found():
    [mechanism] = MECHANISMS.parse("alibi:epsilon=1", 3)
    labels, _, rng = world(3, 400, 0)
    release = mechanism.release(labels, Guide(3), rng=rng)
    told = release.view.copy()
    told[labels == 1, 0] = np.nextafter(told[labels == 1, 0], 2)
    assert mechanism.impossible(release) == 0 < mechanism.impossible(replace(release, view=told))
    assert mechanism.impossible(replace(release, view=np.tile([0.34, 0.33, 0.33], (400, 1)))) == 400
    turned = np.nextafter(release.view, 2)  # another machine's logarithm
    assert mechanism.impossible(replace(release, view=turned)) == 0


# ---- exchanged labels


def not_exchanged(labels, cluster, flip, rng):
    return labels ^ (rng.random(len(labels)) < flip)


def exchanged(noisy, cluster, rng):
    said = np.empty_like(noisy)
    for one in range(CLUSTERS):
        mine = np.flatnonzero(cluster == one)
        said[mine] = noisy[rng.choice(mine, len(mine))]
    return said


def in_one_order(labels, cluster, flip, rng):
    """Those of one cluster are published in the order of the true labels."""
    said = exchanged(not_exchanged(labels, cluster, flip, rng), cluster, rng)
    for one in range(CLUSTERS):
        mine = np.flatnonzero(cluster == one)
        said[mine[np.argsort(labels[mine])]] = np.sort(said[mine])
    return said


def not_flipped(labels, cluster, flip, rng):
    return exchanged(labels, cluster, rng)


def half_the_flips(labels, cluster, flip, rng):
    return exchanged(not_exchanged(labels, cluster, flip / 2, rng), cluster, rng)


def true_counts(labels, cluster, flip, rng):
    """Not even the chance of exchanges is left."""
    said = np.empty_like(labels)
    for one in range(CLUSTERS):
        mine = np.flatnonzero(cluster == one)
        said[mine] = rng.permutation(labels[mine])
    return said


def some_in_the_clear(labels, cluster, flip, rng):
    said = exchanged(not_exchanged(labels, cluster, flip, rng), cluster, rng)
    return np.where(np.arange(len(labels)) % 64 == 9, labels, said)


@pytest.mark.parametrize(
    ("liar", "check"),
    [
        (not_exchanged, "channel"), (in_one_order, "channel"), (not_flipped, "noise"), (half_the_flips, "noise"),
        (true_counts, "noise"), (some_in_the_clear, "position"),
    ],
)  # fmt: skip
def test_liars_of_exchanged_labels_are_caught(liar, check):
    [mechanism] = MECHANISMS.parse("p2p:epsilon=1.5", 2)
    labels, cluster, rng = world(2, 16_384, 1)
    labels = np.where(cluster % 4 == 0, labels, (rng.random(len(labels)) < 0.2).astype(int))
    said = liar(labels, cluster, mechanism.alpha, rng)
    found = p_values(mechanism, Release(said, np.arange(len(said)), cluster), labels, 2)
    assert found[check] < LEVEL


# ---- labels alone


def in_the_order_of_the_table(said, rng):
    return said


def honest_order(said, rng):
    return rng.permutation(said)


def sorted_by_label(said, rng):
    return np.sort(said)


@pytest.mark.parametrize(
    ("epsilon", "order", "check"),
    [(1, in_the_order_of_the_table, "channel"), (1, sorted_by_label, "along"), (1.1, honest_order, "noise")],
)
@pytest.mark.parametrize("classes", [2, 4])
def test_liars_of_labels_alone_are_caught(epsilon, order, check, classes):
    labels, _, rng = world(classes, 30_000, 1)
    labels = np.where(rng.random(len(labels)) < 0.8, 0, labels)
    [mechanism, other] = (MECHANISMS.parse(f"dummy:epsilon={one}", classes)[0] for one in (1, epsilon))
    said = other.release(labels, Guide(classes), rng=rng).view
    said = order(said, rng)
    assert p_values(mechanism, Release(said, np.arange(len(said))), labels, classes)[check] < LEVEL
