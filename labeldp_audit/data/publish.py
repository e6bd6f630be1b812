"""The table as it is published: canonical, so that nothing but its values can tell anything.

A release holds the columns that are to be published and what replaces the labels, in a fresh file. It is written anew
from values: no metadata, index, comments, quoting habits or spellings of the original survive. INVARIANT: what this
module writes depends on the original only through names, types and values of the published columns.
"""

from __future__ import annotations

import contextlib
import gzip
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import compute, csv

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.progress import Progress
from ..core.quoting import shown
from ..core.registry import spelled
from ..core.table import Table
from . import Instead, ReadOptions, Rewrite
from .classes import are_mostly_numbers, text_codes
from .probabilities import check_columns, checked, distributions
from .read import how_text
from .roles import known
from .scan import check_auditable, settled
from .sources.batches import about, rows_per_batch, shortened
from .sources.content import digest as digest_of
from .sources.frame import narwhal
from .sources.locate import locate, stamps

PARQUET, ARROW, CSV, SVM = "parquet", "arrow", "csv", "svm"
ENDINGS = {
    ".parquet": PARQUET, ".pq": PARQUET, ".arrow": ARROW, ".feather": ARROW, ".csv": CSV, ".tsv": CSV, ".svm": SVM,
    ".libsvm": SVM, ".svmlight": SVM,
}  # fmt: skip
_ROWS_AT_ONCE = 1 << 19


def kind_of(place: Path) -> str:
    """Return the kind of file that an ending asks for."""
    name = place.name.lower().removesuffix(".gz")
    kind = ENDINGS.get(Path(name).suffix)
    if kind is None or (place.name.lower().endswith(".gz") and kind not in (CSV, SVM)):
        raise SpecError("unknown kind of file to release to", place.name, hint=f"one of {' '.join(ENDINGS)}")
    return kind


def write(source: object, options: ReadOptions, plan: Rewrite, to: Path, file: BinaryIO, progress: Progress) -> None:
    """Write the table at `source` as the plan says, in the kind of file that `to` names."""
    with about(Path(str(source)).name):
        table = published_table(source, options, plan, progress)
        write_table(table, to, file)
    if plan.stamps is not None and stamps(source) != plan.stamps:
        raise DataError("the table changed while it was read", Path(str(source)).name)


def published_table(source: object, options: ReadOptions, plan: Rewrite, progress: Progress) -> pa.Table:
    """Return the columns of a release, in the order of the original's columns and of the plan's rows."""
    with ExitStack() as until:
        kept = tuple(name for name in options.exclude if name in plan.columns)  # codes such as 01209 stay text
        found = locate(source, how_text(replace(options, exclude=kept, group=None)), until)
        names = [name for name in found.types if name in plan.columns or name in plan.replaced]
        progress.stage("writing", plan.rows_read, "rows")
        size = rows_per_batch(len(names))
        table = pa.Table.from_batches(settled(lambda: [*found.batches(names, size)]))
    if table.num_rows != plan.rows_read:
        raise DataError(f"the table changed while it was read: {table.num_rows:,} rows after {plan.rows_read:,}")
    columns: dict[str, Any] = {}
    for name in names:
        cells = table.column(name).combine_chunks()
        table = table.drop_columns([name])  # frees the memory of each column once it is rewritten
        if name in plan.replaced:
            columns |= {one.name: canonical(cells_of(one, cells.type)) for one in plan.replaced[name]}
        else:
            check_auditable(name, cells.type)
            columns[name] = canonical(take(cells, plan.rows))
    progress.advance(plan.rows_read)
    return pa.table(columns)


