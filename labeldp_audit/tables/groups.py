"""Whose row is it? A column that names people, so that the rows of one person are not taken for those of many."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from .. import engine
from ..model import Integers
from .classes import text_codes
from .raw import CategoryColumn
from .source import Source


def read_groups(source: Source, label: str, group: str, used: int, size: int, progress: engine.Progress) -> Integers:
    """(used,) the same number for rows of the same person; a row that names nobody is a person of its own."""
    column = CategoryColumn(group, np.empty(used, np.float32))
    nobody, start = np.zeros(used, np.bool_), 0
    progress.stage("reading groups", source.rows, "rows")
    for batch in source.batches((group, label), size):
        code, names = text_codes(batch.column(1))
        kept = batch.column(0).filter(pa.array(code < len(names)))
        column.add(kept, start)
        nobody[start : start + len(kept)] = np.asarray(kept.is_null())
        start += len(kept)
        progress.advance(batch.num_rows)
    column.finish()
    number = column.values.astype(np.int64)
    number[nobody] = number.max() + 1 + np.arange(nobody.sum())
    return np.unique(number, return_inverse=True)[1].reshape(-1)
