from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.core.progress import Silent
from labeldp_audit.neighbors import cells, distinct
from labeldp_audit.neighbors.tile import LANES, POINTS


@pytest.fixture(scope="module", params=[1, 7, 31, 6000])
def built(request):
    rng = np.random.default_rng(request.param)
    points = rng.standard_normal((request.param, 4)).astype(np.float32)
    found = distinct.collapse(points, rng.integers(0, 2, request.param).astype(np.uint8), 2)
    return points, cells.build(points, found, np.random.default_rng(0), 2, Silent())


def test_every_point_stands_in_its_cell_once(built):
    points, index = built
    assert len(np.unique(index.slot_of_point)) == len(points)
    tile, lane = np.divmod(index.slot_of_point, LANES)
    np.testing.assert_array_equal(index.tiles[tile, :, lane], points)
    first, after = index.first_tile[index.cell_of_point], index.first_tile[index.cell_of_point + 1]
    assert np.all((first <= tile) & (tile < after))
    assert index.members.sum() == len(points)


def test_padding_lies_at_infinity_and_cells_begin_on_even_tiles(built):
    points, index = built
    assert np.isinf(index.tiles).all(axis=1).sum() == len(index.tiles) * LANES - len(points)
    assert np.all(index.first_tile % (POINTS // LANES) == 0)


def test_no_point_lies_beyond_the_radius_of_its_cell(built):
    points, index = built
    to_centroid = np.sqrt(((points.astype(np.float64) - index.centroids[index.cell_of_point]) ** 2).sum(axis=1))
    assert np.all(to_centroid <= index.radius[index.cell_of_point])


@pytest.mark.parametrize("threads", [1, 3])
def test_cells_do_not_depend_on_threads(threads):
    points = np.random.default_rng(9).standard_normal((20_000, 6)).astype(np.float32)
    found = distinct.collapse(points, np.zeros(len(points), np.uint8), 1)
    one = cells.build(points, found, np.random.default_rng(0), 2, Silent())
    other = cells.build(points, found, np.random.default_rng(0), threads, Silent())
    np.testing.assert_array_equal(one.centroids, other.centroids)
    np.testing.assert_array_equal(one.cell_of_point, other.cell_of_point)
