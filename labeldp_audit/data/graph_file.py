"""A k-NN graph as a Parquet file: a row for each record, with lists of neighbours and distances, nearest first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
    file: BinaryIO, rows: Integers, start: Integers, ids: Values, distances: Values, *, about: Mapping[str, object]
) -> None:
    """`rows` are numbers of rows from 0, and `ids` are such numbers."""
    kinds = {"row": pa.int64(), "neighbors": pa.list_(pa.int32()), "distances": pa.list_(pa.float32())}
    schema = pa.schema(kinds.items(), metadata={KEY: json.dumps({"schema": SCHEMA, **about})})
    with pq.ParquetWriter(file, schema) as writer:
        for first, last in _pieces(start):
            offsets = pa.array((start[first : last + 1] - start[first]).astype(np.int32))
            inside = slice(start[first], start[last])
            lists = (pa.ListArray.from_arrays(offsets, pa.array(values[inside])) for values in (ids, distances))
            writer.write_table(pa.table([pa.array(rows[first:last]), *lists], schema=schema))


def _pieces(start: Integers) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows that hold about as many entries each."""
    first, n = 0, len(start) - 1
    while first < n:
        last = max(first + 1, int(np.searchsorted(start, start[first] + _ENTRIES, side="right")) - 1)
        yield first, min(last, n)
        first = last


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
