"""Small tables on disk, and the reader as a test wants to call it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeldp_audit.core.errors import AuditError
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.table import Table
from labeldp_audit.data import ReadOptions, read_table
from labeldp_audit.data.sources import delimited

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
        rows = len(next(iter(columns.values())))  # type: ignore[arg-type]
        pq.write_table(pa.table(columns if "y" in columns else {**columns, "y": [i % 2 for i in range(rows)]}), path)
        return as_read(path, **options)

    return from_columns


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text tables are learnt from a kilobyte at a time, so that a few hundred rows are several blocks."""
    monkeypatch.setattr(delimited, "BLOCK", 1 << 10)


@pytest.fixture(scope="session")
def refused() -> Callable[..., AuditError]:
    """The error of a read, which is one line."""

    def error_of(read: Read, *arguments: object, **options: object) -> AuditError:
        with pytest.raises(AuditError) as caught:
            read(*arguments, **options)
        assert "\n" not in str(caught.value) + caught.value.hint
        assert "Traceback" not in str(caught.value)
        return caught.value

    return error_of
