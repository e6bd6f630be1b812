"""Neighbours found by FAISS, ranked again in the arithmetic of the scan, so that an exact index gives its counts.

Equal rows are one point of the index. A search fetches more points than are wanted and goes on until the last one
lies beyond the k-th distance by more than FAISS may have rounded, so that no tie at the k-th distance is missed. It
never returns the row itself or rows of the same person.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import hoeffding
from ..core.arrays import Floats, Integers
from ..core.compiled import compiled
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..engines.threads import in_threads
from . import cells
from .lists import Graph, Lists
from .recall import MARGIN, MISS, SAMPLE, Search, exact
from .shortlist import BITS
from .tile import F32, I32, U64

LINKS = 32  # of a point of IndexHNSWFlat
_STEP = 1.25  # from one number of probes to the next
_BLOCK_BYTES = 2 << 20  # of what one search returns
_NOWHERE = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class FaissIndex:
    """A table's rows in an index of FAISS."""

    points: F32  # (n, d)
    groups: Integers  # (n,) whose row it is
    first_row: Integers  # (m,) of each point of the index
    point_of_row: I32  # (n,)
    members: Integers  # rows, point by point
    first_member: Integers  # (m + 1,)
    index: Any
    search: Search
    threads: int

    @classmethod
    def build(
        cls, points: F32, kind: str, ks: tuple[int, ...], recall: float, *, groups: Integers | None = None,
        seed: int, threads: int, progress: Progress,
    ) -> FaissIndex:  # fmt: skip
        """ks: numbers of neighbours, increasing, at each of which an approximate index has to reach the recall."""
        first_row, point_of_row = cells.collapse(points)
        members = np.argsort(point_of_row, kind="stable")
        first_member = np.concatenate([[0], np.cumsum(np.bincount(point_of_row))])
        groups = np.arange(len(points)) if groups is None else groups
        index = _faiss_index(points, first_row, kind, seed, threads, progress)
        found = cls(points, groups, first_row, point_of_row, members, first_member, index, exact(0, len(ks)), threads)
        return found if kind == "exact" else replace(found, search=found._tuned(ks, recall, seed))

    def graph(self, k: int, rows: Integers, progress: Progress) -> Graph:
        """Return the graph of all rows; `rows` are their numbers in the file."""
        n, end = len(self.points), 0
        start = np.zeros(n + 1, np.int64)
        ids, distances = np.empty(n * k, np.int32), np.empty(n * k, np.float32)
        for block, lists in self.blocks(np.arange(n), k, progress):
            more = end + len(lists.ids)
            if more > len(ids):  # ties: grown in place, as a copy would take twice the memory
                for array in (ids, distances):
                    array.resize(more + n * k // 8, refcheck=False)
            ids[end:more], distances[end:more] = lists.ids, lists.distances
            start[block[0] + 1 : block[-1] + 2] = end + lists.start[1:]
            end = more
        for array in (ids, distances):
            array.resize(end, refcheck=False)
        lists, search = Lists(start, ids, np.sqrt(distances, out=distances)), self.search
        return Graph(k, lists, rows, self._described(), search.recall[-1], search.recall_low[-1])

    def blocks(self, rows: Integers, k: int, progress: Progress) -> Iterator[tuple[Integers, Lists]]:
        """Yield blocks of the rows with their neighbours, at squared distances."""
        size = max(1, _BLOCK_BYTES // (12 * _fetched(k)))
        progress.stage("searching", len(rows), "rows")
        parts = (rows[first : first + size] for first in range(0, len(rows), size))

        def searched(part: Integers) -> tuple[Integers, Lists]:
            return part, self._lists(part, k, self.search.probes)

        for part, lists in in_threads(searched, parts, self.threads):
            progress.advance(len(part))
            yield part, lists

    def _lists(self, rows: Integers, k: int, probes: int, *, exhaustive: bool = False) -> Lists:
        """Search wider and wider until every row has its k nearest and their ties, or nothing is left to find."""
        m, number, most = len(self.first_row), _fetched(k), self._most_probes
        size, rounds = np.zeros(len(rows), np.int64), list[tuple[Integers, Integers, U64]]()
        pending = np.arange(len(rows))
        while len(pending):
            number, probes = min(number, m), min(probes, most)
            asked, place = np.unique(self.point_of_row[rows[pending]], return_inverse=True)
            ranked, reach = self._ranked(asked, number, probes, exhaustive)
            last = number == m and (exhaustive or probes == most)
            found = np.empty_like(pending)
            is_open = _measure(ranked, reach, self._of_rows(rows[pending], place), k, last, found)
            done = np.flatnonzero(~is_open)
            size[pending[done]] = found[done]
            rounds.append((pending[done], place[done], ranked))
            pending, number, probes = pending[is_open], 2 * number, 2 * probes
        start = np.concatenate([[0], np.cumsum(size)])
        ids, squares = np.empty(start[-1], np.int32), np.empty(start[-1], np.float32)
        for done, place, ranked in rounds:
            _fill(ranked, self._of_rows(rows[done], place), start[done], start[done + 1], ids, squares)
        return Lists(start, ids, squares)

    def _ranked(self, asked: npt.NDArray[Any], number: int, probes: int, exhaustive: bool) -> tuple[U64, F32]:
        """Return (bits of the squared distance, point) of the nearest points, and how far FAISS surely looked."""
        import faiss

        faiss.omp_set_num_threads(1)
        queries = self.points[self.first_row[asked]]
        if exhaustive:
            far, near = faiss.knn(queries, _vectors(self.points, self.first_row), number)
        else:
            far, near = self.index.search(queries, number, params=_parameters(self.index, probes, number))
        # Flat indexes multiply vectors, so their distances are wrong by a share of the squared lengths of both.
        flat = exhaustive or self.index.__class__.__name__ == "IndexFlatL2"
        length = np.square(queries, dtype=np.float64).sum(axis=1) if flat else np.zeros(len(queries))
        rounding = (queries.shape[1] + 8) * 2.0**-23
        reach = (far[:, -1] - 3 * rounding * length) / (1 + 3 * rounding)
        reach[(near[:, -1] < 0) | (number == len(self.first_row))] = np.inf
        keys = _keys(self.points, self.first_row, asked, near)
        keys.sort(axis=1)
        return keys, reach.astype(np.float32)

    def _of_rows(self, rows: Integers, place: Integers) -> _Rows:
        return _Rows(rows, place, self.groups, self.members, self.first_member)

    @property
    def _most_probes(self) -> int:
        return int(getattr(self.index, "nlist", len(self.first_row)))

    def _tuned(self, ks: tuple[int, ...], wanted: float, seed: int) -> Search:
        """Return the search with the fewest probes that reach the recall, judged by rows that did not choose them."""
        if wanted == 1 and hasattr(self.index, "nlist"):
            return exact(self._most_probes, len(ks))
        rng = for_audit(seed, "recall of an index")
        samples = [np.sort(rng.integers(len(self.points), size=SAMPLE)) for _ in range(2)]
        true = [self._lists(rows, ks[-1], 1, exhaustive=True) for rows in samples]

        def shares(sample: int, probes: int) -> Floats:
            return _shares_found(true[sample], self._lists(samples[sample], ks[-1], probes), ks)

        probes, most, enough = 0, self._most_probes, False
        while not enough:
            probes = min(math.ceil(_STEP * probes) or 1, most)
            found = shares(0, probes)
            clear = found.mean(axis=0) - MARGIN * found.std(axis=0) / math.sqrt(SAMPLE)
            enough = probes == most or bool(clear.min() >= wanted)
        first, judged = probes, shares(1, probes).mean(axis=0)
        while probes < most and judged.min() < wanted:
            probes = min(math.ceil(_STEP * probes), most)
            judged = shares(1, probes).mean(axis=0)
        if probes == most and hasattr(self.index, "nlist"):
            return exact(probes, len(ks))
        # Where the second sample added probes, it stopped at a lucky place: only `wanted` was fixed before.
        known = np.minimum(judged if probes == first else wanted, judged).tolist()
        lows = tuple(hoeffding.share_lower(min(1.0, one), SAMPLE, MISS) for one in known)
        return Search(probes, tuple(judged.tolist()), lows)

    def _described(self) -> dict[str, object]:
        """Return the class of FAISS and its parameters."""
        found: dict[str, object] = {"class": type(self.index).__name__}
        if hasattr(self.index, "nlist"):
            found |= {"nlist": int(self.index.nlist), "nprobe": self.search.probes}
        if hasattr(self.index, "hnsw"):
            construction = int(self.index.hnsw.efConstruction)
            found |= {"M": LINKS, "efConstruction": construction, "efSearch": self.search.probes}
        return found


class _Rows(NamedTuple):
    """Rows that are asked, and what their neighbours may be."""

    rows: Integers
    place: Integers  # of each among the points that were searched for
    groups: Integers  # (n,) whose row it is
    members: Integers  # rows, point by point
    first_member: Integers  # (m + 1,)


def _fetched(k: int) -> int:
    """Return how many points a search begins with: the row itself, k others, and some to spare."""
    return k + 1 + max(16, k // 16)


def _vectors(points: F32, first_row: Integers) -> F32:
    return points if len(points) == len(first_row) else points[first_row]


def _faiss_index(points: F32, first_row: Integers, kind: str, seed: int, threads: int, progress: Progress) -> Any:
    import faiss

    d = points.shape[1]
    index: Any
    if kind == "ivf":
        _, centroids = cells.partition(points, first_row, for_audit(seed, "cells"), threads, progress)
        quantizer = faiss.IndexFlatL2(d)
        quantizer.add(centroids)
        index = faiss.IndexIVFFlat(quantizer, d, len(centroids))
        index.is_trained = True
    else:
        index = faiss.IndexFlatL2(d) if kind == "exact" else faiss.IndexHNSWFlat(d, LINKS)
    faiss.omp_set_num_threads(1 if kind == "hnsw" else threads)  # more threads would link points in another order
    progress.stage("building the index", len(first_row), "points")
    index.add(_vectors(points, first_row))
    return index


def _parameters(index: Any, probes: int, number: int) -> Any:
    faiss: Any = importlib.import_module("faiss")  # whose types leave these classes out
    if hasattr(index, "nlist"):
        return faiss.SearchParametersIVF(nprobe=probes)
    return faiss.SearchParametersHNSW(efSearch=max(probes, number)) if hasattr(index, "hnsw") else None


def _shares_found(true: Lists, found: Lists, ks: tuple[int, ...]) -> Floats:
    """Return the share of the true neighbours that were found, of each row at each k: (s, g)."""
    every, rows = np.arange(len(true.start) - 1), np.zeros(int(true.ids.max()) + 1, np.int64)
    counts, radius = true.counts(every, rows, 1, ks)
    reached = np.repeat(radius, np.diff(found.start), axis=0) >= found.distances[:, None]
    starts = np.concatenate([np.zeros((1, len(ks)), np.int64), np.cumsum(reached, axis=0)])[found.start]
    return np.asarray(np.diff(starts, axis=0) / np.maximum(counts[:, :, 0], 1))


@partial(compiled, fastmath={"contract"})  # multiply and add may be fused, as in tile.py
def _keys(points: F32, first_row: Integers, asked: Integers, near: Integers) -> U64:
    """Measure again, term by term in the order of the coordinates as the scan does."""
    keys = np.full(near.shape, _NOWHERE)
    for q in range(len(near)):
        own = first_row[asked[q]]
        for j in range(near.shape[1]):
            if near[q, j] >= 0:
                other, square = first_row[near[q, j]], np.float32(0)
                for f in range(points.shape[1]):
                    difference = points[other, f] - points[own, f]
                    square += difference * difference
                keys[q, j] = np.uint64(np.float32(square).view(np.uint32)) << BITS | np.uint64(near[q, j])
    return keys


@compiled
def _measure(ranked: U64, reach: F32, asked: _Rows, k: int, last: bool, size: Integers) -> Any:
    """Fill `size` with the length of each list; return (rows,) whether a wider search may find more."""
    is_open = np.empty(len(asked.rows), np.bool_)
    for i in range(len(asked.rows)):
        mine, count, limit = asked.groups[asked.rows[i]], 0, np.float32(-1)
        for key in ranked[asked.place[i]]:
            square = np.uint32(key >> BITS).view(np.float32)
            if key == _NOWHERE or (count >= k and square > limit):
                break
            point = np.uint32(key)
            for place in range(asked.first_member[point], asked.first_member[point + 1]):
                count += asked.groups[asked.members[place]] != mine
            limit = square
        size[i] = count
        is_open[i] = not last if count < k else reach[asked.place[i]] <= limit
    return is_open


@compiled
def _fill(ranked: U64, asked: _Rows, start: Integers, end: Integers, ids: I32, squares: F32) -> None:
    for i in range(len(asked.rows)):
        mine, at = asked.groups[asked.rows[i]], start[i]
        for key in ranked[asked.place[i]]:
            if at == end[i]:
                break
            point = np.uint32(key)
            for place in range(asked.first_member[point], asked.first_member[point + 1]):
                row = asked.members[place]
                if asked.groups[row] != mine:
                    ids[at], squares[at] = row, np.uint32(key >> BITS).view(np.float32)
                    at += 1
