"""Tables in memory: which types they have, and the hash that they are known by."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from labeldp_audit.core.errors import DataError, SpecError
from labeldp_audit.data.sources.content import digest
from labeldp_audit.data.sources.frame import open_frame

CELLS = {
    "whole": pa.array([1, None, 3, -4]),
    "small": pa.array([1, 2, None, 4], pa.int8()),
    "number": pa.array([0.5, None, float("nan"), -0.0]),
    "single": pa.array([0.5, None, 2, 1], pa.float32()),
    "truth": pa.array([True, None, False, True]),
    "text": pa.array(["ä", None, "", "b"]),
    "bytes": pa.array([b"\0", None, b"", b"b"]),
    "kind": pa.array(["x", "y", None, "x"]).dictionary_encode(),
    "day": pa.array([dt.date(2020, 1, 1), None, dt.date(2021, 1, 1), dt.date(1960, 1, 1)]),
    "instant": pa.array([dt.datetime(2020, 1, 1), None, dt.datetime(2021, 1, 1, 3), dt.datetime(1960, 1, 1)]),
    "clock": pa.array([dt.time(1), None, dt.time(2), dt.time(3)]),
    "money": pa.array([decimal.Decimal("1.20"), None, decimal.Decimal("3.45"), decimal.Decimal("-7")]),
    "list": pa.array([[1, None], None, [], [2, 3]]),
    "texts": pa.array([["a"], None, [], ["b", None]]),
    "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {"a": 2, "b": None}]),
    "pair": pa.array([b"ab", None, b"cd", b"ef"], pa.binary(2)),
    "view": pa.array(["a text that is longer than its view", None, "", "b"], pa.string_view()),
    "half": pa.array(np.array([1, 2, 3, 4], np.float16), mask=np.array([False, True, False, False])),
    "long": pa.array([decimal.Decimal(10**60), None, decimal.Decimal(3), decimal.Decimal(-7)], pa.decimal256(76, 0)),
    "span": pa.array([dt.timedelta(1), None, dt.timedelta(2), dt.timedelta(3)]),
    "months": pa.array([(1, 2, 3), None, (0, 0, 1), (1, 2, 4)], pa.month_day_nano_interval()),
    "fixed": pa.array([[1, 2], None, [3, None], [5, 6]], pa.list_(pa.int8(), 2)),
    "map": pa.array([[("a", 1)], None, [], [("a", 2), ("b", None)]], pa.map_(pa.string(), pa.int64())),
    "nothing": pa.nulls(4),
}


def table(**changed: pa.Array) -> pa.Table:
    return pa.table(CELLS | changed)


def known_by(frame: object) -> str:
    return digest(open_frame(frame).contents)


# ---- the hash


@pytest.mark.parametrize("sizes", [(1, 3), (2, 2), (1, 1, 1, 1), (0, 4), (3, 0, 1)])
def test_chunks_are_not_in_the_hash(sizes):
    """Nor whether columns are chunked alike."""
    whole, start, parts = table(), 0, []
    for size in sizes:
        parts.append(whole.slice(start, size))
        start += size
    pieces = pa.concat_tables(parts)
    assert known_by(pieces) == known_by(pieces.set_column(0, "whole", whole["whole"])) == known_by(whole)


def test_a_part_is_known_by_its_own_cells():
    """Slices share the memory of the whole."""
    whole = pa.concat_tables([table(), table()])
    for start in range(4):
        copied = pa.table({name: pa.array(whole[name].slice(start, 4).to_pylist(), whole[name].type)
                           for name in whole.column_names})  # fmt: skip
        assert known_by(whole.slice(start, 4)) == known_by(copied)


def test_a_dictionary_is_known_by_what_it_says():
    one = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), pa.array(["x", "y"]))
    other = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2], pa.int8()), pa.array(["y", "unused", "x"]))
    assert known_by(pa.table({"c": one})) == known_by(pa.table({"c": other}))


def test_what_lies_under_a_missing_cell_is_not_in_the_hash():
    under = [pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(np.array([7, hidden]))])
             for hidden in (1, 2)]  # fmt: skip
    assert known_by(pa.table({"a": under[0]})) == known_by(pa.table({"a": under[1]}))


@pytest.mark.parametrize("name", [name for name in CELLS if name != "nothing"])
def test_each_cell_is_in_the_hash(name):
    cells = CELLS[name].to_pylist()
    seen = {known_by(table())}
    for row in (0, 2, 3):
        other = [*cells[:row], None, *cells[row + 1 :]]
        if cells[row] is not None:
            seen.add(known_by(table(**{name: pa.array(other, CELLS[name].type)})))
    seen.add(known_by(table(**{name: pa.array(cells[::-1], CELLS[name].type)})))
    assert len(seen) >= 4 - (cells[2] is None)


def test_names_types_and_borders_of_texts_are_in_the_hash():
    frames = [
        pa.table({"a": ["ab", "c"]}), pa.table({"a": ["a", "bc"]}), pa.table({"b": ["ab", "c"]}),
        pa.table({"a": [b"ab", b"c"]}), pa.table({"a": pa.array(["ab", "c"]).dictionary_encode()}),
        pa.table({"a": [1, 2]}), pa.table({"a": pa.array([1, 2], pa.int32())}), pa.table({"a": [1.0, 2.0]}),
        pa.table({"a": [[1], [2]]}), pa.table({"a": [[1, 2], []]}), pa.table({"a": [1, 2, 3]}),
        pa.table({"a": pa.array([1, 2], pa.timestamp("us"))}), pa.table({"a": pa.array([1, 2], pa.timestamp("ns"))}),
    ]  # fmt: skip
    assert len(set(map(known_by, frames))) == len(frames)


def test_the_library_is_not_in_the_hash():
    columns = {"i": [1, 2, 3], "f": [0.5, 1.5, 2.5], "s": ["a", "ä", ""], "b": [True, False, True],
               "d": [dt.date(2020, 1, 1)] * 3, "t": [dt.datetime(2020, 1, 1, 3)] * 3}  # fmt: skip
    of_pandas = pd.DataFrame(columns).astype({"t": "datetime64[us]"})  # nanoseconds before pandas 3
    frames = pa.table(columns), of_pandas, pl.DataFrame(columns), pl.LazyFrame(columns)
    assert len(set(map(known_by, frames))) == 1


def test_it_is_this_hash():
    """Waivers name tables by it: another version of ours must not give another one."""
    assert known_by(pa.table({"a": [1, 2, None], "s": ["x", None, "z"]})) == KEPT


KEPT = "ac82d25da375649441eb9dde47827943f71698a369f9f71da1ed450fac91c97c"


# ---- what comes through the door


def test_an_index_is_no_column():
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=pd.Index([5, 5, 9], name="who"))
    assert list(open_frame(frame).types) == ["a"]
    assert known_by(frame) == known_by(frame.reset_index(drop=True))
    assert list(open_frame(frame.set_index("a", append=True).reset_index("a")).types) == ["a"]


def test_names_are_texts():
    assert list(open_frame(pd.DataFrame(np.zeros((2, 3)))).types) == ["0", "1", "2"]


def test_numbers_share_their_memory():
    values = np.arange(1000.0)
    for frame in (pd.DataFrame({"a": values}, copy=False), pl.DataFrame({"a": values}), pa.table({"a": values})):
        source = open_frame(frame)
        before = pa.total_allocated_bytes()
        [batch] = source.batches(["a"], 1000)
        assert pa.total_allocated_bytes() - before < 1000
        assert batch.column(0).to_pylist() == values.tolist()
    assert batch.column(0).buffers()[1].address == values.ctypes.data


def test_whatever_speaks_arrow_is_taken():
    class Speaker:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"a": [1, 2]}).__arrow_c_stream__(requested_schema)

    assert open_frame(Speaker()).rows == 2
    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), [pa.record_batch({"a": [1]})])
    assert open_frame(reader).rows == 1
    assert open_frame(pa.record_batch({"a": [1, 2, 3]})).rows == 3


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame([[1, 2]], columns=[0, "0"]),
     pa.table([[1], [2]], names=["a", "a"])],
)  # fmt: skip
def test_two_columns_of_one_name_are_refused(frame):
    with pytest.raises(DataError, match=r"two columns have the same name: frame: column '[a0]'"):
        list(open_frame(frame).types)


@pytest.mark.parametrize("thing", [None, 3, [1, 2], {"a": [1]}, np.zeros(3), pd.Series([1])])
def test_what_is_no_table_is_refused(thing):
    with pytest.raises(SpecError, match="not a table") as refused:
        open_frame(thing)
    assert "DataFrame" in refused.value.hint


@pytest.mark.parametrize("cells", [[1, "secret", None], ["secret", b"1", 2.0], [object()] * 3, [{1}, 2, 3]])
def test_cells_of_many_types_are_refused_without_being_shown(cells):
    frame = pd.DataFrame({"fine": [1, 2, 3], "mixed": pd.Series(cells, dtype=object)})
    with pytest.raises(DataError, match="no common type: frame: column 'mixed'") as refused:
        open_frame(frame)
    assert "secret" not in str(refused.value) + refused.value.hint
