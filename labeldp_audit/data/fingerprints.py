"""Which rows have the same features: 64 bits of what their cells hold, before anything is scaled or rounded.

Among n different rows two share a fingerprint with a probability of about n^2 / 2^65: once in 400 000 tables of ten
million rows. Numbers are what they are read as: 7 and 007 of a text table are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from . import levels
from .numbers import Cells
from .scan import CategoryScan, NumberScan

NOT_A_NUMBER = levels.MISSING + np.uint64(2)
LARGEST = 2.0**53  # from here on float64 holds no longer all whole numbers
LONG = 15  # digits of a decimal that float64 tells apart

Words = levels.Hashes
"""One for each row: for cells of one column, the same where they are the same."""


def of_numbers(array: pa.Array, piece: Cells) -> Words:
    """Bits as they are stored, but that -0 is 0; decimals, which 64 bits need not hold, as they are written."""
    if pa.types.is_decimal(array.type):
        return of_levels(levels.codes(array), "")
    values = piece.values + 0.0 if piece.values.dtype == np.float64 else piece.values
    words = values.view(np.uint64)
    if piece.missing is None:
        return words
    absent = np.where(array.is_null().to_numpy(zero_copy_only=False), levels.MISSING, NOT_A_NUMBER)
    return np.where(piece.missing, absent, words)


def of_levels(piece: levels.Codes, name: str) -> Words:
    hashes = np.concatenate([levels.hashed(piece.levels, name), levels.missing_hash(name)])
    return np.asarray(hashes[piece.code])


def tell_apart(columns: Sequence[NumberScan | CategoryScan | None]) -> bool:
    """Whether different cells were read as different numbers: not where long ones became floating in a text table, or
    where a column of long decimals passed for constant."""
    return not any(_blurred(one) for one in columns if isinstance(one, NumberScan))


def _blurred(column: NumberScan) -> bool:
    if pa.types.is_decimal(column.type):
        return column.constant and column.type.precision > LONG
    origin, moments = column.origin or 0, column.moments
    return bool(pa.types.is_floating(column.type)) and max(-(origin + moments.low), origin + moments.high) >= LARGEST


def mixed_in(fingerprints: Words, words: Words) -> None:
    """One more column, in place."""
    fingerprints ^= words
    fingerprints += levels.GOLDEN
    fingerprints[:] = levels.mixed(fingerprints)
