"""CSV and TSV: nothing is sniffed, types are learnt from all rows.

Each column starts with the narrowest type that its first rows fit and only ever widens:
whole numbers -> floats, dates -> timestamps, anything else -> text.
"""

from __future__ import annotations

import contextlib
import re
from collections import deque
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv as pc
from pyarrow import compute

from ...core.errors import DataError, SpecError
from ...core.quoting import argument
from ..classes import are_mostly_numbers
from .batches import all_different, shortened
from .content import Content
from .contract import FAILURES, HowText, Source

SHEET = ("a spreadsheet or an archive", "save the sheet as CSV, in UTF-8")
BINARY = ("a binary file", "")
OTHER_KINDS = {  # by their first bytes
    b"\x1f\x8b": ("a gzip file", "a name that ends in .gz says so, such as table.csv.gz; or gzip -dc decompresses it"),
    b"PAR1": ("a Parquet file", "a name that ends in .parquet says so"),
    b"ARROW1": ("an Arrow file", "a name that ends in .arrow says so"),
    b"PK\x03\x04": SHEET,
    b"\xd0\xcf\x11\xe0": SHEET,
}
SEPARATOR_LINE = re.compile(rb"(\xef\xbb\xbf)?sep=.\r?[\n\r]", re.IGNORECASE)  # that Excel writes and reads
MOSTLY = 0.9

BLOCK = 1 << 22  # bytes, and so the longest row
ROW = re.compile(r"Row #(\d+)")
RAGGED = re.compile(r"Expected (\d+) columns?, got (\d+)")
NOT_UTF8 = re.compile(r"utf-?8", re.IGNORECASE)

# In number and date columns these mean "missing"; in a text column only an empty cell does.
MISSING = ("NA", "N/A", "#N/A", "NULL", "null", "None", "nan", "NaN", "NAN", "-nan", "n/a")

BOOLEANS = pa.array([None, "true", "false", "True", "False", "TRUE", "FALSE"])
COMMA = r"^[+-]?([1-9]\d{0,2}(\.\d{3})+(,\d*)?|(\d+,?\d*|,\d+)([eE][+-]?\d+)?)$"  # 1.234,5 but not 0.123
TIME = pa.time64("us")
GLANCE = 64
UTC = "UTC"
CANDIDATES = (
    pa.int64(), pa.uint64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us"), pa.timestamp("ns"),
    pa.timestamp("us", UTC), pa.timestamp("ns", UTC), TIME,
)  # fmt: skip
WIDER: dict[pa.DataType, tuple[pa.DataType, ...]] = {
    pa.int64(): (pa.uint64(), pa.float64()),
    pa.uint64(): (pa.float64(),),
    pa.date32(): (pa.timestamp("us"), pa.timestamp("ns")),
    pa.timestamp("us"): (pa.timestamp("ns"),),
    pa.timestamp("us", UTC): (pa.timestamp("ns", UTC),),
}


class Widened(Exception):
    """A later batch did not fit the types learnt so far: they fit now, read again."""


def open_csv(content: Content, how: HowText, usual: str = ",") -> Source:
    """usual: what parts the columns unless the user says otherwise."""
    delimiter = how.delimiter or usual
    if delimiter == how.decimal:
        raise SpecError(f"--delimiter and --decimal are both {delimiter!r}", hint="--delimiter ';' is usual with it")
    _check_text(content)
    names = _names(content, delimiter, how)
    types: dict[str, pa.DataType | None] = dict.fromkeys(names)
    given = None if how.header else names

    def pieces(columns: list[str], size: int) -> Iterator[pa.RecordBatch]:
        """Raises Widened after the last row where a column turned out to be wider than its first rows."""
        widened = False
        for batch in _texts(content, delimiter, columns, given):
            arrays = []
            for name, texts in zip(columns, batch.columns, strict=True):
                known = types[name]
                array = texts if name in how.as_text else narrowest(texts, known, how.decimal)
                widened |= known is not None and known != array.type
                types[name] = array.type
                arrays.append(array)
            if not widened:
                yield pa.RecordBatch.from_arrays(arrays, columns)
        if widened:
            raise Widened

    return Source(content.name, types, (content,), pieces, header=how.header)


def _check_text(content: Content) -> None:
    try:
        head = content.stream().read(4096)
    except FAILURES as error:
        raise DataError("cannot be read", content.name, shortened(str(error))) from None
    if encoding := _wide(head):
        raise DataError("not UTF-8 text", content.name, hint=converted(content.name, encoding))
    if b"\0" in head:
        kind, hint = next((known for magic, known in OTHER_KINDS.items() if head.startswith(magic)), BINARY)
        raise DataError(f"not a text table but {kind}", content.name, hint=hint)
    if SEPARATOR_LINE.match(head):
        hint = "remove that line, and name the separator by --delimiter"
        raise DataError("the first line, sep=, is for spreadsheets and names no columns", content.name, hint=hint)


