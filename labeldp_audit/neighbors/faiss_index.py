"""Neighbours found by FAISS, ranked again in the arithmetic of the scan, so that an exact index gives its counts.

Equal rows are one point of the index. A search fetches more points than are wanted and goes on until the last one
lies beyond the k-th distance by more than FAISS may have rounded, so that no tie at the k-th distance is missed. It
never returns the row itself or rows of the same person.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import hoeffding
from ..core.arrays import Floats, Integers
from ..core.compiled import compiled
from ..core.errors import SpecError
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..engines.machine import check_memory
from ..engines.threads import in_threads
from . import cells
from .lists import Graph, Lists
from .recall import MARGIN, MISS, SAMPLE, Search, exact
from .shortlist import BITS
from .tile import F32, I32, U64

EXACT, IVF, HNSW = "exact", "ivf", "hnsw"
LINKS = 32  # of a point of IndexHNSWFlat
_STEP = 1.25  # from one number of probes to the next
_BLOCK_BYTES = 2 << 20  # of what one search returns
_MOST_LINKED = 0.99  # share of the neighbours, beyond which links lead nowhere near all in any time
STORED = "the graph needs", "--k with fewer, or --estimator knn, which stores no neighbours"
_NOWHERE = np.uint64(0xFFFFFFFFFFFFFFFF)


class _Members(NamedTuple):
    """The rows at each point of the index, and whose they are."""

    rows: Integers  # (n,) point by point
    first: Integers  # (m + 1,)
    person: Integers  # (n,)


@dataclass(frozen=True)
class FaissIndex:
    """The distinct points of a table in an index of FAISS."""

    kind: str
    vectors: F32  # (m, d)
    point_of_row: I32  # (n,)
    members: _Members
    threads: int
    search: Search
    index: Any = field(repr=False)

    @classmethod
    def build(
        cls, points: F32, kind: str, ks: tuple[int, ...], recall: float, *, groups: Integers | None = None,
        seed: int, threads: int, progress: Progress,
    ) -> FaissIndex:  # fmt: skip
        """ks: numbers of neighbours, increasing, at each of which an approximate index has to reach the recall."""
        if kind == HNSW and recall > _MOST_LINKED:
            raise SpecError(f"a recall above {_MOST_LINKED} is too much for hnsw", hint="--index exact")
        first_row, point_of_row = cells.collapse(points)
        vectors = points if len(points) == len(first_row) else points[first_row]
        first = np.concatenate([[0], np.cumsum(np.bincount(point_of_row))])
        person = np.arange(len(points)) if groups is None else groups
        members = _Members(np.argsort(point_of_row, kind="stable"), first, person)
        index = _faiss_index(vectors, kind, seed, threads, progress)
        found = cls(kind, vectors, point_of_row, members, threads, exact(0, len(ks)), index)
        return found if kind == EXACT else replace(found, search=found._tune(ks, recall, seed))

    def graph(self, k: int, rows: Integers, about: dict[str, object], progress: Progress) -> Graph:
        """Return the graph of all rows; memory stays below twice the graph. rows: their numbers in the file."""
        n, end, times = len(rows), 0, np.diff(self.members.first)
        size = int((times * np.maximum(k, times - 1)).sum())  # at least: equal rows list each other
        check_memory(8 * size, STORED)
        start, ids, distances = np.zeros(n + 1, np.int64), np.empty(size, np.int32), np.empty(size, np.float32)
        for block, lists in self.blocks(np.arange(n), k, progress):
            more = end + len(lists.ids)
            for array in (ids, distances) if more > len(ids) else ():
                array.resize(more + size // 8, refcheck=False)
            ids[end:more], distances[end:more] = lists.ids, lists.distances
            start[block[0] + 1 : block[-1] + 2] = end + lists.start[1:]
            end = more
        for array in (ids, distances):
            array.resize(end, refcheck=False)
        every = Lists(start, ids, np.sqrt(distances, out=distances))
        return Graph(k, every, rows, self._describe(), self.search.recall[-1], self.search.recall_low[-1], about)

    def blocks(self, rows: Integers, k: int, progress: Progress) -> Iterator[tuple[Integers, Lists]]:
        """Yield blocks of the rows with their neighbours, at squared distances."""
        size = max(1, _BLOCK_BYTES // (12 * _fetch_size(k)))
        progress.stage("searching", len(rows), "rows")
        parts = (rows[first : first + size] for first in range(0, len(rows), size))
        for part, lists in in_threads(
            lambda part: (part, self._lists(part, k, self.search.probes)), parts, self.threads
        ):
            progress.advance(len(part))
            yield part, lists

    def _lists(self, rows: Integers, k: int, probes: int, *, exhaustive: bool = False) -> Lists:
        """Search wider and wider until every row has its k nearest and their ties, or nothing is left to find."""
        m, number, most = len(self.vectors), _fetch_size(k), self._most_probes
        size, rounds = np.zeros(len(rows), np.int64), list[tuple[Integers, Integers, U64]]()
        pending = np.arange(len(rows))
        while len(pending):
            number, probes = min(number, m), min(probes, most)
            asked, place = np.unique(self.point_of_row[rows[pending]], return_inverse=True)
            ranked, reach = self._rank(asked, number, probes, exhaustive)
            last = number == m and (exhaustive or self.kind == EXACT or probes == most)
            found, is_open = _measure(ranked, reach, place, rows[pending], self.members, k, last)
            size[pending[~is_open]] = found[~is_open]
            rounds.append((pending[~is_open], place[~is_open], ranked))
            pending, number, probes = pending[is_open], 2 * number, 2 * probes
        start = np.concatenate([[0], np.cumsum(size)])
        lists = Lists(start, np.empty(start[-1], np.int32), np.empty(start[-1], np.float32))
        for done, place, ranked in rounds:
            _fill(ranked, place, rows[done], self.members, start[done], start[done + 1], lists.ids, lists.distances)
        return lists

    def _rank(self, asked: npt.NDArray[Any], number: int, probes: int, exhaustive: bool) -> tuple[U64, F32]:
        """Return (bits of the squared distance, point) of the nearest points, and how far FAISS surely looked."""
        faiss: Any = importlib.import_module("faiss")  # whose types leave some classes out
        faiss.omp_set_num_threads(1)
        queries, parameters, flat = self.vectors[asked], None, exhaustive or self.kind == EXACT
        if self.kind == IVF:
            parameters = faiss.SearchParametersIVF(nprobe=probes)
        elif self.kind == HNSW:
            parameters = faiss.SearchParametersHNSW(efSearch=max(probes, number))
        if exhaustive:
            far, near = faiss.knn(queries, self.vectors, number)
        else:
            far, near = self.index.search(queries, number, params=parameters)
        # Flat indexes multiply vectors, so their distances are wrong by a share of the squared lengths of both.
        rounding = 3 * (queries.shape[1] + 8) * 2.0**-23
        length = np.square(queries, dtype=np.float64).sum(axis=1) if flat else 0.0
        reach = (far[:, -1] - rounding * length) / (1 + rounding)
        reach[(near[:, -1] < 0) | (number == len(self.vectors))] = np.inf
        keys = _keys(self.vectors, asked, near)
        keys.sort(axis=1)
        return keys, reach.astype(np.float32)

    @property
    def _most_probes(self) -> int:
        return int(self.index.nlist) if self.kind == IVF else len(self.vectors)

    def _tune(self, ks: tuple[int, ...], wanted: float, seed: int) -> Search:
        """Return the search with the fewest probes that reach the recall, judged by rows that did not choose them."""
        rng, most, probes, enough = for_audit(seed, "recall of an index"), self._most_probes, 0, False
        samples = [np.sort(rng.integers(len(self.point_of_row), size=SAMPLE)) for _ in range(2)]
        true = [self._lists(rows, ks[-1], 1, exhaustive=True) for rows in samples]

        def shares(sample: int) -> Floats:
            return _shares_found(true[sample], self._lists(samples[sample], ks[-1], probes), ks)

        while not enough:
            least = 1 if self.kind == IVF else _fetch_size(ks[-1])
            probes = most if wanted == 1 else min(max(math.ceil(_STEP * probes), least), most)
            found = shares(0)
            clear = found.mean(axis=0) - MARGIN * found.std(axis=0) / math.sqrt(SAMPLE)
            enough = probes == most or bool(clear.min() >= wanted)
        first, judged = probes, shares(1).mean(axis=0)
        while probes < most and judged.min() < wanted:
            probes = min(math.ceil(_STEP * probes), most)
            judged = shares(1).mean(axis=0)
        if probes == most and self.kind == IVF:
            return exact(probes, len(ks))
        # Where the second sample added probes, it stopped at a lucky place: only `wanted` was fixed before.
        known = np.minimum(judged if probes == first else wanted, judged).tolist()
        return Search(probes, tuple(judged.tolist()), tuple(hoeffding.share_lower(one, SAMPLE, MISS) for one in known))

    def _describe(self) -> dict[str, object]:
        """Return the class of FAISS and its parameters."""
        probes, kind = self.search.probes, type(self.index).__name__
        if self.kind == EXACT:
            return {"class": kind}
        named = {"nlist": self._most_probes, "nprobe": probes} if self.kind == IVF else {"M": LINKS, "efSearch": probes}
        return {"class": kind, **named}


def _fetch_size(k: int) -> int:
    """Return how many points a search begins with: the row itself, k others, and some to spare."""
    return k + 1 + max(16, k // 16)


def _faiss_index(vectors: F32, kind: str, seed: int, threads: int, progress: Progress) -> Any:
    import faiss

    d, index = vectors.shape[1], None
    if kind == IVF:
        rows = np.arange(len(vectors))
        _, centroids = cells.partition(vectors, rows, for_audit(seed, "cells"), threads, progress)
        quantizer = faiss.IndexFlatL2(d)
        quantizer.add(centroids)
        index = faiss.IndexIVFFlat(quantizer, d, len(centroids))
        index.is_trained = True
    built: Any = index or (faiss.IndexHNSWFlat(d, LINKS) if kind == HNSW else faiss.IndexFlatL2(d))
    faiss.omp_set_num_threads(1 if kind == HNSW else threads)  # more threads would link points in another order
    progress.stage("building the index", len(vectors), "points")
    built.add(vectors)
    return built


def _shares_found(true: Lists, found: Lists, ks: tuple[int, ...]) -> Floats:
    """Return the share of the true neighbours that were found, of each row at each k: (s, g)."""
    every, rows = np.arange(len(true.start) - 1), np.zeros(int(true.ids.max()) + 1, np.int64)
    counts, radius = true.counts(every, rows, 1, ks)
    reached = np.repeat(radius, np.diff(found.start), axis=0) >= found.distances[:, None]
    total = np.concatenate([np.zeros((1, len(ks)), np.int64), np.cumsum(reached, axis=0)])[found.start]
    return np.asarray(np.diff(total, axis=0) / np.maximum(counts[:, :, 0], 1))


@partial(compiled, fastmath={"contract"})  # multiply and add may be fused, as in tile.py
def _keys(vectors: F32, asked: Integers, near: Integers) -> U64:
    """Measure again, term by term in the order of the coordinates as the scan does."""
    keys = np.full(near.shape, _NOWHERE)
    for q in range(len(near)):
        for j in range(near.shape[1]):
            if near[q, j] >= 0:
                square = np.float32(0)
                for f in range(vectors.shape[1]):
                    difference = vectors[near[q, j], f] - vectors[asked[q], f]
                    square += difference * difference
                keys[q, j] = np.uint64(np.float32(square).view(np.uint32)) << BITS | np.uint64(near[q, j])
    return keys


@compiled
def _measure(ranked: U64, reach: F32, place: Integers, rows: Integers, members: _Members, k: int, last: bool) -> Any:
    """Return the length of each row's list, and whether a wider search may find more."""
    size, is_open = np.empty(len(rows), np.int64), np.empty(len(rows), np.bool_)
    for i in range(len(rows)):
        mine, count, limit = members.person[rows[i]], 0, np.float32(-1)
        for key in ranked[place[i]]:
            square = np.uint32(key >> BITS).view(np.float32)
            if key == _NOWHERE or (count >= k and square > limit):
                break
            for at in range(members.first[np.uint32(key)], members.first[np.uint32(key) + 1]):
                count += members.person[members.rows[at]] != mine
            limit = square
        size[i] = count
        is_open[i] = not last if count < k else reach[place[i]] <= limit
    return size, is_open


@compiled
def _fill(
    ranked: U64, place: Integers, rows: Integers, members: _Members, start: Integers, end: Integers, ids: I32,
    squares: F32,
) -> None:  # fmt: skip
    for i in range(len(rows)):
        mine, to = members.person[rows[i]], start[i]
        for key in ranked[place[i]]:
            if to == end[i]:
                break
            for at in range(members.first[np.uint32(key)], members.first[np.uint32(key) + 1]):
                if members.person[members.rows[at]] != mine:
                    ids[to], squares[to] = members.rows[at], np.uint32(key >> BITS).view(np.float32)
                    to += 1
