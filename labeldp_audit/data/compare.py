"""A release beside its original: is every other cell the same, and does what replaced the labels depend on features?

Both are read batch by batch. Columnar cells are compared by their bits, text by its bytes; of features nothing is kept
but how often each of a few levels stands beside each outcome.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..core.arrays import Integers
from ..core.progress import Progress
from . import ReadOptions, levels, numbers
from .classes import text_codes
from .publish import CSV, ENDINGS, SVM, Record, _csv_records, _kept, _kept_records, _svm_records, quoted
from .read import how_text
from .scan import settled
from .sources.batches import about, cut, rows_per_batch
from .sources.contract import Source
from .sources.locate import locate

LEVELS = 24  # of a column that are told apart: the most frequent ones, or parts of a number's range
_REST, _MISSING = LEVELS, LEVELS + 1
GROUPS = LEVELS + 2
_ONCE = 1 << 16
_LISTS = (
    pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view,
    pa.types.is_large_list_view,
)  # fmt: skip


@dataclass(frozen=True)
class Differences:
    """What is not as it was, beside what stands where the labels stood: names of columns, and cells or records."""

    schema: tuple[str, ...] = ()  # columns that are missing, new, or of another type or place
    metadata: bool = False
    cells: Mapping[str, int] = field(default_factory=dict)
    rows: tuple[int, int] = (0, 0)  # of the original that are published, and of the release
    strange: int = 0  # rows in another order that are none of the original


@dataclass(frozen=True)
class Files:
    """Where both tables are, and what stands in them instead of what."""

    release: object
    options: ReadOptions
    columns: tuple[str, ...]  # of the release, where the label stood
    label: str
    original: object | None = None
    bytes: bool = False  # whether text is compared byte by byte
    rows: Integers | None = None  # of the original that are published, where not all are

    def others(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name not in self.columns]


# ---- the same cells


def differences(files: Files, progress: Progress) -> Differences:
    """Row by row, in the order of both files."""
    with ExitStack() as until:
        release, original = _both(files, until)
        wrong, metadata = _schema(release, original, files)
        alike = [name for name in files.others(list(release.types)) if name not in wrong]
        progress.stage("comparing", original.rows, "rows")
        kind = _text_kind(release, original)
        with about(release.name):
            if kind is not None and files.bytes and not wrong:
                cells, rows = _records(release, original, files, kind, progress)
            else:
                cells, rows = settled(lambda: _cells(release, original, alike, files, progress))
        return Differences(wrong, metadata, cells, rows)


def schema(files: Files) -> tuple[tuple[str, ...], bool]:
    """Columns that are not where and what they were; whether metadata differ."""
    with ExitStack() as until:
        return _schema(*_both(files, until), files)


def _both(files: Files, until: ExitStack) -> tuple[Source, Source]:
    how = how_text(files.options)
    return locate(files.release, how, until), locate(files.original, how, until)


def _text_kind(release: Source, original: Source) -> str | None:
    """The kind of both, where they are text of one kind."""
    kinds = {_kind(release.name), _kind(original.name)}
    return kinds.pop() if len(kinds) == 1 and kinds <= {CSV, SVM} and not (release.schema or original.schema) else None


def _kind(name: str) -> str:
    name = name.lower().removesuffix(".gz")
    return next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), CSV if name == "stdin" else "")


def _schema(release: Source, original: Source, files: Files) -> tuple[tuple[str, ...], bool]:
    names = list(original.types)
    place = names.index(files.label)
    wanted = [*names[:place], *files.columns, *names[place + 1 :]]
    there = list(release.types)
    wrong = [name for name in dict.fromkeys((*wanted, *there)) if (name in wanted) != (name in there)]
    if not wrong:
        wrong = [old for old, new in zip(wanted, there, strict=True) if old != new]
    metadata = False
    if release.schema is not None and original.schema is not None:
        for name in (one for one in files.others(there) if one not in wrong):
            mine, old = release.schema.field(name), original.schema.field(name)
            if not mine.equals(old):
                wrong.append(name)
            metadata |= _described(mine) != _described(old)
        metadata |= release.schema.metadata != original.schema.metadata
        was = original.schema.field(files.label).metadata
        metadata |= any(release.schema.field(name).metadata != was for name in files.columns if name in there)
    return tuple(wrong), metadata


def _described(one: pa.Field) -> list[Any]:
    """The metadata of a column and of what is in it. Arrow and Parquet name the parts of a map in two ways."""
    return [one.metadata, *(_described(one.type.field(part)) for part in range(one.type.num_fields))]


def _cells(
    release: Source, original: Source, names: list[str], files: Files, progress: Progress
) -> tuple[Mapping[str, int], tuple[int, int]]:
    size = rows_per_batch(len(names) + 1)
    found = dict.fromkeys(names, 0)
    counted = [0, 0]
    # A column more, so that rows are counted where no other is left.
    left = cut(_kept(original.pieces([*names, files.label], size), files.rows), size)
    right = release.batches([*names, next(one for one in release.types if one not in names)], size)
    for old, new in itertools.zip_longest(left, right):
        counted[0] += 0 if old is None else old.num_rows
        counted[1] += 0 if new is None else new.num_rows
        if old is None or new is None:
            continue
        rows = min(old.num_rows, new.num_rows)
        for name, before, after in zip(names, old.columns, new.columns, strict=False):
            found[name] += different(before.slice(0, rows), after.slice(0, rows))
        progress.advance(rows)
    return {name: count for name, count in found.items() if count}, (counted[0], counted[1])


def different(old: pa.Array, new: pa.Array) -> int:
    """Cells that are not the same to the last bit; of nested cells at least one where there are any."""
    if old.type != new.type:
        return _different_texts(old, new)
    kind, absent = old.type, _nulls(old) != _nulls(new)
    if pa.types.is_dictionary(kind):
        found = different(old.dictionary_decode(), new.dictionary_decode())
        if not new.dictionary.equals(old.dictionary):  # which of two entries that are alike is used could tell
            found += max(0, _twice(new.dictionary) - _twice(old.dictionary))
    elif isinstance(kind, pa.BaseExtensionType):
        found = different(old.storage, new.storage)
    elif pa.types.is_floating(kind):  # not by `equals`, to which 0 and -0 are the same
        found = int(np.sum(absent | (_bits(old) != _bits(new))))
    elif pa.types.is_map(kind):
        pairs = pa.list_(pa.struct([kind.key_field, kind.item_field]))
        found = different(old.cast(pairs), new.cast(pairs))
    elif pa.types.is_struct(kind):
        fields = zip(old.flatten(), new.flatten(), strict=True)
        found = int(absent.sum()) + sum(different(*pair) for pair in fields)
    elif any(of(kind) for of in _LISTS):
        alike = not absent.any() and pc.list_value_length(old).equals(pc.list_value_length(new))
        found = different(old.flatten(), new.flatten()) if alike else max(1, int(absent.sum()))
    elif old.equals(new):
        found = 0
    else:
        found = sum(a != b for a, b in zip(_values(old), _values(new), strict=True)) or 1
    return found


def _twice(entries: pa.Array) -> int:
    return len(entries) - len({*map(repr, _values(entries))})


def _values(array: pa.Array) -> list[Any]:
    """Of texts their bytes, which may be no UTF-8 where a file is damaged."""
    texts = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    found: list[Any] = (array.cast(pa.large_binary()) if texts else array).to_pylist()
    return found


def _nulls(array: pa.Array) -> npt.NDArray[np.bool_]:
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False))


def _bits(array: pa.Array) -> npt.NDArray[np.generic]:
    """Of floating cells; missing ones are 0."""
    width = array.type.bit_width
    values = array.fill_null(pa.scalar(0.0).cast(array.type)).to_numpy(zero_copy_only=False)
    return np.asarray(values.view(f"u{width // 8}"))


def _different_texts(old: pa.Array, new: pa.Array) -> int:
    """Of two kinds of files, which spell cells in two ways: numbers are compared as numbers, all else as texts."""
    if numbers.is_number(old.type) and numbers.is_number(new.type):
        mine, other = numbers.cells(old), numbers.cells(new)
        gone = [np.zeros(len(old), bool) if one.missing is None else one.missing for one in (mine, other)]
        return int(np.sum((gone[0] != gone[1]) | (~gone[0] & (mine.values != other.values))))
    try:
        texts = [levels.as_binary(one).to_pylist() for one in (old, new)]
    except pa.ArrowException:
        return 1
    return sum(a != b for a, b in zip(*texts, strict=True))


def _records(
    release: Source, original: Source, files: Files, kind: str, progress: Progress
) -> tuple[Mapping[str, int], tuple[int, int]]:
    """By their bytes, but for the cells that stand where the labels stood. A difference is one of a whole record."""
    left, right = _body(original, files, kind, files.label), _body(release, files, kind, *files.columns)
    rows, wrong = [0, 0], 0
    header = (next(left), next(right))
    wrong += header[0][::2] != header[1][::2]
    for old, new in itertools.zip_longest(_kept_records(left, files.rows), right):
        rows[0] += old is not None
        rows[1] += new is not None
        if old is not None and new is not None:
            wrong += old[::2] != new[::2]
        if rows[1] % _ONCE == 0:
            progress.advance(_ONCE)
    return ({"records": wrong} if wrong else {}), (rows[0], rows[1])


def _body(source: Source, files: Files, kind: str, *names: str) -> Iterator[Record]:
    """The header first, which is empty where there is none."""
    if kind == SVM:
        return _svm_records(source)
    return _csv_records(source, names[0], _delimiter(source, files), len(names))


def _delimiter(source: Source, files: Files) -> bytes:
    return (files.options.delimiter or ("\t" if ".tsv" in source.name.lower() else ",")).encode()


def aside(files: Files) -> bool:
    """Whether a frame of pandas has an index or attributes that its original has not."""
    index, attributes = _aside(files.release)
    old, known = _aside(files.original)
    if old is not None and files.rows is not None:
        old = old[files.rows]
    new = index is not None and not (index.equals(old) or np.array_equal(np.asarray(index), np.arange(len(index))))
    return new or bool(attributes and repr(attributes) != repr(known))


def _aside(frame: Any) -> tuple[Any, Mapping[Any, Any]]:
    return (frame.index, frame.attrs) if nw.dependencies.is_pandas_dataframe(frame) else (None, {})


# ---- how what was released is written


def misspelled(files: Files, values: Sequence[str]) -> int:
    """Cells in place of the labels that `release` writes in another way: 0 as -0, quoted or with a space could tell the
    true label. values: what may stand in the first column, where those are texts."""
    with ExitStack() as until:
        release = locate(files.release, how_text(files.options), until)
        kind = None if release.schema is not None else _kind(release.name)
        with about(release.name):
            if kind in (CSV, SVM):
                return _misspelled_text(release, files, kind, values)
            size = rows_per_batch(len(files.columns))
            return sum(_odd(one, values) for batch in release.pieces([*files.columns], size) for one in batch.columns)


def _odd(cells: pa.Array, values: Sequence[str]) -> int:
    if pa.types.is_dictionary(cells.type):  # which could have the true labels beside the released ones
        names = text_codes(cells.dictionary)[1]
        return len(cells.dictionary) - len({*names} & {*values})
    if not pa.types.is_floating(cells.type):
        return 0
    found = cells.drop_null().to_numpy(zero_copy_only=False)
    return int(np.sum(np.signbit(found) & (found == 0)))


def _misspelled_text(release: Source, files: Files, kind: str, values: Sequence[str]) -> int:
    body = _body(release, files, kind, *files.columns)
    next(body)
    delimiter = _delimiter(release, files)
    known = {quoted(text, delimiter) for text in values}
    decimal = files.options.decimal
    return sum(not _written_so(cell, known, delimiter, len(files.columns), decimal) for _, cell, _ in body)


def _written_so(cell: bytes, known: Collection[bytes], delimiter: bytes, columns: int, decimal: str) -> bool:
    if columns == 1 and known:
        return cell in known
    first, *numbers = cell.rsplit(delimiter, columns - 1)
    wanted = numbers if known else [first, *numbers]
    return (not known or first in known) and all(_is_number(one, decimal) for one in wanted)


def _is_number(cell: bytes, decimal: str) -> bool:
    """As Python writes it, with that mark before the fraction."""
    try:
        text = cell.decode().replace(decimal, ".", 1)
        return text == (str(int(text)) if text.lstrip("-").isdecimal() else repr(float(text)))
    except ValueError:
        return False


# ---- rows in another order


@dataclass(frozen=True)
class Match:
    """Which row of the original each row of the release is, by all other cells."""

    row: Integers  # (n,) of those that are published, or -1 where several are alike that have different labels
    alone: npt.NDArray[np.bool_]  # (n,) whether no other row is like it: the order of those that are alike says nothing
    alike: Integers  # (n,) as `row`, and of those that are alike any, each once
    group: Integers  # (n,) a number that rows that are alike share
    strange: int  # rows of the release that are none of the original, and the other way round


def matched(files: Files, labels: Integers, progress: Progress) -> Match:
    """labels (n,) of the original tell which of the rows that are alike may stand for each other."""
    with ExitStack() as until:
        release, original = _both(files, until)
        names = [name for name in files.others(list(release.types)) if name in original.types]
        progress.stage("matching rows", release.rows, "rows")
        kind, strange = _text_kind(release, original), 0
        if kind is not None and files.bytes and not _schema(release, original, files)[0]:
            left, right = _body(original, files, kind, files.label), _body(release, files, kind, *files.columns)
            strange = int(next(left)[::2] != next(right)[::2])
            old = _hashes_of_text(_kept_records(left, files.rows))[0]
            new, ends = _hashes_of_text(right)
            strange += len(new) - max(ends.values(), default=0)
        else:
            new = settled(lambda: _hashes(release, names, None))
            old = settled(lambda: _hashes(original, names, files.rows))
    order, place = np.argsort(old, kind="stable"), np.argsort(new, kind="stable")
    row = np.full(len(new), -1)
    if len(old) != len(new) or np.any(old[order] != new[place]):
        known = np.isin(new, old)
        return Match(row, row >= 0, row, row, max(1, int(np.sum(~known)), abs(len(old) - len(new))))
    row[place] = order
    alike = row.copy()
    starts = np.flatnonzero(np.diff(old[order], prepend=~old[order][:1]))
    sorted_labels = labels[order]
    least, most = (each.reduceat(sorted_labels, starts) for each in (np.minimum, np.maximum))
    many = np.diff(np.append(starts, len(order)))
    row[place[np.repeat(least != most, many)]] = -1
    alone, group = np.zeros(len(row), bool), np.zeros(len(row), np.int64)
    alone[place] = np.repeat(many == 1, many)
    group[place] = np.repeat(np.arange(len(many)), many)
    return Match(row, alone, alike, group, strange)


def _hashes_of_text(records: Iterable[Record]) -> tuple[levels.Words, Mapping[bytes, int]]:
    """(n,) 64 bits of each record, of all its bytes but the label and the ends of lines; and how often each of these
    ends there is: a shuffled file has one, as others would tell rows apart."""
    found, ends = bytearray(), Counter[bytes]()
    for before, _, after in records:
        first, last = before.lstrip(b"\r\n"), after.rstrip(b"\r\n")
        found += blake2b(b"%d,%b%b" % (len(first), first, last), digest_size=8).digest()
        ends[before[: len(before) - len(first)] + after[len(last) :]] += 1
    return np.frombuffer(bytes(found), np.uint64), ends


def _hashes(source: Source, names: list[str], rows: Integers | None) -> levels.Words:
    """(n,) 64 bits of each row: two that differ have the same with a probability of 2^-64."""
    found = [np.zeros(0, np.uint64)]
    rest = next(one for one in source.types if one not in names)  # which counts the rows
    for batch in _kept(source.pieces([*names, rest], rows_per_batch(len(names) + 1)), rows):
        total = np.zeros(batch.num_rows, np.uint64)
        for name, cells in zip(names, batch.columns, strict=False):
            total += levels.mixed(_words(cells, name) + levels.GOLDEN)
        found.append(total)
    return np.concatenate(found)


def _words(array: pa.Array, name: str) -> levels.Words:
    """(n,) 64 bits of each cell."""
    kind, seed = array.type, levels.name_seed(name)
    if pa.types.is_floating(kind):
        words = _bits(array).astype(np.uint64) ^ seed
        return np.where(_nulls(array), levels.MISSING ^ seed, levels.mixed(words))
    if not (numbers.is_number(kind) or levels.is_category(kind)):
        array = pa.array([repr(one) for one in array.to_pylist()], pa.string())
    piece = levels.codes(array)
    return np.append(levels.hashed(piece.levels, name), levels.MISSING ^ seed)[piece.code]


# ---- levels of features


def tallies(
    files: Files, outcome: Integers, outcomes: int, progress: Progress, most: int = LEVELS
) -> Mapping[str, npt.NDArray[np.int64]]:
    """(levels, outcomes) of each column: how often each of its levels stands beside each outcome of a row of the
    release; outcome -1 counts nowhere. most: levels, 1 for a column split in two."""
    with ExitStack() as until:
        release = locate(files.release, how_text(files.options), until)
        names = files.others(list(release.types))
        progress.stage("scanning", release.rows, "rows")
        with about(release.name):
            return settled(lambda: _tallies(release, names, outcome, outcomes, most, progress))


def _tallies(
    release: Source, names: list[str], outcome: Integers, outcomes: int, most: int, progress: Progress
) -> Mapping[str, npt.NDArray[np.int64]]:
    found: dict[str, npt.NDArray[np.int64]] = {}
    seen: dict[str, tuple[Levels | Remainders, ...]] = {}
    start = 0
    for batch in release.batches(names, rows_per_batch(len(names))) if names else ():
        mine = outcome[start : start + batch.num_rows]
        start += batch.num_rows
        used = mine >= 0
        for name, cells in zip(names, batch.columns, strict=True):
            if name not in seen:
                seen[name] = (Levels.of(cells, most), *Remainders.of(cells, most))
            for one in seen[name]:
                counts = found.setdefault(one.called(name), np.zeros((GROUPS, outcomes), np.int64))
                code = one.codes(cells) * outcomes + mine
                counts += np.bincount(code[used], minlength=counts.size).reshape(counts.shape)
        progress.advance(batch.num_rows)
    return found


@dataclass(frozen=True)
class Levels:
    """Which of a few levels a cell is in, learnt from the first cells; which they are does not depend on labels."""

    edges: npt.NDArray[np.generic] | None = None  # of numbers
    known: Mapping[bytes, int] | None = None  # of categories
    # Neither: whether a cell is there.

    @classmethod
    def of(cls, array: pa.Array, most: int) -> Levels:
        if numbers.is_number(array.type):
            piece = numbers.cells(array)
            values = piece.values if piece.missing is None else piece.values[~piece.missing]
            distinct = np.unique(values)
            if len(distinct) > most:
                places = np.arange(1, max(most, 2)) * len(values) // max(most, 2)
                distinct = np.unique(np.sort(values)[[0, *places]])
            return cls(edges=distinct[1:])
        if levels.is_category(array.type):
            coded = levels.codes(array)
            counts = np.bincount(coded.code, minlength=len(coded.levels) + 1)[:-1]
            first = np.argsort(-counts, kind="stable")[:most].tolist()
            return cls(known={coded.levels[one].as_py(): place for place, one in enumerate(first)})
        return cls()

    def called(self, column: str) -> str:
        return column

    def codes(self, array: pa.Array) -> Integers:
        if self.edges is not None and numbers.is_number(array.type):
            piece = numbers.cells(array)
            found = np.searchsorted(self.edges, piece.values, side="right")
            return found if piece.missing is None else np.where(piece.missing, _MISSING, found)
        if self.known is not None and (levels.is_category(array.type) or numbers.is_number(array.type)):
            coded = levels.codes(array)
            places = [self.known.get(text, _REST) for text in coded.levels.to_pylist()]
            return np.array([*places, _MISSING])[coded.code]
        return np.where(_nulls(array), _MISSING, 0)


@dataclass(frozen=True)
class Remainders:
    """Whole numbers of which each row may have its own, by what a division leaves: every other one, say."""

    @classmethod
    def of(cls, array: pa.Array, most: int) -> Iterator[Remainders]:
        if most == LEVELS and numbers.is_whole(array.type) and len(np.unique(numbers.cells(array).values)) > most:
            yield cls()

    def called(self, column: str) -> str:
        return f"{column} modulo {LEVELS}"

    def codes(self, array: pa.Array) -> Integers:
        if not numbers.is_whole(array.type):  # from here on, a column of a text table
            return np.full(len(array), _REST)
        piece = numbers.cells(array)
        found = np.asarray(np.mod(piece.values, np.array(LEVELS, piece.values.dtype)), np.int64)
        return found if piece.missing is None else np.where(piece.missing, _MISSING, found)
