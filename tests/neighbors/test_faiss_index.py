"""FAISS finds what the scan finds: ties, copies and people are kept, whatever the index and the number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from labeldp_audit import neighbors
from labeldp_audit.core.progress import Silent
from labeldp_audit.neighbors.faiss_index import FaissIndex


def graph_of(points, k, kind="exact", *, recall=0.95, groups=None, threads=2, seed=0):
    points = np.ascontiguousarray(points, np.float32)
    index = FaissIndex.build(
        points, kind, (k,), recall, groups=groups, seed=seed, threads=threads, progress=Silent()
    )  # fmt: skip
    return index.graph(k, np.arange(len(points)), {}, Silent())


def lists_of(graph):
    start = graph.lists.start
    return [graph.lists.ids[start[i] : start[i + 1]] for i in range(len(start) - 1)]


def counted(graph, labels, classes):
    every = np.arange(len(labels))
    return graph.lists.counts(every, labels.astype(np.int64), classes, [graph.k])[0][:, 0]


def scanned(points, labels, classes, k):
    [near] = neighbors.count_grid(
        np.ascontiguousarray(points, np.float32), labels.astype(np.uint8), classes, np.arange(len(points)), ks=(k,),
        recall=1.0, seed=0, threads=2, progress=Silent(),
    )  # fmt: skip
    return near


WORLDS = {
    "spread": lambda rng: (rng.normal(size=(2000, 18)), 100),
    "lattice": lambda rng: (rng.integers(0, 5, (2000, 3)) / 4, 40),
    "binary columns": lambda rng: ((rng.random((1500, 20)) < 0.2) * 0.7, 25),
    "four rows x 1000, sorted by label": lambda rng: (np.repeat(rng.normal(size=(4, 3)), 1000, axis=0), 100),
    "copies": lambda rng: (np.repeat(rng.normal(size=(500, 6)), 3, axis=0), 33),
    "all rows the same": lambda rng: (np.ones((300, 3)), 7),
    "far from 0": lambda rng: (rng.normal(size=(600, 5)) + 300, 30),
    "wide": lambda rng: (rng.normal(size=(600, 300)), 50),
    "heavy tails": lambda rng: (rng.standard_cauchy((1500, 4)), 60),
    "everybody": lambda rng: (rng.normal(size=(400, 3)), 399),
}


@pytest.mark.parametrize("world", WORLDS)
def test_exact_graph_counts_what_the_scan_counts_in_every_row(world):
    rng = np.random.default_rng(1)
    points, k = WORLDS[world](rng)
    labels = np.arange(len(points)) * 3 // len(points)
    graph, near = graph_of(points, k), scanned(points, labels, 3, k)
    np.testing.assert_array_equal(counted(graph, labels, 3), near.counts)
    np.testing.assert_array_equal(graph.lists.distances[graph.lists.start[1:] - 1], near.radius)
    assert np.all(np.diff(graph.lists.start) >= k)
    assert (graph.recall, graph.recall_low) == (1.0, 1.0)
    for row, ids in enumerate(lists_of(graph)):
        assert row not in ids and len(np.unique(ids)) == len(ids)


def test_exact_graph_holds_ten_thousand_neighbours():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(10_400, 2))
    labels = rng.integers(0, 2, len(points))
    rows = np.arange(40)
    index = FaissIndex.build(
        points.astype(np.float32), "exact", (10_000,), 1.0, seed=0, threads=2, progress=Silent()
    )  # fmt: skip
    found = [lists for _, lists in index.blocks(rows, 10_000, Silent())]
    got = np.concatenate([one.counts(np.arange(len(one.start) - 1), labels, 2, [10_000])[0] for one in found])[:, 0]
    np.testing.assert_array_equal(got, scanned(points, labels, 2, 10_000).counts[:40])


@pytest.mark.parametrize("draws", [40, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_recall_is_no_less_than_its_low(kind, draws):
    """Each table and each sample is new. The low is a 99 % limit, so that 4 of 400 may be false; 14 are no chance."""
    false, worst = 0, 1.0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(1500, 6)).astype(np.float32)
        graph = graph_of(points, 10, kind, recall=0.8, seed=seed)
        rows = rng.choice(1500, 150, replace=False)
        squares = np.square(points[rows, None].astype(np.float64) - points[None]).sum(axis=2)
        squares[np.arange(150), rows] = np.inf
        nearest = np.argpartition(squares, 10, axis=1)[:, :10]
        ids = lists_of(graph)
        found = [np.isin(true, ids[row]).mean() for row, true in zip(rows, nearest, strict=True)]
        slack = 3 * np.std(found) / np.sqrt(150)
        false += np.mean(found) + slack < graph.recall_low
        worst = min(worst, graph.recall)
    assert false <= binom.isf(1e-4, draws, 0.01)
    assert worst >= 0.8, "the recall that was asked for"


@pytest.mark.parametrize("kind", ["exact", "ivf", "hnsw"])
def test_graph_is_the_same_with_one_thread_and_eight(kind):
    rng = np.random.default_rng(3)
    points = np.concatenate([rng.normal(size=(3000, 8)), rng.integers(0, 3, (600, 8))])
    one, eight = (graph_of(points, 20, kind, threads=threads) for threads in (1, 8))
    assert one.index == eight.index and one.recall == eight.recall
    for name in ("start", "ids", "distances"):
        assert getattr(one.lists, name).tobytes() == getattr(eight.lists, name).tobytes()


@pytest.mark.parametrize("kind", ["exact", "ivf", "hnsw"])
def test_rows_of_the_same_person_are_no_neighbours(kind):
    rng = np.random.default_rng(4)
    people = np.repeat(np.arange(100), 10)
    points = rng.normal(size=(100, 4))[people] + 0.01 * rng.normal(size=(1000, 4))
    graph = graph_of(points, 15, kind, groups=people)
    for row, ids in enumerate(lists_of(graph)):
        assert np.all(people[ids] != people[row])
    assert np.all(np.diff(graph.lists.start) >= 15)


def test_person_with_most_rows_leaves_a_shortfall():
    people = np.array([0] * 290 + [1] * 10)
    points = np.random.default_rng(5).normal(size=(300, 2))
    size = np.diff(graph_of(points, 20, "exact", groups=people).lists.start)
    assert set(size[:290]) == {10} and set(size[290:] >= 20) == {True}


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_ids_that_an_index_does_not_find_are_left_out(kind):
    """Two far clusters: the cells or links near a row hold fewer than k others, for which FAISS answers -1."""
    rng = np.random.default_rng(6)
    points = np.concatenate([rng.normal(size=(3000, 3)), 1e4 + rng.normal(size=(12, 3))])
    graph = graph_of(points, 40, kind, recall=0.5)
    assert graph.lists.ids.min() >= 0
    assert np.diff(graph.lists.start)[:3000].min() >= 40
    if kind == "ivf":
        assert np.diff(graph.lists.start).min() >= 40


def test_recall_of_one_searches_all_cells():
    points = np.random.default_rng(7).normal(size=(3000, 5))
    graph = graph_of(points, 10, "ivf", recall=1.0)
    assert graph.index["nprobe"] == graph.index["nlist"] > 1 and graph.recall_low == 1.0
    np.testing.assert_array_equal(graph.lists.ids, graph_of(points, 10).lists.ids)


@pytest.mark.parametrize("kind", ["exact", "ivf", "hnsw"])
def test_index_counts_at_several_k_and_parts(kind):
    rng = np.random.default_rng(8)
    points, labels = rng.integers(0, 6, (1200, 3)).astype(np.float32), rng.integers(0, 3, 1200).astype(np.uint8)
    rows, part = np.sort(rng.choice(1200, 500, replace=False)), rng.integers(0, 2, 1200).astype(np.uint8)
    how = {"ks": (5, 20, 90), "recall": 0.9, "seed": 0, "threads": 2, "progress": Silent(), "part": part}
    index = neighbors.count_with_index(kind, points, labels, 3, rows, **how)
    for near, true in zip(index, neighbors.count_grid(points, labels, 3, rows, **how), strict=True):
        assert near.k == true.k and 0.9 <= near.recall <= 1
        if kind == "exact":
            np.testing.assert_array_equal(near.counts, true.counts)
            np.testing.assert_array_equal(near.other, true.other)
            np.testing.assert_array_equal(near.radius, true.radius)
