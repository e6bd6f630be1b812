"""Which rows have the same features: 64 bits of what their cells hold, before anything is scaled or rounded.

Among n different rows two share a fingerprint with a probability of about n^2 / 2^65: once in 400 000 tables of ten
million rows.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from . import levels
from .numbers import Cells

Words = levels.Hashes
"""One for each row: for cells of one column, the same where they are the same."""


def of_numbers(array: pa.Array, piece: Cells) -> Words:
    """Bits as they are stored, but that -0 is 0; decimals, which 64 bits need not hold, as they are written."""
    if pa.types.is_decimal(array.type):
        return of_levels(levels.codes(array), "")
    values = piece.values + 0.0 if piece.values.dtype == np.float64 else piece.values
    words = values.view(np.uint64)
    return words if piece.missing is None else np.where(piece.missing, levels.MISSING, words)


def of_levels(piece: levels.Codes, name: str) -> Words:
    hashes = np.concatenate([levels.hashed(piece.levels, name), levels.missing_hash(name)])
    return np.asarray(hashes[piece.code])


def mixed_in(fingerprints: Words, words: Words) -> None:
    """One more column, in place."""
    fingerprints ^= words
    fingerprints += levels.GOLDEN
    fingerprints[:] = levels.mixed(fingerprints)
