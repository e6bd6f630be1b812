"""CSV and TSV: nothing is sniffed, types are learnt from a full read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv as pc

from ...core.errors import DataError
from ..quoting import argument
from .batches import all_different, shortened
from .column_types import narrowest
from .content import Content
from .contract import FAILURES, HowText, Source

BLOCK = 1 << 22  # bytes, and so the longest row
ROW = re.compile(r"Row #(\d+)")
RAGGED = re.compile(r"Expected (\d+) columns?, got (\d+)")
NOT_UTF8 = re.compile(r"utf-?8", re.IGNORECASE)


class Widened(Exception):
    """A later batch did not fit the types learnt so far: they fit now, read again."""


def open_csv(content: Content, how: HowText, usual: str = ",") -> Source:
    """usual: what parts the columns unless the user says otherwise."""
    delimiter = how.delimiter or usual
    _check_text(content)
    types: dict[str, pa.DataType | None] = dict.fromkeys(_header(content, delimiter))

    def pieces(columns: list[str], size: int) -> Iterator[pa.RecordBatch]:
        """Raises Widened after the last row where a column turned out to be wider than its first rows."""
        widened = False
        for batch in _texts(content, delimiter, columns):
            arrays = []
            for name, texts in zip(columns, batch.columns, strict=True):
                known = types[name]
                array = texts if name in how.as_text else narrowest(texts, known)
                widened |= known is not None and known != array.type
                types[name] = array.type
                arrays.append(array)
            if not widened:
                yield pa.RecordBatch.from_arrays(arrays, columns)
        if widened:
            raise Widened

    return Source(content.name, types, (content,), pieces)


def _check_text(content: Content) -> None:
    try:
        head = content.stream().read(4096)
    except FAILURES as error:
        raise DataError("cannot be read", content.name, shortened(str(error))) from None
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError("not UTF-8 text", content.name, hint=converted(content.name, "utf-16"))
    if b"\0" in head:
        raise DataError("not a text table: it holds zero bytes", content.name)


def converted(name: str, encoding: str) -> str:
    convert = f"iconv -f {encoding} -t utf-8"
    if name == "stdin":
        return f"convert it on its way: ... | {convert} | labeldp-audit ... -, if {encoding} is what it is"
    typed = f"gzip -dc {argument(name)} | {convert}" if name.lower().endswith(".gz") else f"{convert} {argument(name)}"
    return f"convert it: {typed} > utf8.csv, if {encoding} is what it is"


def _header(content: Content, delimiter: str) -> list[str]:
    try:
        with _reader(content, delimiter, pc.ConvertOptions(check_utf8=False), threads=False) as reader:
            names: list[str] = reader.schema.names
    except FAILURES as error:
        raise _explained(str(error), content.name) from None
    all_different(names, content.name)
    return names


def _texts(content: Content, delimiter: str, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Every cell as text; an empty one is missing."""
    convert = pc.ConvertOptions(
        include_columns=columns,
        column_types={name: pa.string() for name in columns},
        null_values=[""],
        strings_can_be_null=True,
    )
    try:
        with _reader(content, delimiter, convert) as reader:
            yield from reader
    except FAILURES as error:
        message = _first_failure(content, delimiter, convert) or str(error)
        raise _explained(message, content.name) from None


def _reader(
    content: Content, delimiter: str, convert: pc.ConvertOptions, threads: bool = True
) -> pc.CSVStreamingReader:
    return pc.open_csv(
        content.stream(),
        pc.ReadOptions(use_threads=threads, block_size=BLOCK),
        pc.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert,
    )


def _first_failure(content: Content, delimiter: str, convert: pc.ConvertOptions) -> str:
    """One thread counts rows, several do not: read again up to the failure, to name its row."""
    try:
        with _reader(content, delimiter, convert, threads=False) as reader:
            for _ in reader:
                pass
    except FAILURES as error:
        return str(error)
    return ""


def _explained(message: str, name: str) -> DataError:
    """pyarrow's rows count the header as row 1, ours do not."""
    row = ROW.search(message)
    place = f"row {int(row[1]) - 1}" if row else ""
    if ragged := RAGGED.search(message):
        hint = "--delimiter ';' or tab, if that is what parts the columns" if ragged[1] == "1" else ""
        return DataError(f"a row with {ragged[2]} instead of {ragged[1]} fields", name, place, hint=hint)
    if NOT_UTF8.search(message):
        return DataError("not UTF-8 text", name, place, hint=converted(name, "latin1"))
    if "straddl" in message:
        return DataError(f"a row is longer than {BLOCK >> 20} MB", name, hint="is a quotation mark left open?")
    if "mpty CSV" in message:
        return DataError("no header row", name)
    return DataError("not a readable CSV file", name, shortened(message))
