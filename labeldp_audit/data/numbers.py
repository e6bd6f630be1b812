"""Columns that are numbers: whole, floating, decimal, boolean, dates and times.

A cell becomes float64(x - origin) / unit, origin being the column's first value. Whole numbers are subtracted as such:
identifiers beyond 2^53 and nanoseconds since 1970 keep their differences. Temporal values come out in seconds.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Floats

SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
DAY = 86_400
EXACT_DIGITS = 15  # a whole number of so many digits is a float64 exactly
Values = npt.NDArray[np.int64] | npt.NDArray[np.uint64] | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """A piece of a column. Missing cells hold anything."""

    values: Values
    missing: npt.NDArray[np.bool_] | None


def is_number(kind: pa.DataType) -> bool:
    if pa.types.is_temporal(kind):
        return not pa.types.is_interval(kind)
    types = pa.types
    return any(test(kind) for test in (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean))


def is_whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))


def unit(kind: pa.DataType) -> float:
    """How many of the stored units make one."""
    if pa.types.is_date32(kind):
        return 1 / DAY
    return SECOND[kind.unit] if hasattr(kind, "unit") else SECOND["ms"] if pa.types.is_date64(kind) else 1


def cells(array: pa.Array) -> Cells:
    """int64, uint64 or float64 and where cells are missing, null or NaN."""
    missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    plain = as_plain(array)
    if missing is not None and plain.null_count < len(plain):
        # A value of the column itself: a zero might be farther away than whole numbers can say exactly.
        plain = plain.fill_null(plain[int(np.argmin(missing))])
    elif missing is not None:
        plain = plain.fill_null(pa.scalar(0, plain.type))
    values = plain.to_numpy(zero_copy_only=False)
    if values.dtype == np.float64 and not math.isfinite(total(values)):
        nan = np.isnan(values)
        missing = nan if missing is None else missing | nan
    return Cells(values, missing if missing is not None and missing.any() else None)


def as_plain(array: pa.Array) -> pa.Array:
    kind = array.type
    if kind in (pa.int64(), pa.uint64(), pa.float64()):
        return array
    if pa.types.is_decimal(kind):
        return decimals(array)
    if pa.types.is_floating(kind):
        return array.cast(pa.float32()).cast(pa.float64())
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        array = array.cast(pa.int32())
    return array.cast(pa.int64())


def decimals(array: pa.Array) -> pa.Array:
    """Whole where they can be, else the nearest float64, which pyarrow's own cast misses by a bit in one of seven."""
    kind = array.type
    if kind.scale == 0:  # how some databases write all whole numbers
        with contextlib.suppress(pa.ArrowInvalid):
            return array.cast(pa.int64())
    if kind.precision > EXACT_DIGITS or not 0 <= kind.scale <= EXACT_DIGITS:
        return array.cast(pa.string()).cast(pa.float64())
    array = array.cast(pa.decimal128(kind.precision, kind.scale))
    whole = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset :: 2][: len(array)]
    nulls = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    return pa.array(whole / 10.0**kind.scale, mask=nulls)


@np.errstate(over="ignore", invalid="ignore")
def total(values: Values) -> float:
    """Finite unless some value is not, or all of them are huge: a quick look."""
    return float(values.sum())


@np.errstate(over="ignore")
def differences(values: npt.NDArray[Any], origin: float, per_unit: float) -> Floats:
    """(x - origin) / unit. Subtracting modulo 2^64 is exact where the true difference is below 2^63."""
    start = int(origin) if values.dtype != np.float64 else 0
    if values.dtype == np.float64:
        shifted = values - origin
    elif not len(values) or (int(values.max()) - start < 1 << 63 and start - int(values.min()) <= 1 << 63):
        shifted = (values - np.array([start], values.dtype)).view(np.int64).astype(np.float64)
    else:  # differences of the halves are exact, their sum is rounded once
        high = (values >> 32).astype(np.float64) - float(start >> 32)
        low = (values & 0xFFFFFFFF).astype(np.float64) - float(start & 0xFFFFFFFF)
        shifted = high * 2.0**32 + low
    if per_unit != 1:
        shifted = shifted * DAY if per_unit < 1 else shifted / per_unit
    return np.asarray(shifted, np.float64)


@dataclass(frozen=True)
class Moments:
    """Count, mean, sum of squared deviations and range of values; pieces are merged as in Chan, Golub, LeVeque 1979."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")
    def of(cls, values: Floats) -> Moments:
        if not len(values):
            return cls()
        mean = float(values.mean())
        deviations = values - mean
        squares = float(np.square(deviations, out=deviations).sum())
        return cls(len(values), mean, squares, float(values.min()), float(values.max()))

    def merge(self, other: Moments) -> Moments:
        count = self.count + other.count
        if not count:
            return self
        gap = other.mean - self.mean
        mean = self.mean + gap * (other.count / count)
        squares = self.squares + other.squares + gap * gap * (self.count * other.count / count)
        return Moments(count, mean, squares, min(self.low, other.low), max(self.high, other.high))

    @property
    def deviation(self) -> float:
        return math.sqrt(self.squares / self.count) if self.count else 0.0
