"""The points, cut into cells of near ones (FAISS k-means in two levels) and laid out in tiles for the scan.

Cells only decide which candidates are looked at, never what is counted: labels play no part in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..core.compiled import compiled
from ..core.progress import Progress
from ..engines.threads import in_threads
from .distinct import Distinct
from .tile import LANES, POINTS

_POINTS_A_CELL = 384  # smaller cells: fewer candidates at the same recall, but more centroids to measure
_TRAINING = 64  # points a cell for k-means, which is FAISS's own advice (39 to 256)
_ITERATIONS = 8


@dataclass(frozen=True)
class Cells:
    """m distinct points in tiles of 16; each cell begins on an even tile and is padded with points at infinity."""

    tiles: npt.NDArray[np.float32]  # (t, d, 16)
    members: npt.NDArray[np.int32]  # (16 t, C): labels at each slot
    weight: npt.NDArray[np.int32]  # (16 t,): rows at each slot; of length 1 where all are 1
    first_tile: Integers  # (cells + 1,)
    centroids: npt.NDArray[np.float32]  # (cells, d)
    centroid_tiles: npt.NDArray[np.float32]
    radius: npt.NDArray[np.float32]  # (cells,): the farthest point from its centroid, rounded up
    cell_of_point: npt.NDArray[np.int32]  # (m,)
    slot_of_point: npt.NDArray[np.int32]  # (m,)

    @property
    def count(self) -> int:
        return len(self.centroids)


def build(
    points: npt.NDArray[np.float32], distinct: Distinct, rng: np.random.Generator, threads: int,
    progress: Progress,
) -> Cells:  # fmt: skip
    rows = distinct.first_row
    progress.stage("clustering", len(rows), "points")
    cell_of_point, centroids = _partition(points, rows, rng, threads, progress)
    return _lay_out(points, distinct, cell_of_point, centroids)


def _partition(
    points: npt.NDArray[np.float32], rows: Integers, rng: np.random.Generator, threads: int, progress: Progress
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """k-means among about sqrt(cells) coarse cells, then k-means inside each: n sqrt(cells) distances, not n cells."""
    m = len(rows)
    cells = max(1, min(m // _POINTS_A_CELL, round(3 * math.sqrt(m))))
    coarse = round(math.sqrt(cells / 2))
    seeds = rng.integers(2**31, size=2)
    coarse_of_point = _cluster(points, rows, max(1, coarse), int(seeds[0]), threads)[0]
    order = np.argsort(coarse_of_point, kind="stable")
    ends = np.cumsum(np.bincount(coarse_of_point, minlength=coarse))
    parts = [part for part in np.split(order, ends[:-1]) if len(part)]

    def split(part: Integers) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        return _cluster(points, rows[part], max(1, round(len(part) / m * cells)), int(seeds[1]), 1)

    cell_of_point = np.empty(m, np.int32)
    centroids: list[npt.NDArray[np.float32]] = []
    base = 0
    for part, (inside, centers) in zip(parts, in_threads(split, parts, threads), strict=True):
        cell_of_point[part] = base + inside
        centroids.append(centers)
        base += len(centers)
        progress.advance(len(part))
    return cell_of_point, np.concatenate(centroids)


def _cluster(
    points: npt.NDArray[np.float32], rows: Integers, clusters: int, seed: int, threads: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """The nearest of `clusters` centres for each row. One thread inside FAISS: sums must not depend on their number."""
    if clusters == 1:
        return np.zeros(len(rows), np.int32), _mean(points, rows)[None]
    import faiss

    faiss.omp_set_num_threads(1)
    step = max(1, len(rows) // (_TRAINING * clusters))
    sample = np.ascontiguousarray(points[rows[::step]])
    kmeans = faiss.Kmeans(
        points.shape[1], clusters, niter=_ITERATIONS, seed=seed, min_points_per_centroid=1,
        max_points_per_centroid=4 * _TRAINING,
    )  # fmt: skip
    kmeans.train(sample)

    def nearest(block: Integers) -> npt.NDArray[np.int32]:
        faiss.omp_set_num_threads(1)
        found: Integers = kmeans.index.search(points[block], 1)[1][:, 0]
        return found.astype(np.int32)

    cells = list(in_threads(nearest, _blocks(rows, 65_536), threads))
    centers = np.asarray(kmeans.centroids, np.float32)
    return np.concatenate(cells), centers


def _mean(points: npt.NDArray[np.float32], rows: Integers) -> npt.NDArray[np.float32]:
    total = np.zeros(points.shape[1])
    for block in _blocks(rows, 65_536):
        total += points[block].sum(axis=0, dtype=np.float64)
    return (total / len(rows)).astype(np.float32)


def _blocks(rows: Integers, size: int) -> Iterator[Integers]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _lay_out(
    points: npt.NDArray[np.float32], distinct: Distinct, cell_of_point: npt.NDArray[np.int32],
    centroids: npt.NDArray[np.float32],
) -> Cells:  # fmt: skip
    d, classes = points.shape[1], distinct.members.shape[1]
    sizes = np.bincount(cell_of_point, minlength=len(centroids))
    first_tile = np.concatenate([[0], np.cumsum(-(-sizes // POINTS) * (POINTS // LANES))]).astype(np.int64)
    slot_of_point = _slots(cell_of_point, first_tile)
    tiles = np.full((int(first_tile[-1]), d, LANES), np.inf, np.float32)
    members = np.zeros((len(tiles) * LANES, classes), np.int32)
    members[slot_of_point] = distinct.members
    radius = np.zeros(len(centroids), np.float32)
    _fill(points, distinct.first_row, slot_of_point, cell_of_point, centroids, tiles, radius)
    unit = len(distinct.first_row) == len(distinct.point_of_row)
    weight = np.ones(1, np.int32) if unit else members.sum(axis=1, dtype=np.int32)
    return Cells(
        tiles, members, weight, first_tile, centroids, tiled(centroids), radius, cell_of_point, slot_of_point
    )  # fmt: skip


def tiled(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Vectors (m, d) in tiles, an even number of them, padded at infinity."""
    count, d = vectors.shape
    padded = np.full((-(-count // POINTS) * POINTS, d), np.inf, np.float32)
    padded[:count] = vectors
    return np.ascontiguousarray(padded.reshape(-1, LANES, d).transpose(0, 2, 1))


@compiled
def _slots(cell_of_point: npt.NDArray[np.int32], first_tile: Integers) -> npt.NDArray[np.int32]:
    following = first_tile[:-1] * LANES
    slots = np.empty(len(cell_of_point), np.int32)
    for i in range(len(cell_of_point)):
        cell = cell_of_point[i]
        slots[i] = following[cell]
        following[cell] += 1
    return slots


@compiled
def _fill(
    points: npt.NDArray[np.float32], rows: Integers, slots: npt.NDArray[np.int32], cells: npt.NDArray[np.int32],
    centroids: npt.NDArray[np.float32], tiles: npt.NDArray[np.float32], radius: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    d = points.shape[1]
    for i in range(len(rows)):
        row, cell, tile, lane = rows[i], cells[i], slots[i] // LANES, slots[i] % LANES
        square = 0.0
        for f in range(d):
            value = points[row, f]
            tiles[tile, f, lane] = value
            square += (np.float64(value) - np.float64(centroids[cell, f])) ** 2
        radius[cell] = max(radius[cell], np.float32(math.sqrt(square) * (1 + 1e-6)))
