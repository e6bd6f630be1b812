"""The label: which column, which classes, which of them is positive."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest

from labeldp_audit.core.errors import DataError, SpecError
from labeldp_audit.data.scan import LabelScan
from labeldp_audit.reports.sentences import warnings as said_of

X = [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["label", "y", "Target", "CLASS", "click", "Clicked"])
def test_labels_that_need_no_option(read_text, name):
    assert read_text(f"a,{name}\n1,0\n2,1\n").dataset.label == name


@pytest.mark.parametrize(
    ("labels", "positive", "classes", "codes"),
    [
        ([0, 1, 0, 1], None, ("0", "1"), [0, 1, 0, 1]),
        ([10, 9, 10, 9], None, ("9", "10"), [1, 0, 1, 0]),
        ([0.5, -0.0, 0.0, 0.5], None, ("0", "0.5"), [1, 0, 0, 1]),
        ([-1, 1, 1, -1], None, ("-1", "1"), [0, 1, 1, 0]),
        ([True, False, True, True], None, ("false", "true"), [1, 0, 1, 1]),
        (["TRUE", "FALSE", "TRUE", "FALSE"], None, ("FALSE", "TRUE"), [1, 0, 1, 0]),
        (["Yes", "no", "Yes", "no"], None, ("no", "Yes"), [1, 0, 1, 0]),
        (["1", "none", "1", "none"], None, ("none", "1"), [1, 0, 1, 0]),
        ([decimal.Decimal("1.00"), decimal.Decimal("0.00")] * 2, None, ("0", "1"), [1, 0, 1, 0]),
        (pa.array([b"1", b"0"] * 2), None, ("0", "1"), [1, 0, 1, 0]),
        (pa.array(["yes", "no"] * 2).dictionary_encode(), None, ("no", "yes"), [1, 0, 1, 0]),
        (pa.array(np.array([0, 1, 0, 1], np.float16)), None, ("0", "1"), [0, 1, 0, 1]),
        (pa.array([0, 2**64 - 1] * 2, pa.uint64()), None, ("0", "18446744073709551615"), [0, 1, 0, 1]),
        ([0, 1, 0, 1], "0", ("1", "0"), [1, 0, 1, 0]),
        ([0, 1, 0, 1], "1.0", ("0", "1"), [0, 1, 0, 1]),
        ([0.0, 1.0, 1.0, 0.0], "+1", ("0", "1"), [0, 1, 1, 0]),
        ([True, False, True, True], "False", ("true", "false"), [0, 1, 0, 0]),
        (["1", "1.0", "1", "0"], "1.0", ("rest", "1.0"), [0, 1, 0, 0]),
        (["spam", "ham", "spam", "ham"], "ham", ("spam", "ham"), [0, 1, 0, 1]),
        (["a", "b", "c", "a"], "a", ("rest", "a"), [1, 0, 0, 1]),
        (["a", "b", "rest", "a"], "rest", ("others", "rest"), [0, 0, 1, 0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("many", [False, True])
def test_two_classes_negative_first(read_columns, labels, positive, classes, codes, many):
    """However many may come."""
    table = read_columns({"x": X, "y": labels}, positive=positive, many_classes=many)
    assert table.dataset.classes == classes
    assert table.dataset.positive == classes[1]
    assert table.labels.tolist() == codes
    assert table.dataset.class_counts == tuple(np.bincount(codes).tolist())
    assert table.labels.dtype == np.uint8


@pytest.mark.parametrize(
    ("labels", "options", "error", "says"),
    [
        (["a", "b", "a", "b"], {}, SpecError, "which class of the label 'y' is positive: 'a' or 'b'?"),
        (["a", "b", "a", "b"], {"many_classes": True}, SpecError, "which class of the label 'y' is positive"),
        (["yes", "1", "yes", "1"], {}, SpecError, "which class of the label 'y' is positive: '1' or 'yes'?"),
        (["a", "b", "a", "b"], {"positive": "c"}, SpecError, "no class 'c' in the label 'y'"),
        (["a", "b", "a", "b"], {"positive": "A"}, SpecError, "no class 'A' in the label 'y'"),
        (["a", "b", "c", "b"], {}, DataError, "not yet supported: more than two classes ('a', 'b', 'c')"),
        ([1, 1, 1, 1], {}, DataError, "the label has one class only, '1'"),
        ([None] * 4, {}, DataError, "missing labels: 4 of 4"),
        ([None] * 4, {"drop_null_labels": True}, DataError, "too few rows: 0"),
        ([1, None, float("nan"), 0.0], {}, DataError, "missing labels: 2 of 4"),
        ([[1], [0], [1], [0]], {}, DataError, "a label cannot be of type list"),
    ],
    ids=str,
)
def test_labels_that_cannot_be_audited(read_columns, refused, labels, options, error, says):
    found = refused(read_columns, {"x": X, "y": labels}, **options)
    assert isinstance(found, error) and str(found).startswith(says)
    assert found.hint == "--positive VALUE" or "which class" not in says


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
    assert table.dataset.class_counts == tuple(np.bincount(table.labels).tolist())
    assert sum(table.dataset.prior) == pytest.approx(1)


PASSES = pytest.mark.parametrize("passes", [{}, {"labels_only": True}], ids=["two passes", "one pass"])


@PASSES
def test_as_many_classes_as_there_may_be(read_columns, passes):
    """Each of them in one row, and a row without a label."""
    labels = [f"{i:03}" for i in range(100)][::-1]
    columns = {"x": list(range(101)), "y": [None, *labels]}
    table = read_columns(columns, many_classes=True, drop_null_labels=True, **passes)
    assert table.labels.tolist() == list(range(100))[::-1]
    assert table.dataset.class_counts == (1,) * 100


@PASSES
@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (list(range(21)), "21 different labels: too many classes (numbers: 20 at most)"),
        ([i / 7 for i in range(81)], "81 different labels: too many classes (numbers: 20 at most)"),
        (list(range(5000)), "more than 1,000 different labels: too many classes (numbers: 20 at most)"),
        (
            [datetime.date(2024, 1, 1 + i) for i in range(25)],
            "25 different labels: too many classes (dates: 20 at most)",
        ),
        ([f"t{i}" for i in range(101)], "101 different labels: too many classes (100 at most)"),
        ([f"t{i}" for i in range(70_000)], "more than 1,000 different labels: too many classes (100 at most)"),
    ],
    ids=["21", "fractions", "thousands", "dates", "texts", "many texts"],
)
def test_labels_that_are_too_many_to_be_classes(read_columns, refused, passes, labels, says):
    error = refused(read_columns, {"x": list(range(len(labels))), "y": labels}, many_classes=True, **passes)
    assert str(error) == f"{says}: table.parquet: column 'y'"
    bins = "; or put the numbers into bins first" if ": 20 at most" in says else ""
    assert error.hint == f"--positive VALUE audits one against the rest{bins}"


def test_numbers_of_a_text_file_are_numbers_once_all_of_them_are(small_blocks, read_text, refused):
    """A late word makes classes of what looked like numbers."""
    text = "x,y\n" + "".join(f"{i},{i % 50}\n" for i in range(1000))
    assert "50 different labels: too many classes (numbers: 20" in str(refused(read_text, text, many_classes=True))
    table = read_text(text + "1,none of these\n", many_classes=True)
    assert len(table.dataset.classes) == 51


@PASSES
@pytest.mark.parametrize(
    ("kind", "spelled"), [(int, "70000"), (int, "70000.0"), (float, "70000"), ("v{}".format, "v70000")]
)
def test_one_of_any_number_of_labels_against_the_rest(read_columns, passes, kind, spelled):
    """Whenever it comes: most of the others are not remembered. Rows may be grouped by people, too."""
    labels = [kind(i) for i in [*range(100_000), 70_000]]
    columns = {"x": list(range(len(labels))), "y": labels, "who": [i // 2 for i in range(len(labels))]}
    table = read_columns(columns, many_classes=True, positive=spelled, group="who", **passes)
    assert table.dataset.classes == ("rest", spelled.removesuffix(".0"))
    assert table.dataset.class_counts == (99_999, 2)
    assert np.flatnonzero(table.labels).tolist() == [70_000, 100_000]
    assert len(np.unique(table.groups)) == 50_001


def test_a_class_that_is_not_among_thousands(read_columns, refused):
    error = refused(read_columns, {"x": list(range(5000)), "y": list(range(5000))}, positive="x")
    assert error.what == "no class 'x' in the label 'y'"
    assert error.hint.endswith("and 88 more, and others")


def test_labels_that_are_not_kept_take_no_memory():
    scan = LabelScan("y", "7")
    for start in range(0, 500_000, 50_000):
        scan.count(pa.array(range(start, start + 50_000)))
    assert len(scan.counts) <= 101
    assert scan.counts["7"] == 1
    assert scan.used == sum(scan.counts.values()) + scan.rest == 500_000


@PASSES
def test_classes_that_appear_late(read_text, passes):
    """The codes of a batch are those of the whole table, whichever class came first."""
    rows = 1 << 16
    text = "x,y\n" + "".join(f"{i},{'cb'[i % 2]}\n" for i in range(rows)) + "1,a\n2,c\n"
    table = read_text(text, many_classes=True, **passes)
    assert table.dataset.classes == ("a", "b", "c")
    assert table.labels[[0, 1, rows - 1, rows, rows + 1]].tolist() == [2, 1, 1, 0, 2]
    assert table.dataset.class_counts == (1, rows // 2, rows // 2 + 1)


def test_rows_without_a_label_are_dropped_on_request(read_columns):
    table = read_columns({"x": [1.0, 5, 3, float("nan")], "y": [0, None, 1, 1]}, drop_null_labels=True)
    assert table.row_numbers.tolist() == [0, 2, 3]
    assert table.labels.tolist() == [0, 1, 1]
    assert table.points[:, 0].tolist() == [-1, 1, 0], "a dropped row has no say in the mean"
    assert (table.dataset.rows, table.dataset.rows_used) == (4, 3)
    assert said_of(table) == ("rows without a label, dropped: 1",)
    assert read_columns({"x": X}, drop_null_labels=True).row_numbers is None, "nothing was dropped"
