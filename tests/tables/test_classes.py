"""The label: which column, which classes, which of them is positive."""

import decimal

import numpy as np
import pyarrow as pa
import pytest

from labeldp_audit.errors import DataError, SpecError

X = [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["label", "y", "Target", "CLASS", "click", "Clicked"])
def test_labels_that_need_no_option(read_text, name):
    assert read_text(f"a,{name}\n1,0\n2,1\n").dataset.label == name


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 1, 0, 1], ("0", "1")),
        ([10, 9, 10, 9], ("9", "10")),
        ([0.0, 1.0, 0.0, 1.0], ("0", "1")),
        ([0.5, -0.0, 0.0, 0.5], ("0", "0.5")),
        ([-1, 1, 1, -1], ("-1", "1")),
        ([True, False, True, True], ("false", "true")),
        (["TRUE", "FALSE", "TRUE", "FALSE"], ("FALSE", "TRUE")),
        (["Yes", "no", "Yes", "no"], ("no", "Yes")),
        (["1", "0", "1", "0"], ("0", "1")),
        (["1", "none", "1", "none"], ("none", "1")),
        ([decimal.Decimal("1.00"), decimal.Decimal("0.00")] * 2, ("0", "1")),
        (pa.array([b"1", b"0"] * 2), ("0", "1")),
        (pa.array(["yes", "no"] * 2).dictionary_encode(), ("no", "yes")),
        (pa.array(np.array([0, 1, 0, 1], np.float16)), ("0", "1")),
        (pa.array([0, 2**64 - 1] * 2, pa.uint64()), ("0", "18446744073709551615")),
    ],
    ids=str,
)
def test_two_classes_negative_first(read_columns, labels, classes):
    table = read_columns({"x": X, "y": labels})
    assert table.dataset.classes == classes
    assert table.dataset.positive == classes[1]
    assert table.dataset.class_counts == tuple(np.bincount(table.labels).tolist())
    assert table.labels.dtype == np.uint8


@pytest.mark.parametrize(
    ("labels", "positive", "classes"),
    [
        ([0, 1, 0, 1], "0", ("1", "0")),
        ([0, 1, 0, 1], "1.0", ("0", "1")),
        ([0.0, 1.0, 1.0, 0.0], "+1", ("0", "1")),
        ([True, False, True, True], "False", ("true", "false")),
        (["spam", "ham", "spam", "ham"], "ham", ("spam", "ham")),
        (["a", "b", "c", "a"], "a", ("rest", "a")),
    ],
    ids=str,
)
def test_the_positive_class_can_be_named(read_columns, labels, positive, classes):
    table = read_columns({"x": X, "y": labels}, positive=positive)
    assert table.dataset.classes == classes
    assert [classes[code] == classes[1] for code in table.labels] == [
        str(v).lower() in same(classes[1]) for v in labels
    ]


def same(name):
    return {name, f"{name}.0", name.lower()}


@pytest.mark.parametrize(
    ("labels", "options", "error", "says"),
    [
        (["a", "b", "a", "b"], {}, SpecError, "'a' or 'b'"),
        (["yes", "1", "yes", "1"], {}, SpecError, "'1' or 'yes'"),
        (["a", "b", "a", "b"], {"positive": "c"}, SpecError, "'c'"),
        (["a", "b", "c", "b"], {}, DataError, "more than two classes ('a', 'b', 'c')"),
        ([1, 1, 1, 1], {}, DataError, "one class only, '1'"),
        ([None] * 4, {}, DataError, "missing labels: 4 of 4"),
        ([None] * 4, {"drop_null_labels": True}, DataError, "too few rows: 0"),
        ([1, None, float("nan"), 0.0], {}, DataError, "missing labels: 2 of 4"),
        ([[1], [0], [1], [0]], {}, DataError, "a label cannot be of type list"),
    ],
    ids=str,
)
def test_labels_that_cannot_be_audited(read_columns, labels, options, error, says):
    with pytest.raises(error) as caught:
        read_columns({"x": X, "y": labels}, **options)
    assert says in str(caught.value)


def test_the_class_to_name_is_hinted(read_columns):
    with pytest.raises(SpecError) as caught:
        read_columns({"x": X, "y": ["a", "b", "a", "b"]})
    assert caught.value.hint == "--positive VALUE"


def test_a_regression_target_is_no_label(read_columns):
    with pytest.raises(DataError, match=r"looks continuous.*more than 255 values.*'y'"):
        read_columns({"x": list(range(300)), "y": [i / 7 for i in range(300)]})


def test_rows_without_a_label_are_dropped_on_request(read_columns):
    table = read_columns({"x": [1.0, 5, 3, float("nan")], "y": [0, None, 1, 1]}, drop_null_labels=True)
    assert table.row_numbers.tolist() == [0, 2, 3]
    assert table.labels.tolist() == [0, 1, 1]
    assert table.points[:, 0].tolist() == [-1, 1, 0], "a dropped row has no say in the mean"
    assert (table.dataset.rows, table.dataset.rows_used) == (4, 3)
    assert table.warnings == ("rows without a label, dropped: 1",)


def test_nothing_dropped_means_no_row_numbers(read_columns):
    assert read_columns({"x": X}, drop_null_labels=True).row_numbers is None
