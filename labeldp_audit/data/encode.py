"""Pass 2: every row as a point, at distances that do not depend on units or on the order of the file.

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
from ..core.table import Points
from . import levels, numbers
from .classes import Classes, labelled
from .feature_columns import CategoryColumn, Raw
from .levels import Words
from .roles import Roles
from .scan import CategoryScan, NumberScan, Scan
from .sources.batches import rows_per_batch
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

    def encode(self, array: pa.Array, out: Coordinates | None) -> Words:
        """Fills `out`, (width, rows), if it is wanted, and says which cells are the same."""
        piece, scan = numbers.cells(array), self.scan
        if out is not None and not scan.constant:
            values = numbers.differences(piece.values, scan.origin or 0, numbers.unit(scan.type))
            values -= scan.moments.mean
            np.divide(values, scan.moments.deviation, out=out[0], casting="same_kind")
        if out is not None and scan.missing:
            gap = out[-1]
            gap[:] = 0
            if piece.missing is not None:
                out[:, piece.missing] = 0
                gap[piece.missing] = 1
        return levels.number_words(array, piece)


@dataclass(frozen=True)
class Category:
    name: str
    width: int
    index: dict[bytes | None, int] | None  # of up to 64 levels, a missing cell being the last; None for more of them

    def encode(self, array: pa.Array, out: Coordinates | None) -> Words:
        piece = levels.codes(array)
        words = self.words(piece.levels)
        if out is not None:
            self.place(words, piece.code, out)
        return np.asarray(words[piece.code])

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

    def coordinates(self, codes: Integers) -> Coordinates:
        out = np.empty((self.width, len(codes)), np.float32)
        different, which = np.unique(codes, return_inverse=True)
        self.encoder.place(self.words[different], which, out)
        return out.T


def axis(encoder: Category, raw: Raw) -> LevelAxis:
    """Known once the columns are finished."""
    column = raw.columns[encoder.name]
    assert isinstance(column, CategoryColumn)
    texts = column.levels()
    there = texts.is_valid().to_numpy(zero_copy_only=False)
    place = np.where(there, np.cumsum(there) - 1, np.count_nonzero(there))
    return LevelAxis([*raw.columns].index(encoder.name), encoder, encoder.words(texts.drop_null())[place])


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
    source: Source, roles: Roles, scanned: Scan, classes: Classes, encoders: Sequence[Encoder], raw: Raw,
    points: Points, size: int, progress: Progress,
) -> tuple[Coordinates, npt.NDArray[np.uint8], Words, Integers | None]:  # fmt: skip
    """Points, labels, fingerprints, and numbers of the rows in the file, from 0, where not all are used."""
    progress.stage("encoding", scanned.rows, "rows")
    used, end = scanned.label.used, 0
    coordinates = np.empty((used, coordinates_wanted(encoders, points)), np.float32)
    labels, fingerprints = np.empty(used, np.uint8), np.zeros(used, np.uint64)
    row_numbers = np.empty(used, np.int64) if scanned.label.missing else None
    for part in labelled(source.batches((*(one.name for one in encoders), roles.label), size), progress):
        start, end = end, end + len(part.code)
        fill(part.batch, encoders, coordinates[start:end], fingerprints[start:end])
        raw.add(part.batch, start)
        labels[start:end] = np.array([classes.of(name) for name in part.names], np.uint8)[part.code]
        if row_numbers is not None:
            row_numbers[start:end] = part.rows
    return coordinates, labels, fingerprints, row_numbers


def coordinates_wanted(encoders: Sequence[Encoder], points: Points) -> int:
    """While the table is read; those of numbers come first."""
    wanted = () if points is Points.NEVER else encoders
    return sum(one.width for one in wanted if isinstance(one, Standard) or points is Points.NOW)


def fill(batch: pa.RecordBatch, encoders: Sequence[Encoder], points: Coordinates, same: Words) -> None:
    """Coordinate by coordinate into a small block, which is then transposed into its place. Encoders whose coordinates
    have no room in it say no more than which cells are the same."""
    width = points.shape[1]
    step = max(1, min(rows_per_batch(width), len(points)))
    block = np.empty((width, step), np.float32)
    for start in range(0, len(points), step):
        part = batch.slice(start, step)
        out, first = block[:, : part.num_rows], 0
        for i, one in enumerate(encoders):
            words = one.encode(part.column(i), out[first : first + one.width] if first < width else None)
            levels.mixed_in(same[start : start + step], words)
            first += one.width
        points[start : start + part.num_rows] = out.T
