"""Hashes of levels, how many there are, and where they lie; mean and spread of numbers, piece by piece."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labeldp_audit.data import levels, numbers
from labeldp_audit.data.numbers import Moments

WORD = (1 << 64) - 1


def splitmix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & WORD
    return x ^ (x >> 31)


def slowly(level, name):
    """The same hash, one level at a time in whole numbers."""
    seed = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    if len(level) > levels.LONG:
        salted = hashlib.blake2b(level, digest_size=8, salt=seed.to_bytes(8, "little"))
        return int.from_bytes(salted.digest(), "little")
    state = seed
    for start in range(0, len(level), 8):
        word = int.from_bytes(level[start : start + 8], "little")
        state = splitmix((state ^ word) + 0x9E3779B97F4A7C15 & WORD)
    return splitmix(state ^ len(level))


def test_the_mixer_is_splitmix64():
    """First outputs for seed 1234567, https://prng.di.unimi.it/splitmix64.c."""
    steps = (np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * levels.GOLDEN).astype(np.uint64)
    assert levels.mixed(steps).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=100), max_size=20), st.text(max_size=5), st.integers(0, 5))
def test_hashing_many_is_hashing_each(found, name, start):
    array = pa.array(found, pa.large_binary()).slice(min(start, len(found)))
    assert levels.hashed(array, name).tolist() == [slowly(level, name) for level in found[start:]]


def test_zeros_at_the_end_count():
    array = pa.array([b"", b"\0", b"\0\0", b"a", b"a\0"], pa.large_binary())
    assert len(set(levels.hashed(array, "x").tolist())) == 5


@pytest.mark.parametrize("distinct", [10, 4095, 4096, 4097, 50_000, 400_000])
def test_counting_levels(distinct):
    hashes = levels.mixed(np.arange(distinct, dtype=np.uint64))
    sketch = levels.Sketch()
    for part in np.array_split(np.concatenate([hashes, hashes[::-1]]), 7):
        sketch = sketch.merge(part)
    assert len(sketch.smallest) <= levels.SKETCH
    assert abs(sketch.estimate() / distinct - 1) <= (0 if distinct < levels.SKETCH else 5 / np.sqrt(levels.SKETCH))


def test_directions_point_everywhere():
    found = levels.directions(levels.mixed(np.arange(20_000, dtype=np.uint64))).astype(np.float64)
    assert np.allclose(np.square(found).sum(axis=1), 0.5, atol=1e-6)
    assert np.abs(found.mean(axis=0)).max() < 5 * np.sqrt(0.5 / 16 / len(found))
    covariance = found.T @ found / len(found) * 32
    assert np.abs(covariance - np.eye(16)).max() < 0.05


# ---- numbers


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(-1e3, 1e3), max_size=8), min_size=1, max_size=8))
def test_merging_pieces_is_taking_all(pieces):
    merged = Moments()
    for piece in pieces:
        merged = merged.merge(Moments.of(np.array(piece, np.float64)))
    every = np.array([value for piece in pieces for value in piece])
    assert merged.count == len(every)
    if len(every):
        assert merged.mean == pytest.approx(every.mean(), abs=1e-9)
        assert merged.deviation == pytest.approx(every.std(), abs=1e-6)
        assert (merged.low, merged.high) == (every.min(), every.max())


@settings(deadline=None)
@given(st.sampled_from([np.int64, np.uint64]), st.data())
@example(np.int64, [-9_217_372_036_854_939_652, 5_999_999_999_836_156, -9_218_372_036_854_775_813])
@example(np.uint64, [0, 2**64 - 1, 1])
def test_differences_of_whole_numbers_are_rounded_once(kind, data):
    whole, limits = st.integers, np.iinfo(kind)
    cells = st.lists(whole(int(limits.min), int(limits.max)), min_size=2, max_size=6)
    origin, *values = data if isinstance(data, list) else data.draw(cells)
    found = numbers.differences(np.array(values, kind), origin, 1)
    assert found.tolist() == [float(value - origin) for value in values]