def _wide(head: bytes) -> str:
    """The encoding of a text whose characters have two bytes or four: by its mark, or as every other byte is zero."""
    if head[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return "utf-32"
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    pairs = len(head) // 2
    for encoding, zero in (("utf-16le", 1), ("utf-16be", 0)):
        if pairs and head[zero::2].count(0) > MOSTLY * pairs and not head[1 - zero :: 2].count(0):
            return encoding
    return ""


def converted(name: str, encoding: str) -> str:
    convert = f"iconv -f {encoding} -t utf-8"
    if name == "stdin":
        return f"convert it on its way: ... | {convert} | labeldp-audit ... -, if {encoding} is what it is"
    typed = f"gzip -dc {argument(name)} | {convert}" if name.lower().endswith(".gz") else f"{convert} {argument(name)}"
    return f"convert it: {typed} > utf8.csv, if {encoding} is what it is"


def _names(content: Content, delimiter: str, how: HowText) -> list[str]:
    """Return the names of the columns: the cells of the first row, or c1, c2, ... where that row is data."""
    try:
        with _reader(content, delimiter, pc.ConvertOptions(check_utf8=False), None, threads=False) as reader:
            names: list[str] = reader.schema.names
    except FAILURES as error:
        raise _explained(str(error), content.name, how.header) from None
    if not how.header:
        return [f"c{place}" for place in range(1, len(names) + 1)]
    if are_mostly_numbers([name.replace(how.decimal, ".") for name in names]):
        hint = "--no-header names the columns c1, c2, ...; otherwise give the columns names that are not numbers"
        raise DataError("the first row holds numbers and no names of columns", content.name, hint=hint)
    if (nameless := names.count("")) > 1:
        hint = "the first row has to name the columns (--no-header if it is data): remove titles and empty columns"
        raise DataError(f"columns without a name: {nameless:,} of {len(names):,}", content.name, hint=hint)
    all_different(names, content.name, hint="--no-header if the first row is data")
    return names


def _texts(
    content: Content, delimiter: str, columns: list[str], names: list[str] | None, threads: bool = True
) -> Iterator[pa.RecordBatch]:
    """Read every cell as text; an empty one is missing. names: of all columns, where the first row is data."""
    convert = pc.ConvertOptions(
        include_columns=columns,
        column_types={name: pa.string() for name in columns},
        null_values=[""],
        strings_can_be_null=True,
    )
    try:
        with _reader(content, delimiter, convert, names, threads) as reader:
            yield from reader
    except FAILURES as error:
        if threads:  # one of them counts rows, several do not: read again up to the failure, to name its row
            deque(_texts(content, delimiter, columns, names, threads=False), maxlen=0)
        raise _explained(str(error), content.name, names is None) from None


def _reader(
    content: Content, delimiter: str, convert: pc.ConvertOptions, names: list[str] | None, threads: bool
) -> pc.CSVStreamingReader:
    reading = pc.ReadOptions(use_threads=threads, block_size=BLOCK, column_names=names)
    return pc.open_csv(
        content.stream(), reading, pc.ParseOptions(delimiter=delimiter, newlines_in_values=True), convert
    )


def _explained(message: str, name: str, header: bool = True) -> DataError:
    """pyarrow's rows count the header as row 1, ours do not."""
    row = ROW.search(message)
    place = f"row {int(row[1]) - header}" if row else ""
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


# ---- types


def narrowest(texts: pa.Array, known: pa.DataType | None, decimal: str = ".") -> pa.Array:
    """The cells in the first type, `known` or wider, that they fit."""
    unknown = known is None or pa.types.is_null(known)
    for kind in (pa.null(), *CANDIDATES) if unknown else (known, *WIDER.get(known, ())):
        with contextlib.suppress(pa.ArrowInvalid):
            read = with_points if decimal == "," and kind == pa.float64() else parsed
            read(texts.slice(0, GLANCE), kind)  # a type that does not fit shows here already, and sooner
            return read(texts, kind)
    return texts


def with_points(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Numbers such as 1.234,5."""
    there = cleaned(texts)
    if not compute.all(compute.match_substring_regex(there, COMMA)).as_py():
        raise pa.ArrowInvalid("no decimal comma")
    without = compute.replace_substring(there, ".", "")
    return cast(compute.replace_substring(without, ",", "."), kind)


def parsed(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Raises ArrowInvalid where a text does not fit. Most cells need no cleaning, so that comes second."""
    try:
        return cast(texts, kind)
    except pa.ArrowInvalid:
        return cast(cleaned(texts), kind)


def cleaned(texts: pa.Array) -> pa.Array:
    trimmed = compute.utf8_trim_whitespace(texts)
    missing = compute.is_in(trimmed, pa.array(("", *MISSING)))
    return compute.if_else(missing, pa.scalar(None, pa.string()), trimmed)


def cast(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_null(kind):
        if texts.null_count < len(texts):
            raise pa.ArrowInvalid("not empty")
        return pa.nulls(len(texts))
    if pa.types.is_boolean(kind) and not compute.all(compute.is_in(texts, BOOLEANS)).as_py():
        raise pa.ArrowInvalid("neither true nor false")  # pyarrow would take 0 and 1 as well
    if kind == TIME:  # pyarrow parses times of day only behind a date
        texts = compute.binary_join_element_wise(pa.scalar("1970-01-01"), texts, pa.scalar(" "))
        return texts.cast(pa.timestamp("us")).cast(TIME)
    return texts.cast(kind)
