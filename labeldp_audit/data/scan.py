"""Pass 1: what has to be known of every column before a row can be encoded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pyarrow as pa

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.progress import Progress
from . import levels, numbers
from .classes import MOST_CLASSES, MOST_COUNTED, check_number, may_be, text_codes
from .levels import Sketch
from .numbers import Mask, Moments
from .quoting import shown
from .robust_scale import Spread
from .roles import Roles, check_label, kind_of
from .sources.contract import Source
from .sources.delimited import Widened

Result = TypeVar("Result")


class Infinite(Exception):
    """A value is infinite, in this row of the batch."""

    def __init__(self, row: int) -> None:
        self.row = row


@dataclass
class NumberScan:
    """A column of numbers, so far."""

    name: str
    type: pa.DataType
    origin: float | None = None
    moments: Moments = field(default_factory=Moments)
    spread: Spread = field(default_factory=Spread.empty)
    missing: int = 0

    def add(self, array: pa.Array) -> None:
        piece = numbers.cells(array)
        infinite = numbers.first_infinite(piece)
        if infinite is not None:
            raise Infinite(infinite)
        if self.origin is None:
            self.origin = numbers.first_value(piece)
        if self.origin is None:
            self.missing += len(array)
            return
        cells, values = piece.values, numbers.differences(piece, self.origin, numbers.unit(self.type))
        if piece.missing is not None:
            cells, values = cells[~piece.missing], values[~piece.missing]
            self.missing += len(array) - len(values)
        self.spread = self.spread.merge(cells)
        self.moments = self.moments.merge(Moments.of(values))

    @property
    def constant(self) -> bool:
        return self.moments.low >= self.moments.high


@dataclass
class CategoryScan:
    """A column of categories, so far; its levels are known one by one up to a limit."""

    name: str
    type: pa.DataType
    levels: set[bytes] | None = field(default_factory=set)
    sketch: Sketch = field(default_factory=Sketch.empty)
    missing: int = 0
    seen: int = 0  # levels of all batches, and their bytes
    bytes: int = 0

    def add(self, array: pa.Array) -> None:
        piece = levels.codes(array)
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


@dataclass
class LabelScan:
    """Labels so far. One that is audited against the rest may be among millions: of these no more are kept than a
    message needs."""

    name: str
    positive: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    rest: int = 0  # rows whose labels are not kept
    missing: int = 0

    def add(self, array: pa.Array) -> Mask | None:
        """Which rows have a label; None for all."""
        code, names = self.count(array)
        there = code < len(names)
        return None if there.all() else there

    def count(self, array: pa.Array) -> tuple[Integers, list[str]]:
        """As `text_codes` gives them."""
        code, names = text_codes(array)
        found = np.bincount(code, minlength=len(names) + 1).tolist()
        for name, count in zip(names, found, strict=False):
            if self._keeps(name):
                self.counts[name] = self.counts.get(name, 0) + count
            else:
                self.rest += count
        if len(self.counts) > MOST_COUNTED:
            check_number(len(self.counts), array.type, self.name)
        self.missing += found[-1]
        return code, names

    def _keeps(self, name: str) -> bool:
        few = self.positive is None or len(self.counts) < MOST_CLASSES
        return few or name in self.counts or may_be(name, str(self.positive))

    def check(self, kind: pa.DataType) -> None:
        """Once all rows are counted."""
        if self.positive is None:
            check_number(len(self.counts), kind, self.name)


@dataclass(frozen=True)
class Scan:
    rows: int
    label: LabelScan
    label_type: pa.DataType
    columns: tuple[NumberScan | CategoryScan | None, ...]  # one for each feature; None has no value at all

    @property
    def used(self) -> int:
        return self.rows - self.label.missing


def settled(one_pass: Callable[[], Result]) -> Result:
    """Text tables may have to be read again, where a late row changed a column's type."""
    while True:
        try:
            return one_pass()
        except Widened:
            continue


def scan(source: Source, roles: Roles, positive: str | None, size: int, progress: Progress) -> Scan:
    return settled(lambda: _scan(source, roles, positive, size, progress))


def _scan(source: Source, roles: Roles, positive: str | None, size: int, progress: Progress) -> Scan:
    progress.stage("scanning", source.rows, "rows")
    rows, label, label_type, columns = 0, LabelScan(roles.label, positive), pa.null(), []
    for batch in source.batches(roles.read, size):
        if not rows:
            columns = [begin(name, batch.column(i).type, roles) for i, name in enumerate(roles.features)]
            label_type = batch.column(len(columns)).type
            check_label(roles.label, label_type)
        add(batch, columns, label, rows)
        rows += batch.num_rows
        progress.advance(batch.num_rows)
    if not rows:
        raise DataError("the table has no rows")
    return Scan(rows, label, label_type, tuple(columns))


def begin(name: str, kind: pa.DataType, roles: Roles) -> NumberScan | CategoryScan | None:
    role = kind_of(name, kind, name in roles.categorical)
    if role == "constant":
        return None
    return NumberScan(name, kind) if role == "number" else CategoryScan(name, kind)


def add(batch: pa.RecordBatch, columns: list[NumberScan | CategoryScan | None], label: LabelScan, before: int) -> None:
    labelled = label.add(batch.column(len(columns)))
    rows = np.arange(batch.num_rows) if labelled is None else np.flatnonzero(labelled)
    kept = batch if labelled is None else batch.take(pa.array(rows))
    for i, column in enumerate(columns):
        if column is None:
            continue
        try:
            column.add(kept.column(i))
        except Infinite as infinite:
            place = f"row {before + int(rows[infinite.row]) + 1}"
            raise DataError("an infinite value", f"column {shown(column.name)}", place) from None
