"""The short list of each query: the nearest candidates so far, in a fixed place, however many there are or tie.

An entry is (bits of the squared distance, slot) in one word; bits of floats that are not negative are ordered like the
floats. A list that fills up is cut at the distance at which the rows wanted are reached: entries strictly below stay,
points at exactly that distance are only counted, class by class.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compiled import compiled, inlined
from ..model import Integers
from .tile import POINTS, float_bits, lowest_bit

FARTHEST = np.float32(3.0e38)  # the threshold of a list that takes all; below infinity, where the padding lies
_BUCKETS = 512
_NOWHERE = np.uint32(0xFFFFFFFF)  # the bits of no distance
_BITS = np.uint64(32)  # of the slot

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U64 = npt.NDArray[np.uint64]


class Counted(NamedTuple):
    """What stands at each slot of the points searched."""

    members: npt.NDArray[np.int32]  # (slots, C): rows of each class
    weight: npt.NDArray[np.int32]  # (slots,): rows; of length 1 where all are 1


class Lists(NamedTuple):
    """Of b queries."""

    entries: U64  # (b, room)
    size: Integers  # (b,)
    ties: Integers  # (b, C): classes at exactly the threshold
    threshold: npt.NDArray[np.float32]  # (b,)
    work: U64  # for whoever selects


@compiled
def new_lists(queries: int, room: int, classes: int, work: int) -> Any:
    return Lists(
        np.empty((queries, room), np.uint64),
        np.zeros(queries, np.int64),
        np.zeros((queries, classes), np.int64),
        np.full(queries, FARTHEST),
        np.empty(max(room, work), np.uint64),
    )


@inlined
def take(
    lists: Lists, q: int, hits: npt.NDArray[np.uint32], found: npt.NDArray[np.float32], base: int, counted: Counted
) -> None:  # fmt: skip
    """Hits below the threshold go on the list; hits at it are counted. found: distances from slot `base` on."""
    limit = lists.threshold[q]
    at = lists.size[q]
    for pair in range(len(hits)):
        left = hits[pair]
        while left != 0:
            point = pair * POINTS + np.int64(lowest_bit(left))
            left &= left - np.uint32(1)
            if found[point] < limit:
                lists.entries[q, at] = np.uint64(float_bits(found[point])) << _BITS | np.uint64(base + point)
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
    if limit == _NOWHERE:
        return  # fewer than `need` rows lie strictly below the threshold
    ties[:] = 0
    kept = 0
    for i in range(lists.size[q]):
        entry = mine[i]
        bits = np.uint32(entry >> _BITS)
        mine[kept] = entry
        kept += bits < limit  # no branch: which entries stay cannot be foretold
        if bits == limit:
            for c in range(len(ties)):
                ties[c] += counted.members[np.uint32(entry), c]
    lists.size[q] = kept
    lists.threshold[q : q + 1].view(np.uint32)[0] = limit


@compiled
def gather(lists: Lists, q: int, counted: Counted, counts: I32) -> Any:
    """The classes below the threshold and at it -> counts; their sum."""
    for c in range(len(counts)):
        counts[c] = lists.ties[q, c]
    for i in range(lists.size[q]):
        slot = np.uint32(lists.entries[q, i])
        for c in range(len(counts)):
            counts[c] += counted.members[slot, c]
    return counts.sum()


@compiled
def read_off(lists: Lists, q: int, counted: Counted, needs: Integers, counts: I32, radius: F32) -> bool:
    """Classes within the distance at which each of `needs` (g,) rows are reached -> counts (g, C), radius (g,).

    Needs increase. The largest comes first: all that the smaller ones can want is left on the list. False: even that
    one's rows are not there.
    """
    last = len(needs) - 1
    for g in range(last, -1, -1):
        tighten(lists, q, counted, needs[g])
        if gather(lists, q, counted, counts[g]) < needs[last] and g == last:
            return False
        radius[g] = math.sqrt(lists.threshold[q])
    return True


@compiled
def clear(lists: Lists, queries: int) -> None:
    """Empty lists; the thresholds stay."""
    lists.size[:queries] = 0
    lists.ties[:queries] = 0


@compiled
def smallest(distance: npt.NDArray[np.float32], count: int, rank: int, work: U64) -> Any:
    """The `rank`-th smallest of the first `count` distances."""
    bits = distance.view(np.uint32)
    for i in range(count):
        work[i] = np.uint64(bits[i]) << _BITS
    limit = np.empty(1, np.uint32)
    limit[0] = kth(work, count, np.ones(1, np.int32), rank, work)
    return limit.view(np.float32)[0]


@compiled
def kth(entries: U64, count: int, weight: npt.NDArray[np.int32], need: int, work: U64) -> np.uint32:
    """The smallest distance (as bits) at which the weights of the slots reach `need`, or _NOWHERE. A radix select.

    entries (count,) are (bits, slot) and stay as they are; `work` may be the same array, then they do not.
    """
    low, high = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
    for i in range(count):
        low = min(low, entries[i])
        high = max(high, entries[i])
    bottom, top = np.int64(low >> _BITS), np.int64(high >> _BITS)
    left = np.int64(need)
    histogram = np.empty(_BUCKETS, np.int64)
    source = entries
    while True:
        shift = np.int64(0)
        while ((top - bottom) >> shift) >= _BUCKETS:
            shift += 1
        histogram[:] = 0
        for i in range(count):
            word = np.int64(source[i] >> _BITS)
            histogram[(word - bottom) >> shift] += 1 if len(weight) == 1 else weight[np.uint32(source[i])]
        bucket = np.int64(0)
        while bucket < _BUCKETS and histogram[bucket] < left:
            left -= histogram[bucket]
            bucket += 1
        if bucket == _BUCKETS:
            return _NOWHERE
        first = bottom + (bucket << shift)
        if shift == 0:
            return np.uint32(first)
        kept = 0
        for i in range(count):
            entry = source[i]
            work[kept] = entry
            kept += (np.int64(entry >> _BITS) - bottom) >> shift == bucket
        source, count, bottom, top = work, kept, first, first + (np.int64(1) << shift) - 1
