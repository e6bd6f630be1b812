"""Rows of two tables that are the same, whatever the labels are."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from labeldp_audit.core.errors import DataError
from labeldp_audit.data import ReadOptions, same_rows


def table(**more):
    columns = {
        "whole": pa.array([1, 2, None, 4]), "real": pa.array([0.5, None, float("nan"), -0.25]),
        "text": pa.array(["a", None, "", "b"]), "kind": pa.array(["u", "v", None, "u"]).dictionary_encode(),
        "day": pa.array([dt.date(2020, 1, day) for day in (1, 2, 3, 4)]), "tags": pa.array([[1], None, [2, 3], []]),
        "yes": pa.array([True, False, None, True]),
        "when": pa.array([dt.datetime(2020, 1, 1), None, dt.datetime(2021, 1, 1), dt.datetime(2022, 1, 1)]),
        "y": pa.array([0, 1, 0, 1]),
    }  # fmt: skip
    return pa.table({**columns, **more})


def hashes(frame, leave_out=("y",)):
    return same_rows.hashes(frame, set(leave_out), ReadOptions())


def test_labels_do_not_count():
    assert np.array_equal(hashes(table()), hashes(table(y=pa.array([1, 1, 1, 1]))))
    assert not np.array_equal(hashes(table(), ()), hashes(table(y=pa.array([1, 1, 1, 1])), ()))


@pytest.mark.parametrize("name", ["whole", "real", "text", "kind", "day", "tags", "yes", "when"])
def test_every_other_column_does(name):
    changed = table()[name].combine_chunks().take(pa.array([1, 1, 2, 3]))
    found, other = hashes(table()), hashes(table(**{name: changed}))
    assert found[0] != other[0]
    assert np.array_equal(found[1:], other[1:])


def test_the_order_of_columns_does_not():
    names = table().column_names
    assert np.array_equal(hashes(table()), hashes(table().select(names[::-1])))


def test_shuffled_rows_are_found_again():
    order = np.array([2, 0, 3, 1])
    found = same_rows.order(hashes(table()), hashes(table().take(pa.array(order))), "release")
    assert order[found].tolist() == [0, 1, 2, 3]


def test_rows_that_cannot_be_told_apart_stay_in_their_order():
    alike = pa.table({"x": [1, 1, 2], "y": [0, 1, 1]})
    assert same_rows.order(hashes(alike), hashes(alike), "release").tolist() == [0, 1, 2]
    with pytest.raises(DataError, match="another order"):
        same_rows.order(hashes(alike), hashes(alike.take(pa.array([2, 0, 1]))), "release")


def test_another_table_is_refused():
    with pytest.raises(DataError, match="another table"):
        same_rows.order(hashes(pa.table({"x": [1, 2]})), hashes(pa.table({"x": [1, 3]})), "release")
    with pytest.raises(DataError, match="has 1 rows"):
        same_rows.order(hashes(pa.table({"x": [1, 2]})), hashes(pa.table({"x": [1]})), "release")


def test_rows_that_are_alike_do_not_stand_where_they_stood_once_they_are_shuffled():
    same = np.array([7, 7, 3], np.uint64)
    assert same_rows.order(same, same, "out").tolist() == [0, 1, 2]
    with pytest.raises(DataError, match="do not tell all rows apart"):
        same_rows.order(same, same, "out", in_place=False)
    other = np.array([3, 1, 2], np.uint64)
    assert same_rows.order(other, other, "out", in_place=False).tolist() == [0, 1, 2]


def test_texts_are_the_same_in_whatever_type_arrow_holds_them():
    kinds = pa.string(), pa.large_string(), pa.string_view()
    found = [same_rows.hashes(pa.table({"t": pa.array(["a", None, "b"], kind)}), (), ReadOptions()) for kind in kinds]
    assert found[0].tolist() == found[1].tolist() == found[2].tolist() and len({*found[0].tolist()}) == 3


def test_texts_that_are_no_utf_8_are_told_apart():
    bad = pa.Array.from_buffers(pa.string(), 3, pa.array([b"\xb2", b"\xb3", b"\xb2"], pa.binary()).buffers())
    found = same_rows._of_cells(bad)
    assert found[0] == found[2] != found[1]
