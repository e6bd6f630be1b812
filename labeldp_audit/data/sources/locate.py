"""From what the user wrote to a table that can be read."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

from ...core.errors import DataError
from .batches import reading
from .columnar import ArrowSource, ParquetSource
from .content import Content, FileContent, SpooledContent
from .contract import Source
from .delimited import CsvSource
from .svmlight import SvmSource

STDIN = "-"
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
SVM = (".svm", ".libsvm", ".svmlight")
SUPPORTED = ".parquet .csv .tsv .arrow .feather .svm .libsvm .svmlight; .csv .tsv .svm also with .gz"


def locate(source: str, delimiter: str | None, as_text: frozenset[str], until: ExitStack) -> Source:
    """`as_text`: columns that a text file must not turn into numbers; `until`: closes what is kept meanwhile."""
    if source == STDIN:
        return CsvSource.open("stdin", SpooledContent.of_stdin(until), delimiter or ",", as_text)
    path = Path(source)
    with reading(source, "cannot be read"):
        is_folder, exists = path.is_dir(), path.exists()
    if is_folder:
        return folder(path, source)
    if not exists and glob.has_magic(source):
        return pattern(source, delimiter, as_text)
    return file(path, delimiter, as_text)


def file(path: Path, delimiter: str | None, as_text: frozenset[str]) -> Source:
    kind = path.with_suffix("").suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    zipped = path.suffix.lower() == ".gz"
    if not (kind in DELIMITERS or kind in SVM or (kind in (*PARQUET, *ARROW) and not zipped)):
        there = FileContent.checked(str(path), path)
        raise DataError("unknown kind of file", there.name, hint=f"supported: {SUPPORTED}")
    content = FileContent.checked(path.name, path)
    if kind in PARQUET:
        return ParquetSource.open(path.name, (content,))
    if kind in ARROW:
        return ArrowSource.open(path.name, content)
    return text(path.name, content, kind, delimiter, as_text)


def text(name: str, content: Content, kind: str, delimiter: str | None, as_text: frozenset[str]) -> Source:
    if kind in SVM:
        return SvmSource.open(name, content)
    return CsvSource.open(name, content, delimiter or DELIMITERS[kind], as_text)


def folder(path: Path, source: str) -> Source:
    """All Parquet files below, in the order of their names; hidden and `_temporary` ones are not data."""
    with reading(source, "cannot be read"):
        found = [one for one in below(path) if one.suffix.lower() in PARQUET]
    if not found:
        raise DataError("no Parquet files in the folder", source)
    return parquet_files(path.resolve().name, found, path)


def below(folder: Path) -> Iterator[Path]:
    """Path.rglob would pass over folders that it may not read, and part of a table would be audited as the whole."""
    for place, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if name[0] not in "._"]
        yield from (Path(place, name) for name in files if name[0] not in "._")


def refuse(error: OSError) -> NoReturn:
    raise error


def pattern(source: str, delimiter: str | None, as_text: frozenset[str]) -> Source:
    found = [Path(one) for one in glob.glob(source, recursive=True) if not Path(one).is_dir()]  # noqa: PTH207 it may be absolute
    if not found:
        raise DataError("no file matches", source)
    if len(found) == 1:
        return file(found[0], delimiter, as_text)
    others = sorted(one.name for one in found if one.suffix.lower() not in PARQUET)
    if others:
        raise DataError("several files are read only where all are Parquet", source, others[0])
    return parquet_files(Path(source).name, found, Path(os.path.commonpath([one.parent for one in found])))


def parquet_files(name: str, paths: Iterable[Path], root: Path) -> ParquetSource:
    parts = sorted((one.relative_to(root).as_posix(), one) for one in paths)
    return ParquetSource.open(name, tuple(FileContent.checked(part, one) for part, one in parts))
