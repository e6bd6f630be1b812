"""A k-NN graph as a Parquet file: a row for each record, with lists of neighbours and distances, nearest first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.arrays import Integers
from ..core.errors import DataError
from .eta_file import KEY
from .sources.batches import about as named
from .sources.batches import reading
from .sources.columnar import BROKEN_PARQUET

SCHEMA = "labeldp-audit/graph/1"
_ENTRIES = 4_000_000  # of a row group
_COLUMNS = "neighbors", "distances"

Values = npt.NDArray[Any]


def write_graph(
    file: BinaryIO, rows: Integers, start: Integers, ids: Values, distances: Values, about: Mapping[str, object]
) -> None:
    """`rows` are numbers of rows from 0, and `ids` are such numbers."""
    kind = pa.ListArray if start[-1] < 1 << 31 else pa.LargeListArray
    lists = [kind.from_arrays(start, pa.array(values)) for values in (ids, distances)]
    table = pa.table([pa.array(rows), *lists], names=["row", *_COLUMNS])
    said = {KEY: json.dumps({"schema": SCHEMA, **about})}
    pq.write_table(table.replace_schema_metadata(said), file, row_group_size=_ENTRIES * len(rows) // start[-1] + 1)


def read_graph(path: str) -> tuple[Integers | None, Integers, Values, Values, Mapping[str, Any]]:
    """Return rows (None where the file has no column of them), where each list starts, ids, distances, and what the
    file says about itself, which is nothing if another program wrote it."""
    with named(Path(path).name), reading(Path(path).name, BROKEN_PARQUET), pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        if absent := [name for name in _COLUMNS if name not in schema.names]:
            raise DataError(f"no k-NN graph: it has no column {absent[0]}", hint="labeldp-audit graph writes one")
        rows, lengths, ids, distances = list[Values](), list[Values](), list[Values](), list[Values]()
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            near, far = (table.column(name).combine_chunks().cast(pa.large_list(kind)) for name, kind in
                         zip(_COLUMNS, (pa.int32(), pa.float32()), strict=True))  # fmt: skip
            if near.null_count or far.null_count or not near.value_lengths().equals(far.value_lengths()):
                raise DataError("lists of neighbors and distances are not equally long")
            rows += [table.column("row").to_numpy()] if "row" in table.column_names else []
            lengths.append(near.value_lengths().to_numpy(zero_copy_only=False))
            ids.append(near.flatten().to_numpy(zero_copy_only=False))
            distances.append(far.flatten().to_numpy(zero_copy_only=False))
    said = (schema.metadata or {}).get(KEY)
    start = np.concatenate([[0], np.cumsum(_joined(lengths, np.int64))])
    numbers = _joined(rows, np.int64) if rows else None
    return numbers, start, _joined(ids, np.int32), _joined(distances, np.float32), _about(said)


def _joined(parts: list[Values], kind: npt.DTypeLike) -> Values:
    return np.concatenate(parts or [np.empty(0)]).astype(kind, copy=False)


def _about(said: bytes | None) -> Mapping[str, Any]:
    found = json.loads(said) if said is not None else {}
    return found if isinstance(found, dict) and found.get("schema") == SCHEMA else {}
