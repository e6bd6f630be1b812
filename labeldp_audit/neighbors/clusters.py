"""Clusters of records with like features: FAISS k-means. Labels play no part in them."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Integers
from .cells import cluster, collapse
from .tile import F32


def clusters(points: F32, number: int, seed: int, threads: int) -> Integers:
    """(n,) 0, 1, ...: the cluster of each row, of at most so many; equal rows share one. By a lot that is public."""
    first_row, point_of_row = collapse(points)
    wanted = min(number, len(first_row))
    of_point = cluster(points, first_row, wanted, seed, threads)[0]
    return np.unique(of_point[point_of_row], return_inverse=True)[1].reshape(-1)
