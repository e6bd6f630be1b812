"""The label: which column, which classes, which of them is positive."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest

from labeldp_audit.core.errors import DataError, SpecError
from labeldp_audit.data.scan import LabelScan

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
@pytest.mark.parametrize("many", [True, False], ids=["many wanted", "two wanted"])
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
def test_labels_that_are_too_many_to_be_classes(read_columns, passes, many, labels, says):
    with pytest.raises(DataError) as caught:
        read_columns({"x": list(range(len(labels))), "y": labels}, many_classes=many, **passes)
    assert str(caught.value) == f"{says}: table.parquet: column 'y'"
    assert str(caught.value.hint).startswith("--positive VALUE audits one against the rest")
    assert ("into bins" in str(caught.value.hint)) == (": 20 at most" in says)


def test_numbers_of_a_text_file_are_numbers_once_all_of_them_are(read_text):
    """A late word makes classes of what looked like numbers."""
    rows = [str(i % 50) for i in range(200_000)]
    with pytest.raises(DataError, match=r"50 different labels.*numbers: 20 at most"):
        read_text("x,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate(rows)), many_classes=True)
    late = [*rows, "none of these"]
    table = read_text("x,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate(late)), many_classes=True)
    assert len(table.dataset.classes) == 51


@PASSES
@pytest.mark.parametrize("spelled", ["70000", "70000.0"])
@pytest.mark.parametrize("kind", [int, float, "v{}".format], ids=["int", "float", "text"])
def test_one_of_any_number_of_labels_against_the_rest(read_columns, passes, kind, spelled):
    """Whenever it comes: most of the others are not remembered."""
    labels = [kind(i) for i in [*range(100_000), 70_000]]
    positive = f"v{70_000}" if isinstance(labels[0], str) else spelled
    table = read_columns({"x": list(range(len(labels))), "y": labels}, many_classes=True, positive=positive, **passes)
    assert table.dataset.classes == ("rest", labels[70_000] if isinstance(labels[0], str) else "70000")
    assert table.dataset.class_counts == (99_999, 2)
    assert np.flatnonzero(table.labels).tolist() == [70_000, 100_000]


def test_who_is_grouped_may_have_any_number_of_labels(read_columns):
    columns = {"x": list(range(3000)), "y": list(range(3000)), "who": [i // 2 for i in range(3000)]}
    table = read_columns(columns, positive="7", group="who")
    assert len(set(table.groups.tolist())) == 1500


def test_a_class_that_is_not_among_thousands(read_columns):
    with pytest.raises(SpecError, match="no class 'x' in the label 'y'") as caught:
        read_columns({"x": list(range(5000)), "y": list(range(5000))}, positive="x")
    assert caught.value.hint.endswith("and 88 more, and others")


def test_labels_that_are_not_kept_take_no_memory():
    scan = LabelScan("y", "7")
    for start in range(0, 500_000, 50_000):
        scan.count(pa.array(range(start, start + 50_000)))
    assert len(scan.counts) <= 101
    assert scan.counts["7"] == 1
    assert sum(scan.counts.values()) + scan.rest == 500_000


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


def test_rows_without_a_label_are_dropped_on_request(read_columns):
    table = read_columns({"x": [1.0, 5, 3, float("nan")], "y": [0, None, 1, 1]}, drop_null_labels=True)
    assert table.row_numbers.tolist() == [0, 2, 3]
    assert table.labels.tolist() == [0, 1, 1]
    assert table.points[:, 0].tolist() == [-1, 1, 0], "a dropped row has no say in the mean"
    assert (table.dataset.rows, table.dataset.rows_used) == (4, 3)
    assert table.warnings == ("rows without a label, dropped: 1",)


def test_nothing_dropped_means_no_row_numbers(read_columns):
    assert read_columns({"x": X}, drop_null_labels=True).row_numbers is None
