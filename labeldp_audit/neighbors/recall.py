"""How many cells must be looked at, and what share of the true neighbours is then found: measured, not assumed.

The sample that chooses the number of cells does not judge it: another one does, so the reported recall is not the
best of many tries. Only where that one falls short of what was asked for does it add cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..bounds.intervals import hoeffding
from ..core.arrays import Floats, Integers
from ..core.compiled import compiled
from .cells import Cells
from .tile import F32, I32, LANES, POINTS, QUERIES, lowest_bit, within

SAMPLE = 256  # queries of each of the two samples: a standard error of about 0.003
MARGIN = 2.33  # standard errors that the choice stays clear of what was asked for
MISS = 0.01  # of the lower limit


@dataclass(frozen=True)
class Sample:
    """Some queries and where their true neighbours end."""

    points: F32  # (s, d)
    home: I32  # (s,): their own cells
    radius: F32  # (s, g): for each number of neighbours, increasing


@dataclass(frozen=True)
class Search:
    """How the neighbours are searched, and the recall that was measured for it at each number of neighbours."""

    probes: int
    recall: tuple[float, ...]
    recall_low: tuple[float, ...]


def exact(cells: int, numbers: int) -> Search:
    return Search(cells, (1.0,) * numbers, (1.0,) * numbers)


def choose(cells: Cells, chooses: Sample, judges: Sample, wanted: float) -> Search:
    """The fewest nearest cells that hold the share `wanted` of the true neighbours, within sampling error.

    At each number of neighbours: nearer ones mostly lie in nearer cells, but mostly is not always.
    """
    curves, errors = _recall_curves(cells, chooses)
    judged, _ = _recall_curves(cells, judges)
    enough = np.flatnonzero((curves - MARGIN * errors).min(axis=0) >= wanted)
    probes = first = int(enough[0]) + 1 if len(enough) else cells.count
    while probes < cells.count and judged[:, probes - 1].min() < wanted:
        probes = min(cells.count, probes + max(1, probes // 16))
    if probes == cells.count:
        return exact(probes, len(judged))
    found = judged[:, probes - 1].tolist()
    # Where the judge added cells its curves were stopped at a lucky place: only `wanted` was fixed before.
    known = found if probes == first else [wanted] * len(found)
    return Search(probes, tuple(found), tuple(hoeffding.share_lower(one, len(judges.home), MISS) for one in known))


def _recall_curves(cells: Cells, sample: Sample) -> tuple[Floats, Floats]:
    """(g, cells): mean share of the true neighbours in the p nearest cells, for p = 1, 2, ..., and its standard error.

    The query itself is easily found, and no neighbour.
    """
    found = _neighbors_by_cell(cells.tiles, cells.weight, cells.first_tile, sample.points, sample.radius)
    found[:, np.arange(len(sample.home)), sample.home] -= 1
    centres = cells.centroids
    nearest = np.array([np.argsort(((centres - at) ** 2).sum(axis=1), kind="stable") for at in sample.points])
    curves, errors = np.empty((2, len(found), cells.count))
    for g, near in enumerate(found):
        reached = np.cumsum(np.take_along_axis(near, nearest, axis=1), axis=1)
        share = reached / reached[:, -1:]
        curves[g], errors[g] = share.mean(axis=0), share.std(axis=0) / math.sqrt(len(share))
    return curves, errors


@compiled
def _neighbors_by_cell(
    tiles: F32, weight: I32, first_tile: Integers, queries: F32, radius: F32
) -> I32:  # fmt: skip
    """Rows within each radius (s, g) of each query, cell by cell (g, s, cells)."""
    last, numbers = len(queries) - 1, radius.shape[1]
    # A radius is a rounded root: allow for it, lest the k-th neighbour itself be missed.
    square = (radius * radius * np.float32(1 + 1e-6)).astype(np.float32)
    widest = square[:, numbers - 1].copy()
    out = np.empty((QUERIES, POINTS), np.float32)
    found = np.zeros((numbers, len(queries), len(first_tile) - 1), np.int32)
    for cell in range(len(first_tile) - 1):
        for a in range(0, len(queries), QUERIES):
            b, c, e = min(a + 1, last), min(a + 2, last), min(a + 3, last)
            for tile in range(first_tile[cell], first_tile[cell + 1], POINTS // LANES):
                masks = within(tiles, tile, queries, a, b, c, e, widest, out, 0)
                for j in range(min(QUERIES, len(queries) - a)):
                    left = masks[0] if j == 0 else masks[1] if j == 1 else masks[2] if j == 2 else masks[3]
                    while left != 0:
                        point = np.int64(lowest_bit(left))
                        left &= left - np.uint32(1)
                        rows = 1 if len(weight) == 1 else weight[tile * LANES + point]
                        g = numbers - 1
                        while g >= 0 and out[j, point] <= square[a + j, g]:
                            found[g, a + j, cell] += rows
                            g -= 1
    return found
