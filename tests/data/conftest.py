"""Small tables on disk, and the reader as a test wants to call it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeldp_audit.core.progress import Silent
from labeldp_audit.core.table import Table
from labeldp_audit.data import ReadOptions, read_table

Read = Callable[..., Table]


def as_read(source: object, **options: object) -> Table:
    return read_table(str(source), ReadOptions(**options), Silent())  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def read() -> Read:
    return as_read


@pytest.fixture
def read_text(tmp_path: Path) -> Read:
    """Reads `text` as the CSV file table.csv."""

    def from_text(text: str | bytes, **options: object) -> Table:
        path = tmp_path / "table.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return as_read(path, **options)

    return from_text


@pytest.fixture
def read_columns(tmp_path: Path) -> Read:
    """Reads columns as the Parquet file table.parquet; the label is 0, 1, 0, 1, ... unless there is one."""

    def from_columns(columns: dict[str, object], /, **options: object) -> Table:
        path = tmp_path / "table.parquet"
        pq.write_table(pa.table(with_label(columns)), path)
        return as_read(path, **options)

    return from_columns


def with_label(columns: dict[str, object]) -> dict[str, object]:
    rows = len(next(iter(columns.values())))  # type: ignore[arg-type]
    return columns if "y" in columns else {**columns, "y": [i % 2 for i in range(rows)]}
