"""Counts are exact: brute force in float64 agrees to the last neighbour, ties and duplicates included."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit import neighbors
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.progress import Silent
from labeldp_audit.neighbors import cells


def count_grid(points, labels, ks, *, classes=2, rows=None, recall=0.95, part=None, threads=2):
    rows = np.arange(len(points)) if rows is None else rows
    grid = neighbors.count_grid(
        points.astype(np.float32), labels.astype(np.uint8), classes, rows, ks=ks, recall=recall, seed=0,
        threads=threads, progress=Silent(), part=part,
    )  # fmt: skip
    assert [near.k for near in grid] == list(ks)
    return list(grid)


def count(points, labels, k, **more):
    return count_grid(points, labels, (k,), **more)[0]


def brute_force(points, labels, ks, classes=2, part=None):
    """For each k: (n, C) counts, all ties taken, those of other parts than the row's, and k-th distances."""
    n, points = len(points), points.astype(np.float64)
    part = np.zeros(n, int) if part is None else part
    found = [(np.zeros((n, classes), np.int64), np.zeros((n, classes), np.int64), np.zeros(n)) for _ in ks]
    for i in range(n):
        distance = ((points - points[i]) ** 2).sum(axis=1)
        distance[i] = np.inf
        nearest = np.sort(distance)
        for k, (counts, other, radius) in zip(ks, found, strict=True):
            near = distance <= nearest[k - 1]
            counts[i] = np.bincount(labels[near], minlength=classes)
            other[i] = np.bincount(labels[near & (part != part[i])], minlength=classes)
            radius[i] = np.sqrt(nearest[k - 1])
    return found


def on_grid(rng, n, d, steps):
    """Coordinates that float32 holds exactly, so that equal distances are equal in both arithmetics."""
    return rng.integers(0, steps, (n, d)) / 4


WORLDS = {
    "few distinct points": lambda rng: (on_grid(rng, 1500, 2, 5), 40),
    "many ties": lambda rng: (on_grid(rng, 1500, 4, 4), 25),
    "all rows the same": lambda rng: (np.ones((300, 3)), 7),
    "one coordinate": lambda rng: (on_grid(rng, 2000, 1, 4000), 100),
    "spread": lambda rng: (on_grid(rng, 3000, 5, 2**12), 60),
    "wide": lambda rng: (on_grid(rng, 700, 70, 64), 30),
    "everybody": lambda rng: (on_grid(rng, 600, 3, 9), 599),
    "two rows": lambda rng: (on_grid(rng, 2, 3, 9), 1),
    "half of them copies": lambda rng: (np.repeat(on_grid(rng, 1500, 6, 2**10), 2, axis=0), 33),
    "one far away": lambda rng: (np.vstack([on_grid(rng, 900, 3, 50), np.full((1, 3), 64.0)]), 12),
}


