"""Whose row is it? A column that names people, so that the rows of one person are not taken for those of many."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.progress import Progress
from .classes import text_codes
from .feature_columns import CategoryColumn
from .levels import is_category
from .numbers import is_number
from .quoting import shown
from .sources.contract import Source


def read_groups(source: Source, label: str, group: str, used: int, size: int, progress: Progress) -> Integers:
    """(used,) the same number for rows of the same person. Whose a row is that names nobody, nobody can tell."""
    column, start, nobody = CategoryColumn(group, np.empty(used, np.float32)), 0, 0
    progress.stage("reading groups", source.rows, "rows")
    for batch in source.batches((group, label), size):
        code, names = text_codes(batch.column(1))
        kept = batch.column(0).filter(pa.array(code < len(names)))
        if not (is_category(kept.type) or is_number(kept.type) or pa.types.is_null(kept.type)):
            raise DataError(f"a column of type {kept.type} names nobody", f"column {shown(group)}")
        nobody += kept.null_count
        column.add(kept.cast(pa.string()) if pa.types.is_null(kept.type) else kept, start)
        start += len(kept)
        progress.advance(batch.num_rows)
    if nobody:
        what = f"rows that name nobody: {nobody:,} of {used:,}"
        raise DataError(what, f"column {shown(group)}", hint="give each of them a name, of its own if it is a person")
    column.finish()
    return np.unique(column.values.astype(np.int64), return_inverse=True)[1].reshape(-1)
