"""The short list of each query: the nearest candidates so far, in a fixed place, however many there are or tie.

An entry is (bits of the squared distance, slot) in one word (selection.py). A list that fills up is cut at the distance
at which the rows wanted are reached: entries strictly below stay, points at exactly that distance are only counted,
class by class.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..core.compiled import compiled, inlined
from .selection import BITS, NOWHERE, kth, select, span
from .tile import POINTS, float_bits, lowest_bit

FARTHEST = np.float32(3.0e38)  # the threshold of a list that takes all; below infinity, where the padding lies

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U64 = npt.NDArray[np.uint64]


class Counted(NamedTuple):
    """What stands at each slot of the points searched."""

    members: npt.NDArray[np.int32]  # (slots, C): rows of each class
    weight: npt.NDArray[np.int32]  # (slots,): rows; of length 1 where all are 1


class Lists(NamedTuple):
    """The shortlists of b queries."""

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
                lists.entries[q, at] = np.uint64(float_bits(found[point])) << BITS | np.uint64(base + point)
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
    lists.threshold[q : q + 1].view(np.uint32)[0] = limit


@compiled
def read_off(lists: Lists, q: int, counted: Counted, needs: Integers, counts: I32, radius: F32) -> Any:
    """Classes within the distance at which each of `needs` (g,) rows are reached -> counts (g, C), radius (g,).

    Needs increase. The largest comes first: all that the smaller ones want is on its list, the nearest are moved to
    its front, and each entry is counted once. False: the largest one's rows are not there.
    """
    last = len(needs) - 1
    tighten(lists, q, counted, needs[last])
    mine, end = lists.entries[q], lists.size[q]
    limit = lists.threshold[q : q + 1].view(np.uint32)[0]
    bottom, _, alike = span(mine, end if last else 0, counted.weight)  # nothing to select where there is one
    beyond = lists.ties[q]  # what no entry stands for
    for g in range(last, -1, -1):
        radius[g] = math.sqrt(_distance(limit))
        inside = np.uint32(0)
        if g:
            top = np.int64(limit)
            inside = select(mine, end, bottom, top, alike, counted.weight, needs[g - 1], lists.work)
        if inside == NOWHERE:  # it ends at the threshold too: nothing lies between
            counts[g] = 0
            continue
        inner = _move_front(mine, end, inside) if g else 0
        _count(mine[inner:end], counted, beyond, counts[g])
        beyond[:] = 0
        end, limit = inner, inside
    for g in range(last):
        counts[g + 1] += counts[g]
    return counts[last].sum() >= needs[last]


@compiled
def _distance(bits: np.uint32) -> Any:
    one = np.empty(1, np.uint32)
    one[0] = bits
    return one.view(np.float32)[0]


@compiled
def _move_front(entries: U64, end: int, limit: np.uint32) -> Any:
    """Those of the first `end` entries that are not beyond the limit; how many they are."""
    kept = np.int64(0)
    for i in range(end):
        entry = entries[i]
        entries[i] = entries[kept]
        entries[kept] = entry
        kept += np.uint32(entry >> BITS) <= limit
    return kept


@compiled
def _count(entries: U64, counted: Counted, more: Integers, counts: I32) -> None:
    """The classes of the entries, and some more -> counts."""
    for c in range(len(counts)):
        counts[c] = more[c]
    for i in range(len(entries)):
        slot = np.uint32(entries[i])
        for c in range(len(counts)):
            counts[c] += counted.members[slot, c]


@compiled
def clear(lists: Lists, queries: int) -> None:
    """Empty lists; the thresholds stay."""
    lists.size[:queries] = 0
    lists.ties[:queries] = 0
