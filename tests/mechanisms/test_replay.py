"""Replay: with the same words of chance and one label changed, a release differs only where it may.

A mechanism that treats records alone changes that record and draws as many words. Where labels enter through a noisy
statistic, the replay has the noisy statistic of the first run, and nothing else of the label is left.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from labeldp_audit.core.mechanism import Published
from labeldp_audit.core.randomness import OperatingSystem
from labeldp_audit.core.release import Guide, Release
from labeldp_audit.mechanisms import (
    MECHANISMS,
    ClusterResponse,
    GeometricProportions,
    Pate,
    PeerToPeer,
    RandomizedResponse,
    StagedResponse,
    exact,
)

ROWS, SEEDS = 48, range(6)
# What is fixed in the replay, beside sums of counts and noise: the flips that peers hand on, and the models of later
# stages, which learn from what was released.
FLIPS, MODELS = PeerToPeer, StagedResponse
SMALLER = {"pate": {"teachers": 5, "queries": 6}, "lp-mst": {"stages": 3}, "p2p": {"theta": 0.7}}


class Words(OperatingSystem):
    """Words that can be drawn again, many of them the least or the largest there is, which decide at the edges."""

    def __init__(self, seed: int) -> None:
        object.__setattr__(self, "_rng", np.random.default_rng(seed))
        object.__setattr__(self, "drawn", [])

    def words(self, count: int) -> Any:
        self.drawn.append(count)
        found, kind = self._rng.integers(0, 1 << 64, count, np.uint64), self._rng.random(count)
        found[kind < 0.03], found[kind > 0.97] = 0, (1 << 64) - 1
        return found


@dataclass
class Run:
    """A release, and what it was made of."""

    release: Release | None = None
    drawn: list[int] = field(default_factory=list)
    hidden: list[tuple[Fraction, Any]] = field(default_factory=list)  # what noise of an epsilon was added to
    sums: list[Any] = field(default_factory=list)
    said: list[Any] = field(default_factory=list)
    taught: list[Any] = field(default_factory=list)
    learnt: list[Any] = field(default_factory=list)


class Noise(np.ndarray):
    """Noise that tells `note` what it is added to, and becomes what `note` returns."""

    def __array_finalize__(self, other: Any) -> None:
        self.note = getattr(other, "note", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None) -> Any:
        assert (ufunc, method) == (np.add, "__call__"), "noise is added, and nothing else"
        [hidden] = [one for one in inputs if not isinstance(one, Noise)]
        total = self.note(hidden.copy(), self.view(np.ndarray))
        if out is None:
            return total
        out[0][...] = total
        return out[0]


def run(mechanism: Any, labels: Any, classes: int, seed: int, first: Run | None = None) -> Run:
    """first: of which this run has the noisy statistics."""
    made, chance, places = Run(), Words(seed), np.arange(len(labels))
    noise, say = exact.geometric_noise, exact.say

    def noted(epsilon: Fraction, count: int, rng: Any) -> Any:
        def note(hidden: Any, drawn: Any) -> Any:
            made.hidden.append((epsilon, hidden))
            made.sums.append(first.sums[len(made.sums)] if first else hidden + drawn)
            return made.sums[-1].copy()

        found = noise(epsilon, count, rng).view(Noise)
        found.note = note
        return found

    def told(numerators: Any, rows: Any, rng: Any) -> Any:
        made.said.append(say(numerators, rows, rng))
        return first.said[len(made.said) - 1] if first and isinstance(mechanism, FLIPS) else made.said[-1]

    def learn(rows: Any, soft: Any, others: Any) -> Any:
        """How common classes are among like records, few of each kind."""
        sums = np.full((16, classes), 0.1)
        np.add.at(sums, rows % 16, soft)
        made.taught.append((rows, soft.copy()))
        made.learnt.append((sums / sums.sum(axis=1, keepdims=True))[others % 16])
        return first.learnt[len(made.learnt) - 1] if first and isinstance(mechanism, MODELS) else made.learnt[-1]

    prior = np.random.default_rng(1).dirichlet(np.ones(classes), len(labels))
    with patch.object(exact, "geometric_noise", noted), patch.object(exact, "say", told):
        made.release = mechanism.release(labels, Guide(classes, places % 4, prior, learn), rng=chance)
    made.drawn = chance.drawn
    return made


def changed(classes: int, seed: int) -> tuple[Any, Any, int]:
    """Labels, the same with another one, and whose."""
    rng = np.random.default_rng([seed, classes])
    labels, place = rng.integers(classes, size=ROWS), int(rng.integers(ROWS))
    other = labels.copy()
    other[place] = (labels[place] + rng.integers(1, classes)) % classes
    return labels, other, place


def same(one: Any, other: Any) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)


def faults(mechanism: Any, classes: int, seed: int) -> list[str]:
    """By what a replay shows more of the changed label than the mechanism declares."""
    labels, other, place = changed(classes, seed)
    first = run(mechanism, labels, classes, seed)
    again = run(mechanism, other, classes, seed, first)
    one, two = first.release, again.release
    differ = {int(row) for row in np.argwhere(one.view != two.view)[:, 0]}
    counted = mechanism.publishes is Published.BAGS and bool(first.hidden)  # whose count is what was fixed
    moved = sum(
        float(each) * np.abs(ours - theirs).sum()
        for (each, ours), (_, theirs) in zip(first.hidden, again.hidden, strict=True)
    )
    told = [same(getattr(one, name), getattr(two, name)) for name in ("bag", "group", "channels", "facts")]
    found = {
        "draws other words": first.drawn != again.drawn,
        "changes what is published of others": bool(differ - (set() if counted else {int(one.bag[place])})),
        "tells the label beside what is released of it": not all(told),
        "moves counts by more than it pays for": moved > (mechanism.claim(classes) or 0) * (1 + 1e-12),
        "changes a flip of somebody else": isinstance(mechanism, FLIPS)
        and any(np.delete(ours != theirs, place).any() for ours, theirs in zip(first.said, again.said, strict=True)),
    }
    return [name for name, wrong in found.items() if wrong]


def cases() -> list[Any]:
    found = []
    for kind in MECHANISMS:
        for classes in (2, 3):
            [example] = MECHANISMS.parse(kind.example, classes)
            example = replace(example, **SMALLER.get(kind.name, {}))
            levels = [example]
            if hasattr(example, "epsilon"):
                levels = [replace(example, epsilon=epsilon) for epsilon in (0.25, 3.0)]
            found += [(one, classes) for one in levels if not one.unfit(classes)]
    return found


@pytest.mark.parametrize(("mechanism", "classes"), cases(), ids=lambda value: getattr(value, "spec", None))
def test_replay_with_one_label_changed_shows_what_is_declared(mechanism, classes):
    assert [fault for seed in SEEDS for fault in faults(mechanism, classes, seed)] == []


def test_replay_uses_noise_and_models_where_mechanisms_do():
    """What is fixed is there to be fixed, or the test above would compare nothing."""
    labels, _, _ = changed(2, 0)
    for name, specs in {"hidden": ("geometric-llp", "laplace-llp", "cluster-rr", "domain-rr", "pate"),
                        "learnt": ("lp-mst", "pate"), "said": ("rr", "p2p", "lp-mst", "prior-rr")}.items():  # fmt: skip
        for spec in specs:
            [mechanism] = MECHANISMS.parse(MECHANISMS.get(spec).example)
            mechanism = replace(mechanism, epsilon=0.25)
            assert getattr(run(mechanism, labels, 2, 0), name), spec
    votes = [run(Pate(20.0, 5, 6), labels, 2, seed).hidden[0][1] for seed in SEEDS for labels in changed(2, seed)[:2]]
    assert any(not same(one, two) for one, two in zip(votes[::2], votes[1::2], strict=True))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_later_stages_of_lp_mst_depend_on_released_labels_alone(classes):
    """Where the record's released label is the same, so is all else; where it is not, later stages may differ."""
    assert staged(StagedResponse(1.0, 3), classes) == []


