"""The points, identical rows as one, cut into cells of near ones (FAISS k-means in two levels) and laid out in tiles.

Cells only decide which candidates are looked at, never what is counted: labels play no part in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Integers
from ..core.compiled import compiled
from ..core.progress import Progress
from ..engines.threads import in_threads
from .tile import F32, I32, LANES, POINTS, U64

_POINTS_A_CELL = 384  # smaller cells: fewer candidates at the same recall, but more centroids to measure
_TRAINING = 64  # points a cell for k-means, which is FAISS's own advice (39 to 256)
_ITERATIONS = 8


@dataclass(frozen=True)
class Cells:
    """m distinct points in tiles of 16; each cell begins on an even tile and is padded with points at infinity."""

    first_row: Integers  # (m,) of each point
    point_of_row: I32  # (n,)
    tiles: F32  # (t, d, 16)
    members: I32  # (16 t, C): labels at each slot
    weight: I32  # (16 t,): rows at each slot; of length 1 where all are 1
    first_tile: Integers  # (cells + 1,)
    centroids: F32  # (cells, d)
    centroid_tiles: F32
    radius: F32  # (cells,): the farthest point from its centroid, rounded up
    cell_of_point: I32  # (m,)
    slot_of_point: I32  # (m,)

    @property
    def count(self) -> int:
        return len(self.centroids)


def build(
    points: F32, labels: Integers, classes: int, rng: np.random.Generator, threads: int, progress: Progress
) -> Cells:
    first_row, point_of_row = collapse(points)
    progress.stage("clustering", len(first_row), "points")
    cell_of_point, centroids = partition(points, first_row, rng, threads, progress)
    sizes = np.bincount(cell_of_point, minlength=len(centroids))
    first_tile = np.concatenate([[0], np.cumsum(-(-sizes // POINTS) * (POINTS // LANES))]).astype(np.int64)
    tiles = np.full((int(first_tile[-1]), points.shape[1], LANES), np.inf, np.float32)
    slot, radius = np.empty(len(first_row), np.int32), np.zeros(len(centroids), np.float32)
    _lay_out(points, first_row, cell_of_point, centroids, first_tile, tiles, slot, radius)
    members = np.zeros((len(tiles) * LANES, classes), np.int32)
    np.add.at(members, (slot[point_of_row], labels), 1)
    unit = len(first_row) == len(point_of_row)
    weight = np.ones(1, np.int32) if unit else members.sum(axis=1, dtype=np.int32)
    return Cells(
        first_row, point_of_row, tiles, members, weight, first_tile, centroids, tiled(centroids), radius,
        cell_of_point, slot,
    )  # fmt: skip


def tiled(vectors: F32) -> F32:
    """Vectors (m, d) in tiles, an even number of them, padded at infinity."""
    count, d = vectors.shape
    padded = np.full((-(-count // POINTS) * POINTS, d), np.inf, np.float32)
    padded[:count] = vectors
    return np.ascontiguousarray(padded.reshape(-1, LANES, d).transpose(0, 2, 1))


@compiled
def _lay_out(
    points: F32, rows: Integers, cells: I32, centroids: F32, first_tile: Integers, tiles: F32, slots: I32, radius: F32
) -> None:
    """Fills the last three."""
    following = first_tile[:-1] * LANES
    for i in range(len(rows)):
        row, cell, slot = rows[i], cells[i], following[cells[i]]
        slots[i] = slot
        following[cell] += 1
        square = 0.0
        for f in range(points.shape[1]):
            value = points[row, f]
            tiles[slot // LANES, f, slot % LANES] = value
            square += (np.float64(value) - np.float64(centroids[cell, f])) ** 2
        radius[cell] = max(radius[cell], np.float32(math.sqrt(square) * (1 + 1e-6)))


# ---- identical rows: a table of a million rows may hold a thousand distinct ones


def collapse(points: F32) -> tuple[Integers, I32]:
    """The first row of each distinct point, by which points are numbered, and the point of every row.

    Rows are the same where every coordinate is the same number.
    """
    for salt in range(64):
        hashes = _hash_rows(points, np.uint64(salt))
        _, first, place = np.unique(hashes, return_index=True, return_inverse=True)
        if len(first) == len(points) or _are_equal(points, first, place):
            break  # otherwise two different rows share a hash: salt and hash again
    else:
        raise RuntimeError("different rows share a hash whatever the salt")
    order, number = np.argsort(first), np.empty(len(first), np.int32)
    number[order] = np.arange(len(first), dtype=np.int32)
    return first[order], number[place]


@compiled
def _hash_rows(points: F32, salt: np.uint64) -> U64:
    """64 bits of each row, by the finaliser of splitmix64 after each coordinate."""
    n, d = points.shape
    bits = points.view(np.uint32)
    hashes = np.empty(n, np.uint64)
    for i in range(n):
        h = salt
        for f in range(d):
            word = np.uint64(bits[i, f])
            if word == np.uint64(0x80000000):  # minus zero is zero
                word = np.uint64(0)
            h = (h ^ word) + np.uint64(0x9E3779B97F4A7C15)
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            h = h ^ (h >> np.uint64(31))
        hashes[i] = h
    return hashes


@compiled
def _are_equal(points: F32, first: Integers, place: Integers) -> bool:
    """Does each row really equal the first one of its hash?"""
    for row in range(len(points)):
        for f in range(points.shape[1]):
            if points[row, f] != points[first[place[row]], f]:
                return False
    return True


# ---- cells


def partition(
    points: F32, rows: Integers, rng: np.random.Generator, threads: int, progress: Progress
) -> tuple[I32, F32]:
    """k-means among about sqrt(cells) coarse cells, then k-means inside each: n sqrt(cells) distances, not n cells."""
    m = len(rows)
    cells = max(1, min(m // _POINTS_A_CELL, round(3 * math.sqrt(m))))
    coarse = round(math.sqrt(cells / 2))
    seeds = rng.integers(2**31, size=2)
    coarse_of_point = cluster(points, rows, max(1, coarse), int(seeds[0]), threads)[0]
    order = np.argsort(coarse_of_point, kind="stable")
    ends = np.cumsum(np.bincount(coarse_of_point, minlength=coarse))
    parts = [part for part in np.split(order, ends[:-1]) if len(part)]

    def split(part: Integers) -> tuple[I32, F32]:
        return cluster(points, rows[part], max(1, round(len(part) / m * cells)), int(seeds[1]), 1)

    cell_of_point, centroids, base = np.empty(m, np.int32), list[F32](), 0
    for part, (inside, centers) in zip(parts, in_threads(split, parts, threads), strict=True):
        cell_of_point[part] = base + inside
        centroids.append(centers)
        base += len(centers)
        progress.advance(len(part))
    return cell_of_point, np.concatenate(centroids)


def cluster(points: F32, rows: Integers, clusters: int, seed: int, threads: int) -> tuple[I32, F32]:
    """The nearest of `clusters` centres for each row. One thread inside FAISS: sums must not depend on their number."""
    if clusters == 1:
        total = sum((points[block].sum(axis=0, dtype=np.float64) for block in _blocks(rows)), np.zeros(points.shape[1]))
        return np.zeros(len(rows), np.int32), (total / len(rows)).astype(np.float32)[None]
    import faiss

    faiss.omp_set_num_threads(1)
    step = max(1, len(rows) // (_TRAINING * clusters))
    kmeans = faiss.Kmeans(
        points.shape[1], clusters, niter=_ITERATIONS, seed=seed, min_points_per_centroid=1,
        max_points_per_centroid=4 * _TRAINING,
    )  # fmt: skip
    kmeans.train(np.ascontiguousarray(points[rows[::step]]))

    def nearest(block: Integers) -> I32:
        faiss.omp_set_num_threads(1)
        found: Integers = kmeans.index.search(points[block], 1)[1][:, 0]
        return found.astype(np.int32)

    return np.concatenate(list(in_threads(nearest, _blocks(rows), threads))), np.asarray(kmeans.centroids, np.float32)


def _blocks(rows: Integers, size: int = 65_536) -> Iterator[Integers]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
