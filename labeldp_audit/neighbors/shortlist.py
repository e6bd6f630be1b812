"""The short list of each query: the nearest candidates so far, in a fixed place, however many there are or tie.

An entry is (bits of the squared distance, slot) in one word; bits of floats that are not negative are ordered like the
floats. A list that fills up is cut at the distance at which the rows wanted are reached: entries strictly below stay,
points at exactly that distance are only counted, class by class.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Integers
from ..core.compiled import compiled, inlined
from .tile import F32, I32, POINTS, U32, U64, lowest_bit

FARTHEST = np.float32(3.0e38)  # the threshold of a list that takes all; below infinity, where the padding lies
BITS = np.uint64(32)  # of the slot
NOWHERE = np.uint32(0xFFFFFFFF)  # the bits of no distance
_BUCKETS = 512
_FEW = 24  # sorted by hand sooner than put into buckets
_LAST = np.uint64(0xFFFFFFFFFFFFFFFF)  # of all entries


class Counted(NamedTuple):
    """What stands at each slot of the points searched."""

    members: I32  # (slots, C): rows of each class
    weight: I32  # (slots,): rows; of length 1 where all are 1


class Lists(NamedTuple):
    """The shortlists of b queries."""

    entries: U64  # (b, room)
    size: Integers  # (b,)
    ties: Integers  # (b, C): classes at exactly the threshold
    threshold: F32  # (b,)
    work: U64  # for the selection


@inlined
def take(lists: Lists, q: int, hits: U32, found: F32, base: int, counted: Counted) -> None:
    """Hits below the threshold go on the list; hits at it are counted. found: distances from slot `base` on."""
    limit = lists.threshold[q]
    at = lists.size[q]
    for pair in range(len(hits)):
        left = hits[pair]
        while left != 0:
            point = pair * POINTS + np.int64(lowest_bit(left))
            left &= left - np.uint32(1)
            if found[point] < limit:
                lists.entries[q, at] = np.uint64(np.float32(found[point]).view(np.uint32)) << BITS | np.uint64(
                    base + point
                )
                at += 1
            else:
                for c in range(counted.members.shape[1]):
                    lists.ties[q, c] += counted.members[base + point, c]
    lists.size[q] = at


@compiled
def tighten(lists: Lists, q: int, counted: Counted, need: int) -> None:
    """Lower the threshold to the distance at which `need` rows are reached; keep what lies strictly below."""
    mine, ties = lists.entries[q], lists.ties[q]
    limit = kth(mine, lists.size[q], counted.weight, need, lists.work)
    if limit == NOWHERE:
        return  # fewer than `need` rows lie strictly below the threshold
    ties[:] = 0
    kept = 0
    for i in range(lists.size[q]):
        entry = mine[i]
        bits = np.uint32(entry >> BITS)
        mine[kept] = entry
        kept += bits < limit  # no branch: which entries stay cannot be foretold
        if bits == limit:
            for c in range(len(ties)):
                ties[c] += counted.members[np.uint32(entry), c]
    lists.size[q] = kept
    lists.threshold[q] = np.uint32(limit).view(np.float32)


@compiled
def read_off(lists: Lists, q: int, counted: Counted, needs: Integers, counts: I32, radius: F32) -> Any:
    """Classes within the distance at which each of `needs` (g,) rows are reached -> counts (g, C), radius (g,).

    Needs increase. The largest comes first: all that the smaller ones want is on its list, the nearest are moved to
    its front, and each entry is counted once. False: the largest one's rows are not there.
    """
    last = len(needs) - 1
    tighten(lists, q, counted, needs[last])
    mine, end = lists.entries[q], lists.size[q]
    limit = np.float32(lists.threshold[q]).view(np.uint32)
    bottom, _, alike = span(mine, end if last else 0, counted.weight)  # nothing to select where there is one
    beyond = lists.ties[q]  # what no entry stands for
    for g in range(last, -1, -1):
        radius[g] = math.sqrt(np.uint32(limit).view(np.float32))
        inside = np.uint32(0)
        if g:
            top = np.int64(limit)
            inside = select(mine, end, bottom, top, alike, counted.weight, needs[g - 1], lists.work)
        if inside == NOWHERE:  # it ends at the threshold too: nothing lies between
            counts[g] = 0
            continue
        inner = np.int64(0)
        for i in range(end if g else 0):  # those that are not beyond the next limit go to the front
            entry = mine[i]
            mine[i] = mine[inner]
            mine[inner] = entry
            inner += np.uint32(entry >> BITS) <= inside
        for c in range(len(beyond)):
            counts[g, c] = beyond[c]
            beyond[c] = 0
        for i in range(inner, end):
            slot = np.uint32(mine[i])
            for c in range(len(beyond)):
                counts[g, c] += counted.members[slot, c]
        end, limit = inner, inside
    for g in range(last):
        counts[g + 1] += counts[g]
    return counts[last].sum() >= needs[last]


# ---- the k-th smallest of many distances, by the rows that stand at each: a radix select


@compiled
def smallest(distance: F32, count: int, rank: int, work: U64) -> Any:
    """The `rank`-th smallest of the first `count` distances."""
    for i in range(count):
        work[i] = np.uint64(np.float32(distance[i]).view(np.uint32)) << BITS
    return np.uint32(kth(work, count, np.ones(1, np.int32), rank, work)).view(np.float32)


@compiled
def kth(entries: U64, count: int, weight: I32, need: int, work: U64) -> Any:
    """The smallest distance (as bits) at which the weights of the slots reach `need`, or NOWHERE. A radix select.

    entries (count,) are (bits, slot) and stay as they are; `work` may be the same array, then they do not.
    """
    bottom, top, alike = span(entries, count, weight)
    return select(entries, count, bottom, top, alike, weight, need, work)


@compiled
def select(entries: U64, count: int, bottom: Any, top: Any, alike: Any, weight: I32, need: Any, work: U64) -> Any:
    """kth where it is known that no distance but 0, of `alike` rows, is below `bottom`, and none above `top`."""
    left = np.int64(need)
    if left <= alike:
        return np.uint32(0)
    histogram = np.empty(_BUCKETS, np.int64)
    source = entries
    while bottom <= top:
        shift = np.int64(0)
        while ((top - bottom) >> shift) >= _BUCKETS:
            shift += 1
        histogram[:] = 0
        for i in range(count):
            histogram[_bucket(source[i], bottom, shift)] += 1 if len(weight) == 1 else weight[np.uint32(source[i])]
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
            kept += _bucket(entry, bottom, shift) == bucket
        source, count, bottom, top = work, kept, first, first + (np.int64(1) << shift) - 1
        if count <= _FEW:
            return _kth_of_few(work, count, weight, left)
    return NOWHERE


@compiled
def span(entries: U64, count: int, weight: I32) -> Any:
    """Bits of the smallest and the largest distance above 0, and the rows at 0.

    The query itself lies at 0, and from there to its nearest neighbour most buckets would be empty.
    """
    low, high, alike = _LAST, np.uint64(0), np.int64(0)
    for i in range(count):
        entry = entries[i]
        high = max(high, entry)
        if entry >> BITS:
            low = min(low, entry)
        else:
            alike += 1 if len(weight) == 1 else weight[np.uint32(entry)]
    return np.int64(low >> BITS), np.int64(high >> BITS), alike


@inlined
def _bucket(entry: Any, bottom: Any, shift: Any) -> Any:
    """Distances of 0 are in the first."""
    return max(np.int64(entry >> BITS) - bottom, 0) >> shift


@compiled
def _kth_of_few(entries: U64, count: int, weight: I32, need: Any) -> Any:
    """The same by sorting them where they are."""
    for i in range(1, count):
        entry, at = entries[i], i
        while at > 0 and entries[at - 1] > entry:
            entries[at] = entries[at - 1]
            at -= 1
        entries[at] = entry
    left = np.int64(need)
    for i in range(count):
        left -= 1 if len(weight) == 1 else weight[np.uint32(entries[i])]
        if left <= 0:
            return np.uint32(entries[i] >> BITS)
    return NOWHERE
