"""Batches of a fixed number of rows, whatever the file's own pieces are.

Sums of floats depend on where batches end, so CSV and Parquet of one table agree to the last bit only if both are cut
at the same rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa

from ...core.errors import DataError
from ...core.quoting import shown

VALUES_IN_BATCH = 1 << 22
MOST_ROWS, FEWEST_ROWS = 1 << 16, 1 << 10


def rows_per_batch(columns: int) -> int:
    """A power of two that keeps a batch of a wide table as small as one of a narrow table."""
    return min(MOST_ROWS, max(FEWEST_ROWS, 1 << (VALUES_IN_BATCH // max(columns, 1)).bit_length() - 1))


def cut(pieces: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of exactly `size`, but for the last."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for piece in map(stored, pieces):
        start = 0
        while rows + piece.num_rows - start >= size:
            held.append(piece.slice(start, size - rows))
            start += size - rows
            yield joined(held)
            held, rows = [], 0
        if start < piece.num_rows:
            held.append(piece.slice(start))
            rows += piece.num_rows - start
    if held:
        yield joined(held)


def storage(kind: pa.DataType) -> pa.DataType:
    """What a type of another library is made of, as every program sees it that has not loaded that library: numbers
    of months for the periods of pandas."""
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def stored(batch: pa.RecordBatch) -> pa.RecordBatch:
    if not any(isinstance(kind, pa.BaseExtensionType) for kind in batch.schema.types):
        return batch
    arrays = [column.storage if isinstance(column, pa.ExtensionArray) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, batch.schema.names)


def joined(pieces: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(pieces) == 1:
        return pieces[0]
    whole = pa.Table.from_batches(pieces).unify_dictionaries().combine_chunks().to_batches()
    if len(whole) > 1:
        raise DataError("the cells of some column are too long", hint="--exclude texts")
    return whole[0]


def all_different(names: Sequence[str], file: str, hint: str = "") -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError("two columns have the same name", file, f"column {shown(twice[0])}", hint=hint)


@contextmanager
def about(file: str) -> Iterator[None]:
    """Puts the file's name into errors that say only which column or row."""
    try:
        yield
    except DataError as error:
        if file in error.where:
            raise
        raise DataError(error.what, file, *error.where, hint=error.hint) from None


@contextmanager
def reading(name: str, what: str) -> Iterator[None]:
    """Turns what pyarrow and the system say into one line about the file."""
    try:
        yield
    except FileNotFoundError:
        raise DataError("no such file", name) from None
    except PermissionError:
        raise DataError("no permission to read", name) from None
    except MemoryError:
        raise DataError("not enough memory to read", name) from None
    except (pa.ArrowException, OSError, EOFError, ValueError) as error:
        raise DataError(what, name, shortened(str(error) or type(error).__name__)) from None


def shortened(message: str) -> str:
    """A library's message: its first line, and not all of a long one."""
    return (message.strip().splitlines() or [""])[0][:160]
