from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.neighbors import distinct


def test_points_are_numbered_by_their_first_row():
    points = np.array([[2, 1], [0, 0], [2, 1], [3, 3], [-0.0, 0]], np.float32)
    found = distinct.collapse(points, np.array([0, 1, 1, 0, 1], np.uint8), 2)
    np.testing.assert_array_equal(found.first_row, [0, 1, 3])
    np.testing.assert_array_equal(found.point_of_row, [0, 1, 0, 2, 1])
    np.testing.assert_array_equal(found.members, [[1, 1], [0, 2], [1, 0]])


def test_as_numpy_finds_them():
    rng = np.random.default_rng(4)
    points = rng.integers(0, 4, (3000, 5)).astype(np.float32)
    found = distinct.collapse(points, np.zeros(3000, np.uint8), 1)
    assert len(found.first_row) == len(np.unique(points, axis=0))
    np.testing.assert_array_equal(points[found.first_row][found.point_of_row], points)
    assert found.members.sum() == 3000


def test_different_rows_with_one_hash_stay_different(monkeypatch):
    """The first salts put everything in one bucket, the later ones hash as always."""
    real = distinct._hash_rows
    tried = []

    def weak(points, salt):
        tried.append(salt)
        return np.zeros(len(points), np.uint64) if salt < 3 else real(points, salt)

    monkeypatch.setattr(distinct, "_hash_rows", weak)
    points = np.arange(12, dtype=np.float32).reshape(6, 2)
    assert len(distinct.collapse(points, np.zeros(6, np.uint8), 1).first_row) == 6
    assert len(tried) == 4


def test_no_salt_helps(monkeypatch):
    monkeypatch.setattr(distinct, "_hash_rows", lambda points, salt: np.zeros(len(points), np.uint64))
    with pytest.raises(RuntimeError, match="share a hash"):
        distinct.collapse(np.arange(4, dtype=np.float32)[:, None], np.zeros(4, np.uint8), 1)
