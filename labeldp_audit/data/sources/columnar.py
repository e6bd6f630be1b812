"""Parquet and Arrow files: the schema is in the file.

Folders such as `year=2024/month=5/` add columns that the files in them lack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.errors import DataError
from ...core.quoting import shown
from .batches import all_different, reading, storage
from .content import FileContent
from .contract import HowText, Source
from .delimited import narrowest

BROKEN_PARQUET = "not a complete Parquet file"
BROKEN_ARROW = "not a complete Arrow file"
BYTES = re.compile("[\udc80-\udcff]")  # that are no UTF-8, in the name of a file
NOTHING = "__HIVE_DEFAULT_PARTITION__"


def types_of(schema: pa.Schema, name: str) -> dict[str, pa.DataType | None]:
    all_different(schema.names, name)
    return {field.name: storage(field.type) for field in schema}


def open_parquet(name: str, parts: tuple[FileContent, ...]) -> Source:
    """One Parquet file, or several with one schema, in the order of their names."""
    rows, first, types = 0, pa.schema([]), {}
    for part in parts:
        with _parquet(part, 1) as file:
            schema, rows = file.schema_arrow, rows + file.metadata.num_rows
        if part is parts[0]:
            first, types = schema, types_of(schema, part.name)
        all_different(schema.names, part.name)
        _check_same(first, schema, f"{parts[0].name}, {part.name}")
    folders = {key: values for key, values in partitions([part.name for part in parts]).items() if key not in types}

    def pieces(columns: list[str], size: int) -> Iterator[pa.RecordBatch]:
        inside = [name for name in columns if name not in folders]
        for index, part in enumerate(parts):
            with _parquet(part, len(columns)) as file:
                for batch in file.iter_batches(size, columns=inside):
                    arrays = (
                        pa.repeat(folders[name][index], batch.num_rows) if name in folders else batch.column(name)
                        for name in columns
                    )  # fmt: skip
                    yield pa.RecordBatch.from_arrays(list(arrays), columns)

    for key, values in folders.items():
        first = first.append(pa.field(key, values.type))
    return Source(name, types | {key: values.type for key, values in folders.items()}, parts, pieces, rows, first)


@contextmanager
def _parquet(part: FileContent, columns: int) -> Iterator[pq.ParquetFile]:
    """With buffered pages of all columns instead of whole column chunks: a row group may hold a million rows."""
    size = max(1 << 14, min(1 << 20, (1 << 26) // max(columns, 1)))
    with (
        reading(part.name, BROKEN_PARQUET),
        part.opened() as opened,
        pq.ParquetFile(opened, buffer_size=size, pre_buffer=False) as file,
    ):
        yield file


def _check_same(first: pa.Schema, other: pa.Schema, files: str) -> None:
    """Whether both have the same columns, in any order."""
    differ = {(field.name, field.type) for field in first} ^ {(field.name, field.type) for field in other}
    for field in (*other, *first):
        if (field.name, field.type) in differ:
            raise DataError(f"the files differ in column {shown(field.name)}", files)


def partitions(files: Sequence[str]) -> dict[str, pa.Array]:
    """What the relative names of the files say, one value for each file, numbers as numbers."""
    keys = []
    for file in files:
        pairs = (part.partition("=") for part in PurePosixPath(file).parent.parts if "=" in part)
        keys.append({unquote(name): None if value == NOTHING else unquote(value) for name, _, value in pairs})
        if any(BYTES.search(text) for pair in keys[-1].items() for text in pair if text):
            raise DataError("its folder is to be a column, and the name is not UTF-8", file)
        if keys[-1].keys() != keys[0].keys():
            raise DataError("the folders of the files differ in their `name=value` parts", f"{files[0]}, {file}")
    return {name: narrowest(pa.array([found[name] for found in keys], pa.string()), None) for name in keys[0]}


def open_arrow(content: FileContent, how: HowText) -> Source:
    """An Arrow IPC file, which Feather version 2 is, or an IPC stream."""

    def pieces(columns: list[str], size: int) -> Iterator[pa.RecordBatch]:
        with _arrow(content, [schema.get_field_index(one) for one in columns]) as reader:
            whole = isinstance(reader, pa.RecordBatchStreamReader)
            for batch in reader if whole else map(reader.get_batch, range(reader.num_record_batches)):
                part = batch.select(columns)
                part.validate(full=True)  # places outside of a buffer would end the process
                yield part

    with _arrow(content) as reader:
        schema = reader.schema
        types = types_of(schema, content.name)
    return Source(content.name, types, (content,), pieces, schema=schema)


@contextmanager
def _arrow(
    content: FileContent, columns: Sequence[int] | None = None
) -> Iterator[pa.RecordBatchFileReader | pa.RecordBatchStreamReader]:
    """columns: numbers of those that are wanted. Not mapped into memory: a file that is cut off meanwhile would end the
    process."""
    with reading(content.name, BROKEN_ARROW), content.opened() as file:
        magic = file.read(6)
        file.seek(0)
        options = pa.ipc.IpcReadOptions(included_fields=columns)
        opened = pa.ipc.open_file if magic == b"ARROW1" else pa.ipc.open_stream
        yield opened(file, options=options)
