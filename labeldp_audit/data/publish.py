"""The same table with something else where its labels were: every other column, the schema's metadata and the order of
the rows stay as they are.

Columnar files are copied batch by batch. In text files the bytes of the label's cells are replaced and no other byte
is looked at twice, so that numbers and dates stay as they are written.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.progress import Progress
from ..core.quoting import shown
from ..core.table import Table
from . import Instead, ReadOptions, Rewrite
from .classes import text_codes
from .probabilities import check_columns, checked, distributions
from .read import how_text
from .roles import known
from .scan import settled
from .sources.batches import about, reading, rows_per_batch, shortened
from .sources.content import FileContent
from .sources.content import digest as digest_of
from .sources.contract import Source
from .sources.delimited import BLOCK
from .sources.frame import arrow_of, narwhal
from .sources.locate import PARQUET as PARQUET_ENDINGS
from .sources.locate import locate, stamps

PARQUET, ARROW, CSV, SVM = "parquet", "arrow", "csv", "svm"
ENDINGS = {
    ".parquet": PARQUET, ".pq": PARQUET, ".arrow": ARROW, ".feather": ARROW, ".csv": CSV, ".tsv": CSV, ".svm": SVM,
    ".libsvm": SVM, ".svmlight": SVM,
}  # fmt: skip
_CELLS_IN_BATCH = 1 << 22
_MOST_ROWS = 1 << 19
_PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_PIECES = 1 << 17  # of text that are written at once


def kind_of(place: Path) -> str:
    """Of a file that is to be written, by its ending."""
    name = place.name.lower().removesuffix(".gz")
    kind = ENDINGS.get(Path(name).suffix)
    if kind is None or (place.name.lower().endswith(".gz") and kind not in (CSV, SVM)):
        raise SpecError("unknown kind of file to release to", place.name, hint=f"one of {' '.join(ENDINGS)}")
    return kind


def check_kind(source: str, to: Path, labels: bool) -> None:
    """A table is released as the kind of file that it is: text stays text, columns stay columns. labels: whether labels
    are published row by row; source: "" of a table in memory."""
    wanted, name = kind_of(to), source
    if wanted == SVM and not labels:
        raise SpecError("a svmlight file holds a label in each row and nothing else", to.name)
    if Path(name).suffix and not Path(name).is_dir():
        there = ENDINGS.get(Path(name.lower().removesuffix(".gz")).suffix, PARQUET)
    else:
        there = PARQUET
    columnar = {PARQUET, ARROW}
    if not name and wanted not in columnar:
        hint = f"such as {Path(to.name).stem}.{PARQUET}"
        raise SpecError("a frame is released to a Parquet or an Arrow file", to.name, hint=hint)
    if wanted != there and not {wanted, there} <= columnar:
        hint = f"a name that ends as that of the table does, such as {Path(to.name).stem}.{there}"
        raise SpecError(f"the table is {there} and the release would be {wanted}", to.name, hint=hint)


def write(source: object, options: ReadOptions, plan: Rewrite, to: Path, file: BinaryIO, progress: Progress) -> None:
    """The table at `source`, as the plan says."""
    _write(source, options, plan, to, file, progress)
    if plan.stamps is not None and stamps(source) != plan.stamps:
        raise DataError("the table changed while it was read", Path(str(source)).name)


def _write(source: object, options: ReadOptions, plan: Rewrite, to: Path, file: BinaryIO, progress: Progress) -> None:
    kind = kind_of(to)
    with ExitStack() as until:
        found = locate(source, how_text(options), until)
        with about(found.name):
            if not plan.alone:
                _check_free(plan, [*found.types])
            progress.stage("writing", plan.published, "rows")
            if kind in (PARQUET, ARROW):
                try:
                    (_alone if plan.alone else _columnar)(found, plan, kind, file, progress)
                except pa.ArrowException as error:  # of columns that no file of the kind can hold
                    raise DataError("a column cannot be written again", shortened(str(error))) from None
                return
            packed: Any = file
            if to.name.lower().endswith(".gz"):
                packed = until.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))
            how = _how_written(found.name, options)
            if plan.alone:
                _text_alone(plan, how, packed)
                return
            records = _svm_records(found) if kind == SVM else _csv_records(found, plan.label, how.delimiter)
            _text(records, plan, how, packed, progress)


def schema_digest(source: object, options: ReadOptions, typed: bool = True) -> str:
    """SHA-256 of the names and types of the columns; of the names alone where a text file or a frame has no types of a
    file, or none are asked for."""
    with ExitStack() as until:
        found = locate(source, how_text(options), until)
    typed = typed and found.schema is not None
    columns = [[name, str(kind) if typed else None] for name, kind in found.types.items()]
    return hashlib.sha256(json.dumps(columns).encode()).hexdigest()


def in_frame(frame: object, plan: Rewrite) -> Any:
    """The same for a table in memory, in the library of its owner."""
    there = narwhal(frame)
    rows = np.arange(len(there)) if plan.rows is None else plan.rows
    rows = rows if plan.order is None else rows[plan.order]
    names, native = list(there.columns), there.to_native()
    place = [str(name) for name in names].index(plan.label)
    wanted = [one.name for one in plan.instead]
    if not plan.alone:
        wanted = [*names[:place], *wanted, *names[place + 1 :]]
    _check_free(plan, [str(name) for name in names])
    kind = arrow_of(there.select(names[place]).to_native()).column(0).type
    cells = {one.name: cells_of(one, kind) for one in plan.instead}
    if nw.dependencies.is_pandas_dataframe(native):
        if plan.order is None and (native.index.nlevels > 1 or not native.index.is_unique):
            hint = "reset_index() makes a column of it, reset_index(drop=True) leaves it out"
            raise DataError("the index of the frame is more than a name of each row, and no column", hint=hint)
        mine = native.iloc[rows].copy()
        if plan.alone:
            mine.attrs = {}
        was = mine.dtypes.iloc[place]
        for one in plan.instead:
            array = cells[one.name].to_pandas()
            mine[one.name] = (array.astype(was) if one.texts and _fits(one.texts, kind, was) else array).array
        if plan.order is None:
            return mine[wanted]
        for name in (one for one, kind in mine.dtypes.items() if hasattr(kind, "categories") and not kind.ordered):
            mine[name] = mine[name].cat.reorder_categories(_by_appearance(mine[name].cat))
        return mine[wanted].reset_index(drop=True)  # an index tells the old order
    if isinstance(native, pa.Table) and plan.order is not None:
        there = nw.from_native(_forgetful(taken(native, pa.array(rows))), eager_only=True)
        rows = np.arange(len(there))
    some = there[rows.tolist()]
    series = [nw.new_series(name, values.to_pylist(), backend=there.implementation) for name, values in cells.items()]
    with contextlib.suppress(Exception):  # what a library cannot cast keeps the type that it has
        said = {one.name for one in plan.instead if one.texts}
        series = [one.cast(there[names[place]].dtype) if one.name in said else one for one in series]
    return some.with_columns(*series).select(wanted).to_native()


def _by_appearance(cells: Any) -> list[Any]:
    """Categories of pandas in the order in which rows have them, and then those that none has."""
    codes = cells.codes.to_numpy()
    return [cells.categories[code] for code in _first_seen(codes[codes >= 0], len(cells.categories))]


def _first_seen(codes: Integers, known: int) -> Integers:
    """All of them, those first that come first; those that never come in their own order."""
    there, first = np.unique(codes, return_index=True)
    return np.concatenate([there[np.argsort(first)], np.setdiff1d(np.arange(known), there)])


def _forgetful(table: pa.Table) -> pa.Table:
    """With dictionaries in the order in which rows use them: that of another order of the rows would tell it. One that
    is ordered for its own sake stays."""
    table = table.unify_dictionaries().combine_chunks()
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and not field.type.ordered and len(table):
            cells = table.column(place).combine_chunks()
            cells = cells.chunk(0) if isinstance(cells, pa.ChunkedArray) else cells
            codes = cells.indices.drop_null().to_numpy(zero_copy_only=False).astype(np.int64)
            order = _first_seen(codes, len(cells.dictionary))
            code = pa.array(np.argsort(order)).take(cells.indices).cast(field.type.index_type)
            again = pa.DictionaryArray.from_arrays(code, taken(cells.dictionary, pa.array(order)))
            table = table.set_column(place, field, again)
    return table


def _fits(texts: Sequence[str], kind: pa.DataType, there: Any) -> bool:
    """Whether a column of pandas keeps the classes apart: one of categories makes others missing, one of truth values
    makes all of them true."""
    cells = _of_type(texts, kind).to_pandas()
    categories = getattr(there, "categories", None)
    if categories is not None and not cells.isin(categories).all():
        return False
    try:
        codes, found = text_codes(pa.Array.from_pandas(cells.astype(there)))
    except (TypeError, ValueError):
        return False
    return [found[code] if code < len(found) else "" for code in codes] == list(texts)


def frame_like(frame: object, columns: Mapping[str, npt.NDArray[Any]]) -> Any:
    """A table of numbers, in the library of that frame."""
    library = narwhal(frame).implementation
    return nw.from_dict(
        {name: nw.new_series(name, values.tolist(), backend=library) for name, values in columns.items()}
    ).to_native()


def cells_of(one: Instead, kind: pa.DataType | None = None) -> pa.Array:
    """In the type of the labels, where that can hold them."""
    if not one.texts:
        return pa.array(one.values)
    if kind is not None and pa.types.is_dictionary(kind):
        indices = pa.array(one.values).cast(kind.index_type)
        return pa.DictionaryArray.from_arrays(indices, _of_type(one.texts, kind.value_type), ordered=kind.ordered)
    return taken(_of_type(one.texts, kind), pa.array(one.values))


def write_columns(columns: Mapping[str, npt.NDArray[Any]], to: Path, file: BinaryIO, options: ReadOptions) -> None:
    """A table of numbers, as the kind of file that its ending names; text as the options say that the table is written,
    so that both are read in the same way."""
    table, kind = pa.table({name: pa.array(values) for name, values in columns.items()}), kind_of(to)
    if kind == PARQUET:
        pq.write_table(table, file)
    elif kind == ARROW:
        with pa.ipc.new_file(pa.PythonFile(file, "w"), table.schema) as opened:
            opened.write_table(table)
    else:
        packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if to.name.lower().endswith(".gz") else file
        plan = Rewrite("", tuple(Instead(name, values) for name, values in columns.items()))
        with contextlib.ExitStack() as until:
            if packed is not file:
                until.enter_context(packed)
            _text_alone(plan, _how_written(to.name, options), packed)


def written_so(there: object, columns: Mapping[str, npt.NDArray[Any]], options: ReadOptions) -> bool:
    """Whether a table of numbers that is a text file is as `write_columns` writes it: spelling could tell more."""
    with ExitStack() as until:
        found = locate(there, how_text(options), until)
        if not isinstance(there, str) or found.schema is not None:
            return True
        again, [content] = io.BytesIO(), found.contents
        write_columns(columns, Path(found.name.lower().removesuffix(".gz")), again, options)
        with reading(found.name, "cannot be read"):
            return bool(content.stream().read() == again.getvalue())  # type: ignore[attr-defined]


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
    rows = np.arange(len(numbers)) if table.row_numbers is None else table.row_numbers
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


def digest(source: object, options: ReadOptions) -> str:
    """SHA-256 of a table, as reports have it."""
    with ExitStack() as until:
        return digest_of(locate(source, how_text(options), until).contents)


def metadata(source: object, options: ReadOptions) -> int:
    """How many entries of metadata a table has, and its columns."""
    with ExitStack() as until:
        schema = locate(source, how_text(options), until).schema
    return 0 if schema is None else sum(len(one.metadata or ()) for one in (schema, *schema))


# ---- columns


def _check_free(plan: Rewrite, names: Sequence[str]) -> None:
    for one in plan.instead:
        if one.name != plan.label and one.name in names:
            raise DataError("the table has a column of that name already", f"column {shown(one.name)}")


def schema_of(schema: pa.Schema, plan: Rewrite) -> pa.Schema:
    """With other fields where the label was."""
    place = schema.get_field_index(plan.label)
    there = schema.field(place)
    fields = [
        there.with_type(cells_of(one.at(slice(0, 0)), there.type).type).with_name(one.name) for one in plan.instead
    ]
    return pa.schema([*list(schema)[:place], *fields, *list(schema)[place + 1 :]], metadata=schema.metadata)


def changed(batch: pa.RecordBatch, plan: Rewrite, schema: pa.Schema, start: int) -> pa.RecordBatch:
    """start: rows of the plan that came before."""
    place = batch.schema.get_field_index(plan.label)
    kind = batch.column(place).type
    mine = slice(start, start + batch.num_rows)
    columns = [cells_of(one.at(mine), kind) for one in plan.instead]
    return pa.RecordBatch.from_arrays([*batch.columns[:place], *columns, *batch.columns[place + 1 :]], schema=schema)


def _columnar(found: Source, plan: Rewrite, kind: str, file: BinaryIO, progress: Progress) -> None:
    names = [*found.types]
    schema, size = schema_of(_stored(found), plan), max(1, min(_MOST_ROWS, _CELLS_IN_BATCH // len(names)))
    batches = _kept(found.pieces(names, size), plan.rows)
    together = kind == ARROW and any(map(pa.types.is_dictionary, schema.types))
    if plan.order is not None or together:  # a file of Arrow has one dictionary of each column
        table = pa.Table.from_batches([*batches]).unify_dictionaries()
        if plan.order is not None:
            table = _forgetful(taken(table, pa.array(plan.order)))
        parts = (table.slice(start, size) for start in range(0, table.num_rows, size))
        batches = (batch for part in parts for batch in part.combine_chunks().to_batches())
    start = 0
    with _writer(kind, file, schema, found) as put:
        for batch in batches:
            put(changed(batch, plan, schema, start))
            start += batch.num_rows
            progress.advance(batch.num_rows)
    _check_rows(start, plan)


def _alone(found: Source, plan: Rewrite, kind: str, file: BinaryIO, progress: Progress) -> None:
    """Without the metadata, which may describe the columns that are left out."""
    there = _stored(found).field(plan.label).type
    table = pa.table({one.name: cells_of(one, there) for one in plan.instead})
    with _writer(kind, file, table.schema, found) as put:
        for batch in table.to_batches(_MOST_ROWS):
            put(batch)
            progress.advance(batch.num_rows)


def taken(cells: Any, order: pa.Array) -> Any:
    """Cells, or all columns of a table, in another order; texts of the kind that Arrow has no function for by way of
    another one."""
    if isinstance(cells, pa.RecordBatch | pa.Table):
        columns = [taken(one, order) for one in cells.columns]
        return type(cells).from_arrays(columns, schema=cells.schema)
    plain = _PLAIN.get(cells.type)
    return cells.take(order) if plain is None else cells.cast(plain).take(order).cast(cells.type)


def _stored(found: Source) -> pa.Schema:
    """That of the file, or that which the file of a table in memory has."""
    return pa.schema(list(found.types.items())) if found.schema is None else found.schema


def _kept(batches: Iterable[pa.RecordBatch], rows: Integers | None) -> Iterator[pa.RecordBatch]:
    before = 0
    for batch in batches:
        if rows is None:
            yield batch
        else:
            mine = rows[np.searchsorted(rows, before) : np.searchsorted(rows, before + batch.num_rows)] - before
            yield batch if len(mine) == batch.num_rows else taken(batch, pa.array(mine))
        before += batch.num_rows


@contextmanager
def _writer(
    kind: str, file: BinaryIO, schema: pa.Schema, found: Source
) -> Iterator[Callable[[pa.RecordBatch], object]]:
    if kind == ARROW:
        with pa.ipc.new_file(pa.PythonFile(file, "w"), schema) as arrow:
            yield arrow.write_batch
        return
    with pq.ParquetWriter(file, schema, compression=_compression(found)) as parquet:
        yield parquet.write_batch


def _compression(found: Source) -> str:
    """As the first column of the input is packed."""
    first = found.contents[0]
    if isinstance(first, FileContent) and first.path.suffix.lower() in PARQUET_ENDINGS:
        with reading(found.name, "cannot be read"), first.opened() as opened, pq.ParquetFile(opened) as file:
            if file.num_row_groups:
                packed = file.metadata.row_group(0).column(0).compression.lower()
                return "none" if packed == "uncompressed" else str(packed)
    return "snappy"


def _of_type(texts: Sequence[str], kind: pa.DataType | None) -> pa.Array:
    """The classes as cells of a type, if they can be read again as what they are; as texts otherwise."""
    plain = pa.array(texts, pa.string())
    if kind is None:
        return plain
    try:
        cells = plain.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return plain
    return cells if text_codes(cells)[1] == list(texts) else plain


def _check_rows(written: int, plan: Rewrite) -> None:
    if written != plan.published:
        raise DataError(f"the table changed while it was read: {written:,} rows after {plan.published:,}")


# ---- text

_UNCLEAR = "its records cannot be told apart byte by byte"
Record = tuple[bytes, bytes, bytes]  # what is before the label, the label, and what is after it with the line's end


class _HowWritten(NamedTuple):
    delimiter: bytes
    decimal: str


def _how_written(name: str, options: ReadOptions) -> _HowWritten:
    usual = "\t" if ".tsv" in name.lower() else ","
    return _HowWritten((options.delimiter or usual).encode(), options.decimal)


def _text(records: Iterator[Record], plan: Rewrite, how: _HowWritten, file: Any, progress: Progress) -> None:
    """The first record is the header, or empty where there is none."""
    before, label, after = next(records)
    same = [one.name for one in plan.instead] == [plan.label]
    file.write(before + (label if same else _names(plan, how)) + after)
    kept, cells = _kept_records(records, plan.rows), _cells(plan.instead, how)
    written = _in_order(kept, plan, cells) if plan.order is None else _shuffled(kept, plan, cells)
    count = 0
    for pieces in written:
        file.write(b"".join(pieces))
        count += len(pieces) // 3
        progress.advance(len(pieces) // 3)
    _check_rows(count, plan)


def _text_alone(plan: Rewrite, how: _HowWritten, file: Any) -> None:
    file.write(_names(plan, how) + b"\n")
    file.writelines(cell + b"\n" for cell in _cells(plan.instead, how))


def _names(plan: Rewrite, how: _HowWritten) -> bytes:
    return how.delimiter.join(quoted(one.name, how.delimiter) for one in plan.instead)


def _in_order(records: Iterator[Record], plan: Rewrite, cells: Iterator[bytes]) -> Iterator[list[bytes]]:
    held: list[bytes] = []
    for before, _, after in records:
        held += before, next(cells, b""), after
        if len(held) >= _PIECES:
            yield held
            held = []
    yield held


def _shuffled(records: Iterator[Record], plan: Rewrite, cells: Iterator[bytes]) -> Iterator[list[bytes]]:
    every = [*records]
    _check_rows(len(every), plan)
    assert plan.order is not None
    end = b"\r\n" if every and every[0][2].endswith(b"\r\n") else b"\n"
    for number in plan.order.tolist():  # empty lines and other line ends would tell who was first or last
        before, _, after = every[number]
        yield [before.lstrip(b"\r\n"), next(cells), after.rstrip(b"\r\n") + end]


def _kept_records(records: Iterator[Record], rows: Integers | None) -> Iterator[Record]:
    if rows is None:
        yield from records
        return
    wanted = iter(rows.tolist())
    following = next(wanted, None)
    for number, record in enumerate(records):
        if number == following:
            following = next(wanted, None)
            yield record


def _cells(instead: Sequence[Instead], how: _HowWritten) -> Iterator[bytes]:
    """What stands in each row, in their order."""
    for start in range(0, len(instead[0].values), _MOST_ROWS):
        columns = [_spelled(one.at(slice(start, start + _MOST_ROWS)), how) for one in instead]
        yield from columns[0] if len(columns) == 1 else map(how.delimiter.join, zip(*columns, strict=True))


def _spelled(one: Instead, how: _HowWritten) -> list[bytes]:
    if one.texts:
        texts = [quoted(text, how.delimiter) for text in one.texts]
        return [texts[code] for code in one.values.tolist()]
    numbers = map(repr, one.values.tolist())
    return [number.replace(".", how.decimal).encode() for number in numbers]


def quoted(text: str, delimiter: bytes) -> bytes:
    cell = text.encode()
    special = any(mark in cell for mark in (delimiter, b'"', b"\n", b"\r")) or cell != cell.strip()
    return b'"' + cell.replace(b'"', b'""') + b'"' if special else cell


def _csv_records(found: Source, label: str, delimiter: bytes, cells: int = 1) -> Iterator[Record]:
    """The records of a CSV file, cut where its label stands, or so many cells from there on. A cell with a line end or
    a delimiter in it is quoted, and a quotation mark inside is doubled, so that what follows an even number of marks is
    outside."""
    names = list(found.types)
    place, columns = names.index(label), len(names)
    if not found.header:
        before, after = (delimiter.join(map(str.encode, part)) for part in (names[:place], names[place + cells :]))
        yield before + delimiter * bool(before), label.encode(), delimiter * bool(after) + after + b"\n"
    for data, last in _blocks(found):
        text = np.frombuffer(data, np.uint8)
        marks = text == ord('"')
        outside = np.cumsum(marks, dtype=np.int32) % 2 == 0
        if not _marks_begin_cells(data, np.flatnonzero(marks)[::2], delimiter):
            raise DataError(_UNCLEAR, hint="release it as Parquet")
        ends = np.flatnonzero(((text == ord("\n")) | (text == ord("\r"))) & outside)
        if last and (not len(ends) or ends[-1] != len(text) - 1):
            ends = np.append(ends, len(text))
        parts = np.flatnonzero((text == delimiter[0]) & outside)
        starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        full = ends > starts  # an empty line is no record
        starts, ends = starts[full], ends[full]
        following = np.append(starts[1:], len(text))
        first = np.searchsorted(parts, starts)
        if np.any(np.searchsorted(parts, ends) - first != columns - 1):
            raise DataError(_UNCLEAR, hint="release it as Parquet")
        begin = starts.copy() if place == 0 else parts[first + place - 1] + 1
        end = ends if place + cells == columns else parts[first + place + cells - 1]
        starts[:1] = 0  # empty lines in front go with the first record
        every = (each.tolist() for each in (starts, begin, end, following))
        yield from ((data[a:b], data[b:c], data[c:d]) for a, b, c, d in zip(*every, strict=True))


def _marks_begin_cells(data: bytes, opening: Integers, delimiter: bytes) -> bool:
    """A quotation mark further inside, as in 5", is part of its cell: those that come after would be counted wrong, and
    something else than the label would be replaced."""
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    before = np.frombuffer(data, np.uint8)[opening[opening > start] - 1]
    return bool(np.all(np.isin(before, np.frombuffer(delimiter + b'"\n\r', np.uint8))))


def _blocks(found: Source) -> Iterator[tuple[bytes, bool]]:
    """Whole records each; is it the last block?"""
    [content] = found.contents
    with reading(found.name, "cannot be read"):
        stream = content.stream()  # type: ignore[attr-defined]
        rest = b""
        while more := stream.read(BLOCK):
            rest += more
            ends = np.frombuffer(rest, np.uint8)
            outside = np.cumsum(ends == ord('"'), dtype=np.int32) % 2 == 0
            line_ends = np.flatnonzero((ends == ord("\n")) & outside)
            if len(line_ends):
                cut = int(line_ends[-1]) + 1
                yield rest[:cut], False
                rest = rest[cut:]
        if rest:
            yield rest, True


def _svm_records(found: Source) -> Iterator[Record]:
    """Lines of a svmlight file; those that hold no row, such as comments, go with the one before."""
    yield b"", b"", b""
    [content] = found.contents
    with reading(found.name, "cannot be read"):
        held: Record | None = None
        for line in io.BufferedReader(content.stream(), BLOCK):  # type: ignore[attr-defined]
            words = line.split(b"#", 1)[0].split(None, 1)
            if not words:
                held = None if held is None else (held[0], held[1], held[2] + line)
                continue
            if held is not None:
                yield held
            at = line.index(words[0])
            held = (line[:at], words[0], line[at + len(words[0]) :])
        if held is not None:
            yield held