def canonical(cells: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the same values in the one form in which they are published.

    NaN is null, -0 is 0, and a dictionary holds the values that occur, sorted unless their order has a meaning.
    """
    cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    kind = cells.type
    if pa.types.is_dictionary(kind):
        plain = canonical(cells.dictionary_decode())
        used = compute.unique(plain).drop_null()
        if kind.ordered:
            levels = canonical(cells.dictionary)
            levels = compute.unique(levels.filter(compute.is_in(levels, used)))
        else:
            levels = used.take(compute.sort_indices(used))
        codes = compute.index_in(plain, levels, skip_nulls=True)
        return pa.DictionaryArray.from_arrays(codes, levels, ordered=kind.ordered)
    if kind in (pa.string_view(), pa.binary_view()):
        return cells.cast(pa.large_string() if kind == pa.string_view() else pa.large_binary())
    if pa.types.is_floating(kind):
        wide = cells.cast(pa.float32()) if kind == pa.float16() else cells
        values = wide.to_numpy(zero_copy_only=False) + wide.type.to_pandas_dtype()(0)
        return pa.array(values, wide.type, mask=np.isnan(values))
    return cells


def take(cells: pa.Array, rows: Integers) -> pa.Array:
    """Return cells in another order; Arrow has no such function for views of texts."""
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return cells.cast(views.get(cells.type, cells.type)).take(pa.array(rows))


def in_frame(frame: object, options: ReadOptions, plan: Rewrite, progress: Progress) -> Any:
    """Return the release of a table in memory, in the library of its owner."""
    table, owner = published_table(frame, options, plan, progress), narwhal(frame)
    native = owner.to_native()
    if not nw.dependencies.is_pandas_dataframe(native):
        return nw.from_arrow(table, backend=owner.implementation).to_native()
    from pandas import DataFrame

    names = {str(name): name for name in native.columns}
    columns = {
        name: _pandas_column(table.column(name), native.dtypes.get(names.get(name))) for name in table.schema.names
    }
    made = DataFrame(columns)
    made.columns = [names.get(name, name) for name in made.columns]
    return made


def _pandas_column(cells: pa.ChunkedArray, kind: Any) -> Any:
    """Return a column in its type of pandas, where that can hold the cells."""
    if hasattr(kind, "__from_arrow__"):
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, NotImplementedError):
            return kind.__from_arrow__(cells)
    return cells.to_pandas()


def frame_like(frame: object, columns: Mapping[str, npt.NDArray[Any]]) -> Any:
    """Return a table of numbers, in the library of that frame."""
    return nw.from_arrow(pa.table(dict(columns)), backend=narwhal(frame).implementation).to_native()


def cells_of(one: Instead, kind: pa.DataType | None = None) -> pa.Array:
    """Return a replaced column in the type of the labels, where that can hold what it says."""
    if not one.texts:
        return pa.array(one.values)
    if kind is not None and pa.types.is_dictionary(kind):
        values = _of_type(one.texts, kind.value_type)
        return pa.DictionaryArray.from_arrays(pa.array(one.values, pa.int32()), values, ordered=kind.ordered)
    return take(_of_type(one.texts, kind), one.values)


def _of_type(texts: Sequence[str], kind: pa.DataType | None) -> pa.Array:
    """Return the classes as cells of a type, if they can be read again as what they are; as texts otherwise."""
    plain = pa.array(texts, pa.string())
    if kind is None:
        return plain
    try:
        cells = plain.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return plain
    return cells if text_codes(cells)[1] == list(texts) else plain


# ---- files


def write_table(table: pa.Table, to: Path, file: BinaryIO) -> None:
    """Write a table in the kind of file that the ending names."""
    kind = kind_of(to)
    try:
        with _packed(to, file) as opened:
            if kind == PARQUET:
                pq.write_table(table, opened, row_group_size=_ROWS_AT_ONCE)
            elif kind == ARROW:
                with pa.ipc.new_file(pa.PythonFile(opened, "w"), table.schema) as arrow:
                    arrow.write_table(table, _ROWS_AT_ONCE)
            elif kind == CSV:
                _write_csv(table, b"\t" if ".tsv" in to.name.lower() else b",", opened)
            else:
                _write_svm(table, to, opened)
    except pa.ArrowException as error:  # no file of the kind can hold some column
        raise DataError("a column cannot be written", to.name, shortened(str(error))) from None


def write_columns(columns: Mapping[str, npt.NDArray[Any]], to: Path, file: BinaryIO) -> None:
    """Write a table of numbers in the kind of file that the ending names."""
    write_table(pa.table(dict(columns)), to, file)


@contextmanager
def _packed(to: Path, file: BinaryIO) -> Iterator[Any]:
    if not to.name.lower().endswith(".gz"):
        yield file
        return
    with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        yield packed


def _write_csv(table: pa.Table, delimiter: bytes, file: BinaryIO) -> None:
    """RFC 4180 with line feeds: texts in quotation marks, numbers as short as they can be read again."""
    if are_mostly_numbers(table.column_names):
        what = "a CSV file whose columns are named like numbers would be taken for one without a header"
        raise DataError(what, hint=f"release to .{PARQUET}")
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    plain = pa.table([_written(column) for column in columns], names=table.column_names)
    csv.write_csv(plain, file, csv.WriteOptions(delimiter=delimiter.decode(), batch_size=1 << 14))


def _written(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column that pyarrow.csv can write."""
    if pa.types.is_time(column.type) or pa.types.is_duration(column.type) or pa.types.is_decimal(column.type):
        return column.cast(pa.string())
    return column


def _write_svm(table: pa.Table, to: Path, file: BinaryIO) -> None:
    """Write `label index:value ...`, where columns are named f1 and on, as svmlight files are read; 0 is left out."""
    names = table.column_names[1:]
    indices = [int(name[1:]) for name in names if name[:1] == "f" and name[1:].isdecimal()]
    plain = all(column.type == pa.float64() and not column.null_count for column in table.columns)
    if len({*indices}) < len(names) or not plain:
        hint = f"such as {Path(to.name).stem}.{PARQUET}"
        raise SpecError("a svmlight file holds numbers and one label in each row, and nothing else", to.name, hint=hint)
    points = np.column_stack([np.zeros((table.num_rows, 0)), *(column.to_numpy() for column in table.columns[1:])])
    row, place = np.nonzero(points)
    cells = zip(np.array(indices)[place].tolist(), points[row, place].tolist(), strict=True)
    pairs = [f"{index}:{spelled(value)}" for index, value in cells]
    ends = np.searchsorted(row, np.arange(table.num_rows + 1)).tolist()
    for label, (start, end) in zip(table.column(0).to_pylist(), itertools.pairwise(ends), strict=True):
        file.write(" ".join([spelled(label), *pairs[start:end]]).encode() + b"\n")


# ---- read again


def read_texts(source: object, name: str, options: ReadOptions) -> tuple[Integers, list[str]]:
    """A column of classes: row i has the text `texts[code[i]]`; -1 where a cell is missing."""
    codes: list[Integers] = []
    places: dict[str, int] = {}
    for (cells,) in _cells_of(source, [name], options):
        code, texts = text_codes(cells)
        index = np.array([*(places.setdefault(text, len(places)) for text in texts), -1])
        codes.append(index[code])
    return np.concatenate([np.empty(0, np.int64), *codes]), list(places)


def read_numbers(source: object, names: Sequence[str], options: ReadOptions) -> list[npt.NDArray[Any]]:
    """Columns of numbers, none of them missing."""
    found: list[list[npt.NDArray[Any]]] = [[] for _ in names]
    for arrays in _cells_of(source, names, options):
        for name, cells, column in zip(names, arrays, found, strict=True):
            if cells.null_count or not (pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)):
                raise DataError("not a column of numbers", f"column {shown(name)}")
            column.append(cells.to_numpy(zero_copy_only=False))
    return [np.concatenate([np.empty(0, np.int64), *column]) for column in found]


