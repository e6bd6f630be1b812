"""Files that are whole or not there: all of a run are written beside their places, then all are renamed.

What a run that was killed leaves is called `.NAME.XXXXXXXX.labeldp-audit.part`, and the next run that writes into that
folder removes it. A run holds a lock on its own ones, so that those of another run that still works stay.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

import numpy.typing as npt

from ..core.errors import STOPS, DataError, SpecError

flock: Callable[[int, int], None] | None
try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows: what is left there stays
    flock = None

PRIVATE = 0o600
SHARED = 0o666  # less the user's umask
_PART = re.compile(r"\..*\.[0-9a-f]{8}\.labeldp-audit\.part", re.DOTALL)
_LONGEST = 100  # bytes of a name that the name of its part repeats
_PATIENCE = 30.0  # seconds in which another run has put its files in place


@dataclass(frozen=True)
class File:
    path: Path
    mode: int
    fill: Callable[[BinaryIO], object]


def probe(folder: Path) -> None:
    """Raises OSError where no file can be made."""
    with tempfile.TemporaryFile(dir=folder):
        pass


@contextlib.contextmanager
def writable(wanted: Path) -> Iterator[None]:
    """No folder there, no room, or a name that no file can have."""
    try:
        yield
    except OSError as error:
        raise SpecError(f"cannot write there: {error.strerror}", wanted, hint="name another place") from None


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


def write_all(
    files: Iterable[File],
    folder: Path | None = None,
    *,
    places: Mapping[Path, Path] | None = None,
    outdated: Iterable[str] = (),
    new: bool = False,
) -> None:
    """Each is written beside its place first, so that what fails leaves none of them, and no half of one; `folder` is
    made for them where it is missing.

    places: where paths led when they were checked, which they still have to; outdated: names in the folder of what an
    earlier run may have left and this one does not write; new: no file may stand there already.
    """
    with ExitStack() as kept, ExitStack() as undo:
        if folder is not None:
            missing = [place for place in (folder, *folder.parents) if not place.exists()]
            for place in reversed(missing):
                undo.callback(_quietly, place.rmdir)
                with _named(place):
                    place.mkdir(exist_ok=True)
        inside = None if folder is None else _where(folder, places)
        ready = [pair for file in files for pair in _written(file, _where(file.path, places), kept, undo)]
        ours = {place for _, place in ready}
        gone = set() if inside is None else {inside / name for name in outdated} - ours
        with _alone({place.parent for place in ours | gone}), _undisturbed():
            for _, place in ready:
                if resolved(place.parent) != place.parent:
                    raise DataError("a folder became a link while this ran", place)
                if new and place.exists():
                    raise DataError("another run wrote a file of that name meanwhile", place.name)
            _put(ready, gone)
        undo.pop_all()


def resolved(path: Path) -> Path:
    """Where it ends up, through links; any path at all may be asked for."""
    with contextlib.suppress(OSError, RuntimeError, ValueError):  # no name that a file could have, links in a circle
        return path.resolve()
    return path.absolute()


def _where(path: Path, places: Mapping[Path, Path] | None) -> Path:
    now = resolved(path)
    if places is not None and places.get(path, now) != now:
        raise DataError("it leads elsewhere than it did when this run began", path)
    return now


def _put(ready: list[tuple[Path, Path]], gone: Iterable[Path]) -> None:
    """Rename all to their places. Files of an earlier run leave theirs first: whoever looks in between, or finds what a
    killed run left, sees a part of one run and never parts of two."""
    every = [*(place for _, place in ready), *(place for place in gone if not place.is_symlink())]
    alone = len(every) == 1  # to rename one file over another is one step
    old = {place: _beside(place) for place in every if place.is_file() and not alone}
    with ExitStack() as back:
        for place, aside in old.items():
            with _named(place):
                back.callback(_quietly, partial(aside.replace, place))
                place.replace(aside)
        for beside, place in ready:
            with _named(place):
                if not alone:
                    back.callback(_quietly, place.unlink)
                beside.replace(place)
        back.pop_all()
    for aside in old.values():
        _quietly(aside.unlink)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """A signal comes before or after, so that files that belong together are of one run. To block it for this thread
    is not enough: another one that a library started would take it, and Python would handle it here."""
    if threading.current_thread() is not threading.main_thread():  # Python handles signals in the main thread alone
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    handlers = {each: signal.getsignal(each) for each in STOPS}
    ours = {each: one for each, one in handlers.items() if one is not None and one is not signal.SIG_IGN}
    try:
        for each in ours:
            signal.signal(each, note)
        yield
    finally:
        for each, handler in ours.items():
            signal.signal(each, handler)
        if came:
            signal.raise_signal(came[0])


# ---- other runs


@contextlib.contextmanager
def _alone(folders: Iterable[Path]) -> Iterator[None]:
    """No other run begins a file in these folders, or puts one in place."""
    with ExitStack() as held:
        for folder in sorted(folders):
            with contextlib.suppress(OSError):  # where there is no such folder, creating a file in it says so
                descriptor = os.open(folder, os.O_RDONLY)
                held.callback(os.close, descriptor)
                _wait_for(descriptor, folder)
        yield


def _wait_for(descriptor: int, folder: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while not _locked(descriptor):
        if time.monotonic() > end:
            raise DataError("another program holds a lock on the folder", folder)
        time.sleep(0.01)


def _locked(descriptor: int) -> bool:
    """Whether nobody else holds it now; also where there are no locks."""
    if flock is None:
        return True
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _hold(descriptor: int, kept: ExitStack) -> None:
    """Locks a file for as long as this run works on it, beyond its being closed."""
    held = os.dup(descriptor)
    kept.callback(os.close, held)
    _locked(held)


def _remove_left(folder: Path) -> None:
    """What runs that were killed left there. A file whose lock can be had is nobody's any more."""
    if flock is None:
        return
    left: list[Path] = []
    with contextlib.suppress(OSError):  # a folder that may be written and not read
        left = [one for one in folder.iterdir() if _PART.fullmatch(one.name)]
    for one in left:
        with contextlib.suppress(OSError):
            descriptor = os.open(one, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                flock(descriptor, LOCK_EX | LOCK_NB)
                one.unlink()
            finally:
                os.close(descriptor)


def append(path: Path, text: str) -> None:
    """To a file that others write to as well, which is why it cannot be renamed into its place."""
    with _named(path), path.open("ab") as file:
        file.write(text.encode())


def size(path: Path) -> int:
    """How large the file is that stands there already."""
    with _named(path):
        return path.stat().st_size if path.exists() else 0


def _written(file: File, place: Path, kept: ExitStack, undo: ExitStack) -> list[tuple[Path, Path]]:
    """(what was written, its place); nothing for /dev/stdout or a pipe, where there is nothing to rename. kept: ends
    the lock."""
    with _named(file.path):
        if file.path.exists() and not file.path.is_file():
            if file.path.is_dir():
                raise IsADirectoryError(21, "it is a folder")
            with file.path.open("wb") as device:
                file.fill(device)
            return []
        beside = _beside(place)
        undo.callback(_quietly, beside.unlink)
        with _alone([place.parent]):
            _remove_left(place.parent)
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file.mode)
            _hold(descriptor, kept)
        with open(descriptor, "wb") as opened:  # noqa: PTH123 a descriptor, not a path
            file.fill(opened)
            opened.flush()
            os.fsync(descriptor)
        return [(beside, place)]


def _beside(place: Path) -> Path:
    name = os.fsencode(place.name)[:_LONGEST].decode(errors="ignore")
    return place.with_name(f".{name}.{secrets.token_hex(4)}.labeldp-audit.part")


def _quietly(remove: Callable[[], object]) -> None:
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
