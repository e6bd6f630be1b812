"""A table in memory: a DataFrame of pandas or polars, an Arrow table, or anything else that narwhals takes.

It is read as its Parquet file would be, so that a report does not depend on where a table lies. An index of pandas is
no column. Arrow shares the memory of most columns; those of Python objects are converted, once.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import compute

from ...core.errors import DataError, SpecError
from ...core.quoting import listed, shown
from ...core.table import Dataset
from ..classes import may_be, spelled
from ..levels import is_category
from .batches import all_different, cut, storage
from .columnar import types_of
from .contract import Source

NAME = "frame"  # what reports call it
HASHED = 1 << 16  # rows at a time; another number gives other hashes
_TAKEN = "a path, a DataFrame of pandas or polars, an Arrow table, or what else narwhals reads"


def open_frame(frame: object) -> Source:
    there = arrow_of(frame)
    table = pa.table([_as_stored(column) for column in there.columns], names=there.column_names)

    def pieces(columns: list[str], size: int) -> list[pa.RecordBatch]:
        found: list[pa.RecordBatch] = table.select(columns).to_batches(max_chunksize=size)
        return found

    return Source(NAME, types_of(table.schema, NAME), (FrameContent(table),), pieces, table.num_rows)


def arrow_of(frame: object) -> pa.Table:
    known = narwhal(frame)
    try:
        if nw.dependencies.is_pandas_dataframe(native := known.to_native()):
            return pa.Table.from_pandas(native, preserve_index=False)
        return nw.maybe_reset_index(known).to_arrow()
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError, OverflowError):
        hint = "give it one type, such as text, or leave it out of the frame"
        raise DataError("its cells have no common type", NAME, f"column {shown(_odd(known))}", hint=hint) from None


def _odd(frame: nw.DataFrame[Any]) -> str:
    """The column that cannot be converted. Its cells are not shown."""
    for name in frame.columns:
        try:
            frame.get_column(name).to_arrow()
        except Exception:
            return str(name)
    return ""


def columns_of(frame: object, names: Sequence[str]) -> Any:
    """As their owner has them, who may be pandas or polars; in pandas otherwise."""
    known = narwhal(frame)
    called = {str(name): name for name in known.columns}  # pandas takes other names than texts
    some = known.select([called[name] for name in names])
    native = some.to_native()
    owned = nw.dependencies.is_pandas_dataframe(native) or nw.dependencies.is_polars_dataframe(native)
    return native if owned else some.to_pandas()


def in_order(values: Any, frame: object, data: Dataset) -> Any:
    """Probabilities that were computed elsewhere: rows as the table has them, columns named by classes as these stand.
    What has no names, or is no frame, is taken as it comes."""
    theirs: Any = getattr(values, "index", None)
    ours: Any = getattr(frame, "index", None)
    both = nw.dependencies.is_pandas_index(ours) and nw.dependencies.is_pandas_index(theirs)
    if both and len(ours) == len(theirs) and not ours.equals(theirs):
        hint = "hand in eta.to_numpy() if its rows are in the order of the table"
        raise SpecError("--eta has another index than the table", hint=hint)
    try:
        known = nw.from_native(values, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise SpecError("two columns of --eta have one name", hint="hand in an array") from None
    if not isinstance(known, nw.DataFrame):
        return values
    if not known.columns:
        raise SpecError("--eta is empty")
    wanted = data.classes if len(known.columns) > 1 or data.positive is None else (data.positive,)
    places = [[place for place, name in enumerate(known.columns) if may_be(spelled(name), one)] for one in wanted]
    if len(known.columns) == len(wanted) and all(len(one) == 1 for one in places):
        return known.to_numpy()[:, [place for [place] in places]]
    if _numbered(values.columns) or not any(
        may_be(spelled(name), one) for name in known.columns for one in data.classes
    ):
        return known.to_numpy()
    what = f"the columns of --eta are named {listed([spelled(one) for one in known.columns])}"
    raise SpecError(f"{what}, and the classes {listed(data.classes)}", hint="name them alike, or hand in an array")


def _numbered(names: Any) -> bool:
    """As pandas calls columns without a name."""
    return nw.dependencies.is_pandas_index(names) and list(names) == list(range(len(names)))


def narwhal(frame: Any) -> nw.DataFrame[Any]:
    """The frame behind narwhals' door; a lazy one is collected."""
    try:
        known = nw.from_native(frame)
    except nw.exceptions.DuplicateError:
        names = getattr(frame, "column_names", None) or frame.columns  # Arrow's `columns` are cells
        all_different([str(name) for name in names], NAME)
        raise
    except TypeError:
        try:
            known = nw.from_arrow(frame, backend="pyarrow")
        except (TypeError, ValueError, pa.ArrowException):
            raise SpecError(f"not a table: {type(frame).__name__}", hint=_TAKEN) from None
    try:
        there: nw.DataFrame[Any] = known.collect() if isinstance(known, nw.LazyFrame) else known
    except Exception as error:  # of whatever it is to read and to compute; its message may quote cells
        raise DataError(f"the lazy frame cannot be collected: {type(error).__name__}", NAME) from None
    return there


