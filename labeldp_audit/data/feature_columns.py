"""The columns as they are, for estimators that learn; filled in pass 2.

Numbers are counted from the middle of most, in sizes of most (scan.py: Spread), NaN where they are missing.
Categories are whole codes, the most frequent level being 0; of equally frequent ones the first by its bytes, a
missing cell being the last. Codes so depend neither on the order of the rows nor on the kind of file. They are known
only behind the last row: until then a cell holds the number of its level by appearance, in the same four bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.quoting import argument, shown
from ..core.remark import UNREADABLE, Remark
from ..core.table import Columns, Reading
from . import levels, numbers
from .derived_columns import Cycle, derived_columns
from .levels import Words
from .scan import CategoryScan, NumberScan
from .words import weigh_words

Values = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.uint32]

MOST_LEVELS = 1 << 24  # float32 holds whole numbers exactly up to here
MOST_READ = 256  # levels whose names are kept
MISSING = 0  # its number among the levels, whether or not a cell is missing
STEP = 1 << 20  # rows at a time
MOST = np.float32(1e38)
BYTES_OF_WORD = 48  # of a word and of the pair that it begins: counted, put in order and weighed
BOOKKEEPING = 48  # bytes of a level beside its text: hash, number, count, order and rank


@dataclass(frozen=True)
class NumberColumn:
    scan: NumberScan
    values: Values  # (n,)

    def add(self, array: pa.Array, start: int) -> None:
        piece = numbers.cells(array)
        per_unit = numbers.unit(self.scan.type)
        centre, size = self.scan.spread.middle(per_unit)
        with np.errstate(over="ignore"):
            values = numbers.differences(piece.values, centre, per_unit) / size
        out = self.values[start : start + len(array)]
        np.clip(values, -MOST, MOST, out=out, casting="same_kind")
        if piece.missing is not None:
            out[piece.missing] = np.nan

    def reading(self) -> Reading:
        kind, per_unit = self.scan.type, numbers.unit(self.scan.type)
        centre, size = self.scan.spread.middle(per_unit)
        instant = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
        return Reading(centre / per_unit, size, numbers.is_whole(kind) or pa.types.is_boolean(kind), instant)


@dataclass
class Known:
    """Numbers of hashes, in sorted runs of falling length: a hash is moved a logarithmic number of times."""

    runs: list[tuple[Words, Numbers]] = field(default_factory=list)

    def find(self, hashes: Words) -> Integers:
        """-1 where a hash is new."""
        found = np.full(len(hashes), -1, np.int64)
        for known, number in self.runs:
            place = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            found = np.where(known[place] == hashes, number[place], found)
        return found

    def add(self, hashes: Words, number: Numbers) -> None:
        while self.runs and len(self.runs[-1][0]) < 2 * len(hashes):
            known, first = self.runs.pop()
            hashes, number = np.concatenate([known, hashes]), np.concatenate([first, number])
        order = np.argsort(hashes, kind="stable")
        self.runs.append((hashes[order], number[order]))


@dataclass
class CategoryColumn:
    """Levels are told apart by 64 bits: any two of 2^24 have the same with a probability below 1 in 100 000."""

    name: str
    values: Values  # (n,)
    known: Known = field(default_factory=Known)
    texts: list[pa.LargeBinaryArray] = field(default_factory=lambda: [pa.array([None], pa.large_binary())])
    count: int = MISSING + 1
    days: bool = False

    @property
    def numbers(self) -> Numbers:
        """The same memory, as long as it holds numbers by appearance."""
        return self.values.view(np.uint32)

    def add(self, array: pa.Array, start: int) -> None:
        self.days = pa.types.is_date32(array.type)
        # Days as a text table has them, or ties would be broken by their numbers in other tables.
        piece = levels.codes(array.cast(pa.string()) if self.days else array)
        number = np.append(self._numbered(piece.levels), MISSING).astype(np.uint32)
        self.numbers[start : start + len(array)] = number[piece.code]

    def _numbered(self, texts: pa.LargeBinaryArray) -> Integers:
        hashes = levels.hashed(texts, self.name)
        number = self.known.find(hashes)
        new = np.flatnonzero(number < 0)
        number[new] = self.count + np.arange(len(new))
        self.count += len(new)
        if self.count > MOST_LEVELS:
            what = f"more than {MOST_LEVELS - 1:,} different values"
            raise DataError(what, f"column {shown(self.name)}", hint=f"--exclude {argument(self.name)}")
        if len(new):
            self.known.add(hashes[new], number[new].astype(np.uint32))
            self.texts.append(texts.take(pa.array(new)))
        return number

    def finish(self) -> None:
        """Texts, in one piece, are now those of codes. A missing level that no cell has comes last."""
        texts, found = pa.chunked_array(self.texts).combine_chunks(), np.zeros(self.count, np.int64)
        step = max(STEP, self.count)
        for start in range(0, len(self.values), step):
            found += np.bincount(self.numbers[start : start + step], minlength=self.count)
        falling = [("found", "descending"), ("text", "ascending")]  # nulls last
        order = compute.sort_indices(pa.table({"found": found, "text": texts}), falling)
        code = np.empty(self.count, np.float32)
        code[order.to_numpy()] = np.arange(self.count)
        self.known.runs.clear()
        self.texts[:] = [texts.take(order)]
        for start in range(0, len(self.values), STEP):
            self.values[start : start + STEP] = code[self.numbers[start : start + STEP]]

    def levels(self) -> pa.LargeBinaryArray:
        """By code, once it is finished, as points know them: days as numbers."""
        [texts] = self.texts
        return levels.as_binary(texts.cast(pa.large_string()).cast(pa.date32())) if self.days else texts

    def cells(self) -> tuple[list[str], Integers]:
        """Return the texts, and which of them each row holds, once it is finished."""
        [texts] = self.texts
        return [(one or b"").decode("utf-8", "replace") for one in texts.to_pylist()], self.values.astype(np.int64)

    def reading(self) -> Reading:
        """Once it is finished."""
        [texts] = self.texts
        known = (one if one is None else one.decode("utf-8", "replace") for one in texts[:MOST_READ].to_pylist())
        return Reading(levels=tuple(known))


@dataclass(frozen=True)
class Raw:
    """Columns that are being filled; none where they are not wanted."""

    values: Values
    columns: dict[str, NumberColumn | CategoryColumn]
    derived: dict[str, Cycle]  # columns that are made of others, behind those of the file
    texts: dict[str, bool]  # columns whose cells have words, and whether these are prose

    @classmethod
    def of(cls, scanned: Sequence[NumberScan | CategoryScan], rows: int) -> Raw:
        made = derived_columns(scanned)
        values = np.empty((rows, len(scanned) + len(made)), np.float32, order="F")
        columns: dict[str, NumberColumn | CategoryColumn] = {
            one.name: NumberColumn(one, column) if isinstance(one, NumberScan) else CategoryColumn(one.name, column)
            for one, column in zip(scanned, values.T, strict=False)
        }
        behind = zip(made, values.T[len(scanned) :], strict=True)
        columns |= {name: CategoryColumn(name, column) for name, column in behind}
        texts = {one.name: one.is_prose for one in scanned if isinstance(one, CategoryScan) and one.has_words}
        return cls(values, columns, made, texts)

    def add(self, batch: pa.RecordBatch, start: int) -> None:
        """The rows from `start`."""
        for name, column in self.columns.items():
            part = self.derived.get(name)
            column.add(batch.column(name) if part is None else part.levels(batch.column(part.column)), start)

    def finished(self) -> tuple[Columns, tuple[Remark, ...]]:
        """Return the columns, and a remark where text has words that no model can read."""
        for column in self.columns.values():
            if isinstance(column, CategoryColumn):
                column.finish()
        words = {name: weigh_words(*self.columns[name].cells()) for name in self.texts}  # type: ignore[union-attr]
        unreadable = [name for name, prose in self.texts.items() if prose and not words[name].readable]
        kept = [place for place, name in enumerate(self.columns) if name not in self.derived or self._tells(place)]
        for place, other in enumerate(kept):
            if place < other:
                self.values[:, place] = self.values[:, other]
        names = [*self.columns]
        known = {names[place]: self.columns[names[place]] for place in kept}
        categorical = np.array([isinstance(column, CategoryColumn) for column in known.values()], bool)
        readings = tuple(column.reading() for column in known.values())
        weights = {name: one.weights for name, one in words.items() if one.weights.shape[1]}
        columns = Columns(self.values[:, : len(kept)], categorical, tuple(known), readings, weights)
        return columns, (Remark(UNREADABLE, columns=unreadable),) if unreadable else ()

    def _tells(self, place: int) -> bool:
        """Whether a column has more than one level."""
        return bool(self.values[:, place].max() >= 1)


def memory_need(scanned: Sequence[NumberScan | CategoryScan], rows: int) -> int:
    """Bytes; texts of levels are in one piece once more when they are put in order."""
    categories = (one for one in scanned if isinstance(one, CategoryScan))
    of_levels = (round(one.distinct * (BOOKKEEPING + 2 * one.bytes_per_level)) for one in categories)
    words = sum(one.words for one in scanned if isinstance(one, CategoryScan) and one.has_words)
    return 4 * rows * (len(scanned) + len(derived_columns(scanned))) + BYTES_OF_WORD * words + sum(of_levels)
