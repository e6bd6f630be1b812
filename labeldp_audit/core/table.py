"""A table, encoded, and what a report may say of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .arrays import Floats, Integers
from .remark import Remark

ROWS_AT_ONCE = 1 << 13  # that coordinates are made of
EXACT_LEVELS = 4096  # of a column are counted; more of them are estimated, within about 2 %


@dataclass(frozen=True)
class Column:
    """One column of the table and what became of it."""

    name: str
    role: str  # label, number, category, eta, excluded, constant
    type: str  # as the file's schema says, e.g. "int64", "string"
    missing: int = 0
    levels: int | None = None  # categories only; an estimate above EXACT_LEVELS
    width: int = 0  # encoded coordinates


@dataclass(frozen=True)
class Dataset:
    """What a report may say about the table: never a row of it."""

    name: str  # the file's name, never its path
    sha256: str
    rows: int
    rows_used: int  # fewer where null labels were dropped
    label: str
    positive: str | None  # None where there are more than two classes
    classes: tuple[str, ...]  # negative first for two classes; index c in every array
    class_counts: tuple[int, ...]
    columns: tuple[Column, ...]

    @property
    def prior(self) -> tuple[float, ...]:
        return tuple(count / self.rows_used for count in self.class_counts)

    @property
    def blind_log_loss(self) -> float:
        """Log loss of knowing how common the classes are and nothing else."""
        return -sum(share * math.log(share) for share in self.prior if share)

    @property
    def features(self) -> int:
        return sum(column.role in ("number", "category") for column in self.columns)


@dataclass(frozen=True)
class Reading:
    """What the values of one of the columns are in the file."""

    centre: float = 0.0  # a number is centre + size * value; an instant so many seconds since 1970
    size: float = 1.0
    whole: bool = False
    instant: bool = False
    levels: tuple[str | None, ...] = ()  # of a category, the most frequent by their codes; a missing cell is None


@dataclass(frozen=True)
class Columns:
    """The features as they are, for estimators that learn: those that are not constant, in the file's order."""

    values: npt.NDArray[np.float32]  # (n, f), Fortran order; numbers in units of most of them, NaN where missing
    categorical: npt.NDArray[np.bool_]  # (f,) codes 0, 1, ... by falling frequency; a missing cell is a level
    names: tuple[str, ...]
    readings: tuple[Reading, ...] = ()  # (f,) where they were read from a file
    words: Mapping[str, Any] = field(default_factory=dict)  # of each column of free text: sparse (n, words) weights
    telling: Any = None  # sparse (n, words) weights of those that a lesson chose, beside its scores of all words

    def at(self, rows: Integers) -> Columns:
        words = {name: weights[rows] for name, weights in self.words.items()}
        return replace(self, values=np.asfortranarray(self.values[rows]), words=words)


class Axis(Protocol):
    """Where the cells of a column lie among the points."""

    @property
    def at(self) -> int:
        """Which of the columns."""

    @property
    def width(self) -> int: ...

    def coordinates(self, cells: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """(rows, width) of cells as `Columns` hold them."""


@dataclass(frozen=True)
class Twins:
    """Disjoint pairs of rows with equal features, drawn by lot."""

    pairs: int
    differ: int  # of these have different labels


@dataclass(frozen=True)
class Table:
    """The encoded table."""

    labels: npt.NDArray[np.uint8]  # (n,), index into dataset.classes
    dataset: Dataset
    remarks: tuple[Remark, ...] = ()
    row_numbers: Integers | None = None  # of the used rows in the file, where null labels were dropped
    given: Floats | None = None  # (n, C) the probabilities that columns of the table hold
    columns: Columns | None = None  # where there are features
    fingerprints: npt.NDArray[np.uint64] | None = None  # (n,) the same where all features are, unscaled
    told_apart: bool = True  # different cells are different numbers, so fingerprints tell all rows apart that differ
    groups: Integers | None = None  # (n,) the same number for rows of one person, where a column names people
    twins: Twins | None = None  # where they were asked for
    judges: Integers | None = None  # rows whose labels may judge, one of each person; None: all of them
    axes: tuple[Axis, ...] = ()  # of the points

    @property
    def numbers(self) -> Integers:
        """The number of each row in the file."""
        return np.arange(len(self.labels)) if self.row_numbers is None else self.row_numbers

    @property
    def width(self) -> int:
        """Width of the points."""
        return sum(axis.width for axis in self.axes)

    @property
    def points(self) -> npt.NDArray[np.float32]:
        """Make the rows points, (n, width) in C order: often many times the memory of the columns."""
        points = np.empty((len(self.labels), self.width), np.float32)
        for first in range(0, len(points) if self.axes else 0, ROWS_AT_ONCE):
            assert self.columns is not None
            part = slice(first, first + ROWS_AT_ONCE)
            each = [axis.coordinates(self.columns.values[part, axis.at]) for axis in self.axes]
            np.concatenate(each, axis=1, out=points[part])
        return points

    def at(self, rows: Integers) -> Table:
        """The same table with these rows alone, which rise; what is known of columns stays as it was."""
        counts = np.bincount(self.labels[rows], minlength=len(self.dataset.classes))
        return replace(
            self, labels=self.labels[rows], row_numbers=self.numbers[rows], given=_some(self.given, rows),
            dataset=replace(self.dataset, rows_used=len(rows), class_counts=tuple(counts.tolist())),
            columns=None if self.columns is None else self.columns.at(rows),
            fingerprints=_some(self.fingerprints, rows), judges=None,
            groups=None if self.groups is None else np.unique(self.groups[rows], return_inverse=True)[1],
        )  # fmt: skip


def _some(values: Any, rows: Integers) -> Any:
    return None if values is None else values[rows]
