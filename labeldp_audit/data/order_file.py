"""The publisher's key to the order of a release: which row of the table each of its rows is. It gives labels away to
anybody who has the table, so only its owner may read it, and it names the release that it belongs to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.arrays import Integers
from ..core.errors import DataError
from .sources.batches import reading
from .write import PRIVATE, File

_KEY = b"labeldp-audit order of release"


def order_file(path: Path, order: Integers, sha256: str) -> File:
    """order (n,): rows of the table, counted from 0; sha256: of the release, as its manifest has it."""

    def fill(file: BinaryIO) -> None:
        pq.write_table(pa.table({"row": order + 1}).replace_schema_metadata({_KEY: sha256}), file)

    return File(path, PRIVATE, fill)


def read_order(path: str | os.PathLike[str], sha256: str | None) -> Integers:
    """Return the rows, counted from 0. sha256: of the release; None where it has no manifest."""
    name = Path(path).name
    with reading(name, "not a key to the order of a release"):
        table = pq.read_table(path)
        known = (table.schema.metadata or {}).get(_KEY)
        rows = np.asarray(table.column("row").to_numpy(), np.int64) - 1 if known is not None else None
    if known is None or rows is None:
        raise DataError("not a key to the order of a release", name, hint="`release --order FILE` writes one")
    if known.decode() != sha256:
        raise DataError("it is the key to another release", name)
    return rows
