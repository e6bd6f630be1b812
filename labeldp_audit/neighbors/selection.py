"""The k-th smallest of many distances, by the rows that stand at each: a radix select.

An entry is (bits of the squared distance, slot) in one word; bits of floats that are not negative are ordered like the
floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.compiled import compiled, inlined

BITS = np.uint64(32)  # of the slot
NOWHERE = np.uint32(0xFFFFFFFF)  # the bits of no distance
_BUCKETS = 512
_FEW = 24  # sorted by hand sooner than put into buckets
_LAST = np.uint64(0xFFFFFFFFFFFFFFFF)  # of all entries

I32 = npt.NDArray[np.int32]
U64 = npt.NDArray[np.uint64]


@compiled
def smallest(distance: npt.NDArray[np.float32], count: int, rank: int, work: U64) -> Any:
    """The `rank`-th smallest of the first `count` distances."""
    bits = distance.view(np.uint32)
    for i in range(count):
        work[i] = np.uint64(bits[i]) << BITS
    limit = np.empty(1, np.uint32)
    limit[0] = kth(work, count, np.ones(1, np.int32), rank, work)
    return limit.view(np.float32)[0]


@compiled
def kth(entries: U64, count: int, weight: I32, need: int, work: U64) -> Any:
    """The smallest distance (as bits) at which the weights of the slots reach `need`, or NOWHERE. A radix select.

    entries (count,) are (bits, slot) and stay as they are; `work` may be the same array, then they do not.
    """
    bottom, top, alike = span(entries, count, weight)
    return select(entries, count, bottom, top, alike, weight, need, work)


@compiled
def select(
    entries: U64, count: int, bottom: Any, top: Any, alike: Any, weight: I32, need: Any, work: U64
) -> Any:  # fmt: skip
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
