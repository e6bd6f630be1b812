"""Pass 2: every row as a point, at distances that do not depend on units or on the order of the file.

Numbers come first, each as (x - mean) / deviation, a missing one as 0 and a 1 in a column of its own. Then categories:
two levels as 0 and 1, up to 64 as one of so many coordinates at 1/sqrt(2), more as a direction of that length. Any two
levels are at distance 1, or at expected squared distance 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.progress import Progress
from ..core.table import Axis, Points
from . import fingerprints, levels, numbers
from .classes import Classes, text_codes
from .feature_columns import Raw
from .fingerprints import Words
from .quoting import shown
from .roles import Roles
from .scan import CategoryScan, NumberScan, Scan
from .sources.batches import rows_per_batch
from .sources.contract import Source

Coordinates = npt.NDArray[np.float32]
ONE_OF_MANY = np.float32(math.sqrt(0.5))


class Encoder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def width(self) -> int: ...

    def encode(self, array: pa.Array, out: Coordinates | None) -> Words:
        """Fills `out`, (width, rows), if it is wanted, and says which cells are the same."""


@dataclass(frozen=True)
class Standard:
    """A number."""

    name: str
    scan: NumberScan

    @property
    def width(self) -> int:
        return (not self.scan.constant) + (self.scan.missing > 0)

    def encode(self, array: pa.Array, out: Coordinates | None) -> Words:
        piece = numbers.cells(array)
        if out is not None:
            self._fill(piece, out)
        return fingerprints.of_numbers(array, piece)

    def _fill(self, piece: numbers.Cells, out: Coordinates) -> None:
        if not self.scan.constant:
            values = numbers.differences(piece, self.scan.origin or 0, numbers.unit(self.scan.type))
            values -= self.scan.moments.mean
            np.divide(values, self.scan.moments.deviation, out=out[0], casting="same_kind")
        if self.scan.missing:
            out[-1] = 0
            if piece.missing is not None:
                out[:, piece.missing] = 0
                out[-1, piece.missing] = 1


@dataclass(frozen=True)
class OneHot:
    """Up to 64 levels; a missing cell is the last of them."""

    name: str
    index: dict[bytes | None, int]

    @property
    def width(self) -> int:
        return 1 if len(self.index) == 2 else len(self.index)

    def encode(self, array: pa.Array, out: Coordinates | None) -> Words:
        piece = levels.codes(array)
        level = np.array([*map(self.index.__getitem__, piece.levels.to_pylist()), self.index.get(None, 0)], np.int64)
        code = level[piece.code]
        if out is not None:
            one_hot(code, out)
        return code.view(np.uint64)

    def axis(self, at: int, texts: pa.LargeBinaryArray) -> Axis:
        return OneHotAxis(at, self.width, np.array([self.index.get(text, 0) for text in texts.to_pylist()], np.int64))


@dataclass(frozen=True)
class Projected:
    """Many levels."""

    name: str
    width: int = levels.WIDTH

    def encode(self, array: pa.Array, out: Coordinates | None) -> Words:
        piece = levels.codes(array)
        hashes = np.concatenate([levels.hashed(piece.levels, self.name), levels.missing_hash(self.name)])
        if out is not None:
            out[:] = levels.directions(hashes)[piece.code].T
        return np.asarray(hashes[piece.code])

    def axis(self, at: int, texts: pa.LargeBinaryArray) -> Axis:
        hashes = np.empty(len(texts), np.uint64)
        there = texts.is_valid().to_numpy(zero_copy_only=False)
        hashes[there], hashes[~there] = levels.hashed(texts.drop_null(), self.name), levels.missing_hash(self.name)
        return ProjectedAxis(at, hashes)


def one_hot(code: Integers, out: Coordinates) -> None:
    """out: (width, rows)."""
    if len(out) == 1:
        out[0] = code
    else:
        out[:] = 0
        out[code, np.arange(len(code))] = ONE_OF_MANY


@dataclass(frozen=True)
class OneHotAxis:
    at: int
    width: int
    level: Integers  # of each code

    def coordinates(self, codes: Integers) -> Coordinates:
        out = np.empty((self.width, len(codes)), np.float32)
        one_hot(self.level[codes], out)
        return out.T


@dataclass(frozen=True)
class ProjectedAxis:
    at: int
    hashes: levels.Hashes  # of each code
    width: int = levels.WIDTH

    def coordinates(self, codes: Integers) -> Coordinates:
        different, which = np.unique(codes, return_inverse=True)
        return np.asarray(levels.directions(self.hashes[different])[which])


def encoder(scanned: NumberScan | CategoryScan | None) -> Encoder | None:
    """None where a column says nothing."""
    if isinstance(scanned, NumberScan):
        return standard(scanned)
    if scanned is None or scanned.distinct + (scanned.missing > 0) < 2:
        return None
    if scanned.levels is None or len(scanned.levels) + (scanned.missing > 0) > levels.ONE_HOT:
        return Projected(scanned.name)
    known: list[bytes | None] = [*sorted(scanned.levels), *([None] if scanned.missing else [])]
    return OneHot(scanned.name, {level: i for i, level in enumerate(known)})


def standard(scanned: NumberScan) -> Standard | None:
    if not scanned.constant and not 0 < scanned.moments.deviation < math.inf:
        raise DataError("its spread does not fit a float64", f"column {shown(scanned.name)}", hint="--exclude it")
    one = Standard(scanned.name, scanned)
    return one if one.width and scanned.origin is not None else None


@dataclass(frozen=True)
class Encoded:
    points: Coordinates
    labels: npt.NDArray[np.uint8]
    fingerprints: Words
    row_numbers: Integers | None


def encode(
    source: Source,
    roles: Roles,
    scanned: Scan,
    classes: Classes,
    encoders: Sequence[Encoder],
    raw: Raw,
    points: Points,
    size: int,
    progress: Progress,
) -> Encoded:
    progress.stage("encoding", scanned.rows, "rows")
    width = coordinates_wanted(encoders, points)
    result = Encoded(
        np.empty((scanned.used, width), np.float32),
        np.empty(scanned.used, np.uint8),
        np.zeros(scanned.used, np.uint64),
        np.empty(scanned.used, np.int64) if scanned.label.missing else None,
    )
    end = 0
    batches = source.batches((*(one.name for one in encoders), roles.label), size)
    for batch, code, rows in labelled(batches, classes):
        start, end = end, end + batch.num_rows
        fill(batch, encoders, result.points[start:end], result.fingerprints[start:end])
        raw.add(batch, start)
        result.labels[start:end] = code
        if result.row_numbers is not None:
            result.row_numbers[start:end] = rows
        progress.advance(batch.num_rows)
    return result


def coordinates_wanted(encoders: Sequence[Encoder], points: Points) -> int:
    """While the table is read; those of numbers come first."""
    wanted = () if points is Points.NEVER else encoders
    return sum(one.width for one in wanted if isinstance(one, Standard) or points is Points.NOW)


def axes(encoders: Sequence[Encoder], raw: Raw) -> tuple[Axis, ...]:
    """The categories' axes in the order of their coordinates; known once the columns are finished."""
    categories = (one for one in encoders if isinstance(one, OneHot | Projected))
    return tuple(one.axis(raw.names.index(one.name), raw.categories[one.name].levels()) for one in categories)


def labelled(
    batches: Iterator[pa.RecordBatch], classes: Classes
) -> Iterator[tuple[pa.RecordBatch, npt.NDArray[np.uint8], Integers]]:
    """Each batch without the rows that have no label, their classes and their numbers in the file, from 0."""
    before = 0
    for batch in batches:
        code, names = text_codes(batch.column(batch.num_columns - 1))
        there = code < len(names)
        rows = before + np.flatnonzero(there)
        before += batch.num_rows
        kept = batch if len(rows) == batch.num_rows else batch.filter(pa.array(there))
        index = np.array([classes.of(name) for name in names], np.uint8)
        yield kept, index[code[there]], rows


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
            fingerprints.mixed_in(same[start : start + step], words)
            first += one.width
        points[start : start + part.num_rows] = out.T
