"""The bytes behind a table, which can be read more than once: a file's, or those that came on standard input."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from ...core.errors import DataError
from .batches import reading

MEGABYTE = 1 << 20
LFS, LFS_LONGEST = b"version https://git-lfs", 1024  # how a pointer begins, and bytes


class Hashed(Protocol):
    """What a table is known by."""

    @property
    def name(self) -> str: ...

    def blocks(self) -> Iterator[Any]:
        """The bytes as they are, from the beginning, some at a time."""


class Content(Hashed, Protocol):
    def stream(self) -> pa.NativeFile:
        """The same bytes for pyarrow, decompressed."""


@dataclass(frozen=True)
class FileContent:
    name: str
    path: Path

    @classmethod
    def checked(cls, name: str, path: Path) -> FileContent:
        with reading(name, "cannot be read"):
            status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise DataError("not a regular file", name, hint="`-` reads CSV from standard input")
        if status.st_size == 0:
            raise DataError("the file is empty", name)
        made = cls(name, path)
        with reading(name, "cannot be read"):
            if status.st_size < LFS_LONGEST and next(made.blocks(), b"").startswith(LFS):
                raise DataError("a pointer of Git LFS and not the file itself", name, hint="git lfs pull fetches it")
        return made

    def blocks(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            yield from iter(partial(file.read, MEGABYTE), b"")

    def opened(self) -> pa.NativeFile:
        """For pyarrow, which knows names as bytes: a name need not be UTF-8, nor the language of the machine."""
        return pa.OSFile(os.fsencode(self.path))

    def stream(self) -> pa.NativeFile:
        with reading(self.name, "cannot be read"):
            return pa.input_stream(self.opened(), compression="gzip" if self.path.suffix.lower() == ".gz" else None)


class Window(io.RawIOBase):
    """Reads an open file with a position of its own, so that two threads may read it at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._position = descriptor, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = os.pread(self._descriptor, len(buffer), self._position)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


@dataclass(frozen=True)
class SpooledContent:
    """Standard input, kept in a temporary file that has no name: it is gone however this process ends."""

    file: Any
    name: str = "stdin"

    @classmethod
    def of_stdin(cls, until: ExitStack) -> SpooledContent:
        with reading(cls.name, "cannot be read or kept"):
            file = until.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 closed by `until`
            if sys.stdin is not None:
                shutil.copyfileobj(sys.stdin.buffer, file, MEGABYTE)
            file.flush()
        if file.tell() == 0:
            raise DataError("the input is empty", cls.name)
        return cls(file)

    def blocks(self) -> Iterator[bytes]:
        return iter(partial(self._opened().read, MEGABYTE), b"")

    def stream(self) -> pa.NativeFile:
        return pa.PythonFile(self._opened(), mode="r")

    def _opened(self) -> BinaryIO:
        return io.BufferedReader(Window(self.file.fileno()), MEGABYTE)


@contextmanager
def digest_beside(contents: Sequence[Hashed]) -> Iterator[Callable[[], str]]:
    """What waits for the digest, which is computed beside the first pass."""
    stopped = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(digest, contents, stopped.is_set).result
        finally:
            stopped.set()


def digest(contents: Sequence[Hashed], stopped: Callable[[], bool] = lambda: False) -> str:
    """SHA-256 of the content; of many, of the sorted list of their names and digests."""

    def of(content: Hashed) -> str:
        hashed = hashlib.sha256()
        with reading(content.name, "cannot be read"):
            for block in content.blocks():
                if stopped():
                    break
                hashed.update(block)
        return hashed.hexdigest()

    if len(contents) == 1:
        return of(contents[0])
    lines = sorted(f"{content.name}\0{of(content)}\n" for content in contents)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
