"""Points -> class counts among the nearest neighbours, by our own scan or by FAISS, or their graph.

A row is not its own neighbour. All ties at the k-th distance are taken, because breaking them by position would make a
file sorted by label look as if the features gave every label away. Identical rows are one weighted point.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Integers
from ..core.errors import SpecError
from ..core.eta import Neighborhoods
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..engines.threads import in_threads
from . import cells as partition
from . import recall as measured
from . import scan
from .faiss_index import FaissIndex
from .lists import Graph, Lists
from .shortlist import Counted
from .tile import F32, I32, U8

__all__ = ["FaissIndex", "Graph", "Grid", "Lists", "check_ks", "count_grid", "count_in_graph", "count_with_index"]

_AFFORDABLE = 1e12  # candidates times coordinates that are searched exactly: some seconds on two cores
_SAMPLE = 16_384  # points of the first look; small tables need none
_SMALL = 4096
_LIST_BYTES = 48 << 20  # of one thread's short lists


@dataclass(frozen=True)
class Grid:
    """Neighbourhoods of the same rows at each of `ks`, handed out k by k: all at once would be larger than the table.

    Counts are around each distinct point that was asked, itself included; kinds are class + classes * part.
    """

    ks: tuple[int, ...]
    n: int
    classes: int
    rows: Integers  # (q,) asked
    place: Integers  # (q,) of each among the distinct points asked
    kind: Integers  # (q,)
    part: U8 | None  # (q,)
    counts: I32  # (m, g, kinds)
    radius: F32  # (m, g)
    search: measured.Search
    exact: bool

    def __iter__(self) -> Iterator[Neighborhoods]:
        return (self.at(g) for g in range(len(self.ks)))

    def at(self, g: int) -> Neighborhoods:
        """At the g-th k: counts of all neighbours, and of those in other parts; the row itself is none of them."""
        kinds, every = self.counts[self.place, g].astype(np.int64), np.arange(len(self.place))
        kinds[every, self.kind] -= 1
        by_part = kinds.reshape(len(kinds), -1, self.classes)
        counts = by_part.sum(axis=1)
        return Neighborhoods(
            rows=self.rows, counts=counts, radius=self.radius[self.place, g], k=self.ks[g], n=self.n, exact=self.exact,
            recall=self.search.recall[g], recall_low=self.search.recall_low[g], probes=self.search.probes,
            part=self.part, other=None if self.part is None else counts - by_part[every, self.part],
        )  # fmt: skip


@dataclass(frozen=True)
class _Index:
    """What the scan needs of the whole table, and how far it looks."""

    points: F32
    cells: partition.Cells
    look: scan.FirstLook
    needs: Integers  # (g,): the k nearest others and the row itself, for each k


def count_grid(
    points: F32, labels: U8, classes: int, rows: Integers, *, ks: tuple[int, ...], recall: float, seed: int,
    threads: int, progress: Progress, part: U8 | None = None,
) -> Grid:  # fmt: skip
    """Class counts among the k nearest other rows of each of `rows`, for each k; the search sees all rows of `points`.

    ks increase; one search for the largest serves all, and each reaches the recall.
    part (n,) 0, 1, ...: then also the counts of those neighbours that are in other parts than the row.
    """
    check_ks(ks, len(points))
    kinds, number = _kinds(labels, classes, part)
    index = _build(points, kinds, number, ks, seed, threads, progress)
    asked, place = np.unique(index.cells.point_of_row[rows], return_inverse=True)
    search = _choose_search(index, len(asked), recall, seed, threads)
    progress.stage("searching", len(asked), "points")
    counts, radius, _ = _search(index, asked, search.probes, threads, progress)
    mine = None if part is None else part[rows]
    exact = search.probes == index.cells.count
    return Grid(ks, len(points), classes, rows, place, kinds[rows], mine, counts, radius, search, exact)


def count_with_index(
    kind: str, points: F32, labels: U8, classes: int, rows: Integers, *, ks: tuple[int, ...], recall: float, seed: int,
    threads: int, progress: Progress, part: U8 | None = None,
) -> Grid:  # fmt: skip
    """The same counts by an index of FAISS: exact, ivf or hnsw."""
    check_ks(ks, len(points))
    kinds, number = _kinds(labels, classes, part)
    index = FaissIndex.build(points, kind, ks, recall, seed=seed, threads=threads, progress=progress)
    found = [
        lists.counts(np.arange(len(block)), kinds, number, ks) for block, lists in index.blocks(rows, ks[-1], progress)
    ]
    counts, radius = (np.concatenate(one) for one in zip(*found, strict=True))
    return _around_rows(counts, np.sqrt(radius), rows, kinds, ks, classes, part, index.search)


def count_in_graph(
    graph: Graph, labels: U8, classes: int, judges: Integers, rows: Integers, *, ks: tuple[int, ...],
    part: U8 | None = None,
) -> Grid:  # fmt: skip
    """Count the classes of `judges`, rows of the graph with these labels, around some of them; `rows` are places
    among the judges. Rows that do not judge have no say."""
    kinds, number = _kinds(labels, classes, part)
    of_row = np.full(len(graph.rows), -1)
    of_row[judges] = kinds
    counts, radius = graph.lists.counts(judges[rows], of_row, number, ks)
    search = measured.Search(0, (graph.recall,) * len(ks), (graph.recall_low,) * len(ks))
    return _around_rows(counts, radius, rows, kinds, ks, classes, part, search)


def _around_rows(
    counts: I32, radius: F32, rows: Integers, kinds: Integers, ks: tuple[int, ...], classes: int, part: U8 | None,
    search: measured.Search,
) -> Grid:  # fmt: skip
    """Return a grid in which every row is a point of its own."""
    every, mine = np.arange(len(rows)), None if part is None else part[rows]
    counts[every, :, kinds[rows]] += 1  # the row itself, as a grid has it
    is_exact = min(search.recall_low) == 1
    return Grid(ks, len(kinds), classes, rows, every, kinds[rows], mine, counts, radius, search, is_exact)


def check_ks(ks: tuple[int, ...], n: int) -> None:
    for k in ks:
        if not 1 <= k < n:
            what = f"k = {k} needs more than {k} rows, and the table has {n}"
            raise SpecError(what, hint="--k with fewer")
    if not ks or any(k >= more for k, more in itertools.pairwise(ks)):
        raise ValueError(f"numbers of neighbours that do not increase: {ks}")


def _kinds(labels: U8, classes: int, part: U8 | None) -> tuple[Integers, int]:
    """Return class + classes * part of each row, and how many there may be."""
    if part is None:
        return labels.astype(np.int64), classes
    return labels + classes * part.astype(np.int64), classes * (int(part.max()) + 1)


def _build(
    points: F32, labels: Integers, classes: int, ks: tuple[int, ...], seed: int, threads: int, progress: Progress
) -> _Index:
    n = len(points)
    cells = partition.build(points, labels, classes, for_audit(seed, "cells"), threads, progress)
    size = min(_SAMPLE, n // 8) if n > _SMALL else 1
    rows = for_audit(seed, "first look").integers(n, size=size)
    expected = (ks[-1] + 1) * size / n
    rank = int(expected + 3 * expected**0.5 + 3)  # three standard deviations: rarely too few
    look = scan.FirstLook(partition.tiled(points[rows]), rank if n > _SMALL and rank < size // 2 else 0)
    return _Index(points, cells, look, np.array(ks, np.int64) + 1)


def _choose_search(index: _Index, queries: int, recall: float, seed: int, threads: int) -> measured.Search:
    """All cells where that is affordable, otherwise as many as the recall asks for."""
    cells = index.cells
    exact = measured.exact(cells.count, len(index.needs))
    d = max(8, index.points.shape[1])
    if recall == 1.0 or queries * len(cells.first_row) * d <= _AFFORDABLE or cells.count == 1:
        return exact
    rng = for_audit(seed, "recall")
    sample = cells.point_of_row[rng.integers(len(index.points), size=2 * measured.SAMPLE)]
    _, radius, scanned = _search(index, sample, cells.count, threads, Silent())
    if queries * scanned.mean() * d <= _AFFORDABLE:  # few dimensions: far cells are passed over
        return exact
    at, home = index.points[cells.first_row[sample]], cells.cell_of_point[sample]
    chooses, judges = (
        measured.Sample(at[half], home[half], radius[half])
        for half in (slice(measured.SAMPLE), slice(measured.SAMPLE, None))
    )
    return measured.choose(cells, chooses, judges, recall)


def _search(index: _Index, asked: I32, probes: int, threads: int, progress: Progress) -> tuple[I32, F32, Integers]:
    """Counts (m, g, kinds), radius (m, g) and candidates (m,) of each distinct point asked, in blocks of near ones."""
    cells, needs = index.cells, index.needs
    home = cells.cell_of_point[asked]
    order = np.argsort(home, kind="stable")
    counts = np.empty((len(asked), len(needs), cells.members.shape[1]), np.int32)
    radius, scanned = np.empty(counts.shape[:2], np.float32), np.empty(len(asked), np.int64)
    reference = scan.Reference(
        cells.tiles, Counted(cells.members, cells.weight), cells.first_tile, cells.centroid_tiles, cells.radius
    )

    def look(block: Integers) -> Integers:
        at = index.points[cells.first_row[asked[block]]]
        found = scan.Found(counts[block], radius[block], scanned[block])  # copies: blocks write into nothing shared
        scan.count_block(reference, index.look, at, home[block], needs, probes, found)
        counts[block], radius[block], scanned[block] = found
        return block

    # Large, for one reading of a cell serves a whole block, but no larger than its lists fit and the work divides.
    size = min(1024, _LIST_BYTES // (8 * scan.capacity(int(needs[-1]))), -(-len(order) // (4 * threads)))
    size = max(scan.WORD, size // scan.WORD * scan.WORD)
    blocks = (order[start : start + size] for start in range(0, len(order), size))
    for block in in_threads(look, blocks, threads):
        progress.advance(len(block))
    return counts, radius, scanned
