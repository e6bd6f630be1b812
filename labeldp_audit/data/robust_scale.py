"""Where most of a column's different values are, however far out the others lie.

One cell of 1e12 among others near 1 makes a mean and a deviation that tell the others apart no more, least of all in 32
bits. The values with the smallest hashes are a sample of the different ones (Bar-Yossef et al. 2002) that neither the
order of the rows nor a few huge values change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import levels
from .numbers import Cells, Values, differences

KEPT = 256
FAR = 1000.0  # deviations of all in one of most: then a few lie far out


@dataclass(frozen=True)
class Spread:
    hashes: levels.Hashes  # rising
    values: Values  # of these hashes, as they are stored

    @classmethod
    def empty(cls) -> Spread:
        return cls(np.zeros(0, np.uint64), np.zeros(0, np.int64))

    def merge(self, values: Values) -> Spread:
        """None of them missing."""
        words = (values + 0.0 if values.dtype == np.float64 else values).view(np.uint64)
        hashes = levels.mixed(words + levels.GOLDEN)
        if len(self.hashes) == KEPT:
            few = hashes < self.hashes[-1]
            hashes, values = hashes[few], values[few]
        if not len(hashes):
            return self
        merged, first = np.unique(np.concatenate([self.hashes, hashes]), return_index=True)
        both = np.concatenate([self.values, values]) if len(self.values) else values
        return Spread(merged[:KEPT], both[first[:KEPT]])

    def middle(self, per_unit: float) -> tuple[int | float, float]:
        """A value in the middle, as it is stored, and how far from it most are; never 0."""
        if not len(self.values):
            return 0, 1.0
        centre = np.sort(self.values)[len(self.values) // 2].item()
        away = np.abs(differences(Cells(self.values, None), centre, per_unit))
        return centre, float(np.median(away)) or float(away.mean()) or 1.0
