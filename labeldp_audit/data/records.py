"""Which rows are the same record: 64 bits for each row, of every column of the file, whatever its role.

Columns add up, so that what any of them says can be left out again. A column of whole numbers or texts that never
repeats within a batch is a key: a number of the row, which tells copies apart and says nothing about anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from ..core.arrays import Integers
from ..core.progress import Progress
from . import fingerprints, levels, numbers
from .classes import text_codes
from .diagnostics import is_whole
from .fingerprints import Words
from .sources.contract import Source


@dataclass(frozen=True)
class Records:
    """Fingerprints of the n rows that have a label."""

    words: Words  # (n,) the same where every column but keys and owners is
    keys: Words  # (n,) the same where keys and owners are
    label: Words  # (n,) what the label adds to `words`
    columns: tuple[str, ...]  # that make `words`, but for the label
    sample: Integers  # (m,) rows whose
    cells: npt.NDArray[np.uint64]  # (m, columns) words are kept

    @property
    def features(self) -> Words:
        """The same where everything but keys, owners and the label is."""
        return np.asarray(self.words - self.label)

    @property
    def whole(self) -> Words:
        """The same where every column is."""
        return np.asarray(self.words + self.keys)


def read_records(
    source: Source, names: tuple[str, ...], label: str, owner: str | None, used: int, sample: Integers, size: int,
    progress: Progress,
) -> Records:  # fmt: skip
    """owner: the column that names whose row it is, which is no more than a key; rows of the sample rise."""
    may_be_key = {name: np.zeros(used, np.uint64) for name in names if name not in (label, owner)}
    total, owned, labels = (np.zeros(used, np.uint64) for _ in range(3))
    cells = np.empty((len(sample), len(names)), np.uint64)
    progress.stage("looking for copies", source.rows, "rows")
    start = 0
    for batch in labelled(source, label, names, size):
        rows = slice(start, start + batch.num_rows)
        first, last = np.searchsorted(sample, [start, start + batch.num_rows])
        for j, (name, column) in enumerate(zip(names, batch.columns, strict=True)):
            words = column_words(column, name)
            cells[first:last, j] = words[sample[first:last] - start]
            if name in may_be_key and _never_repeats(column, words):
                may_be_key[name][rows] = words
                continue
            if name in may_be_key:
                total += may_be_key.pop(name)
            place = owned if name == owner else labels if name == label else total
            place[rows] += words
        start += batch.num_rows
        progress.advance(batch.num_rows)
    keys = owned + sum(may_be_key.values(), start=np.zeros(used, np.uint64))
    columns = tuple(name for name in names if name not in (*may_be_key, label, owner))
    cells = cells[:, [names.index(name) for name in columns]]
    return Records(total + labels, keys, labels, columns, sample, cells)


def read_cells(source: Source, label: str, columns: Sequence[str], rows: Integers, size: int) -> npt.NDArray[np.uint64]:
    """(rows, columns) words of these cells; `rows` rise."""
    found, start = np.empty((len(rows), len(columns)), np.uint64), 0
    for batch in labelled(source, label, (*columns, label), size):
        first, last = np.searchsorted(rows, [start, start + batch.num_rows])
        some = pa.array(rows[first:last] - start)
        for j, name in enumerate(columns):
            found[first:last, j] = column_words(batch.column(j).take(some), name)
        start += batch.num_rows
    return found


def labelled(source: Source, label: str, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    """Batches of these columns, the label among them, without the rows that have no label."""
    at = tuple(names).index(label)
    for batch in source.batches(names, size):
        code, known = text_codes(batch.column(at))
        there = code < len(known)
        yield batch if there.all() else batch.filter(pa.array(there))


def column_words(array: pa.Array, name: str) -> Words:
    """For cells of one column, the same where they are the same, and unlike those of any other column."""
    return levels.mixed(_words(array, name) + levels.name_seed(name))


def _words(array: pa.Array, name: str) -> Words:
    """The hash of each cell; all cells are alike where nothing can read the type, which no feature has."""
    kind, types = array.type, pa.types
    if numbers.is_number(kind):
        return fingerprints.of_numbers(array, numbers.cells(array))
    if levels.is_category(kind):
        return fingerprints.of_levels(levels.codes(array), name)
    if types.is_map(kind):
        pair = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
        return _of_lists(array.cast(pa.list_(pair)), name)
    if types.is_struct(kind):
        fields = (column_words(array.field(i), f"{name}.{i}") for i in range(kind.num_fields))
        return np.asarray(sum(fields, start=_missing(array)))
    lists = types.is_list, types.is_large_list, types.is_fixed_size_list
    return _of_lists(array, name) if any(test(kind) for test in lists) else np.zeros(len(array), np.uint64)


def _of_lists(array: pa.Array, name: str) -> Words:
    """Hashes of what lists hold, place by place."""
    lengths = compute.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    row = np.repeat(np.arange(len(array)), lengths)
    place = (np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)).astype(np.uint64)
    found: Words = _missing(array) + lengths.astype(np.uint64)
    np.add.at(found, row, levels.mixed(column_words(array.flatten(), name) + place * levels.GOLDEN))
    return found


def _missing(array: pa.Array) -> Words:
    return np.where(np.asarray(array.is_null()), levels.MISSING, np.uint64(0))


def _never_repeats(column: pa.Array, words: Words) -> bool:
    kind = column.type
    return (levels.is_category(kind) or is_whole(kind)) and len(np.unique(words)) == len(words)
