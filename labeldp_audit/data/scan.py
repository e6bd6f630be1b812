"""Pass 1: what has to be known of every column before a row can be encoded."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pyarrow as pa
from pyarrow import compute

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.progress import Progress
from ..core.quoting import argument, shown
from . import levels, numbers
from .classes import MOST_CLASSES, MOST_COUNTED, TextCodes, check_number, labelled, may_be, text_codes
from .levels import Sketch, Words, is_category
from .numbers import Moments, Values
from .roles import Roles
from .sources.contract import Source
from .sources.delimited import Widened
from .words import UNSPACED

KEPT = 256  # values of a column
LOOKED_AT = 100  # levels
LARGEST = 2.0**53  # from here on float64 holds no longer all whole numbers
WORDS, BETWEEN_BLANKS = rf"[{UNSPACED}]|[\pL\pN]+", rf"[{UNSPACED}]|\S+"
FEWEST_WORDS, FEWEST_OF_PROSE = 2, 3  # of a cell, on average
KNOWN = 20  # rows of a level, on average, from which on a category says as much as its words
LONG = 15  # digits of a decimal that float64 tells apart

Result = TypeVar("Result")


@dataclass(frozen=True)
class Spread:
    """Where most of a column's different values are, however far out the others lie.

    One cell of 1e12 among others near 1 makes a mean and a deviation that tell the others apart no more, least of all
    in 32 bits. The values with the smallest hashes are a sample of the different ones (Bar-Yossef et al. 2002) that
    neither the order of the rows nor a few huge values change.
    """

    hashes: Words = field(default_factory=lambda: np.zeros(0, np.uint64))  # rising
    values: Values = field(default_factory=lambda: np.zeros(0, np.int64))  # of these hashes, as they are stored

    def merge(self, values: Values) -> Spread:
        """None of them missing."""
        words = (values + 0.0 if values.dtype == np.float64 else values).view(np.uint64)
        hashes = levels.mixed(words + levels.GOLDEN)
        if len(self.hashes) == KEPT:
            few = hashes < self.hashes[-1]
            hashes, values = hashes[few], values[few]
        if not len(hashes):
            return self
        merged, first = np.unique(np.concatenate([self.hashes, hashes]), return_index=True)
        both = np.concatenate([self.values, values]) if len(self.values) else values
        return Spread(merged[:KEPT], both[first[:KEPT]])

    @property
    def distinct(self) -> int:
        """Different values; of more than are kept about so many."""
        return len(self.values) if len(self.values) < KEPT else round((KEPT - 1) / (float(self.hashes[-1]) / 2.0**64))

    def middle(self, per_unit: float) -> tuple[int | float, float]:
        """A value in the middle, as it is stored, and how far from it most are; never 0."""
        if not len(self.values):
            return 0, 1.0
        centre = np.sort(self.values)[len(self.values) // 2].item()
        away = np.abs(numbers.differences(self.values, centre, per_unit))
        return centre, float(np.median(away)) or float(away.mean()) or 1.0


@dataclass
class NumberScan:
    """A column of numbers, so far."""

    name: str
    type: pa.DataType
    origin: float | None = None
    moments: Moments = field(default_factory=Moments)
    spread: Spread = field(default_factory=Spread)
    missing: int = 0
    first: pa.Scalar | None = None  # of long decimals, and whether there are others
    differs: bool = False

    def add(self, array: pa.Array, rows: Integers) -> None:
        """rows: their numbers in the file, from 0."""
        piece = numbers.cells(array)
        there = slice(None) if piece.missing is None else ~piece.missing
        cells = piece.values[there]
        self.missing += len(array) - len(cells)
        if not len(cells):
            return
        if not math.isfinite(numbers.total(cells)) and (infinite := np.isinf(cells)).any():
            row = int(rows[there][np.argmax(infinite)]) + 1
            raise DataError("an infinite value", f"column {shown(self.name)}", f"row {row}")
        if self.origin is None:
            self.origin = cells[0].item()
        if pa.types.is_decimal(self.type) and self.type.precision > LONG and not self.differs:
            self.first = array.drop_null()[0] if self.first is None else self.first
            self.differs = compute.any(compute.not_equal(array, self.first)).as_py()
        values = numbers.differences(cells, self.origin, numbers.unit(self.type))
        self.spread = self.spread.merge(cells)
        self.moments = self.moments.merge(Moments.of(values))

    @property
    def constant(self) -> bool:
        return self.moments.low >= self.moments.high

    @property
    def told_apart(self) -> bool:
        """Whether different cells were read as different numbers: long ones become floating in a text table."""
        origin, moments = self.origin or 0, self.moments
        furthest = max(-(origin + moments.low), origin + moments.high)
        return not pa.types.is_floating(self.type) or furthest < LARGEST


@dataclass
class CategoryScan:
    """A column of categories, so far; its levels are known one by one up to a limit."""

    name: str
    type: pa.DataType
    levels: set[bytes] | None = field(default_factory=set)
    sketch: Sketch = field(default_factory=Sketch)
    missing: int = 0
    first: list[bytes] = field(default_factory=list)  # levels of the first rows, to see how they are written
    seen: int = 0  # levels of all batches, and their bytes
    bytes: int = 0
    words: int = 0  # in all cells: runs of letters and digits
    between_blanks: int = 0  # in all cells: runs of anything but blanks
    cells: int = 0  # that are not missing

    def add(self, array: pa.Array, rows: Integers) -> None:
        piece = levels.codes(array)
        if levels.is_text(getattr(self.type, "value_type", self.type)):
            times = np.bincount(piece.code, minlength=len(piece.levels) + 1)[:-1]
            self.words += _matches(piece.levels, WORDS, times)
            self.between_blanks += _matches(piece.levels, BETWEEN_BLANKS, times)
            self.cells += int(times.sum())
        self.first = self.first or piece.levels[:LOOKED_AT].to_pylist()
        self.missing += piece.missing
        self.seen += len(piece.levels)
        self.bytes += piece.levels.nbytes
        if self.levels is not None and len(piece.levels) <= levels.ONE_HOT:
            self.levels.update(piece.levels.to_pylist())
        else:
            self.levels = None
        if self.levels is not None and len(self.levels) > levels.ONE_HOT:
            self.levels = None
        self.sketch = self.sketch.merge(levels.hashed(piece.levels, self.name))

    @property
    def distinct(self) -> int:
        """Levels, a missing one not counted."""
        return self.sketch.estimate() if self.levels is None else len(self.levels)

    @property
    def bytes_per_level(self) -> float:
        return self.bytes / max(self.seen, 1)

    @property
    def has_words(self) -> bool:
        """Whether cells have several words on average, and levels too few rows each to be known by themselves."""
        rare = self.levels is None and self.cells < KNOWN * self.distinct
        return rare and self.words >= FEWEST_WORDS * max(self.cells, 1)

    @property
    def is_prose(self) -> bool:
        """Whether words stand between blanks, as in sentences, and not in file numbers or addresses of pages."""
        return self.has_words and self.between_blanks >= FEWEST_OF_PROSE * self.cells


def _matches(texts: pa.LargeBinaryArray, pattern: str, times: Integers) -> int:
    """Count the matches in all texts, each of which stands for so many cells."""
    found = compute.count_substring_regex(texts.view(pa.large_string()), pattern)
    return int(found.to_numpy(zero_copy_only=False) @ times)


@dataclass
class LabelScan:
    """Labels so far. One that is audited against the rest may be among millions: of these no more are kept than a
    message needs."""

    name: str
    positive: str | None = None
    type: pa.DataType | None = None
    counts: dict[str, int] = field(default_factory=dict)
    rest: int = 0  # rows whose labels are not kept
    missing: int = 0

    def count(self, array: pa.Array) -> TextCodes:
        """As `text_codes` gives them."""
        self.type = array.type
        if not (pa.types.is_null(self.type) or is_category(self.type) or numbers.is_number(self.type)):
            raise DataError(f"a label cannot be of type {self.type}", f"column {shown(self.name)}")
        code, names = text_codes(array)
        found = np.bincount(code, minlength=len(names) + 1).tolist()
        for name, count in zip(names, found, strict=False):
            few = self.positive is None or len(self.counts) < MOST_CLASSES
            if few or name in self.counts or may_be(name, str(self.positive)):
                self.counts[name] = self.counts.get(name, 0) + count
            else:
                self.rest += count
        if len(self.counts) > MOST_COUNTED:
            check_number(len(self.counts), array.type, self.name)
        self.missing += found[-1]
        return code, names

    @property
    def used(self) -> int:
        return sum(self.counts.values()) + self.rest


@dataclass(frozen=True)
class Scan:
    label: LabelScan
    columns: tuple[NumberScan | CategoryScan | None, ...] = ()  # one for each feature; None has no value at all

    @property
    def rows(self) -> int:
        return self.label.used + self.label.missing


def settled(one_pass: Callable[[], Result]) -> Result:
    """Text tables may have to be read again, where a late row changed a column's type."""
    while True:
        with contextlib.suppress(Widened):
            return one_pass()


