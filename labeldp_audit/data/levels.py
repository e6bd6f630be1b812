"""Columns that are categories: their levels as bytes, how many there are, and where a level lies.

And words: 64 bits of what a cell holds, before anything is scaled or rounded, by which rows are known to have the same
features. Among n different rows two share a fingerprint with a probability of about n^2 / 2^65: once in 400 000 tables
of ten million rows. Numbers are what they are read as: 7 and 007 of a text table are the same.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.table import EXACT_LEVELS
from .numbers import Cells, is_number

Words = npt.NDArray[np.uint64]
"""One for each cell, row or level: the same where they are the same."""

ONE_HOT = 64  # levels; above that a projection
WIDTH = 16  # coordinates of a projected level
SKETCH = EXACT_LEVELS  # smallest hashes that are kept
LONG = 64  # bytes of a level that are hashed with the others of its batch
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MISSING = np.uint64(0xD1B54A32D192ED03)


@dataclass(frozen=True)
class Codes:
    """A piece of a column: row i has level `levels[code[i]]`, or none where code[i] == len(levels)."""

    code: npt.NDArray[np.int64]
    levels: pa.LargeBinaryArray
    missing: int


def is_category(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return is_category(kind.value_type) or is_number(kind.value_type)
    binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return is_text(kind) or binary or kind == pa.binary_view()


def is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def codes(array: pa.Array) -> Codes:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    encoded = as_binary(array).dictionary_encode()
    absent = len(encoded.dictionary)
    code = encoded.indices.fill_null(absent).to_numpy(zero_copy_only=False).astype(np.int64)
    return Codes(code, encoded.dictionary, encoded.null_count)


def as_binary(array: pa.Array) -> pa.Array:
    """Equal cells give equal bytes: text as UTF-8, instants as their number, anything else as it is written."""
    kind = array.type
    if pa.types.is_floating(kind):
        array = without_nan(array.cast(pa.float32()) if kind == pa.float16() else array).cast(pa.string())
    elif pa.types.is_temporal(kind):
        array = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.string())
    elif pa.types.is_fixed_size_binary(kind):
        array = array.cast(pa.binary())
    elif not is_category(kind):
        array = array.cast(pa.string())
    return array.cast(pa.large_binary())


def without_nan(array: pa.Array) -> pa.Array:
    """NaN is missing, and -0 is 0."""
    values = array.to_numpy(zero_copy_only=False) + 0.0
    return pa.array(values, mask=np.isnan(values))


def mixed(x: Words) -> Words:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def name_seed(name: str) -> np.uint64:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def hashed(levels: pa.LargeBinaryArray, name: str) -> Words:
    """64 bits from a column's name and a level's bytes: the same in every file, order and machine."""
    seed = name_seed(name)
    offsets = np.frombuffer(levels.buffers()[1], np.int64)[levels.offset :][: len(levels) + 1] if len(levels) else [0]
    data = np.frombuffer(levels.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    lengths = np.diff(offsets)
    result = np.empty(len(levels), np.uint64)
    short = lengths <= LONG
    for i in np.flatnonzero(~short):
        level = data[offsets[i] - offsets[0] : offsets[i + 1] - offsets[0]].tobytes()
        digest = hashlib.blake2b(level, digest_size=8, salt=int(seed).to_bytes(8, "little")).digest()
        result[i] = int.from_bytes(digest, "little")
    result[short] = _hash_words(data if short.all() else data[np.repeat(short, lengths)], lengths[short], seed)
    return result


def _hash_words(data: npt.NDArray[np.uint8], lengths: npt.NDArray[np.int64], seed: np.uint64) -> Words:
    """Each level padded with zeros to whole words, which are mixed in one after another, then its length."""
    words = -(-int(lengths.max(initial=0)) // 8)
    padded = np.zeros((len(lengths), 8 * words), np.uint8)
    padded[np.arange(8 * words) < lengths[:, None]] = data
    state = np.full(len(lengths), seed, np.uint64)
    for i, word in enumerate(padded.view("<u8").T):
        # Words behind a level's end leave it alone, or its hash would depend on the longest level of the batch.
        state = np.where(8 * i < lengths, mixed((state ^ word) + GOLDEN), state)
    return mixed(state ^ lengths.astype(np.uint64))


def level_words(levels: pa.LargeBinaryArray, name: str) -> Words:
    """Of each level, and behind them that of a missing cell."""
    return np.concatenate([hashed(levels, name), mixed(np.array([name_seed(name) ^ MISSING]))])


def number_words(array: pa.Array, piece: Cells) -> Words:
    """Bits as they are stored, but that -0 is 0; decimals, which 64 bits need not hold, as they are written."""
    if pa.types.is_decimal(array.type):
        written = codes(array)
        return np.asarray(level_words(written.levels, "")[written.code])
    values = piece.values + 0.0 if piece.values.dtype == np.float64 else piece.values
    words = values.view(np.uint64)
    return words if piece.missing is None else np.where(piece.missing, MISSING, words)


def mixed_in(fingerprints: Words, words: Words) -> None:
    """One more column, in place."""
    fingerprints ^= words
    fingerprints += GOLDEN
    fingerprints[:] = mixed(fingerprints)


def directions(hashes: Words) -> npt.NDArray[np.float32]:
    """One vector of length 1/sqrt(2) for each hash, (m, WIDTH): two of them are at expected squared distance 1.

    A coordinate is the sum of four uniform 16-bit numbers, close to Gaussian, centred; whole numbers and one square
    root, so that every machine gets the same bits.
    """
    steps = np.arange(1, WIDTH + 1, dtype=np.uint64) * GOLDEN
    bits = mixed(hashes[:, None] + steps)
    pieces = [(bits >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48)]
    drawn = 2 * sum(piece.astype(np.int64) for piece in pieces) - 4 * 0xFFFF
    norm = np.sqrt(2.0 * np.square(drawn).sum(axis=1).astype(np.float64))
    return np.asarray(drawn / norm[:, None], np.float32)


@dataclass(frozen=True)
class Sketch:
    """The smallest hashes seen. The k-th smallest of N uniform ones is near k/N (Bar-Yossef et al. 2002)."""

    smallest: Words = field(default_factory=lambda: np.zeros(0, np.uint64))

    def merge(self, hashes: Words) -> Sketch:
        if len(self.smallest) == SKETCH:
            hashes = hashes[hashes < self.smallest[-1]]
        return Sketch(np.union1d(self.smallest, hashes)[:SKETCH]) if len(hashes) else self

    def estimate(self) -> int:
        if len(self.smallest) < SKETCH:
            return len(self.smallest)
        return round((SKETCH - 1) / (float(self.smallest[-1]) / 2.0**64))
