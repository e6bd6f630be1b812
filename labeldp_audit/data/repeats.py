"""Whose rows are left, and which of them judge.

Counting copies as people takes chance for knowledge, so where coincidence does not explain equal rows
(coincidence.py), no limit is given until the user says what they are.

Which rows are the same record is known by 64 bits for each row, of every column of the file, whatever its role.
Columns add up, so that what any of them says can be left out again. A column of whole numbers or texts that never
repeats within a batch is a key: a number of the row, which tells copies apart and says nothing about anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyarrow import compute

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..core.remark import LEFT_OUT, ONE_EACH, REFUTED, UNANSWERED, Remark
from ..core.table import Table
from . import ReadOptions, levels, numbers
from .classes import labelled
from .coincidence import Cells, Repeated, but_one, drawn_again, in_class, look, most_repeated, some_of
from .levels import Words
from .roles import Roles
from .scan import settled as read_again
from .sources.batches import rows_per_batch
from .sources.contract import Source

PEOPLE, COPIES = "people", "copies"  # what --repeats may say
SAMPLED, CELLS = 50_000, 4_000_000  # rows whose columns are left out one by one, at most, and cells of theirs


def settled(table: Table, source: Source, roles: Roles, options: ReadOptions, progress: Progress) -> Table:
    """The table without copies, where they are some, and with the rows that judge: one of each person."""
    names = tuple(source.types)
    size = rows_per_batch(len(names))
    rows = one_of_each_person(table, options.seed)
    rows = np.arange(len(table.labels)) if rows is None else rows
    most = min(SAMPLED, CELLS // len(names))
    sample = some_of(rows, most, for_audit(options.seed, "rows whose columns are left out"))

    def of(names: tuple[str, ...]) -> Records:
        """Columns that were no features are read for the first time, and may turn out to be wider than they began."""
        return read_again(lambda: read_records(source, names, roles, len(table.labels), sample, size, progress))

    try:
        records = of(names)
    except DataError:  # excluded columns are skipped where they cannot be read, as they are not asked for
        records = of(tuple(name for name in names if name not in roles.excluded))
    found, words = _found(records, rows, table, source, roles, options, size)
    table = replace(table, remarks=(*table.remarks, *_doubts(found, table.dataset.classes, options.repeats)))
    if options.repeats == COPIES or (found is not None and options.repeats is None):
        table = _without_copies(table, records.words + records.keys if found is None else words, found)
    judges = one_of_each_person(table, options.seed)
    if judges is None:
        return table
    said = Remark(ONE_EACH, people=len(judges), rows=len(table.labels))
    return replace(table, judges=judges, remarks=(*table.remarks, said))


def _found(
    records: Records, rows: Integers, table: Table, source: Source, roles: Roles, options: ReadOptions, size: int
) -> tuple[Repeated | None, Words]:
    """What is clearest among `rows`, and the words by which rows are copies then."""
    found = look(
        records.words[rows], (records.words - records.label)[rows], table.labels[rows],
        lambda some: read_cells(source, roles.label, records.columns, rows[some], size),
        for_audit(options.seed, "company of equal rows"),
    )  # fmt: skip
    if found is not None and found.surely:
        return found, records.words
    sample = records.sample
    near = but_one(records.words[sample], records.cells, table.labels[sample])
    if near is None and found is None:
        lot = for_audit(options.seed, "rows drawn again")
        again = drawn_again(records.words[sample], records.cells, records.label[sample], lot)
        return most_repeated(records.words[rows], table.labels[rows]) if again else None, records.words
    if near is None:
        return found, records.words
    label, name = near[0], records.columns[near[1]]
    words = records.words - read_cells(source, roles.label, (name,), np.arange(len(table.labels)), size)[:, 0]
    without = in_class(words[rows], table.labels[rows], label, True, name)
    return (without, words) if without.material else (found, records.words)


def _doubts(found: Repeated | None, classes: tuple[str, ...], answer: str | None) -> Iterator[Remark]:
    if found is None or answer == COPIES or (answer == PEOPLE and not found.surely):
        return
    code = UNANSWERED if answer is None else REFUTED
    yield Remark(code, label=classes[found.label], rows=found.rows, of=found.of, but=found.but or "")


def _without_copies(table: Table, words: Words, found: Repeated | None) -> Table:
    """With one row of each record."""
    first = np.sort(np.unique(words, return_index=True)[1])
    if len(first) == len(words):
        return table
    but = (found and found.but) or ""
    said = Remark(LEFT_OUT, rows=len(words) - len(first), of=len(words), but=but)
    return replace(table.at(first), remarks=(*table.remarks, said))


def one_of_each_person(table: Table, seed: int) -> Integers | None:
    """One row of each person, by lot; None where each row is somebody's only one."""
    if table.groups is None:
        return None
    lot = for_audit(seed, "one row of each person").permutation(len(table.groups))
    return np.sort(lot[np.unique(table.groups[lot], return_index=True)[1]])


