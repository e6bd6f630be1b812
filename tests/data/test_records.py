"""Records of two tables that are the same by their values, and which of them is which."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest

from labeldp_audit.data import ReadOptions
from labeldp_audit.data.records import match, records


def table(**more):
    columns = {
        "whole": pa.array([1, 2, None, 4]), "real": pa.array([0.5, None, float("nan"), -0.25]),
        "text": pa.array(["a", None, "", "b"]), "kind": pa.array(["u", "v", None, "u"]).dictionary_encode(),
        "day": pa.array([dt.date(2020, 1, day) for day in (1, 2, 3, 4)]), "tags": pa.array([[1], None, [2, 3], []]),
        "yes": pa.array([True, False, None, True]),
        "when": pa.array([dt.datetime(2020, 1, 1), None, dt.datetime(2021, 1, 1), dt.datetime(2022, 1, 1)]),
    }  # fmt: skip
    return pa.table({**columns, **more})


def hashes(frame):
    return records(frame, frame.column_names, ReadOptions()).hashes


@pytest.mark.parametrize("name", table().column_names)
def test_records_differ_where_a_cell_does(name):
    changed = table()[name].combine_chunks().take(pa.array([3 if name == "tags" else 1, 1, 2, 3]))
    ours, theirs = (records(one, one.column_names, ReadOptions()) for one in (table(), table(**{name: changed})))
    assert ours.hashes[0] != theirs.hashes[0] and np.array_equal(ours.hashes[1:], theirs.hashes[1:])
    assert [column for column in ours.columns if ours.columns[column] != theirs.columns[column]] == [name]


def test_records_do_not_depend_on_the_order_of_columns():
    assert np.array_equal(hashes(table()), hashes(table().select(table().column_names[::-1])))


def test_records_with_cells_exchanged_between_columns_differ():
    one, other = pa.table({"a": [1], "b": [2]}), pa.table({"a": [2], "b": [1]})
    assert hashes(one) != hashes(other)


ALIKE = [
    ([pa.array([1, 2, None], kind) for kind in (pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(5, 1))], "numbers"),
    ([pa.array([0.0, None]), pa.array([-0.0, float("nan")])], "zeros"),
    ([pa.array(["a", None], kind) for kind in (pa.string(), pa.large_string(), pa.string_view())], "texts"),
    ([pa.array(["a", ""]), pa.array(["a", None]), pa.array(["a", None]).dictionary_encode()], "missing"),
]


@pytest.mark.parametrize("columns", [columns for columns, _ in ALIKE], ids=[name for _, name in ALIKE])
def test_equal_values_of_any_type_are_one_record(columns):
    found = [hashes(pa.table({"t": column})).tolist() for column in columns]
    assert all(one == found[0] for one in found) and len(set(found[0])) == len(found[0])


def test_large_whole_numbers_are_told_apart():
    near = [2**53, 2**53 + 1, -(2**60), -(2**60) - 1]
    assert len(set(hashes(pa.table({"n": near})))) == 4
    assert len(set(hashes(pa.table({"n": pa.array([decimal.Decimal(one) for one in near])})))) == 4


def test_records_are_read_in_the_types_of_the_other_table(tmp_path):
    """Text of numbers stays text, and what was rounded to 32 bits is rounded again."""
    ours = pa.table(
        {
            "code": ["007", "7"],
            "x": pa.array([0.1, 0.2], pa.float32()),
            "at": pa.array([dt.date(1970, 1, 2), dt.date(1970, 1, 3)]),
        }
    )
    (tmp_path / "t.csv").write_text("code,x,at\n007,0.1,1970-01-02\n7,0.2,1970-01-03\n")
    kept = records(ours, ours.column_names, ReadOptions())
    again = records(str(tmp_path / "t.csv"), ours.column_names, ReadOptions(), types=kept.types)
    assert np.array_equal(kept.hashes, again.hashes) and kept.hashes[0] != kept.hashes[1]


def test_rounded_records_agree_to_five_digits():
    near = [pa.table({"x": [value]}) for value in (0.2, 0.2000001)]
    first, second = (records(one, ["x"], ReadOptions(), rounded=True).hashes for one in near)
    assert first == second and hashes(near[0]) != hashes(near[1])


def test_texts_that_are_not_utf_8_are_told_apart():
    bad = pa.Array.from_buffers(pa.string(), 3, pa.array([b"\xb2", b"\xb3", b"\xb2"], pa.binary()).buffers())
    found = hashes(pa.table({"t": bad}))
    assert found[0] == found[2] != found[1]


# ---- which is which


def test_match_of_records_that_all_differ_is_exact():
    ours, order = np.array([5, 9, 7, 1], np.uint64), np.array([2, 0, 3, 1])
    found = match(ours, ours[order], np.array([0, 1, 0, 1]))
    assert found.row.tolist() == found.alike.tolist() == order.tolist() and found.alone.all() and not found.strange


def test_match_of_equal_records_needs_one_label_or_the_key():
    ours, labels = np.array([5, 5, 7, 7, 1], np.uint64), np.array([0, 1, 1, 1, 0])
    found = match(ours, ours, labels)
    assert found.row.tolist() == [-1, -1, 2, 3, 4] and found.alone.tolist() == [False] * 4 + [True]
    assert sorted(found.alike) == list(range(5)) and found.group[0] == found.group[1] != found.group[2]
    order = np.array([1, 0, 3, 2, 4])
    known = match(ours, ours, labels, order)
    assert known.row.tolist() == order.tolist() and known.alone.all()


@pytest.mark.parametrize(
    ("theirs", "order", "strange"), [([1, 2, 4], None, 1), ([1, 2], None, 1), ([2, 1, 3], [0, 1, 2], 2)]
)
def test_match_counts_records_of_another_table(theirs, order, strange):
    labels = np.zeros(3, np.int64)
    key = None if order is None else np.array(order)
    assert match(np.array([1, 2, 3], np.uint64), np.array(theirs, np.uint64), labels, key).strange == strange
