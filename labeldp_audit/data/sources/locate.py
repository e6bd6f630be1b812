"""From what the user wrote to a table that can be read.

A kind of file is one file and its ending in the list; packages of others name theirs under `labeldp_audit.sources`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from ...core.errors import DataError
from ...core.registry import Named, there
from ...core.released import MANIFEST
from .batches import reading
from .columnar import open_arrow, open_parquet
from .content import FileContent, SpooledContent
from .contract import HowText, Opener, Source
from .delimited import open_csv
from .svmlight import open_svm

STDIN = "-"
PARQUET = (".parquet", ".pq")
SUPPORTED = ".parquet .csv .tsv .arrow .feather .svm .libsvm .svmlight; .csv .tsv .svm also with .gz"


def locate(source: object, how: HowText, until: ExitStack) -> Source:
    """`until`: closes what is kept meanwhile."""
    if not isinstance(source, str):
        from .frame import open_frame  # narwhals takes a while to load

        return open_frame(source)
    if source == STDIN:
        return open_csv(SpooledContent.of_stdin(until), how)
    path = Path(source)
    with reading(source, "cannot be read"):
        is_folder, exists = path.is_dir(), path.exists()
    if is_folder:
        return folder(path, source)
    return pattern(source, how) if not exists and glob.has_magic(source) else file(path, how)


def file(path: Path, how: HowText) -> Source:
    """Its ending says how it is read: `t.csv.gz` by `csv.gz`."""
    ending = _ending(path)
    if ending not in SOURCES.names():
        there = FileContent.checked(str(path), path)
        raise DataError("unknown kind of file", there.name, hint=f"supported: {supported()}")
    opened = SOURCES.get(ending)
    if not how.header and path.with_name(path.name + MANIFEST).exists():  # `release` names the columns
        how = replace(how, header=True)
    return opened(FileContent.checked(path.name, path), how)


def _ending(path: Path) -> str:
    ending = "".join(path.suffixes[-2:]) if path.suffix.lower() == ".gz" else path.suffix
    return ending.lower().removeprefix(".")


def _one_parquet(content: FileContent, how: HowText) -> Source:
    return open_parquet(content.name, (content,))


_TEXT: dict[str, Opener] = {
    "csv": open_csv, "tsv": partial(open_csv, usual="\t"), "svm": open_svm, "libsvm": open_svm, "svmlight": open_svm,
}  # fmt: skip
_OURS = {"parquet": _one_parquet, "pq": _one_parquet, "arrow": open_arrow, "feather": open_arrow} | _TEXT
SOURCES: Named[Opener] = Named(
    "source", there(_OURS | {f"{ending}.gz": opener for ending, opener in _TEXT.items()}), "sources",
    lambda name, thing: "" if callable(thing) else f"{thing!r} is no function",
)  # fmt: skip


def supported() -> str:
    others = SOURCES.of_others()
    return f"{SUPPORTED}; of other packages: {' '.join(f'.{one}' for one in others)}" if others else SUPPORTED


def folder(path: Path, source: str) -> Source:
    """All Parquet files below, in the order of their names; hidden and `_temporary` ones are not data."""
    with reading(source, "cannot be read"):
        every = list(below(path))
    found = [one for one in every if one.suffix.lower() in PARQUET]
    if not found:
        raise DataError("no Parquet files in the folder", source)
    other = next((one.name for one in every if one not in found and _ending(one) in SOURCES.names()), "")
    if other:
        hint = f"name the part that is meant, such as '{source.rstrip('/')}/**/*.parquet'"
        raise DataError("a folder of Parquet files and other tables", source, other, hint=hint)
    return parquet_files(path.resolve().name, found, path)


def below(folder: Path) -> Iterator[Path]:
    """Path.rglob would pass over folders that it may not read, and part of a table would be audited as the whole."""

    def refuse(error: OSError) -> NoReturn:
        raise error

    for place, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if name[0] not in "._"]
        yield from (Path(place, name) for name in files if name[0] not in "._")


def pattern(source: str, how: HowText) -> Source:
    found = [Path(one) for one in glob.glob(source, recursive=True) if not Path(one).is_dir()]  # noqa: PTH207 it may be absolute
    if not found:
        raise DataError("no file matches", source)
    if len(found) == 1:
        return file(found[0], how)
    others = sorted(one.name for one in found if one.suffix.lower() not in PARQUET)
    if others:
        raise DataError("several files are read only where all are Parquet", source, others[0])
    return parquet_files(Path(source).name, found, Path(os.path.commonpath([one.parent for one in found])))


def parquet_files(name: str, paths: Iterable[Path], root: Path) -> Source:
    parts = sorted((one.relative_to(root).as_posix(), one) for one in paths)
    return open_parquet(name, tuple(FileContent.checked(part, one) for part, one in parts))


# ---- files that others write to


Stamps = Mapping[Path, tuple[int, ...]]


def stamps(place: object) -> Stamps:
    """Of each file of a table: another one after something was written to it. The time at which the system saw a change
    cannot be set, as that which the file's owner sees can."""
    found = {}
    for one in _files(Path(place)) if isinstance(place, str | os.PathLike) and place != STDIN else ():
        with suppress(OSError):
            known = one.stat()
            found[one] = known.st_dev, known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns
    return found


def _files(path: Path) -> list[Path]:
    with suppress(OSError, ValueError):  # what cannot be looked at, reading it says
        if path.is_dir():
            return [one for one in below(path) if one.suffix.lower() in PARQUET]
        return [path] if path.exists() else [Path(one) for one in glob.glob(str(path), recursive=True)]  # noqa: PTH207
    return []


@contextmanager
def unchanged(*places: object) -> Iterator[None]:
    """What is read inside in several passes is the same table in each, and its digest is that of what was read."""
    before = [stamps(one) for one in places]

    def check() -> None:
        for place, known in zip(places, before, strict=True):
            now = stamps(place)
            for one in sorted(known.keys() | now.keys()):
                if known.get(one) != now.get(one):
                    parts = () if one.name == Path(str(place)).name else (Path(str(place)).name,)
                    raise DataError("the table changed while it was read", *parts, one.name)

    try:
        yield
    except Exception:
        check()  # which explains the exception
        raise
    check()
