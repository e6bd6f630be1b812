"""Rows as points, at distances that do not depend on units or on the order of the file.

Numbers come first, each as (x - mean) / deviation, a missing one as 0 and a 1 in a column of its own. Then categories:
two levels as 0 and 1, up to 64 as one of so many coordinates at 1/sqrt(2), more as a direction of that length. Any two
levels are at distance 1, or at expected squared distance 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.progress import Progress
from ..core.quoting import argument, shown
from ..core.table import Axis
from . import levels, numbers
from .classes import Classes, labelled
from .feature_columns import CategoryColumn, Raw
from .levels import Words
from .roles import Roles
from .scan import CategoryScan, NumberScan, Scan
from .sources.contract import Source

Coordinates = npt.NDArray[np.float32]
ONE_OF_MANY = np.float32(math.sqrt(0.5))


@dataclass(frozen=True)
class Standard:
    """A number."""

    name: str
    scan: NumberScan

    @property
    def width(self) -> int:
        return (not self.scan.constant) + (self.scan.missing > 0)

    def encode(self, array: pa.Array) -> Words:
        """Return which cells are the same."""
        return levels.number_words(array, numbers.cells(array))

    def axis(self, at: int) -> NumberAxis:
        scan, per_unit = self.scan, numbers.unit(self.scan.type)
        if scan.constant:
            return NumberAxis(at, 0.0, 0.0, True)
        centre, size = scan.spread.middle(per_unit)
        middle = numbers.differences(np.array([centre], scan.spread.values.dtype), scan.origin or 0, per_unit)[0]
        mean, deviation = scan.moments.mean, scan.moments.deviation
        return NumberAxis(at, float(middle - mean) / deviation, size / deviation, scan.missing > 0)


@dataclass(frozen=True)
class NumberAxis:
    at: int
    shift: float
    scale: float  # 0 where all cells that are not missing are the same
    gaps: bool

    @property
    def width(self) -> int:
        return (self.scale > 0) + self.gaps

    def coordinates(self, cells: Coordinates) -> Coordinates:
        missing, out = np.isnan(cells), np.empty((len(cells), self.width), np.float32)
        if self.scale:
            out[:, 0] = np.where(missing, 0, self.shift + self.scale * cells.astype(np.float64))
        if self.gaps:
            out[:, -1] = missing
        return out


@dataclass(frozen=True)
class Category:
    name: str
    width: int
    index: dict[bytes | None, int] | None  # of up to 64 levels, a missing cell being the last; None for more of them

    def encode(self, array: pa.Array) -> Words:
        piece = levels.codes(array)
        return np.asarray(self.words(piece.levels)[piece.code])

    def words(self, texts: pa.LargeBinaryArray) -> Words:
        """Of each level, and behind them that of a missing cell: its number, or a hash."""
        if self.index is None:
            return levels.level_words(texts, self.name)
        return np.array([*map(self.index.__getitem__, texts.to_pylist()), self.index.get(None, 0)], np.uint64)

    def place(self, words: Words, code: Integers, out: Coordinates) -> None:
        """out: (width, rows), where `words[code]` lie."""
        if self.index is None:
            out[:] = levels.directions(words)[code].T
        elif self.width == 1:
            out[0] = words[code]
        else:
            out[:] = 0
            out[words[code].view(np.int64), np.arange(len(code))] = ONE_OF_MANY


Encoder = Standard | Category


@dataclass(frozen=True)
class LevelAxis:
    at: int
    encoder: Category
    words: Words  # of each code

    @property
    def width(self) -> int:
        return self.encoder.width

    def coordinates(self, cells: Coordinates) -> Coordinates:
        out = np.empty((self.width, len(cells)), np.float32)
        different, which = np.unique(cells.astype(np.int64), return_inverse=True)
        self.encoder.place(self.words[different], which, out)
        return out.T


def axis(encoder: Encoder, raw: Raw) -> Axis:
    """Known once the columns are finished."""
    at, column = [*raw.columns].index(encoder.name), raw.columns[encoder.name]
    if isinstance(encoder, Standard):
        return encoder.axis(at)
    assert isinstance(column, CategoryColumn)
    texts = column.levels()
    there = texts.is_valid().to_numpy(zero_copy_only=False)
    place = np.where(there, np.cumsum(there) - 1, np.count_nonzero(there))
    return LevelAxis(at, encoder, encoder.words(texts.drop_null())[place])


def encoder(scanned: NumberScan | CategoryScan | None) -> Encoder | None:
    """None where a column says nothing."""
    if isinstance(scanned, NumberScan):
        if not scanned.constant and not 0 < scanned.moments.deviation < math.inf:
            raise DataError("its spread does not fit a float64", f"column {shown(scanned.name)}", hint="--exclude it")
        if scanned.constant and scanned.differs:
            what, hint = "its cells differ beyond what a float64 holds", f"--categorical {argument(scanned.name)}"
            raise DataError(what, f"column {shown(scanned.name)}", hint=hint)
        one = Standard(scanned.name, scanned)
        return one if one.width and scanned.origin is not None else None
    if scanned is None or scanned.distinct + (scanned.missing > 0) < 2:
        return None
    known: list[bytes | None] = [*sorted(scanned.levels or ()), *([None] if scanned.missing else [])]
    if scanned.levels is None or len(known) > levels.ONE_HOT:
        return Category(scanned.name, levels.WIDTH, None)
    width = 1 if len(known) == 2 else len(known)
    return Category(scanned.name, width, {level: i for i, level in enumerate(known)})


def encode(
    source: Source, roles: Roles, scanned: Scan, classes: Classes, encoders: Sequence[Encoder], raw: Raw, size: int,
    progress: Progress,
) -> tuple[npt.NDArray[np.uint8], Words, Integers | None]:  # fmt: skip
    """Labels, fingerprints, and numbers of the rows in the file, from 0, where not all are used."""
    progress.stage("encoding", scanned.rows, "rows")
    used, end = scanned.label.used, 0
    labels, fingerprints = np.empty(used, np.uint8), np.zeros(used, np.uint64)
    row_numbers = np.empty(used, np.int64) if scanned.label.missing else None
    for part in labelled(source.batches((*(one.name for one in encoders), roles.label), size), progress):
        start, end = end, end + len(part.code)
        for i, one in enumerate(encoders):
            levels.mixed_in(fingerprints[start:end], one.encode(part.batch.column(i)))
        raw.add(part.batch, start)
        labels[start:end] = np.array([classes.of(name) for name in part.names], np.uint8)[part.code]
        if row_numbers is not None:
            row_numbers[start:end] = part.rows
    return labels, fingerprints, row_numbers
