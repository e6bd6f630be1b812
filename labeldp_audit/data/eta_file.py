"""The per-row file that estimate-eta writes, read again: its columns, and what it says about itself.

It is a Parquet file whose schema metadata hold JSON under the key `labeldp-audit`. Any tool may read it. One that
rewrites it may lose what is said about it, and then it is unknown which table the probabilities are of; one that
changes it, or a disk that does, is found out by a digest of all that is in it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.errors import DataError
from ..core.quoting import shown
from .sources.batches import about, all_different, reading
from .sources.columnar import BROKEN_PARQUET

KEY = b"labeldp-audit"
SCHEMA = "labeldp-audit/eta/3"
DIGEST = "content_sha256"
STRING_OR_INFINITY = re.compile(r'"(?:[^"\\]|\\.)*"|Infinity')
AGAIN = "run estimate-eta again"

Columns = Mapping[str, npt.NDArray[Any]]


def metadata(columns: Columns, said: Mapping[str, object]) -> dict[bytes, bytes]:
    """For the schema of the file."""
    document = {**_plain(said), "schema": SCHEMA}
    document[DIGEST] = _digest({name: _wide(values) for name, values in columns.items()}, document)
    return {KEY: _json(document)}


def _plain(value: Any) -> Any:
    """As JSON will give it back."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and math.isnan(value):
        raise ValueError("NaN says nothing")
    return value


def _json(document: Mapping[str, object]) -> bytes:
    """JSON has no infinities, but every reader takes 1e999 for one; the word stays where it is in a string."""
    text = json.dumps(document, ensure_ascii=True)
    return STRING_OR_INFINITY.sub(lambda found: "1e999" if found[0] == "Infinity" else found[0], text).encode()


def _digest(columns: Columns, document: Mapping[str, object]) -> str:
    """A hash of everything but itself, taken in memory: how Parquet packs it may change."""
    hashed = hashlib.sha256(_json({key: item for key, item in document.items() if key != DIGEST}))
    for name, values in columns.items():
        head = json.dumps([name, values.dtype.kind, len(values)])
        hashed.update(head.encode() + np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes())
    return hashed.hexdigest()


@np.errstate(invalid="ignore")  # a damaged file may hold NaN that signal
def _wide(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(values, np.int64 if values.dtype.kind in "iu" else np.float64)


def read_estimates(path: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, object]]:
    """The columns, int64 or float64, and what was said when they were written."""
    place = Path(path)
    name = place.name
    with about(name):
        with reading(name, "cannot be read"):
            if not place.is_file() and place.stat():
                raise DataError("not a regular file", name or path)
        with reading(name, BROKEN_PARQUET), place.open("rb") as opened, pq.ParquetFile(opened) as file:
            document = _document((file.schema_arrow.metadata or {}).get(KEY))
            all_different(file.schema_arrow.names, name)
            table = file.read()
        columns = {name: _column(table.column(name)) for name in table.column_names}
        if document.get(DIGEST) != _digest(columns, document):
            raise changed()
    return columns, {key: item for key, item in document.items() if key not in ("schema", DIGEST)}


def _document(said: bytes | None) -> dict[str, object]:
    if said is None:
        raise DataError("it was not written by estimate-eta", hint="estimate-eta writes such a file")
    try:
        document = _plain(json.loads(said, parse_constant=str))  # neither NaN nor Infinity is of ours
    except (ValueError, RecursionError):
        raise changed() from None
    version = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(version, str):
        raise changed()
    if version != SCHEMA:
        raise DataError(f"its schema is {shown(version)}, this version reads {shown(SCHEMA)}", hint=AGAIN)
    return dict(document)


def _column(cells: pa.ChunkedArray) -> npt.NDArray[Any]:
    kind = cells.type
    if cells.null_count or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)) or kind == pa.uint64():
        raise changed()
    return _wide(cells.to_numpy())


def changed() -> DataError:
    return DataError("it is not as estimate-eta wrote it", hint=AGAIN)
