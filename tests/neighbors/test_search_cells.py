"""Identical rows are one point, and every point stands in its cell."""

from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.core.progress import Silent
from labeldp_audit.neighbors import cells
from labeldp_audit.neighbors.tile import LANES, POINTS


def test_points_are_numbered_by_their_first_row():
    points = np.array([[2, 1], [0, 0], [2, 1], [3, 3], [-0.0, 0]], np.float32)
    first_row, point_of_row = cells.collapse(points)
    np.testing.assert_array_equal(first_row, [0, 1, 3])
    np.testing.assert_array_equal(point_of_row, [0, 1, 0, 2, 1])


def test_different_rows_with_one_hash_stay_different(monkeypatch):
    """The first salts put everything in one bucket, the later ones hash as always; or none does."""
    real, tried = cells._hash_rows, []

    def weak(points, salt):
        tried.append(salt)
        return np.zeros(len(points), np.uint64) if salt < 3 else real(points, salt)

    monkeypatch.setattr(cells, "_hash_rows", weak)
    points = np.arange(12, dtype=np.float32).reshape(6, 2)
    assert len(cells.collapse(points)[0]) == 6
    assert len(tried) == 4
    monkeypatch.setattr(cells, "_hash_rows", lambda points, salt: np.zeros(len(points), np.uint64))
    with pytest.raises(RuntimeError, match="share a hash"):
        cells.collapse(points)


@pytest.fixture(scope="module", params=[1, 7, 31, 6000])
def built(request):
    rng = np.random.default_rng(request.param)
    points = rng.standard_normal((request.param, 4)).astype(np.float32)
    labels = rng.integers(0, 2, request.param)
    return points, labels, cells.build(points, labels, 2, np.random.default_rng(0), 2, Silent())


def test_every_point_stands_in_its_cell_once(built):
    points, labels, index = built
    assert len(np.unique(index.slot_of_point)) == len(points)
    tile, lane = np.divmod(index.slot_of_point, LANES)
    np.testing.assert_array_equal(index.tiles[tile, :, lane], points)
    first, after = index.first_tile[index.cell_of_point], index.first_tile[index.cell_of_point + 1]
    assert np.all((first <= tile) & (tile < after))
    assert index.members.sum() == len(points)
    np.testing.assert_array_equal(index.members[index.slot_of_point, labels], 1)
    # Padding lies at infinity, cells begin on even tiles, and no point lies beyond the radius of its cell.
    assert np.isinf(index.tiles).all(axis=1).sum() == len(index.tiles) * LANES - len(points)
    assert np.all(index.first_tile % (POINTS // LANES) == 0)
    to_centroid = np.sqrt(((points.astype(np.float64) - index.centroids[index.cell_of_point]) ** 2).sum(axis=1))
    assert np.all(to_centroid <= index.radius[index.cell_of_point])


def test_cells_do_not_depend_on_threads():
    points = np.random.default_rng(9).standard_normal((20_000, 6)).astype(np.float32)
    one, other = (
        cells.build(points, np.zeros(len(points), int), 1, np.random.default_rng(0), threads, Silent())
        for threads in (1, 3)
    )
    np.testing.assert_array_equal(one.centroids, other.centroids)
    np.testing.assert_array_equal(one.cell_of_point, other.cell_of_point)