@pytest.mark.parametrize("world", WORLDS)
def test_counts_are_those_of_brute_force_at_every_k(world):
    """Neighbouring k too: between them may lie nothing but ties."""
    rng = np.random.default_rng(6)
    points, k = WORLDS[world](rng)
    labels, part = rng.integers(0, 3, len(points)), rng.integers(0, 5, len(points)).astype(np.uint8)
    ks = tuple(sorted({1, k // 8 or 1, k // 2 or 1, max(1, k - 1), k}))
    found = count_grid(points, labels, ks, classes=3, part=part)
    for near, (counts, other, radius) in zip(found, brute_force(points, labels, ks, 3, part), strict=True):
        assert near.exact
        np.testing.assert_array_equal(near.counts, counts)
        np.testing.assert_array_equal(near.other, other)
        np.testing.assert_allclose(near.radius, radius, rtol=1e-6)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(data=st.data(), n=st.integers(2, 60), d=st.integers(1, 5), steps=st.integers(1, 6), parts=st.integers(1, 4))
def test_grids_of_any_small_table(data, n, d, steps, parts):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    points, labels = rng.integers(0, steps, (n, d)), rng.integers(0, 2, n)
    part = rng.integers(0, parts, n).astype(np.uint8)
    ks = tuple(sorted(data.draw(st.sets(st.integers(1, n - 1), min_size=1, max_size=6))))
    found = count_grid(points, labels, ks, part=part)
    for near, (counts, other, _) in zip(found, brute_force(points, labels, ks, 2, part), strict=True):
        np.testing.assert_array_equal(near.counts, counts)
        np.testing.assert_array_equal(near.other, other)


def test_more_ties_than_the_lists_hold():
    """One point in the middle and thousands at the same distance from it, each at another place."""
    angles = np.eye(40, dtype=np.float32)
    pairs = np.array([(i, j) for i in range(40) for j in range(i)])
    shell = angles[pairs[:, 0]] + angles[pairs[:, 1]]
    corners = np.vstack(
        [shell, -shell, angles[pairs[:, 0]] - angles[pairs[:, 1]], angles[pairs[:, 1]] - angles[pairs[:, 0]]]
    )
    points = np.vstack([np.zeros((1, 40)), corners])
    labels = np.arange(len(points)) % 2
    near = count(points, labels, 1, rows=np.array([0]))
    assert len(corners) == 3120
    np.testing.assert_array_equal(near.counts, [np.bincount(labels[1:], minlength=2)])


def test_a_file_sorted_by_label_gives_nothing_away():
    """CERTIFICATES f: ties broken by position would make eta 0 everywhere."""
    points = np.repeat(np.arange(4.0)[None], 1000, axis=0).reshape(-1, 1)
    labels = (np.arange(4000) >= 2000).astype(int)
    near = count(points, labels, 100)
    assert np.all(np.abs(near.counts / near.counts.sum(axis=1, keepdims=True) - 0.5) < 0.001)


def test_minus_zero_is_zero():
    points = np.array([[0.0], [-0.0], [1.0], [1.0]])
    np.testing.assert_array_equal(count(points, np.array([0, 1, 1, 1]), 1).counts, [[0, 1], [1, 0], [0, 1], [0, 1]])


def test_some_rows_are_asked_and_all_are_searched():
    rng = np.random.default_rng(8)
    points, labels = on_grid(rng, 1200, 3, 30), rng.integers(0, 2, 1200)
    rows = np.array([5, 17, 900, 1199])
    [(counts, *_)] = brute_force(points, labels, (20,))
    np.testing.assert_array_equal(count(points, labels, 20, rows=rows).counts, counts[rows])


@pytest.fixture(scope="module")
def cloud():
    """Large enough for many cells and a first look."""
    rng = np.random.default_rng(11)
    return rng.standard_normal((6000, 10)).astype(np.float32), rng.integers(0, 2, 6000)


@pytest.fixture
def unaffordable(monkeypatch):
    monkeypatch.setattr(neighbors, "_AFFORDABLE", 0.0)


def test_neither_threads_nor_the_first_look_change_a_number(cloud, unaffordable, monkeypatch):
    points, labels = cloud
    one = count(points, labels, 90, threads=1)
    assert not one.exact
    for threads in (2, 3):
        _same(one, count(points, labels, 90, threads=threads))
    monkeypatch.setattr(neighbors, "_SMALL", 10**9)  # no first look
    _same(one, count(points, labels, 90))


@pytest.mark.parametrize("copies", [1, 3])
def test_a_grid_says_what_each_k_alone_says(cloud, copies, monkeypatch):
    """Many cells, thresholds from a first look, lists that fill up, and points that stand for three rows."""
    points, labels = np.repeat(cloud[0], copies, axis=0), np.tile(cloud[1], copies)
    ks = (1, 2, 30, 90, 91, 700)
    alone = [count(points, labels, k) for k in ks]
    for one, near in zip(alone, count_grid(points, labels, ks), strict=True):
        _same(one, near)
    monkeypatch.setattr(neighbors, "_SMALL", 10**9)  # no first look
    for one, near in zip(alone, count_grid(points, labels, ks), strict=True):
        _same(one, near)


def test_a_grid_finds_the_share_that_it_says_at_every_k(cloud, unaffordable):
    """Label the nearest 10, the next 80 and the next 610 of one row, and the counts say how many of them were found."""
    points, labels = cloud
    ks, wanted, shares = (10, 90, 700), 0.8, []
    for row in np.random.default_rng(0).choice(len(points), 40, replace=False):
        distance = ((points - points[row]).astype(np.float64) ** 2).sum(axis=1)
        distance[row] = np.inf
        ring = np.full(len(points), 3)
        ring[np.argsort(distance)[: ks[-1]]] = np.repeat([0, 1, 2], np.diff((0, *ks)))
        found = count_grid(points, ring, ks, classes=4, rows=np.array([row]), recall=wanted)
        shares.append([near.counts[0, : g + 1].sum() / near.k for g, near in enumerate(found)])
    for near, share in zip(count_grid(points, labels, ks, recall=wanted), np.transpose(shares), strict=True):
        assert not near.exact
        assert wanted <= near.recall and near.recall_low < near.recall
        assert abs(share.mean() - near.recall) < 4 * share.std() / np.sqrt(len(share)) + 0.01


def test_numbers_of_neighbours_must_increase():
    points, labels = np.arange(9.0)[:, None], np.arange(9) % 2
    for ks in ((), (3, 3), (3, 2)):
        with pytest.raises(ValueError, match="do not increase"):
            count_grid(points, labels, ks)
    with pytest.raises(SpecError, match="k = 9 needs more than 9 rows, and the table has 9"):
        count_grid(points, labels, (2, 9))


def _same(one, other):
    for field in dataclasses.fields(one):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


def test_less_recall_looks_at_fewer_cells(cloud, unaffordable):
    points, labels = cloud
    probes = [count(points, labels, 90, recall=wanted).probes for wanted in (0.6, 0.9, 0.99, 1.0)]
    assert probes == sorted(probes) and probes[0] < probes[-1]


def test_a_query_whose_cells_hold_too_few_is_not_left_short(unaffordable, monkeypatch):
    rng = np.random.default_rng(2)
    points = np.vstack([rng.standard_normal((9000, 4)), rng.standard_normal((40, 4)) + 50]).astype(np.float32)
    labels = rng.integers(0, 2, len(points))
    near = count(points, labels, 200, recall=0.5)
    assert near.counts.sum(axis=1).min() >= 200


def test_rounding_hides_nobody_at_the_edge_of_a_far_cell(monkeypatch):
    """799 squares that are each rounded up beside 1e6 push the far centroid away; the nearest point lies on its edge,
    exactly between it and the query. The ring around the query sets the threshold.
    """
    d = 800
    away = np.full(d, np.sqrt(0.55 / 16), np.float32)
    away[0] = 1000
    edge = (away * (1 - 0.99 / np.linalg.norm(away.astype(np.float64)))).astype(np.float32)
    ring = away + np.concatenate([np.eye(d, dtype=np.float32)[1:], -np.eye(d, dtype=np.float32)[1:]])
    points = np.vstack([away, edge, ring])
    cell = np.zeros(len(points), np.int32)
    cell[1] = 1
    monkeypatch.setattr(neighbors, "_SMALL", 32)
    monkeypatch.setattr(cells, "partition", lambda *_: (cell, np.stack([away, np.zeros(d, np.float32)])))
    near = count(points, cell, 1, rows=np.array([0]))
    np.testing.assert_array_equal(near.counts, [[0, 1]])