def staged(mechanism: Any, classes: int) -> list[str]:
    found, alike, later = [], 0, 0
    for seed in range(60):
        labels, other, place = changed(classes, seed)
        one, two = (run(mechanism, each, classes, seed) for each in (labels, other))
        taught = list(zip(one.taught, two.taught, strict=True))
        if one.release.view[place] == two.release.view[place]:
            alike += 1
            kept = all(same(getattr(one.release, name), getattr(two.release, name))
                       for name in ("view", "group", "channels", "facts"))  # fmt: skip
            if not kept or not all(same(soft, again) for (_, soft), (_, again) in taught):
                found.append("the label enters beside what was released of it")
        else:
            later += not same(np.delete(one.release.view, place), np.delete(two.release.view, place))
    assert alike >= 10, "hardly any label was replaced by the same one"
    assert later >= 3, "later stages never differ, so nothing was tried"
    return found


class Peeks(StagedResponse):
    """Its models learn true labels."""

    def release(self, labels, guide, *, rng):
        learn = guide.learn
        true = lambda rows, soft, others: learn(rows, np.eye(guide.classes)[labels[rows]], others)  # noqa: E731
        return super().release(labels, replace(guide, learn=true), rng=rng)


class Skips(RandomizedResponse):
    """Draws for labels of class 1 alone."""

    def release(self, labels, guide, *, rng):
        said, some = labels.copy(), np.flatnonzero(labels == 1)
        said[some] = exact.say(self.numerators(guide.classes), labels[some], rng)
        return Release(said, np.arange(len(labels)))


class Echoes(RandomizedResponse):
    """Publishes the label of the record before beside the own one."""

    def release(self, labels, guide, *, rng):
        made = super().release(labels, guide, rng=rng)
        return replace(made, view=np.column_stack([made.view, np.roll(labels, 1)]))


class Tells(ClusterResponse):
    """Has the true counts among its facts."""

    def release(self, labels, guide, *, rng):
        made = super().release(labels, guide, rng=rng)
        return replace(made, facts={**made.facts, "counts": np.bincount(labels).tolist()})


class Saves(GeometricProportions):
    """Counts each positive twice, at the noise of one."""

    def release(self, labels, guide, *, rng):
        counts, bag = self.counted(labels, rng)
        return Release(2 * counts + exact.geometric_noise(Fraction(self.epsilon), len(counts), rng), bag)


class Joins(PeerToPeer):
    """Flips whether the own label or that of the record before is positive."""

    def release(self, labels, guide, *, rng):
        return super().release(np.maximum(labels, np.roll(labels, 1)), guide, rng=rng)


@pytest.mark.parametrize(
    ("liar", "fault"),
    [
        (Skips(1.0), "draws other words"), (Echoes(1.0), "changes what is published of others"),
        (Tells(1.0, 4), "tells the label beside what is released of it"),
        (Saves(8, 1.0), "moves counts by more than it pays for"), (Joins(8.0), "changes a flip of somebody else"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_replay_catches_liars(liar, fault):
    assert fault in [one for seed in SEEDS for one in faults(liar, 2, seed)]


def test_replay_catches_models_that_learn_true_labels():
    assert "the label enters beside what was released of it" in staged(Peeks(1.0, 3), 2)