def scan(source: Source, roles: Roles, positive: str | None, size: int, progress: Progress) -> Scan:
    progress.stage("scanning", source.rows, "rows")
    label = LabelScan(roles.label, positive)
    columns: list[NumberScan | CategoryScan | None] = []
    for part in labelled(source.batches(roles.read, size), progress, label.count):
        columns = columns or [begin(part.batch.schema.field(name), roles) for name in roles.features]
        for i, column in enumerate(columns):
            if column is not None:
                column.add(part.batch.column(i), part.rows)
    if not columns:
        raise DataError("the table has no rows")
    return Scan(label, tuple(columns))


def begin(field: pa.Field, roles: Roles) -> NumberScan | CategoryScan | None:
    name, kind = field.name, field.type
    if pa.types.is_null(kind):
        return None
    check_auditable(name, kind)
    named = name in roles.categorical and numbers.is_number(kind)
    return CategoryScan(name, kind) if is_category(kind) or named else NumberScan(name, kind)


def check_auditable(name: str, kind: pa.DataType) -> None:
    """Refuse nested columns and other kinds that no estimator reads."""
    if not (pa.types.is_null(kind) or is_category(kind) or numbers.is_number(kind)):
        what, hint = f"cannot audit a column of type {kind}", f"--exclude {argument(name)}"
        raise DataError(what, f"column {shown(name)}", hint=hint)
