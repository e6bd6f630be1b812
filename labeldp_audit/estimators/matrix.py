"""Features as one matrix of numbers of about one size, for models that are no estimators of ours."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.table import Columns
from .contract import Lesson
from .inputs import Inputs

MOST_LEVELS = 64  # of a category, the most frequent ones; rarer ones are told by no number


def of_rows(columns: Columns, rows: Integers, seed: int) -> Floats:
    """(rows, d): numbers, and for each level of a category 1 where a row has it."""
    everyone = len(columns.values)
    nothing = np.empty(0, np.int64)
    inputs = Inputs.of(Lesson(columns, np.zeros(everyone, np.uint8), 2, rows, nothing, seed, 1))
    parts = [inputs.dense(rows).astype(np.float64)]
    for category in inputs.categories:
        level = category.of_cells(columns.values[rows, category.at])
        counts = np.bincount(level, minlength=category.levels)
        kept = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
        parts.append((level[:, None] == kept).astype(np.float64))
    return np.concatenate(parts, axis=1)