# ---- records


@dataclass(frozen=True)
class Records:
    """Fingerprints of the n rows that have a label."""

    words: Words  # (n,) the same where every column but keys and owners is
    keys: Words  # (n,) the same where keys and owners are
    label: Words  # (n,) what the label adds to `words`
    columns: tuple[str, ...]  # that make `words`, but for the label
    sample: Integers  # (m,) rows whose
    cells: Cells  # (m, columns) words are kept


def read_records(
    source: Source, names: tuple[str, ...], roles: Roles, used: int, sample: Integers, size: int, progress: Progress
) -> Records:
    """The column that names whose row it is, is no more than a key; rows of the sample rise."""
    label, owner = roles.label, roles.group
    may_be_key = {name: np.zeros(used, np.uint64) for name in names if name not in (label, owner)}
    total, owned, labels = (np.zeros(used, np.uint64) for _ in range(3))
    cells, start = np.empty((len(sample), len(names)), np.uint64), 0
    progress.stage("looking for copies", source.rows, "rows")
    for part in labelled(source.batches(names, size), progress, label=names.index(label)):
        rows = slice(start, start + part.batch.num_rows)
        first, last = np.searchsorted(sample, [rows.start, rows.stop])
        for j, (name, column) in enumerate(zip(names, part.batch.columns, strict=True)):
            words = column_words(column, name)
            cells[first:last, j] = words[sample[first:last] - start]
            if name in may_be_key and _never_repeats(column, words):
                may_be_key[name][rows] = words
                continue
            if name in may_be_key:
                total += may_be_key.pop(name)
            place = owned if name == owner else labels if name == label else total
            place[rows] += words
        start = rows.stop
    keys = owned + sum(may_be_key.values(), start=np.zeros(used, np.uint64))
    columns = tuple(name for name in names if name not in (*may_be_key, label, owner))
    return Records(total + labels, keys, labels, columns, sample, cells[:, [names.index(name) for name in columns]])


def read_cells(source: Source, label: str, columns: Sequence[str], rows: Integers, size: int) -> Cells:
    """(rows, columns) words of these cells; `rows` rise."""
    found, start = np.empty((len(rows), len(columns)), np.uint64), 0
    for part in labelled(source.batches((*columns, label), size), Silent()):
        first, last = np.searchsorted(rows, [start, start + part.batch.num_rows])
        some = pa.array(rows[first:last] - start)
        for j, name in enumerate(columns):
            found[first:last, j] = column_words(part.batch.column(j).take(some), name)
        start += part.batch.num_rows
    return found


def column_words(array: pa.Array, name: str) -> Words:
    """For cells of one column, the same where they are the same, and unlike those of any other column."""
    return levels.mixed(_words(array, name) + levels.name_seed(name))


def _words(array: pa.Array, name: str) -> Words:
    """The hash of each cell; all cells are alike where nothing can read the type, which no feature has."""
    kind, types = array.type, pa.types
    if numbers.is_number(kind):
        return levels.number_words(array, numbers.cells(array))
    if levels.is_category(kind):
        piece = levels.codes(array)
        return np.asarray(levels.level_words(piece.levels, name)[piece.code])
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
    return (levels.is_category(kind) or numbers.is_whole(kind)) and len(np.unique(words)) == len(words)
