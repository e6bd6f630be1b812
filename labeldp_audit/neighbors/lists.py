"""Lists of neighbours, nearest first: those of some rows, and the graph of all rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Integers
from ..core.compiled import compiled
from .tile import F32, I32


@dataclass(frozen=True)
class Lists:
    """Neighbours of some rows: the k nearest or more, with all ties at the k-th distance; fewer where none are left."""

    start: Integers  # (q + 1,) where the list of each row begins
    ids: I32  # rows of the table
    distances: F32

    def counts(self, asked: Integers, kinds: Integers, number: int, ks: Sequence[int]) -> tuple[I32, F32]:
        """Count kinds among the k nearest of each list that is asked for, for each k: (q, g, number), and the distance
        of the k-th (q, g). kinds (n,): 0, 1, ... of each row, or -1 for a row that does not count."""
        counts = np.zeros((len(asked), len(ks), number), np.int32)
        radius = np.zeros((len(asked), len(ks)), np.float32)
        _count(self.start, self.ids, self.distances, asked, kinds, np.array(ks), counts, radius)
        return counts, radius


@dataclass(frozen=True)
class Graph:
    """The k nearest neighbours of every row, with all ties at the k-th distance."""

    k: int
    lists: Lists
    rows: Integers  # (n,) number of each row in the file, from 0
    index: Mapping[str, object]  # class of FAISS and its parameters
    recall: float  # share of the true neighbours that were found, measured
    recall_low: float  # one-sided 99 % limit of it
    about: Mapping[str, object]  # digests of the table that it belongs to; empty if another tool wrote it


@compiled
def _count(
    start: Integers, ids: I32, distances: F32, asked: Integers, kinds: Integers, ks: Integers, counts: I32, radius: F32
) -> None:  # fmt: skip
    """Fill counts (q, g, kinds) and radius (q, g); ks increase."""
    last = len(ks) - 1
    for i in range(len(asked)):
        g, seen, reach = 0, 0, np.float32(0)
        for place in range(start[asked[i]], start[asked[i] + 1]):
            while g <= last and seen >= ks[g] and distances[place] > reach:
                radius[i, g] = reach
                g += 1
            if g > last:
                break
            kind, reach = kinds[ids[place]], distances[place]
            if kind >= 0:
                counts[i, g, kind] += 1
                seen += 1
        radius[i, g:] = reach
        for more in range(1, last + 1):
            counts[i, more] += counts[i, more - 1]
