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


@pytest.mark.parametrize(
    ("labels", "classes", "codes"),
    [
        ([10, 9, -1, 9], ("-1", "9", "10"), [2, 1, 0, 1]),
        (["b", "a", "c", "a"], ("a", "b", "c"), [1, 0, 2, 0]),
        (["x", "10", "9", "1e1"], ("9", "10", "1e1", "x"), [3, 1, 0, 2]),
        ([0.5, -0.0, 0.0, 2.0], ("0", "0.5", "2"), [1, 0, 0, 2]),
        (pa.array(["c", "b", "a", "a"]).dictionary_encode(), ("a", "b", "c"), [2, 1, 0, 0]),
    ],
    ids=str,
)
def test_many_classes_where_they_are_wanted(read_columns, labels, classes, codes):
    table = read_columns({"x": X, "y": labels}, many_classes=True)
    assert table.dataset.classes == classes
    assert table.dataset.positive is None
    assert table.labels.tolist() == codes
    assert table.labels.dtype == np.uint8
    assert table.dataset.class_counts == tuple(np.bincount(table.labels).tolist())
    assert sum(table.dataset.prior) == pytest.approx(1)
    assert table.points.shape == (4, 1)


@pytest.mark.parametrize("options", [{}, {"labels_only": True}], ids=str)
def test_as_many_classes_as_fit_a_byte(read_columns, options):
    """Each of them in one row, and a row without a label: 255 codes and no clash with what is missing."""
    labels = [*range(255)][::-1]
    columns = {"x": list(range(256)), "y": pa.array([None, *labels], pa.int64())}
    table = read_columns(columns, many_classes=True, drop_null_labels=True, **options)
    assert table.labels.tolist() == labels
    assert table.dataset.class_counts == (1,) * 255
    with pytest.raises(DataError, match="more than 255 values"):
        read_columns({"x": list(range(256)), "y": list(range(256))}, many_classes=True, **options)


@pytest.mark.parametrize("options", [{}, {"labels_only": True}], ids=str)
def test_classes_that_appear_late(read_text, options):
    """The codes of a batch are those of the whole table, whichever class came first."""
    rows = 1 << 16
    text = "x,y\n" + "".join(f"{i},{'cb'[i % 2]}\n" for i in range(rows)) + "1,a\n2,c\n"
    table = read_text(text, many_classes=True, **options)
    assert table.dataset.classes == ("a", "b", "c")
    assert table.labels[[0, 1, rows - 1, rows, rows + 1]].tolist() == [2, 1, 1, 0, 2]
    assert table.dataset.class_counts == (1, rows // 2, rows // 2 + 1)


def test_two_classes_are_two_however_many_may_come(read_columns):
    labels = {"x": X, "y": [0, 1, 0, 1]}
    assert read_columns(labels, many_classes=True).dataset == read_columns(labels).dataset
    with pytest.raises(SpecError, match="which class of the label 'y' is positive"):
        read_columns({"x": X, "y": ["a", "b", "a", "b"]}, many_classes=True)


def test_one_of_many_classes_against_the_rest(read_columns):
    table = read_columns({"x": X, "y": ["a", "b", "c", "b"]}, many_classes=True, positive="b")
    assert (table.dataset.classes, table.dataset.positive) == (("rest", "b"), "b")
    assert table.labels.tolist() == [0, 1, 0, 1]


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
