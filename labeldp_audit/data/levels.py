"""Columns that are categories: their levels as bytes, how many there are, and where a level lies."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.table import EXACT_LEVELS
from .numbers import is_number

Hashes = npt.NDArray[np.uint64]

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
    views = any(getattr(types, test)(kind) for test in ("is_string_view", "is_binary_view") if hasattr(types, test))
    texts = types.is_string(kind) or types.is_large_string(kind)
    binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return texts or binary or views


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
        array = _without_nan(array.cast(pa.float32()) if kind == pa.float16() else array).cast(pa.string())
    elif pa.types.is_temporal(kind):
        array = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.string())
    elif pa.types.is_fixed_size_binary(kind):
        array = array.cast(pa.binary())
    elif not is_category(kind):
        array = array.cast(pa.string())
    return array.cast(pa.large_binary())


def _without_nan(array: pa.Array) -> pa.Array:
    """NaN is missing, and -0 is 0."""
    values = array.to_numpy(zero_copy_only=False) + 0.0
    return pa.array(values, mask=np.isnan(values))


def mixed(x: Hashes) -> Hashes:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def name_seed(name: str) -> np.uint64:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def hashed(levels: pa.LargeBinaryArray, name: str) -> Hashes:
    """64 bits from a column's name and a level's bytes: the same in every file, order and machine."""
    if not len(levels):
        return np.zeros(0, np.uint64)
    offsets = np.frombuffer(levels.buffers()[1], np.int64)[levels.offset :][: len(levels) + 1]
    content = levels.buffers()[2]
    data = np.frombuffer(content, np.uint8) if content is not None and content.size else np.zeros(0, np.uint8)
    lengths = np.diff(offsets)
    result = np.empty(len(levels), np.uint64)
    seed = name_seed(name)
    short = lengths <= LONG
    if short.all():
        return _hash_words(data[offsets[0] : offsets[-1]], lengths, seed)
    for i in np.flatnonzero(~short):
        result[i] = _hash_long(data[offsets[i] : offsets[i + 1]].tobytes(), seed)
    inside = np.repeat(short, lengths)
    result[short] = _hash_words(data[offsets[0] : offsets[-1]][inside], lengths[short], seed)
    return result


def _hash_words(data: npt.NDArray[np.uint8], lengths: npt.NDArray[np.int64], seed: np.uint64) -> Hashes:
    """Each level padded with zeros to whole words, which are mixed in one after another, then its length."""
    words = -(-int(lengths.max(initial=0)) // 8)
    padded = np.zeros((len(lengths), 8 * words), np.uint8)
    padded[np.arange(8 * words) < lengths[:, None]] = data
    state = np.full(len(lengths), seed, np.uint64)
    for i, word in enumerate(padded.view("<u8").T):
        # Words behind a level's end leave it alone, or its hash would depend on the longest level of the batch.
        state = np.where(8 * i < lengths, mixed((state ^ word) + GOLDEN), state)
    return mixed(state ^ lengths.astype(np.uint64))


def _hash_long(level: bytes, seed: np.uint64) -> np.uint64:
    digest = hashlib.blake2b(level, digest_size=8, salt=int(seed).to_bytes(8, "little")).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def missing_hash(name: str) -> Hashes:
    return mixed(np.array([name_seed(name) ^ MISSING]))


def directions(hashes: Hashes) -> npt.NDArray[np.float32]:
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

    smallest: Hashes

    @classmethod
    def empty(cls) -> Sketch:
        return cls(np.zeros(0, np.uint64))

    def merge(self, hashes: Hashes) -> Sketch:
        if len(self.smallest) == SKETCH:
            hashes = hashes[hashes < self.smallest[-1]]
        return Sketch(np.union1d(self.smallest, hashes)[:SKETCH]) if len(hashes) else self

    def estimate(self) -> int:
        if len(self.smallest) < SKETCH:
            return len(self.smallest)
        return round((SKETCH - 1) / (float(self.smallest[-1]) / 2.0**64))
