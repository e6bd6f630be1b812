"""Scores whose labels are known, and what they say of others.

Where many labels of the other kind were to be expected at one end and none came, features give the label away there:
only 0 or 1 will do, whatever a smooth curve says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from .log_odds import log_odds

EXPECTED = 10.0  # labels of the other kind that did not come: by chance once in e^10


@dataclass(frozen=True)
class Known:
    """Different scores in order, and how many rows and positives each has."""

    score: Floats
    rows: Integers
    positives: Integers

    @classmethod
    def of(cls, in_order: Floats, is_class: npt.NDArray[np.bool_]) -> Known:
        score, first, rows = np.unique(in_order, return_index=True, return_counts=True)
        return cls(score, rows, np.add.reduceat(is_class.astype(np.int64), first))

    def nearest(self, asked: Floats) -> Integers:
        """Which known score is nearest, in log-odds."""
        known, there = log_odds(self.score), log_odds(asked)
        right = np.searchsorted(known, there).clip(0, len(known) - 1)
        left = (right - 1).clip(0)
        return np.asarray(np.where(there - known[left] <= known[right] - there, left, right))

    def given_away(self, straight: Floats, alike: int) -> tuple[int, int]:
        """How many scores at the beginning are surely without the label, and from which on all have it.

        Expected are the fewer of what the scores and their straight line say. alike: the most rows of one person, whose
        labels may be one and the same.
        """
        said = np.minimum(self.score, straight) * self.rows / alike
        missed = np.minimum(1 - self.score, 1 - straight) * self.rows / alike
        begin = _run(self.positives)
        end = _run((self.rows - self.positives)[::-1])
        size = len(self.rows)
        return begin if said[:begin].sum() >= EXPECTED else 0, size - (
            end if missed[size - end :].sum() >= EXPECTED else 0
        )


def _run(counts: Integers) -> int:
    """How many are 0 before the first that is not."""
    return int(np.argmax(counts > 0)) if np.any(counts > 0) else len(counts)
