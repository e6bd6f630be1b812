"""What one search tells about several k, handed out k by k: all at once would be larger than the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..core.eta import Neighborhoods
from .recall import Search


@dataclass(frozen=True)
class Counts:
    """Counts around each distinct point that was asked, itself included; kinds are classes, or classes of each part."""

    at_point: npt.NDArray[np.int32]  # (m, g, kinds)
    radius: npt.NDArray[np.float32]  # (m, g)


@dataclass(frozen=True)
class Asked:
    """Whose neighbours are counted."""

    rows: Integers  # (q,)
    place: Integers  # (q,) of each among the distinct points asked
    kind: Integers  # (q,) class + classes * part
    part: npt.NDArray[np.uint8] | None  # (q,)


@dataclass(frozen=True)
class Grid:
    """Neighbourhoods of the same rows at each of `ks`."""

    ks: tuple[int, ...]
    n: int
    classes: int
    asked: Asked
    counts: Counts
    search: Search
    exact: bool

    def __len__(self) -> int:
        return len(self.ks)

    def __iter__(self) -> Iterator[Neighborhoods]:
        return (self.at(g) for g in range(len(self)))

    def at(self, g: int) -> Neighborhoods:
        """At the g-th k."""
        counts, other = self._by_class(g)
        return Neighborhoods(
            rows=self.asked.rows, counts=counts, radius=self.counts.radius[self.asked.place, g], k=self.ks[g],
            n=self.n, exact=self.exact, recall=self.search.recall[g], recall_low=self.search.recall_low[g],
            probes=self.search.probes, part=self.asked.part, other=other,
        )  # fmt: skip

    def _by_class(self, g: int) -> tuple[Integers, Integers | None]:
        """(q, C) counts of all neighbours, and of those in other parts; the row itself is none of them."""
        kinds = self.counts.at_point[self.asked.place, g].astype(np.int64)
        every = np.arange(len(kinds))
        kinds[every, self.asked.kind] -= 1
        by_part = kinds.reshape(len(kinds), -1, self.classes)
        counts = by_part.sum(axis=1)
        return counts, None if self.asked.part is None else counts - by_part[every, self.asked.part]
