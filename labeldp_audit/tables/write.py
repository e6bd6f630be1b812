"""Files that are whole or not there: written beside, then renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy.typing as npt

from ..errors import DataError

PRIVATE = 0o600
SHARED = 0o666  # less the user's umask


def write_text(path: Path, text: str) -> None:
    with _whole(path, SHARED) as file:
        file.write(text.encode())


def write_rows(path: Path, columns: Mapping[str, npt.NDArray[Any]]) -> None:
    """Parquet that only its owner may read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _whole(path, PRIVATE) as file:
        pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), file)


@contextlib.contextmanager
def _whole(path: Path, mode: int) -> Iterator[BinaryIO]:
    try:
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise IsADirectoryError(21, "it is a folder")
            with path.open("wb") as device:  # /dev/stdout, a pipe: nothing to rename
                yield device
            return
        with _renamed(path.resolve(), mode) as file:
            yield file
    except OSError as error:
        raise DataError("cannot write", path, error.strerror or str(error)) from None


@contextlib.contextmanager
def _renamed(path: Path, mode: int) -> Iterator[BinaryIO]:
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(descriptor, "wb") as file:  # noqa: PTH123 a descriptor, not a path
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:  # an interrupt leaves nothing behind either
        beside.unlink(missing_ok=True)
        raise
