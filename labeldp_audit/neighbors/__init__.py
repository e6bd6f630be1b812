"""Points -> class counts among the nearest neighbours. The only importer of FAISS; the graph is never materialised.

A row is not its own neighbour. All ties at the k-th distance are taken, because breaking them by position would make a
file sorted by label look as if the features gave every label away. Identical rows are one weighted point.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..core.errors import SpecError
from ..core.eta import Neighborhoods
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..engines.threads import in_threads
from . import cells as partition
from . import recall as measured
from . import scan
from .distinct import Distinct, collapse
from .grid import Asked, Counts, Grid
from .shortlist import Counted

_AFFORDABLE = 1e12  # candidates times coordinates that are searched exactly: some seconds on two cores
_SAMPLE = 16_384  # points of the first look; small tables need none
_SMALL = 4096
_LIST_BYTES = 48 << 20  # of one thread's short lists


@dataclass(frozen=True)
class _Index:
    """What the scan needs of the whole table, and how far it looks."""

    points: npt.NDArray[np.float32]
    distinct: Distinct
    cells: partition.Cells
    sample_tiles: npt.NDArray[np.float32]
    sample_rank: int
    needs: Integers  # (g,): the k nearest others and the row itself, for each k


def count(
    points: npt.NDArray[np.float32], labels: npt.NDArray[np.uint8], classes: int, rows: Integers, *,
    k: int, recall: float, seed: int, threads: int, progress: Progress,
    part: npt.NDArray[np.uint8] | None = None,
) -> Neighborhoods:  # fmt: skip
    """Class counts among the k nearest other rows of each of `rows`; the search sees all rows of `points`.

    part (n,) 0, 1, ...: then also the counts of those neighbours that are in other parts than the row.
    """
    found = count_grid(
        points, labels, classes, rows, ks=(k,), recall=recall, seed=seed, threads=threads, progress=progress, part=part
    )
    return found.at(0)


def count_grid(
    points: npt.NDArray[np.float32], labels: npt.NDArray[np.uint8], classes: int, rows: Integers, *,
    ks: tuple[int, ...], recall: float, seed: int, threads: int, progress: Progress,
    part: npt.NDArray[np.uint8] | None = None,
) -> Grid:  # fmt: skip
    """The same for several k, which increase, from one search for the largest. Each reaches the recall."""
    _check(ks, len(points))
    kinds = labels.astype(np.int64) if part is None else labels + classes * part.astype(np.int64)
    parts = 1 if part is None else int(part.max()) + 1
    index = _build(points, kinds, classes * parts, ks, seed, threads, progress)
    asked, place = np.unique(index.distinct.point_of_row[rows], return_inverse=True)
    search = _choose_search(index, len(asked), recall, seed, threads)
    progress.stage("searching", len(asked), "points")
    counts, _ = _search(index, asked, search.probes, threads, progress)
    return Grid(
        ks, len(points), classes, Asked(rows, place, kinds[rows], None if part is None else part[rows]), counts, search,
        exact=search.probes == index.cells.count,
    )  # fmt: skip


def _check(ks: tuple[int, ...], n: int) -> None:
    for k in ks:
        if not 1 <= k < n:
            raise SpecError(f"k = {k} needs more than {k} rows, and the table has {n}", hint="--k with fewer")
    if not ks or any(k >= more for k, more in itertools.pairwise(ks)):
        raise ValueError(f"numbers of neighbours that do not increase: {ks}")


def _build(
    points: npt.NDArray[np.float32], labels: npt.NDArray[np.integer], classes: int, ks: tuple[int, ...], seed: int,
    threads: int, progress: Progress,
) -> _Index:  # fmt: skip
    n = len(points)
    distinct = collapse(points, labels, classes)
    cells = partition.build(points, distinct, for_audit(seed, "cells"), threads, progress)
    size = min(_SAMPLE, n // 8) if n > _SMALL else 1
    rows = for_audit(seed, "first look").integers(n, size=size)
    expected = (ks[-1] + 1) * size / n
    rank = int(expected + 3 * expected**0.5 + 3)  # three standard deviations: rarely too few
    rank = rank if n > _SMALL and rank < size // 2 else 0
    return _Index(points, distinct, cells, partition.tiled(points[rows]), rank, np.array(ks, np.int64) + 1)


def _choose_search(index: _Index, queries: int, recall: float, seed: int, threads: int) -> measured.Search:
    """All cells where that is affordable, otherwise as many as the recall asks for."""
    exact = measured.exact(index.cells.count, len(index.needs))
    d = max(8, index.points.shape[1])
    points = len(index.distinct.first_row)
    if recall == 1.0 or queries * points * d <= _AFFORDABLE or index.cells.count == 1:
        return exact
    rng = for_audit(seed, "recall")
    sample = index.distinct.point_of_row[rng.integers(len(index.points), size=2 * measured.SAMPLE)]
    found, scanned = _search(index, sample, index.cells.count, threads, Silent())
    if queries * scanned.mean() * d <= _AFFORDABLE:  # few dimensions: far cells are passed over
        return exact
    at, home = index.points[index.distinct.first_row[sample]], index.cells.cell_of_point[sample]
    chooses, judges = (
        measured.Sample(at[half], home[half], found.radius[half])
        for half in (slice(measured.SAMPLE), slice(measured.SAMPLE, None))
    )
    return measured.choose(index.cells, chooses, judges, recall)


def _search(
    index: _Index, asked: npt.NDArray[np.int32], probes: int, threads: int, progress: Progress
) -> tuple[Counts, Integers]:
    """What is counted, and candidates, of each distinct point asked, in blocks of near ones."""
    cells = index.cells
    home = cells.cell_of_point[asked]
    order = np.argsort(home, kind="stable")
    counts = np.empty((len(asked), len(index.needs), cells.members.shape[1]), np.int32)
    radius = np.empty(counts.shape[:2], np.float32)
    scanned = np.empty(len(asked), np.int64)

    reference = scan.Reference(
        cells.tiles, Counted(cells.members, cells.weight), cells.first_tile, cells.centroid_tiles, cells.radius
    )
    first_look = scan.FirstLook(index.sample_tiles, index.sample_rank)

    def look(block: Integers) -> Integers:
        at = index.points[index.distinct.first_row[asked[block]]]
        found = scan.Found(
            np.empty((len(block), *counts.shape[1:]), np.int32),
            np.empty((len(block), counts.shape[1]), np.float32),
            np.empty(len(block), np.int64),
        )
        scan.count_block(reference, first_look, at, home[block], index.needs, probes, found)
        counts[block], radius[block], scanned[block] = found
        return block

    for block in in_threads(look, _blocks(order, int(index.needs[-1]), threads), threads):
        progress.advance(len(block))
    return Counts(counts, radius), scanned


def _blocks(order: Integers, need: int, threads: int) -> Iterator[Integers]:
    """Large, for one reading of a cell serves a whole block, but no larger than its lists fit and the work divides."""
    size = min(1024, _LIST_BYTES // (8 * scan.capacity(need)), -(-len(order) // (4 * threads)))
    size = max(scan.WORD, size // scan.WORD * scan.WORD)
    return (order[start : start + size] for start in range(0, len(order), size))
