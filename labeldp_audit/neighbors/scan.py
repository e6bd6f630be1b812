"""The hot loop: class counts among the nearest points, without ever holding the neighbours.

Queries are taken in blocks of some hundreds that lie close together, and each cell is read once for all of them: what
limits a scan of millions of points is the way from memory to the core. For every query

1. a first look at a small uniform sample of the rows gives a threshold below which k rows almost surely lie;
2. the cells to look at are those with the nearest centroids, less those that lie wholly beyond the threshold;
3. the points of these cells below the threshold go on a short list. Should the list fill up, the threshold falls to
   the distance of the k-th nearest so far. Points at exactly the threshold are only counted, class by class, so that
   any number of ties fits;
4. the k-th distance of the list is found, and what lies within it is counted; then the same for each smaller k, in
   what lies within the one before.

A query that ends with fewer than k rows is looked at again without a threshold, then in all cells, so the first look
costs or saves time and never changes a count.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Integers
from ..core.compiled import compiled
from .shortlist import FARTHEST, Counted, Lists, read_off, smallest, take, tighten
from .tile import F32, I32, LANES, POINTS, QUERIES, U32, lowest_bit, within

WORD = 32  # queries a mask word
PIECE = 16  # tile pairs a piece of a cell: what is measured before the hits are picked out
_STEP = POINTS // LANES  # tiles of a pair
_SLACK = 1e-5  # relative, when a whole cell is passed over: for rounding, to which each coordinate adds
_ROUNDING = 2.0**-24  # of one float32 operation


class Reference(NamedTuple):
    """The points searched, cell by cell (cells.py)."""

    tiles: F32  # (t, d, 16)
    counted: Counted
    first_tile: Integers  # (cells + 1,)
    centroid_tiles: F32
    cell_radius: F32  # (cells,)


class FirstLook(NamedTuple):
    """A uniform sample of the rows, and the rank in it whose distance is the first threshold; 0: no first look."""

    tiles: F32
    rank: int


class Found(NamedTuple):
    """What is learnt of each query, for each number of neighbours."""

    counts: I32  # (b, g, C): itself included
    radius: F32  # (b, g): distance of the k-th neighbour
    scanned: Integers  # (b,): candidates whose distance was computed


@compiled
def capacity(need: int) -> int:
    """Entries of a short list: twice what is kept, and a piece of a cell."""
    return 2 * need + 4 * PIECE * POINTS


@compiled
def count_block(
    reference: Reference, look: FirstLook, queries: F32, home: I32, needs: Integers, probes: int, found: Found
) -> None:  # fmt: skip
    """For each query the classes among the nearest rows, itself among them and ties included -> found.

    needs (g,): how many rows, increasing. The largest is looked for; the others are read off the same short list.
    queries (b, d) and their own cells `home` (b,). The `probes` nearest cells are looked at, and always its own.
    """
    cells, counted, need = len(reference.first_tile) - 1, reference.counted, needs[len(needs) - 1]
    b, room = len(queries), capacity(need)
    ties = np.zeros((b, counted.members.shape[1]), np.int64)
    entries, work = np.empty((b, room), np.uint64), np.empty(max(room, cells), np.uint64)
    lists = Lists(entries, np.zeros(b, np.int64), ties, np.full(b, FARTHEST), work)
    mask = np.empty((-(-len(queries) // WORD), cells), np.uint32)
    pending = np.arange(len(queries))
    for attempt in range(3):
        asked, own = queries[pending], home[pending]
        _set_thresholds(look.tiles, look.rank if attempt == 0 else 0, asked, lists)
        _choose_cells(reference, asked, own, lists, probes if attempt < 2 else cells, mask)
        seen = np.zeros(len(asked), np.int64)
        _sweep(reference, asked, mask, need, lists, seen)
        short = np.zeros(len(asked), np.bool_)
        for q in range(len(asked)):
            row = pending[q]
            short[q] = not read_off(lists, q, counted, needs, found.counts[row], found.radius[row])
            found.scanned[row] = seen[q]
        pending = pending[short]
        if len(pending) == 0:
            break


@compiled
def _set_thresholds(sample_tiles: F32, rank: int, asked: F32, lists: Lists) -> None:
    """From the sample, where there is a rank; lists are left empty."""
    b = len(asked)
    lists.threshold[:b] = FARTHEST
    lists.size[:b] = 0
    lists.ties[:b] = 0
    if rank:
        # A short list is quickly full, so that the threshold soon falls and little is put on it.
        room = min(lists.entries.shape[1], 2 * rank + PIECE * POINTS + 256)
        nobody = Counted(np.zeros((len(sample_tiles) * LANES, lists.ties.shape[1]), np.int32), np.ones(1, np.int32))
        active = np.minimum(np.arange(b + QUERIES), b - 1)
        _scan_tiles(sample_tiles, 0, len(sample_tiles), nobody, asked, active, b, rank, lists, room)
        for q in range(b):
            tighten(lists, q, nobody, rank)
        lists.size[:b] = 0
        lists.ties[:b] = 0


@compiled
def _choose_cells(reference: Reference, asked: F32, own: I32, lists: Lists, probes: int, mask: U32) -> None:
    """Bit q of mask[., cell]: among the `probes` nearest of query q and not wholly beyond its threshold, or its own."""
    cells = mask.shape[1]
    slack = _SLACK + _ROUNDING * asked.shape[1]
    less, more = np.float32(1 - slack), np.float32(1 + slack)
    mask[:] = 0
    distance = np.empty((QUERIES, len(reference.centroid_tiles) * LANES), np.float32)
    never, last = np.full(len(asked), np.float32(-1.0)), len(asked) - 1
    for start in range(0, len(asked), QUERIES):
        a, b, c, e = start, min(start + 1, last), min(start + 2, last), min(start + 3, last)
        for tile in range(0, len(reference.centroid_tiles), _STEP):
            within(reference.centroid_tiles, tile, asked, a, b, c, e, never, distance, tile * LANES)
        for q in range(start, min(start + QUERIES, len(asked))):
            row = distance[q - start]
            limit = FARTHEST if probes >= cells else smallest(row, cells, probes, lists.work)
            bit, chosen = np.uint32(1) << np.uint32(q % WORD), mask[q // WORD]
            reach = math.sqrt(lists.threshold[q]) * more
            for cell in range(cells):
                # Triangle inequality: no point of a cell is nearer than its centroid less its radius. The slack is a
                # share of the way to the centroid too, beside which the reach may be tiny.
                near = (row[cell] <= limit) & (math.sqrt(row[cell]) * less <= reach + reference.cell_radius[cell])
                chosen[cell] |= bit if near else np.uint32(0)
            chosen[own[q]] |= bit


@compiled
def _sweep(reference: Reference, asked: F32, mask: U32, need: int, lists: Lists, seen: Integers) -> None:
    """Each cell once, for all the queries that chose it."""
    room = lists.entries.shape[1]
    active = np.empty(len(asked) + QUERIES, np.int64)
    for cell in range(mask.shape[1]):
        first, last = reference.first_tile[cell], reference.first_tile[cell + 1]
        count = 0
        for word in range(len(mask)):
            left = mask[word, cell]
            while left != 0:
                q = np.int64(lowest_bit(left)) + word * WORD
                left &= left - np.uint32(1)
                active[count] = q
                count += 1
                seen[q] += (last - first) * LANES
        if count:
            active[count : count + QUERIES] = active[count - 1]
            _scan_tiles(reference.tiles, first, last, reference.counted, asked, active, count, need, lists, room)


@compiled
def _scan_tiles(
    tiles: F32, first: int, last: int, counted: Counted, asked: F32, active: Integers, count: int, need: int,
    lists: Lists, room: int,
) -> None:  # fmt: skip
    """Tiles first to last, piece by piece, for `count` active queries: measure four, then pick out the hits of each."""
    found = np.empty((QUERIES, PIECE * POINTS), np.float32)
    hits = np.empty((QUERIES, PIECE), np.uint32)
    for piece in range(first, last, PIECE * _STEP):
        pairs = min(PIECE, (last - piece) // _STEP)
        for start in range(0, count, QUERIES):
            a, b, c, e = active[start], active[start + 1], active[start + 2], active[start + 3]
            for pair in range(pairs):
                tile = piece + pair * _STEP
                masks = within(tiles, tile, asked, a, b, c, e, lists.threshold, found, pair * POINTS)
                hits[0, pair], hits[1, pair], hits[2, pair], hits[3, pair] = masks
            for j in range(min(QUERIES, count - start)):
                q = active[start + j]
                take(lists, q, hits[j, :pairs], found[j], piece * LANES, counted)
                if lists.size[q] > room - PIECE * POINTS:
                    tighten(lists, q, counted, need)
