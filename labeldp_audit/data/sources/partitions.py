"""Folders such as `year=2024/month=5/`, whose names are columns that the files in them lack."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

import pyarrow as pa

from ...core.errors import DataError
from .column_types import narrowest

NOTHING = "__HIVE_DEFAULT_PARTITION__"
Partitions = dict[str, pa.Array]  # name -> one value for each file


def partitions(files: Sequence[str]) -> Partitions:
    """What the relative names of the files say, numbers as numbers."""
    keys = [keys_of(file) for file in files]
    for file, found in zip(files, keys, strict=True):
        if found.keys() != keys[0].keys():
            raise DataError("the folders of the files differ in their `name=value` parts", f"{files[0]}, {file}")
    return {name: narrowest(pa.array([found[name] for found in keys], pa.string()), None) for name in keys[0]}


def keys_of(file: str) -> dict[str, str | None]:
    pairs = (part.partition("=") for part in PurePosixPath(file).parent.parts if "=" in part)
    return {unquote(name): None if value == NOTHING else unquote(value) for name, _, value in pairs}


def extended(batch: pa.RecordBatch, columns: Sequence[str], known: Partitions, index: int) -> pa.RecordBatch:
    """The batch with these columns in this order, those of the file's folders repeated for each row."""
    rows = batch.num_rows
    arrays = [pa.repeat(known[name][index], rows) if name in known else batch.column(name) for name in columns]
    return pa.RecordBatch.from_arrays(arrays, list(columns))
