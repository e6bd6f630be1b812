"""The hot loop: class counts among the nearest points, without ever holding the neighbours.

Queries are taken in groups of up to 32 that lie close together, so that a cell, once in the cache, serves all of them.
For each query a short list of candidates is kept below a threshold; whenever the list is full the threshold falls to
the distance of the k-th nearest so far and the list shrinks to what lies strictly below it. Points at exactly the
threshold are only counted, class by class, so that any number of ties fits.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from ..model import Integers
from .tile import LANES, POINTS, QUERIES, float_bits, lowest_bit, within

GROUP = 32  # queries that share a pass: the bits of a mask
_BUCKETS = 512
NOWHERE = np.uint32(0xFFFFFFFF)  # the bits of no distance
_FARTHEST = np.float32(3.0e38)  # below infinity, where the padding lies
_SLACK = 1e-5  # relative, for rounding of float32 sums when a whole cell is passed over

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U32 = npt.NDArray[np.uint32]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def count_groups(
    tiles: F32, members: I32, weight: I32, first_tile: Integers, centroid_tiles: F32, cell_radius: F32,
    queries: F32, home: I32, starts: Integers, need: int, probes: int, counts: Integers, radius: F32, scanned: Integers,
) -> None:  # fmt: skip
    """For each query the classes among the nearest `need` rows (itself among them, ties included) -> counts, radius.

    queries (q, d), their own cells `home` (q,), groups starts[g]:starts[g + 1] of at most 32. `probes` nearest cells
    are looked at and always the query's own; all of them, where fewer than `need` rows were found. `scanned` (q,)
    receives the number of candidates whose distance was computed.
    """
    cells = len(first_tile) - 1
    capacity = 2 * need + 2048
    distance = np.empty((GROUP, centroid_tiles.shape[0] * LANES), np.float32)
    mask = np.empty(cells, np.uint32)
    bits = np.empty((GROUP, capacity), np.uint32)
    slots = np.empty((GROUP, capacity), np.int32)
    size = np.zeros(GROUP, np.int64)
    ties = np.zeros((GROUP, members.shape[1]), np.int64)
    threshold = np.empty(GROUP, np.float32)
    work = np.empty((2, max(capacity, cells)), np.uint32)
    for group in range(len(starts) - 1):
        begin, end = starts[group], starts[group + 1]
        asked = queries[begin:end]
        own = home[begin:end]
        _measure_centroids(centroid_tiles, asked, distance)
        wanted = probes
        for _ in range(2):
            _choose_cells(distance, own, wanted, mask, work)
            size[:] = 0
            ties[:] = 0
            threshold[:] = _FARTHEST
            scanned[begin:end] = 0
            _scan_cells(
                tiles, members, weight, first_tile, cell_radius, asked, distance, mask, need,
                bits, slots, size, ties, threshold, work, scanned[begin:end],
            )  # fmt: skip
            short = False
            for q in range(end - begin):
                _tighten(q, members, weight, need, bits, slots, size, ties, threshold, work)
                short |= _gather(q, members, bits, slots, size, ties, counts[begin + q]) < need
            if not short or wanted == cells:
                break
            wanted = cells
        for q in range(end - begin):
            radius[begin + q] = math.sqrt(threshold[q])


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _measure_centroids(centroid_tiles: F32, asked: F32, distance: F32) -> None:
    g = len(asked)
    never = np.full(g, np.float32(-1.0))
    out = np.empty((QUERIES, POINTS), np.float32)
    for tile in range(0, centroid_tiles.shape[0], POINTS // LANES):
        for a in range(0, g, QUERIES):
            b, c, e = min(a + 1, g - 1), min(a + 2, g - 1), min(a + 3, g - 1)
            within(centroid_tiles, tile, asked, a, b, c, e, never, out)
            start = tile * LANES
            for j in range(min(QUERIES, g - a)):
                distance[a + j, start : start + POINTS] = out[j]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _choose_cells(distance: F32, own: I32, probes: int, mask: U32, work: U32) -> None:
    """Bit q of mask[cell]: the cell is among the `probes` nearest of query q, or its own."""
    cells = len(mask)
    if probes >= cells:
        mask[:] = np.uint32(0xFFFFFFFF) >> np.uint32(GROUP - len(own))
        return
    mask[:] = 0
    ones = np.ones(1, np.int32)
    for q in range(len(own)):
        bit = np.uint32(1) << np.uint32(q)
        limit = _kth(_bits_of(distance[q], cells, work), cells, ones, work[1].view(np.int32), probes, work)
        row = distance[q].view(np.uint32)
        for cell in range(cells):
            mask[cell] |= bit if row[cell] <= limit else np.uint32(0)
        mask[own[q]] |= bit


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _bits_of(values: F32, count: int, work: U32) -> U32:
    work[0, :count] = values[:count].view(np.uint32)
    return work[0]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _scan_cells(
    tiles: F32, members: I32, weight: I32, first_tile: Integers, cell_radius: F32, asked: F32, distance: F32,
    mask: U32, need: int, bits: U32, slots: I32, size: Integers, ties: Integers, threshold: F32, work: U32,
    scanned: Integers,
) -> None:  # fmt: skip
    """The chosen cells, nearest first as the group's middle query sees them."""
    chosen = np.flatnonzero(mask)
    order = chosen[np.argsort(distance[len(asked) // 2][chosen], kind="mergesort")]
    active = np.empty(GROUP + QUERIES, np.int64)
    for cell in order:
        first, last = first_tile[cell], first_tile[cell + 1]
        count = 0
        left = mask[cell]
        while left != 0:
            q = np.int64(lowest_bit(left))
            left &= left - np.uint32(1)
            if _may_hold(distance[q, cell], cell_radius[cell], threshold[q]):
                active[count] = q
                count += 1
                scanned[q] += (last - first) * LANES
        if count:
            active[count : count + QUERIES] = active[count - 1]
            _scan_cell(
                tiles, members, weight, first, last, asked, active, count, need,
                bits, slots, size, ties, threshold, work,
            )  # fmt: skip


@njit(nogil=True, cache=True, inline="always")  # type: ignore[untyped-decorator]
def _may_hold(to_centroid: np.float32, cell_radius: np.float32, threshold: np.float32) -> bool:
    """Triangle inequality: no point of the cell is nearer than its centroid less its radius."""
    gap = math.sqrt(to_centroid) * (1 - _SLACK) - cell_radius
    return gap <= 0 or gap * gap <= threshold * (1 + _SLACK)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _scan_cell(
    tiles: F32, members: I32, weight: I32, first: int, last: int, asked: F32, active: Integers, count: int, need: int,
    bits: U32, slots: I32, size: Integers, ties: Integers, threshold: F32, work: U32,
) -> None:  # fmt: skip
    out = np.empty((QUERIES, POINTS), np.float32)
    for start in range(0, count, QUERIES):
        a, b, c, e = active[start], active[start + 1], active[start + 2], active[start + 3]
        real = min(QUERIES, count - start)
        for tile in range(first, last, POINTS // LANES):
            masks = within(tiles, tile, asked, a, b, c, e, threshold, out)
            if (masks[0] | masks[1] | masks[2] | masks[3]) == 0:
                continue
            for j in range(real):
                hits = masks[0] if j == 0 else masks[1] if j == 1 else masks[2] if j == 2 else masks[3]
                if hits != 0:
                    q = active[start + j]
                    _take(q, hits, out[j], tile * LANES, members, bits, slots, size, ties, threshold)
                    if size[q] > bits.shape[1] - POINTS:
                        _tighten(q, members, weight, need, bits, slots, size, ties, threshold, work)


@njit(nogil=True, cache=True, inline="always")  # type: ignore[untyped-decorator]
def _take(
    q: int, hits: np.uint32, found: F32, base: int, members: I32, bits: U32, slots: I32, size: Integers,
    ties: Integers, threshold: F32,
) -> None:  # fmt: skip
    limit = threshold[q]
    at = size[q]
    while hits != 0:
        lane = np.int64(lowest_bit(hits))
        hits &= hits - np.uint32(1)
        if found[lane] < limit:
            bits[q, at] = float_bits(found[lane])
            slots[q, at] = base + lane
            at += 1
        else:
            for c in range(members.shape[1]):
                ties[q, c] += members[base + lane, c]
    size[q] = at


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _tighten(
    q: int, members: I32, weight: I32, need: int, bits: U32, slots: I32, size: Integers, ties: Integers,
    threshold: F32, work: U32,
) -> None:  # fmt: skip
    """Lower the threshold to the distance at which `need` rows are reached; keep what lies strictly below."""
    count = size[q]
    limit = _kth(bits[q], count, weight, slots[q], need, work)
    if limit == NOWHERE:
        return  # fewer than `need` rows lie strictly below the threshold
    ties[q] = 0
    kept = 0
    for i in range(count):
        word = bits[q, i]
        slot = slots[q, i]
        if word < limit:
            bits[q, kept] = word
            slots[q, kept] = slot
            kept += 1
        elif word == limit:
            for c in range(members.shape[1]):
                ties[q, c] += members[slot, c]
    size[q] = kept
    threshold[q : q + 1].view(np.uint32)[0] = limit


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _kth(bits: U32, count: int, weight: I32, slots: I32, need: int, work: U32) -> np.uint32:
    """The smallest value at which the weights reach `need`, or NOWHERE. A radix select.

    bits (count,) are not changed unless they are the first row of `work`, whose two rows hold what is left.
    """
    low, high = np.int64(0xFFFFFFFF), np.int64(0)
    for i in range(count):
        low = min(low, np.int64(bits[i]))
        high = max(high, np.int64(bits[i]))
    unit = len(weight) == 1
    left = np.int64(need)
    histogram = np.empty(_BUCKETS, np.int64)
    first = True
    while True:
        shift = np.int64(0)
        while ((high - low) >> shift) >= _BUCKETS:
            shift += 1
        histogram[:] = 0
        for i in range(count):
            word = np.int64(bits[i]) if first else np.int64(work[0, i])
            rows = np.int64(1) if unit else np.int64(weight[slots[i]]) if first else np.int64(work[1, i])
            histogram[(word - low) >> shift] += rows
        bucket = np.int64(0)
        while bucket < _BUCKETS and histogram[bucket] < left:
            left -= histogram[bucket]
            bucket += 1
        if bucket == _BUCKETS:
            return NOWHERE
        bottom = low + (bucket << shift)
        if shift == 0:
            return np.uint32(bottom)
        kept = 0
        for i in range(count):
            word = np.int64(bits[i]) if first else np.int64(work[0, i])
            rows = np.int64(1) if unit else np.int64(weight[slots[i]]) if first else np.int64(work[1, i])
            if (word - low) >> shift == bucket:
                work[0, kept] = word
                work[1, kept] = rows
                kept += 1
        low, high, count, first = bottom, bottom + (np.int64(1) << shift) - 1, kept, False


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _gather(q: int, members: I32, bits: U32, slots: I32, size: Integers, ties: Integers, counts: Integers) -> np.int64:
    """The classes below the threshold and at it -> counts; their sum."""
    counts[:] = ties[q]
    for i in range(size[q]):
        slot = slots[q, i]
        for c in range(len(counts)):
            counts[c] += members[slot, c]
    return counts.sum()
