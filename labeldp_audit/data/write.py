"""Files that are whole or not there: all of a run are written beside their places, then all are renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy.typing as npt

from ..core.errors import DataError

PRIVATE = 0o600
SHARED = 0o666  # less the user's umask


@dataclass(frozen=True)
class File:
    path: Path
    mode: int
    fill: Callable[[BinaryIO], object]
    after: int | None = None  # the mode that it gets once it is complete


def mode_of(source: object) -> int:
    """That of the file a table was read from; otherwise only its owner may read what is made of it."""
    place = Path(source) if isinstance(source, str) else None
    return stat.S_IMODE(place.stat().st_mode) if place is not None and place.is_file() else PRIVATE


def text_file(path: Path, text: str) -> File:
    return File(path, SHARED, lambda file: file.write(text.encode()))


def rows_file(path: Path, columns: Mapping[str, npt.NDArray[Any]], about: Mapping[str, object] | None = None) -> File:
    """Parquet that only its owner may read; with what is said `about` it, eta_file.py reads it again."""

    def fill(file: BinaryIO) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from .eta_file import metadata

        table = pa.table({name: pa.array(values) for name, values in columns.items()})
        said = None if about is None else metadata(columns, about)
        pq.write_table(table.replace_schema_metadata(said), file)

    return File(path, PRIVATE, fill)


def write_all(files: Iterable[File], folder: Path | None = None) -> None:
    """Each is written beside its place first, so that what fails leaves none of them, and no half of one; `folder` is
    made for them where it is missing."""
    with ExitStack() as undo:
        if folder is not None:
            missing = [place for place in (folder, *folder.parents) if not place.exists()]
            for place in reversed(missing):
                undo.callback(_quietly, place.rmdir)
                with _named(place):
                    place.mkdir(exist_ok=True)
        ready = [pair for file in files for pair in _written(file, undo)]
        with _undisturbed():
            for beside, place in ready:
                with _named(place):
                    beside.replace(place)
        undo.pop_all()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """A signal comes before or after, so that files that belong together are of one run."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def append(path: Path, text: str) -> None:
    """To a file that others write to as well, which is why it cannot be renamed into its place."""
    with _named(path), path.open("ab") as file:
        file.write(text.encode())


def size(path: Path) -> int:
    """How large the file is that stands there already."""
    with _named(path):
        return path.stat().st_size if path.exists() else 0


def _written(file: File, undo: ExitStack) -> list[tuple[Path, Path]]:
    """(what was written, its place); nothing for /dev/stdout or a pipe, where there is nothing to rename."""
    with _named(file.path):
        if file.path.exists() and not file.path.is_file():
            if file.path.is_dir():
                raise IsADirectoryError(21, "it is a folder")
            with file.path.open("wb") as device:
                file.fill(device)
            return []
        place = file.path.resolve()
        beside = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}.part")
        undo.callback(_quietly, beside.unlink)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file.mode)
        with open(descriptor, "wb") as opened:  # noqa: PTH123 a descriptor, not a path
            file.fill(opened)
            opened.flush()
            if file.after is not None:
                os.fchmod(descriptor, file.after)
            os.fsync(descriptor)
        return [(beside, place)]


def _quietly(remove: Callable[[], None]) -> None:
    """What is not there, or not empty, needs no removal."""
    with contextlib.suppress(OSError):
        remove()


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # no fault of the disk
        raise
    except OSError as error:
        raise DataError("cannot write", path, error.strerror or str(error)) from None
