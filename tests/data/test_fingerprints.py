"""Rows have the same fingerprint exactly where all their features are the same."""

import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CELLS = {
    "number": st.sampled_from([0.0, -0.0, 1.5, 1e-9, 1e9, None]),
    "whole": st.sampled_from([0, 1, 2**60, 2**60 + 1, None]),
    "name": st.sampled_from(["", "a", "b", None]),
}


def first_like(values):
    """For each the place of the first that is the same."""
    return [values.index(value) for value in values]


def fingerprints(table):
    return first_like(table.fingerprints.tolist())


@ANY
@given(st.lists(st.tuples(*CELLS.values()), min_size=2, max_size=40))
def test_the_same_where_all_cells_are(read_columns, rows):
    types = pa.float64(), pa.int64(), pa.string()
    columns = {name: pa.array([row[i] for row in rows], types[i]) for i, name in enumerate(CELLS)}
    table = read_columns({**columns, "more": np.arange(len(rows)) % 2})
    assert fingerprints(table) == first_like([(*row, i % 2) for i, row in enumerate(rows)])


@pytest.mark.parametrize(
    "column",
    [
        [1.0, 2.0, 1.0, 1e12] * 5,  # as far as distances go, two of them are the same
        pa.array([decimal.Decimal(10) ** 25 + i for i in (0, 1, 0, 10**24)], pa.decimal128(38, 0)),
        pa.array([2**64 - 1, 2**64 - 2] * 2, pa.uint64()),
        pa.array([1_000, 2_000] * 2, pa.timestamp("ns")),
        pa.array([None, 0.0, None, -0.0]),
        pa.array(np.array([1.0, 1.0 + 2**-10] * 2, np.float16)),
        pa.array([f"level {i % 150}" if i % 10 else None for i in range(600)]),
    ],
    ids=lambda column: str(getattr(column, "type", "huge")),
)
def test_odd_columns(read_columns, column):
    cells = column if isinstance(column, list) else column.to_pylist()
    assert fingerprints(read_columns({"x": column, "same": ["a"] * len(cells)})) == first_like(cells)


def test_what_is_the_same(read_columns, read_text):
    assert fingerprints(read_columns({"a": [0, 1, 0, 1], "b": [1, 0, 0, 1]})) == [0, 1, 2, 3], "columns matter"
    assert fingerprints(read_columns({"x": pa.array([None, float("nan"), 1.0, None])})) == [0, 0, 2, 0]
    table = read_columns({"x": [1, 2, 3, 1], "y": [0, None, 1, 1]}, drop_null_labels=True)
    assert fingerprints(table) == [0, 1, 0], "rows without a label are left out"
    assert fingerprints(read_text("x,name,y\n1.0,a,0\n2,b,1\n1,a,0\n1e0,b,1\n")) == [0, 1, 0, 3]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ("1234567890123456789 1234567890123456788", True),
        ("1234567890123456789 1234567890123456788 0.5", False),
        ("99999999999999999999991 99999999999999999999992", False),
        ("0.1234567 1e6", True),
    ],
)
def test_whether_different_numbers_of_a_text_table_stay_different(read_text, cells, told):
    rows = "\n".join(f"{cell},{i % 3},{i % 2}" for i, cell in enumerate(cells.split() * 2))
    assert read_text(f"x,z,y\n{rows}\n").told_apart is told
