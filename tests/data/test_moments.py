"""Mean and spread of a column, piece by piece."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labeldp_audit.data.numbers import Moments, differences


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
@given(st.integers(-(2**63), 2**63 - 1), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5))
@example(-9_217_372_036_854_939_652, [5_999_999_999_836_156, -9_218_372_036_854_775_813])
def test_differences_of_whole_numbers_are_rounded_once(origin, values):
    found = differences(np.array(values, np.int64), origin, 1)
    assert found.tolist() == [float(value - origin) for value in values]


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5))
@example(0, [2**64 - 1, 1])
def test_and_so_are_those_of_unsigned_ones(origin, values):
    found = differences(np.array(values, np.uint64), origin, 1)
    assert found.tolist() == [float(value - origin) for value in values]
