"""Which rows are asked, which k are tried, and the k that guesses labels best which its counts do not hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labeldp_audit import neighbors
from labeldp_audit.core.eta import Neighborhoods
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.remark import UNLIKE
from labeldp_audit.core.settings import Settings
from labeldp_audit.estimators import knn
from labeldp_audit.estimators.comparison import ranked, smoothed

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


def test_neighbours_whom_fewer_tell_apart_are_remarked():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000).astype(np.float32)
    labels = (rng.random(2000) < 1 / (1 + np.exp(1 - 2 * x))).astype(np.uint8)

    def judged(labels):
        beside = knn.ks_beside(2000, Settings(k=1500))
        found = neighbors.count_grid(
            x[:, None], labels, 2, np.arange(2000), ks=(*beside, 1500), recall=1.0, seed=0, threads=1, progress=Silent()
        )
        return knn.check_alike(*found, labels)

    [remark] = judged(labels)
    assert (remark.code, remark.values["k"], remark.values["fewer"]) == (UNLIKE, 1500, 179)
    assert remark.values["log_loss"] > remark.values["less"] > 0.05
    # Where features tell nothing, as many as one likes are alike.
    assert judged(rng.permutation(labels)) == ()


@pytest.mark.parametrize("settings", [Settings(), Settings(k=179), Settings(k=1500, smoothness="1,1")])
def test_usual_numbers_of_neighbours_are_not_compared_with_fewer(settings):
    assert knn.ks_beside(2000, settings) == ()


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


def test_guesses_without_a_part_are_those_of_the_chosen_k_and_one_k_is_no_choice():
    eta = knn.chosen(grid(np.array([0, 1, 4], np.uint8)), LABELS)
    assert eta.part.tolist() == [0, 1, 4]
    assert eta.unseen == pytest.approx(
        (np.array(AT[8]) // 2 + 0.5) / (np.array(AT[8]) // 2 + 0.5).sum(1, keepdims=True)
    )
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


@pytest.mark.parametrize(
    ("rows", "k"),
    [(2, 1), (20, 19), (31, 30), (900, 30), (20_000, 141), (10**6, 1000), (10**8, 10_000), (10**10, 10_000)],
)
def test_k_is_about_the_square_root_of_the_rows(rows, k):
    assert knn.default_k(rows) == k


@pytest.mark.parametrize(
    ("rows", "ks"),
    [
        (2, (1,)),
        (3, (2,)),
        (100, (10, 20, 40)),
        (1000, (30, 61, 126)),
        (200_000, (30, 59, 117, 232, 458, 905, 1789)),
        (10**10, (30, 62, 128, 265, 548, 1132, 2340, 4838, 10_000)),
    ],
)
def test_k_that_are_tried(rows, ks):
    assert knn.ks(rows) == ks


def test_one_k_where_it_is_said_or_where_a_choice_costs_too_much():
    assert knn.ks_of(1000, Settings(), 2000) == (30, 61, 126)
    assert knn.ks_of(1000, Settings(k=77), 2000) == (77,)
    assert knn.ks_of(1000, Settings(smoothness="1,1"), 2000) == (knn.default_k(1000),)
    assert knn.ks_of(200_000, Settings(), 200_000 * 512) == (knn.default_k(200_000),), "counts of many classes"


@pytest.mark.parametrize(
    ("rows", "queries", "asked"),
    [
        (200_000, None, 200_000),
        (200_001, None, 200_000),
        (300_000, 0, 300_000),
        (300_000, 250_000, 250_000),
        (300, 400, 300),
    ],
)
def test_so_many_rows_are_asked(rows, queries, asked):
    found = knn.queries_of(rows, Settings(queries=queries))
    assert len(found) == asked
    assert np.all(np.diff(found) > 0)
    assert 0 <= found[0] <= found[-1] < rows


def test_a_sample_is_uniform():
    """60 samples of a third: the halves of the table differ by 63, a row's 20 times by 3.7 (standard deviations)."""
    samples = [knn.queries_of(300, Settings(queries=100, seed=seed)) for seed in range(60)]
    times = np.bincount(np.concatenate(samples), minlength=300)
    assert abs(times[:150].sum() - times[150:].sum()) < 5 * 63
    assert 20 - 5 * 3.7 < times.min() <= times.max() < 20 + 5 * 3.7


def test_the_best_comes_first_and_no_label_is_a_surprise_without_end():
    [best, behind] = ranked({("a", None): np.array([1.5, 2.5, 3.5]), ("b", 7): np.array([1.0, 2.0, 3.0])})
    assert [(one.name, one.k, one.behind, one.behind_error) for one in (best, behind)] == [
        ("b", 7, 0.0, 0.0), ("a", None, 0.5, 0.0),
    ], "the same on every row, whatever the rows' own spread"  # fmt: skip
    assert smoothed(np.array([[4, 0], [0, 0]])).tolist() == [[0.9, 0.1], [0.5, 0.5]]
