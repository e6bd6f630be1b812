"""The k that guesses labels best which its counts do not hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labeldp_audit import neighbors
from labeldp_audit.core.eta import Neighborhoods
from labeldp_audit.core.progress import Silent
from labeldp_audit.estimators import knn

LABELS = np.array([0, 1, 1], np.uint8)
AT = {  # of one label in k at three rows
    4: [[3, 1], [2, 2], [1, 3]],
    8: [[8, 0], [1, 7], [0, 8]],
    16: [[8, 8], [8, 8], [8, 8]],
}


def grid(part=None):
    for k, at in AT.items():
        counts = np.array(at, np.int64)
        yield Neighborhoods(
            rows=np.arange(3), counts=counts, radius=np.full(3, k, np.float32), k=k, n=17, exact=True,
            recall=1.0, recall_low=1.0, probes=1, part=part,
            other=None if part is None else counts // 2,
        )  # fmt: skip


def lost(k):
    """By hand: half a count added to each class."""
    return np.array([-math.log((row[y] + 0.5) / (k + 1)) for row, y in zip(AT[k], LABELS, strict=True)])


def test_the_least_log_loss_wins_and_all_of_them_are_kept():
    eta = knn.chosen(grid(), LABELS)
    assert (eta.k, eta.choices) == (8, 3)
    assert eta.counts.tolist() == AT[8]
    assert eta.radius.tolist() == [8, 8, 8]
    assert [one.k for one in eta.tried] == [8, 4, 16]
    assert eta.log_loss == eta.tried[0].log_loss == pytest.approx(lost(8).mean())
    for one in eta.tried:
        assert one.name == "knn"
        assert one.log_loss == pytest.approx(lost(one.k).mean())
        assert one.standard_error == pytest.approx(lost(one.k).std() / math.sqrt(3))
        assert one.behind == pytest.approx((lost(one.k) - lost(8)).mean())
        assert one.behind_error == pytest.approx((lost(one.k) - lost(8)).std() / math.sqrt(3))


def test_guesses_without_a_part_are_those_of_the_chosen_k():
    eta = knn.chosen(grid(np.array([0, 1, 4], np.uint8)), LABELS)
    assert eta.part.tolist() == [0, 1, 4]
    assert eta.unseen == pytest.approx(
        (np.array(AT[8]) // 2 + 0.5) / (np.array(AT[8]) // 2 + 0.5).sum(1, keepdims=True)
    )


def test_one_k_is_no_choice():
    [first, *_] = grid()
    eta = knn.chosen([first], LABELS)
    assert (eta.k, eta.choices, eta.tried) == (4, 1, ())


@pytest.mark.parametrize(("steepness", "expected"), [(0.0, [200]), (300.0, [5, 15])])
def test_what_varies_fast_wants_few_neighbours_and_what_does_not_wants_many(steepness, expected):
    rng = np.random.default_rng(3)
    x = rng.random(3000)
    labels = (rng.random(3000) < 0.5 + 0.45 * np.sin(steepness * x)).astype(np.uint8)
    found = neighbors.count_grid(
        x[:, None].astype(np.float32), labels, 2, np.arange(3000), ks=(5, 15, 60, 200), recall=1.0, seed=0, threads=1,
        progress=Silent(),
    )  # fmt: skip
    assert knn.chosen(found, labels).k in expected
