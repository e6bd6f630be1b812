"""How many cells must be looked at, and what share of the true neighbours is then found: measured, not assumed.

The sample that chooses the number of cells does not judge it: another one does, so the reported recall is not the
best of many tries. Only where that one falls short of what was asked for does it add cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..bounds import hoeffding
from ..compiled import compiled
from ..model import Floats, Integers
from .cells import Cells
from .tile import LANES, POINTS, QUERIES, lowest_bit, within

SAMPLE = 256  # queries of each of the two samples: a standard error of about 0.003
_MARGIN = 2.33  # standard errors that the choice stays clear of what was asked for
_MISS = 0.01  # of the lower limit


@dataclass(frozen=True)
class Sample:
    """Some queries and where their true neighbours end."""

    points: npt.NDArray[np.float32]  # (s, d)
    home: npt.NDArray[np.int32]  # (s,): their own cells
    radius: npt.NDArray[np.float32]  # (s,)


@dataclass(frozen=True)
class Search:
    """How the neighbours are searched, and the recall that was measured for it."""

    probes: int
    recall: float
    recall_low: float


def choose(cells: Cells, chooses: Sample, judges: Sample, wanted: float) -> Search:
    """The fewest nearest cells that hold the share `wanted` of the true neighbours, within sampling error."""
    curve, error = _recall_curve(cells, chooses)
    judged, _ = _recall_curve(cells, judges)
    enough = np.flatnonzero(curve - _MARGIN * error >= wanted)
    probes = first = int(enough[0]) + 1 if len(enough) else cells.count
    while probes < cells.count and judged[probes - 1] < wanted:
        probes = min(cells.count, probes + max(1, probes // 16))
    if probes == cells.count:
        return Search(probes, 1.0, 1.0)
    found = float(judged[probes - 1])
    # Where the judge added cells its curve was stopped at a lucky place: only `wanted` was fixed before.
    return Search(probes, found, hoeffding.share_lower(found if probes == first else wanted, len(judges.home), _MISS))


def _recall_curve(cells: Cells, sample: Sample) -> tuple[Floats, Floats]:
    """Mean share of the true neighbours in the p nearest cells, and its standard error, for p = 1, 2, ..."""
    found = _neighbors_by_cell(cells.tiles, cells.weight, cells.first_tile, sample.points, sample.radius)
    found[np.arange(len(found)), sample.home] -= 1  # the query itself is easily found
    share = np.empty(found.shape)
    for q, query in enumerate(sample.points):
        nearest = np.argsort(((cells.centroids - query) ** 2).sum(axis=1), kind="stable")
        share[q] = np.cumsum(found[q, nearest]) / found[q].sum()
    return share.mean(axis=0), share.std(axis=0) / math.sqrt(len(found))


@compiled
def _neighbors_by_cell(
    tiles: npt.NDArray[np.float32], weight: npt.NDArray[np.int32], first_tile: Integers,
    queries: npt.NDArray[np.float32], radius: npt.NDArray[np.float32],
) -> npt.NDArray[np.int64]:  # fmt: skip
    """Rows within the radius of each query, cell by cell (q, cells)."""
    last = len(queries) - 1
    # A radius is a rounded root: allow for it, lest the k-th neighbour itself be missed.
    square = (radius * radius * np.float32(1 + 1e-6)).astype(np.float32)
    out = np.empty((QUERIES, POINTS), np.float32)
    found = np.zeros((len(queries), len(first_tile) - 1), np.int64)
    for cell in range(len(first_tile) - 1):
        for a in range(0, len(queries), QUERIES):
            b, c, e = min(a + 1, last), min(a + 2, last), min(a + 3, last)
            for tile in range(first_tile[cell], first_tile[cell + 1], POINTS // LANES):
                masks = within(tiles, tile, queries, a, b, c, e, square, out, 0)
                for j in range(min(QUERIES, len(queries) - a)):
                    left = masks[0] if j == 0 else masks[1] if j == 1 else masks[2] if j == 2 else masks[3]
                    while left != 0:
                        slot = tile * LANES + np.int64(lowest_bit(left))
                        left &= left - np.uint32(1)
                        found[a + j, cell] += 1 if len(weight) == 1 else weight[slot]
    return found
