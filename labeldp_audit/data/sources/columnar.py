"""Parquet and Arrow files: the schema is in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.errors import DataError
from ..quoting import shown
from .batches import all_different, cut, reading, storage
from .content import Content, FileContent
from .partitions import Partitions, extended, partitions

BROKEN_PARQUET = "not a complete Parquet file"
BROKEN_ARROW = "not a complete Arrow file"


def types_of(schema: pa.Schema, name: str) -> dict[str, pa.DataType | None]:
    all_different(schema.names, name)
    return {field.name: storage(field.type) for field in schema}


def buffer_size(columns: int) -> int:
    """Bytes to buffer for each column, as all are open at once."""
    return max(1 << 14, min(1 << 20, (1 << 26) // max(columns, 1)))


@dataclass(frozen=True)
class ParquetSource:
    """One Parquet file, or several with one schema, in the order of their names."""

    name: str
    parts: tuple[FileContent, ...]
    schema: pa.Schema
    rows: int
    folders: Partitions  # columns that are in no file

    @classmethod
    def open(cls, name: str, parts: tuple[FileContent, ...]) -> ParquetSource:
        schemas: list[pa.Schema] = []
        rows = 0
        for part in parts:
            with _parquet(part, 1) as file, reading(part.name, BROKEN_PARQUET):
                schemas.append(file.schema_arrow)
                rows += file.metadata.num_rows
            all_different(schemas[-1].names, part.name)
            _same(schemas[0], schemas[-1], parts[0].name, part.name)
        known = partitions([part.name for part in parts])
        return cls(name, parts, schemas[0], rows, {key: known[key] for key in known if key not in schemas[0].names})

    def names(self) -> list[str]:
        return list(self.types())

    def types(self) -> dict[str, pa.DataType | None]:
        return types_of(self.schema, self.name) | {name: values.type for name, values in self.folders.items()}

    def contents(self) -> Sequence[Content]:
        return self.parts

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        return cut(self._pieces(list(columns), size), size)

    def _pieces(self, columns: list[str], size: int) -> Iterator[pa.RecordBatch]:
        inside = [name for name in columns if name not in self.folders]
        for index, part in enumerate(self.parts):
            with _parquet(part, len(columns)) as file, reading(part.name, BROKEN_PARQUET):
                for batch in file.iter_batches(size, columns=inside):
                    yield extended(batch, columns, self.folders, index)


def _parquet(part: FileContent, columns: int) -> pq.ParquetFile:
    with reading(part.name, BROKEN_PARQUET):
        # Buffered pages instead of whole column chunks: a row group may hold a million rows.
        return pq.ParquetFile(part.path, buffer_size=buffer_size(columns), pre_buffer=False)


def _same(first: pa.Schema, other: pa.Schema, first_name: str, other_name: str) -> None:
    if other.equals(first):
        return
    types = {field.name: field.type for field in first}
    for field in other:
        if types.pop(field.name, None) != field.type:
            raise DataError(f"the files differ in column {shown(field.name)}", f"{first_name}, {other_name}")
    if types:
        raise DataError(f"the files differ in column {shown(next(iter(types)))}", f"{first_name}, {other_name}")


@dataclass(frozen=True)
class ArrowSource:
    """An Arrow IPC file, which Feather version 2 is, or an IPC stream."""

    name: str
    content: FileContent
    schema: pa.Schema
    rows: int | None = None

    @classmethod
    def open(cls, name: str, content: FileContent) -> ArrowSource:
        with reading(name, BROKEN_ARROW), pa.memory_map(str(content.path)) as file:
            return cls(name, content, _arrow(file).schema)

    def names(self) -> list[str]:
        return list(self.types())

    def types(self) -> dict[str, pa.DataType | None]:
        return types_of(self.schema, self.name)

    def contents(self) -> Sequence[Content]:
        return (self.content,)

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        return cut(self._pieces(list(columns)), size)

    def _pieces(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        with reading(self.name, BROKEN_ARROW), pa.memory_map(str(self.content.path)) as file:
            reader = _arrow(file)
            if isinstance(reader, pa.RecordBatchStreamReader):
                yield from (batch.select(columns) for batch in reader)
            else:
                for index in range(reader.num_record_batches):
                    yield reader.get_batch(index).select(columns)


def _arrow(file: pa.NativeFile) -> pa.RecordBatchFileReader | pa.RecordBatchStreamReader:
    magic = file.read(6)
    file.seek(0)
    return pa.ipc.open_file(file) if magic == b"ARROW1" else pa.ipc.open_stream(file)
