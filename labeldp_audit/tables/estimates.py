"""The per-row file that estimate-eta writes, read again: its columns, and what it says about itself.

It is a Parquet file whose schema metadata hold JSON under the key `labeldp-audit`. Any tool may read it; one that
rewrites it loses what is said about it, and then it is no longer known which table the probabilities are of.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import DataError
from .batches import about, all_different, reading
from .columnar import BROKEN_PARQUET
from .probabilities import Improper, checked
from .wording import shown

KEY = b"labeldp-audit"
SCHEMA = "labeldp-audit/eta/1"
PROBABILITY = "eta_"  # the names of the columns that hold probabilities begin so
REDO = "estimate-eta writes such a file"

Columns = dict[str, npt.NDArray[Any]]


def metadata(said: Mapping[str, object]) -> dict[bytes, bytes]:
    """For the schema of the file. JSON has no infinities: they become the strings that a report has for them."""
    document = json.dumps({**_strict(said), "schema": SCHEMA}, allow_nan=False, ensure_ascii=True)
    return {KEY: document.encode()}


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def read_estimates(path: str) -> tuple[Columns, dict[str, object]]:
    """The columns, int64 or float64, and what was said when they were written."""
    place = Path(path)
    with about(place.name):
        return _read(place)


def _read(place: Path) -> tuple[Columns, dict[str, object]]:
    with reading(place.name, "cannot be read"):
        if not place.is_file() and place.stat():
            raise DataError("not a regular file", place.name)
    with (
        reading(place.name, BROKEN_PARQUET),
        place.open("rb") as opened,
        pq.ParquetFile(opened, page_checksum_verification=True) as file,
    ):
        said = _said((file.schema_arrow.metadata or {}).get(KEY))
        all_different(file.schema_arrow.names, place.name)
        table = file.read()
    return {name: _column(name, table.column(name)) for name in table.column_names}, said


def _said(document: bytes | None) -> dict[str, object]:
    if document is None:
        raise DataError("it was not written by estimate-eta", hint=REDO)
    try:
        said = json.loads(document)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("schema"), str):
        raise DataError("what it says about itself cannot be read", hint=REDO)
    version = said.pop("schema")
    if version != SCHEMA:
        raise DataError(f"its schema is {shown(version)}, this version reads {shown(SCHEMA)}", hint=REDO)
    return said


def _column(name: str, cells: pa.ChunkedArray) -> npt.NDArray[Any]:
    kind, where = cells.type, f"column {shown(name)}"
    whole = pa.types.is_integer(kind) and kind != pa.uint64()
    if not (whole or pa.types.is_floating(kind)):
        raise DataError(f"it should hold numbers, not {kind}", where)
    if cells.null_count:
        missing = int(np.argmax(cells.is_null().to_numpy()))
        raise DataError("a missing value", where, f"row {missing + 1}")
    values = cells.to_numpy().astype(np.int64 if whole else np.float64, copy=False)
    if not name.startswith(PROBABILITY):
        return np.asarray(values)
    try:
        return checked(values)
    except Improper as improper:
        raise DataError(improper.what, where, f"row {improper.row + 1}") from None