def _as_stored(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """In the type that Parquet would give back."""
    stored, file = storage(column.type), io.BytesIO()
    try:
        pq.write_table(pa.schema([("", stored)]).empty_table(), file)
        stored = pq.read_schema(file).field(0).type
    except pa.ArrowNotImplementedError:  # reading that column will say that it cannot
        pass
    if stored == column.type:
        return column
    return pa.chunked_array([_cast(chunk, stored) for chunk in column.chunks], stored)


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    if pa.types.is_dictionary(kind) and array.type != kind:
        values = array.dictionary.cast(kind.value_type)
        return pa.DictionaryArray.from_arrays(array.indices, values, ordered=kind.ordered)
    return array.cast(kind)


# ---- what it is known by


@dataclass(frozen=True)
class FrameContent:
    """What the hash of a frame is of: names, types and cells, however they are chunked and whoever holds them."""

    table: pa.Table
    name: str = NAME

    def blocks(self) -> Iterator[Any]:
        kinds = [[field.name, _spelled(field.type)] for field in self.table.schema]
        yield json.dumps([kinds, self.table.num_rows]).encode()
        for batch in cut(self.table.to_batches(max_chunksize=HASHED), HASHED):
            for column in batch.columns:
                yield from _cells(column)


def _spelled(kind: pa.DataType) -> str:
    """All texts are of one type, however long they may be; the same goes for bytes and lists."""
    if pa.types.is_dictionary(kind):
        return f"dictionary<{_spelled(kind.value_type)}>"
    return str(kind).replace("large_", "").replace("_view", "")


def _cells(array: pa.Array) -> Iterator[Any]:
    """Which of them are there, and what these hold, as bytes."""
    types = pa.types
    array = array.dictionary_decode() if types.is_dictionary(array.type) else array
    array = array.cast(pa.binary()) if types.is_fixed_size_binary(array.type) else array
    array = array.cast(pa.large_binary()) if is_category(array.type) else array
    yield np.packbits(array.is_valid().to_numpy(zero_copy_only=False))
    array, kind = array.drop_null(), array.type
    if types.is_null(kind):
        return
    if types.is_large_binary(kind):
        ends = np.frombuffer(array.buffers()[1], np.int64)[array.offset :][: len(array) + 1] if len(array) else [0, 0]
        yield np.diff(ends)
        yield memoryview(array.buffers()[2] or b"")[ends[0] : ends[-1]]
    elif types.is_struct(kind):
        for place in range(kind.num_fields):
            yield from _cells(compute.struct_field(array, place))
    elif types.is_nested(kind):
        if types.is_map(kind):
            array = array.cast(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)])))
        yield compute.list_value_length(array).to_numpy(zero_copy_only=False)
        yield from _cells(array.flatten())
    elif types.is_boolean(kind):
        yield np.packbits(array.to_numpy(zero_copy_only=False))
    else:
        width = kind.bit_width // 8
        yield memoryview(array.buffers()[1] or b"").cast("B")[array.offset * width :][: len(array) * width]
