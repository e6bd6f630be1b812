"""The hot loop: class counts among the nearest points, without ever holding the neighbours.

Queries are taken in blocks of some hundreds that lie close together, and each cell is read once for all of them: what
limits a scan of millions of points is the way from memory to the core. For every query

1. a first look at a small uniform sample of the rows gives a threshold below which k rows almost surely lie;
2. the cells to look at are those with the nearest centroids, less those that lie wholly beyond the threshold;
3. the points of these cells below the threshold go on a short list. Should the list fill up, the threshold falls to
   the distance of the k-th nearest so far. Points at exactly the threshold are only counted, class by class, so that
   any number of ties fits;
4. the k-th distance of the list is found, and what lies within it is counted.

A query that ends with fewer than k rows is looked at again without a threshold, then in all cells, so the first look
costs or saves time and never changes a count.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model import Integers
from .compiled import compiled, inlined
from .tile import LANES, POINTS, QUERIES, float_bits, lowest_bit, within

WORD = 32  # queries a mask word
PIECE = 16  # tile pairs a piece of a cell: what is measured before the hits are picked out
_BUCKETS = 512
NOWHERE = np.uint32(0xFFFFFFFF)  # the bits of no distance
_FARTHEST = np.float32(3.0e38)  # below infinity, where the padding lies
_SLACK = 1e-5  # relative, when a whole cell is passed over: for rounding, to which each coordinate adds
_ROUNDING = 2.0**-24  # of one float32 operation

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]


@compiled
def capacity(need: int) -> int:
    """Entries of a short list: twice what is kept, and a piece of a cell."""
    return 2 * need + 4 * PIECE * POINTS


@compiled
def count_block(
    tiles: F32, members: I32, weight: I32, first_tile: Integers, centroid_tiles: F32, cell_radius: F32,
    sample_tiles: F32, sample_rank: int, queries: F32, home: I32, need: int, probes: int,
    counts: Integers, radius: F32, scanned: Integers,
) -> None:  # fmt: skip
    """For each query the classes among the nearest `need` rows (itself among them, ties included) -> counts, radius.

    queries (b, d) and their own cells `home` (b,). The `probes` nearest cells are looked at and always the query's
    own. sample_rank: the rank in the sample (s, d, 16) whose distance is the first threshold; 0: no first look.
    scanned (b,) receives the number of candidates whose distance was computed.
    """
    cells = len(first_tile) - 1
    room = capacity(need)
    lists = np.empty((len(queries), room), np.uint64)
    size = np.zeros(len(queries), np.int64)
    ties = np.zeros((len(queries), members.shape[1]), np.int64)
    threshold = np.empty(len(queries), np.float32)
    work = np.empty(max(room, cells), np.uint64)
    mask = np.empty((-(-len(queries) // WORD), cells), np.uint32)
    pending = np.arange(len(queries))
    for attempt in range(3):
        asked, own = queries[pending], home[pending]
        rank = sample_rank if attempt == 0 else 0
        _first_look(sample_tiles, rank, asked, lists, size, ties, threshold, work)
        wanted = probes if attempt < 2 else cells
        _choose_cells(centroid_tiles, cell_radius, asked, own, threshold, wanted, mask, work)
        seen = np.zeros(len(asked), np.int64)
        _sweep(tiles, members, weight, first_tile, asked, mask, need, lists, size, ties, threshold, work, seen)
        short = np.zeros(len(asked), np.bool_)
        for q in range(len(asked)):
            row = pending[q]
            _tighten(q, members, weight, need, lists, size, ties, threshold, work)
            short[q] = _gather(lists[q], size[q], ties[q], members, counts[row]) < need
            radius[row] = math.sqrt(threshold[q])
            scanned[row] = seen[q]
        pending = pending[short]
        if len(pending) == 0:
            break


@compiled
def _first_look(
    sample_tiles: F32, rank: int, asked: F32, lists: U64, size: Integers, ties: Integers, threshold: F32, work: U64
) -> None:  # fmt: skip
    """Thresholds from the sample; lists and ties are left empty."""
    b = len(asked)
    threshold[:b] = _FARTHEST
    size[:b] = 0
    if rank:
        # A short list is quickly full, so that the threshold soon falls and little is put on it.
        room, one = min(lists.shape[1], 2 * rank + PIECE * POINTS + 256), np.ones(1, np.int32)
        nobody = np.zeros((sample_tiles.shape[0] * LANES, ties.shape[1]), np.int32)
        active = np.minimum(np.arange(b + QUERIES), b - 1)
        _scan_cell(
            sample_tiles, nobody, one, 0, len(sample_tiles), asked, active, b, rank,
            lists, size, ties, threshold, work, room,
        )  # fmt: skip
        for q in range(b):
            _tighten(q, nobody, one, rank, lists, size, ties, threshold, work)
    size[:b] = 0
    ties[:b] = 0


@compiled
def _choose_cells(
    centroid_tiles: F32, cell_radius: F32, asked: F32, own: I32, threshold: F32, probes: int, mask: U32, work: U64
) -> None:  # fmt: skip
    """Bit q of mask[., cell]: among the `probes` nearest of query q and not wholly beyond its threshold, or its own."""
    cells = mask.shape[1]
    slack = _SLACK + _ROUNDING * asked.shape[1]
    less, more = np.float32(1 - slack), np.float32(1 + slack)
    mask[:] = 0
    distance = np.empty((QUERIES, len(centroid_tiles) * LANES), np.float32)
    for start in range(0, len(asked), QUERIES):
        _measure_centroids(centroid_tiles, asked, start, distance)
        for q in range(start, min(start + QUERIES, len(asked))):
            row = distance[q - start]
            limit = _nearest(row, cells, probes, work)
            bit, chosen = np.uint32(1) << np.uint32(q % WORD), mask[q // WORD]
            reach = math.sqrt(threshold[q]) * more
            for cell in range(cells):
                # Triangle inequality: no point of a cell is nearer than its centroid less its radius. The slack is a
                # share of the way to the centroid too, beside which the reach may be tiny.
                near = (row[cell] <= limit) & (math.sqrt(row[cell]) * less <= reach + cell_radius[cell])
                chosen[cell] |= bit if near else np.uint32(0)
            chosen[own[q]] |= bit


@compiled
def _measure_centroids(centroid_tiles: F32, asked: F32, start: int, distance: F32) -> None:
    last = len(asked) - 1
    a, b, c, e = start, min(start + 1, last), min(start + 2, last), min(start + 3, last)
    never = np.full(len(asked), np.float32(-1.0))
    for tile in range(0, len(centroid_tiles), POINTS // LANES):
        within(centroid_tiles, tile, asked, a, b, c, e, never, distance, tile * LANES)


@compiled
def _nearest(distance: F32, cells: int, probes: int, work: U64) -> Any:
    """The distance to the `probes`-th nearest centroid."""
    if probes >= cells:
        return _FARTHEST
    bits = distance.view(np.uint32)
    for cell in range(cells):
        work[cell] = np.uint64(bits[cell]) << np.uint64(32)
    limit = np.empty(1, np.uint32)
    limit[0] = _kth(work, cells, np.ones(1, np.int32), probes, work)
    return limit.view(np.float32)[0]


@compiled
def _sweep(
    tiles: F32, members: I32, weight: I32, first_tile: Integers, asked: F32, mask: U32, need: int,
    lists: U64, size: Integers, ties: Integers, threshold: F32, work: U64, seen: Integers,
) -> None:  # fmt: skip
    """Each cell once, for all the queries that chose it."""
    active = np.empty(len(asked) + QUERIES, np.int64)
    for cell in range(mask.shape[1]):
        first, last = first_tile[cell], first_tile[cell + 1]
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
            _scan_cell(
                tiles, members, weight, first, last, asked, active, count, need,
                lists, size, ties, threshold, work, lists.shape[1],
            )  # fmt: skip


@compiled
def _scan_cell(
    tiles: F32, members: I32, weight: I32, first: int, last: int, asked: F32, active: Integers, count: int, need: int,
    lists: U64, size: Integers, ties: Integers, threshold: F32, work: U64, room: int,
) -> None:  # fmt: skip
    """A cell piece by piece: measure four queries, then pick out the hits of each."""
    found = np.empty((QUERIES, PIECE * POINTS), np.float32)
    hits = np.empty((QUERIES, PIECE), np.uint32)
    for piece in range(first, last, PIECE * (POINTS // LANES)):
        pairs = min(PIECE, (last - piece) * LANES // POINTS)
        for start in range(0, count, QUERIES):
            a, b, c, e = active[start], active[start + 1], active[start + 2], active[start + 3]
            for pair in range(pairs):
                tile = piece + pair * (POINTS // LANES)
                masks = within(tiles, tile, asked, a, b, c, e, threshold, found, pair * POINTS)
                hits[0, pair], hits[1, pair], hits[2, pair], hits[3, pair] = masks
            for j in range(min(QUERIES, count - start)):
                q = active[start + j]
                _take(q, hits[j, :pairs], found[j], piece * LANES, members, lists, size, ties, threshold[q])
                if size[q] > room - PIECE * POINTS:
                    _tighten(q, members, weight, need, lists, size, ties, threshold, work)


@inlined
def _take(
    q: int, hits: U32, found: F32, base: int, members: I32, lists: U64, size: Integers, ties: Integers,
    limit: np.float32,
) -> None:  # fmt: skip
    """Hits below the threshold go on the list as (bits of the distance, slot); hits at it are counted."""
    at = size[q]
    for pair in range(len(hits)):
        left = hits[pair]
        while left != 0:
            point = pair * POINTS + np.int64(lowest_bit(left))
            left &= left - np.uint32(1)
            if found[point] < limit:
                lists[q, at] = np.uint64(float_bits(found[point])) << np.uint64(32) | np.uint64(base + point)
                at += 1
            else:
                for c in range(members.shape[1]):
                    ties[q, c] += members[base + point, c]
    size[q] = at


@compiled
def _tighten(
    q: int, members: I32, weight: I32, need: int, lists: U64, size: Integers, ties: Integers, threshold: F32, work: U64
) -> None:  # fmt: skip
    """Lower the threshold to the distance at which `need` rows are reached; keep what lies strictly below."""
    mine = lists[q]
    limit = _kth(mine, size[q], weight, need, work)
    if limit == NOWHERE:
        return  # fewer than `need` rows lie strictly below the threshold
    ties[q] = 0
    kept = 0
    for i in range(size[q]):
        entry = mine[i]
        bits = np.uint32(entry >> np.uint64(32))
        mine[kept] = entry
        kept += bits < limit  # no branch: which entries stay cannot be foretold
        if bits == limit:
            for c in range(members.shape[1]):
                ties[q, c] += members[np.uint32(entry), c]
    size[q] = kept
    threshold[q : q + 1].view(np.uint32)[0] = limit


@compiled
def _kth(entries: U64, count: int, weight: I32, need: int, work: U64) -> np.uint32:
    """The smallest distance (as bits) at which the weights of the slots reach `need`, or NOWHERE. A radix select.

    entries (count,) are (bits, slot) and stay as they are; `work` may be the same array, then they do not.
    """
    low, high = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
    for i in range(count):
        low = min(low, entries[i])
        high = max(high, entries[i])
    bottom, top = np.int64(low >> np.uint64(32)), np.int64(high >> np.uint64(32))
    left = np.int64(need)
    histogram = np.empty(_BUCKETS, np.int64)
    source = entries
    while True:
        shift = np.int64(0)
        while ((top - bottom) >> shift) >= _BUCKETS:
            shift += 1
        histogram[:] = 0
        for i in range(count):
            word = np.int64(source[i] >> np.uint64(32))
            histogram[(word - bottom) >> shift] += 1 if len(weight) == 1 else weight[np.uint32(source[i])]
        bucket = np.int64(0)
        while bucket < _BUCKETS and histogram[bucket] < left:
            left -= histogram[bucket]
            bucket += 1
        if bucket == _BUCKETS:
            return NOWHERE
        first = bottom + (bucket << shift)
        if shift == 0:
            return np.uint32(first)
        kept = 0
        for i in range(count):
            entry = source[i]
            work[kept] = entry
            kept += (np.int64(entry >> np.uint64(32)) - bottom) >> shift == bucket
        source, count, bottom, top = work, kept, first, first + (np.int64(1) << shift) - 1


@compiled
def _gather(entries: U64, size: int, ties: Integers, members: I32, counts: Integers) -> Any:
    """The classes below the threshold and at it -> counts; their sum."""
    counts[:] = ties
    for i in range(size):
        slot = np.uint32(entries[i])
        for c in range(len(counts)):
            counts[c] += members[slot, c]
    return counts.sum()