def check_label(source: object, told: str, options: ReadOptions) -> None:
    """Refuses a table without the label that a manifest tells of, unless another name was given."""
    if options.label is None:
        known("the label of the manifest", [told], column_names(source, options))


def read_probabilities(source: object, names: Sequence[str], option: str, table: Table, options: ReadOptions) -> Floats:
    """(n, C) for the rows of the table, from columns that an option named."""
    data = table.dataset
    known(option, names, column_names(source, options))
    check_columns(len(names), data.classes, data.positive, option)
    numbers = np.column_stack(read_numbers(source, names, options)).astype(np.float64)
    rows = table.numbers
    some = [checked(values, rows, f"column {shown(name)}") for name, values in zip(names, numbers[rows].T, strict=True)]
    return distributions(np.column_stack(some), rows)


def read_both(
    other: object, source: object, names: Sequence[str], label: str, options: ReadOptions
) -> tuple[pa.Table, int]:
    """These columns of the rows of two tables, and how many rows of the other one stand first. What stands where the
    label does says nothing."""
    parts = []
    for place in (other, source):
        with ExitStack() as until:
            found = locate(place, how_text(options), until)
            with about(found.name):
                known("the table", names, list(found.types))
                batches = settled(lambda found=found: [*found.batches(list(names), rows_per_batch(len(names)))])  # type: ignore[misc]
        table = pa.Table.from_batches(batches)
        plain = [one.cast(one.type.value_type) if pa.types.is_dictionary(one.type) else one for one in table.columns]
        parts.append(pa.table(plain, names=list(names)))
    try:
        both = pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException:
        raise DataError("columns of the same name hold different kinds of cells in the two tables") from None
    return both.append_column(label, pa.array(np.arange(both.num_rows) % 2)), parts[0].num_rows


def _cells_of(source: object, names: Sequence[str], options: ReadOptions) -> Iterator[list[pa.Array]]:
    with ExitStack() as until:
        found = locate(source, how_text(options), until)
        with about(found.name):
            known("the release", names, list(found.types))
            batches = settled(lambda: [*found.batches(names, rows_per_batch(len(names)))])
            yield from (batch.columns for batch in batches)


def column_names(source: object, options: ReadOptions) -> tuple[str, ...]:
    with ExitStack() as until:
        return tuple(locate(source, how_text(options), until).types)


def index_names(source: object, options: ReadOptions) -> list[str]:
    """Return the columns that hold an index of pandas, which is no column of the table; in text it has no name."""
    with ExitStack() as until:
        found = locate(source, how_text(options), until)
    described = found.schema.pandas_metadata if found.schema is not None else None
    stored = [name for name in (described or {}).get("index_columns", ()) if isinstance(name, str)]
    return [name for name in found.types if name in stored or not name]


def digest(source: object, options: ReadOptions) -> str:
    """SHA-256 of a table, as reports have it."""
    with ExitStack() as until:
        return digest_of(locate(source, how_text(options), until).contents)
