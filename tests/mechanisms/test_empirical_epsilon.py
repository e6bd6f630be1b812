"""Each mechanism with few outcomes, a million runs on two inputs that differ in one label: no outcome is so much more
likely on one of them that the claim must be false, and it is where there is 30 % less noise than claimed.

cluster-rr has its own liar, beside its other tests. llp has no epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from empirical_epsilon import largest_ratio

from labeldp_audit.core.release import ANYBODY, Guide
from labeldp_audit.mechanisms import MECHANISMS, RandomizedResponse
from labeldp_audit.mechanisms.peer_to_peer import SILENT

RUNS, MISS, LESS = 1_000_000, 1e-4, 0.7


@dataclass(frozen=True)
class Case:
    """A run is so many rows of one table, the first of which has either of two labels; `outcome` numbers what is
    published of each run. All runs are in one table, each a cluster of its own."""

    spec: str
    inputs: tuple[tuple[int, ...], tuple[int, ...]]
    outcome: Callable[[Any], np.ndarray]
    classes: int = 2
    prior: tuple[float, ...] | None = None
    enough: float = 0.95  # of the claim that must be seen

    def released(self, mechanism, labels, rng):
        rows, n = len(labels), RUNS * len(labels)
        prior = None if self.prior is None else np.tile(self.prior, (n, 1))
        guide = Guide(self.classes, np.repeat(np.arange(RUNS), rows), prior, self._of_neighbour)
        return mechanism.release(np.tile(labels, RUNS), guide, rng=rng)

    def _of_neighbour(self, known, soft, others):
        """A model that expects of each row what was said of the other row of its run."""
        place = np.minimum(np.searchsorted(known, others ^ 1), len(known) - 1)
        seen = (known[place] == others ^ 1)[:, None]
        prior = np.where(seen, 0.5 * soft[place], 0.5 / self.classes) + 0.5 / self.classes
        return prior @ RandomizedResponse(1.0).channel(self.classes)


def said(release):
    return release.view


def said_of_two(release):
    return 3 * release.view[::2] + release.view[1::2]


def in_quarters(release):
    """The noisy count of each bag, which is a record; far ones together."""
    return (np.clip(np.floor(4 * release.view[release.bag]), -12, 15) + 12).astype(int)


def by_log_odds(release):
    """Multiples of a sixteenth of the largest, which is epsilon."""
    log_odds = np.log(release.view[:, 1] / release.view[:, 0])
    return np.rint(16 * log_odds / log_odds.max()).astype(int) + 16


def positives_of_four(release):
    return release.view.reshape(-1, 4).sum(axis=1)


def each_of_four(release):
    """How many rows publish a label, and how many of these are positive."""
    rows = release.view.reshape(-1, 4)
    return 5 * np.sum(rows != SILENT, axis=1) + np.sum(rows == 1, axis=1)


def counts_and_first_of_three(release):
    """Whether the noisy counts are 2 and 1, and what is said of the first row."""
    return 2 * np.all(np.array(release.facts["noisy_counts"]) == [2, 1], axis=1) + release.view[::3]


CASES = (
    Case("rr:epsilon=1", ((0,), (1,)), said),
    Case("rr:epsilon=2", ((0,), (2,)), said, classes=4),
    Case("dummy:epsilon=1", ((0,), (1,)), said),
    Case("channel:matrix=0.9 0.1/0.2 0.8", ((0,), (1,)), said),
    Case("prior-rr:epsilon=1", ((0,), (1,)), said, classes=3, prior=(0.5, 0.4, 0.1)),
    Case("model-rr:epsilon=1", ((0,), (1,)), said, prior=(1.0, 0.0), enough=0.85),
    Case("lp-mst:epsilon=1,stages=2", ((0, 2), (1, 2)), said_of_two, classes=3),
    Case("alibi:epsilon=1", ((0,), (1,)), by_log_odds),
    Case("geometric-llp:k=1,epsilon=1", ((0,), (1,)), in_quarters),
    Case("laplace-llp:k=1,epsilon=1", ((0,), (1,)), in_quarters),
    Case("domain-rr:epsilon=2,share=0.5", ((0, 0, 1), (1, 0, 1)), counts_and_first_of_three),
    Case("p2p:epsilon=2,clusters=100", ((1, 1, 1, 1), (0, 1, 1, 1)), positives_of_four),
    Case("p2p:epsilon=2,clusters=100,theta=0.8", ((1, 1, 1, 1), (0, 1, 1, 1)), each_of_four, enough=0.9),
)


def liar_of(mechanism):
    """The same with 30 % less noise."""
    if hasattr(mechanism, "epsilon"):
        return replace(mechanism, epsilon=mechanism.epsilon / LESS)
    flips = LESS * np.array(mechanism.matrix) * (1 - np.eye(2))
    return type(mechanism)(flips + np.diag(1 - flips.sum(axis=1)))


def seen(case, mechanism, delta):
    both = [case.released(mechanism, labels, np.random.default_rng([17, *labels])) for labels in case.inputs]
    return largest_ratio([case.outcome(release) for release in both], MISS, delta)


def claimed(case, mechanism):
    """The least epsilon for those who read the release, some of which depends on what is published."""
    release = case.released(mechanism, case.inputs[0], np.random.default_rng(0))
    every = (*mechanism.guarantees(case.classes), *mechanism.guarantees_of(release))
    return min((one for one in every if one.viewer == ANYBODY), key=lambda one: one.epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.spec)
def test_no_outcome_is_more_likely_than_is_claimed(case):
    [mechanism] = MECHANISMS.parse(case.spec, case.classes)
    claim = claimed(case, mechanism)
    assert case.enough * claim.epsilon < seen(case, mechanism, claim.delta) <= claim.epsilon
    assert seen(case, liar_of(mechanism), claim.delta) > claim.epsilon
