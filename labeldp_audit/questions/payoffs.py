"""What a right guess of each class is worth, and the limits of that where it depends on how common classes are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds.intervals import clopper_pearson
from ..core.arrays import Floats
from ..core.settings import Settings
from ..core.table import Table
from ..measures import guess


@dataclass(frozen=True)
class Payoffs:
    """Whoever knows all labels gets 1 on average."""

    paid: Floats  # (C,)
    low: Floats
    high: Floats

    @property
    def alike(self) -> bool:
        return bool(np.all(self.high == self.paid[0]) and np.all(self.low == self.paid[0]))


def payoffs_of(table: Table, settings: Settings, miss: float) -> Payoffs:
    """1, or 1 / (C p_c) with the limits of p_c, which hold together with probability 1 - miss."""
    data = table.dataset
    classes = len(data.classes)
    if settings.utility != "balanced":
        return Payoffs(np.ones(classes), np.ones(classes), np.ones(classes))
    counts = np.array(data.class_counts)
    ends = (
        limit(counts, data.rows_used, miss / (2 * classes)) for limit in (clopper_pearson.lower, clopper_pearson.upper)
    )
    low, high = (1 / (classes * share) for share in ends)
    return Payoffs(guess.balanced(data.prior), high, low)
