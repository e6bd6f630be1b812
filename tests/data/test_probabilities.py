"""Probabilities of the user's own model, from columns of the table: exact, in order, or refused with a row."""

import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import DataError, SpecError
from labeldp_audit.reports.sentences import warnings as said_of

THREE = {"a": [0.2, 0.5, 1.0], "b": [0.3, 0.25, 0.0], "c": [0.5, 0.25, 0.0], "y": ["u", "v", "w"]}
ABC = ("a", "b", "c")
PAIR = {"p": [1.0, 0.75], "q": [1e-20, 0.25], "y": [0, 1]}


def roles(table):
    return [(column.name, column.role, column.type) for column in table.dataset.columns]


def test_one_column_is_the_positive_class(read_columns):
    p = [0.1, 0.30000000000000004, 5e-324, 1 - 2**-53]
    columns = {"x": [[1]] * 4, "p": p, "y": ["no", "yes"] * 2}
    table = read_columns(columns, eta=("p",), exclude=("x", "p"), featureless=True)
    assert table.given.dtype == np.float64
    assert table.given[:, 1].tolist() == p
    assert table.given[:, 0].tolist() == [1 - value for value in p]
    assert table.points.shape == (4, 0)
    assert table.labels.tolist() == [0, 1, 0, 1]
    assert roles(table) == [
        ("x", "excluded", "list<element: int64>"), ("p", "eta", "double"), ("y", "label", "string")
    ]  # fmt: skip
    assert table.dataset.features == 0
    assert said_of(table) == ()


@pytest.mark.parametrize(
    ("columns", "options", "classes", "given"),
    [
        ({"p": [0.25, 1.0], "y": [0, 1]}, {"eta": ("p",), "positive": "0"}, ("1", "0"), [[0.75, 0.25], [0.0, 1.0]]),
        (PAIR, {"eta": ("q", "p")}, ("0", "1"), [[1e-20, 1.0], [0.25, 0.75]]),
        (PAIR, {"eta": ("p", "q")}, ("0", "1"), [[1.0, 1e-20], [0.75, 0.25]]),
        (THREE, {"eta": ("a",), "positive": "u"}, ("rest", "u"), [[0.8, 0.2], [0.5, 0.5], [0.0, 1.0]]),
        (THREE, {"eta": ("c", "a", "b"), "many_classes": True}, ("u", "v", "w"),
         [[0.5, 0.2, 0.3], [0.25, 0.5, 0.25], [0.0, 1.0, 0.0]]),
    ],
)  # fmt: skip
def test_columns_are_those_of_the_classes(read_columns, columns, options, classes, given):
    """One of the positive class, two of the negative and the positive one, or one of each class as they are named."""
    table = read_columns(columns, **options)
    assert table.dataset.classes == classes
    assert table.given.tolist() == given


def test_rows_that_nearly_sum_to_one_are_normalised(read_columns):
    rng = np.random.default_rng(0)
    raw = rng.dirichlet([1, 1, 1], 500)
    off = np.float32(raw).astype(np.float64)
    assert (off.sum(axis=1) != 1).any()
    labels = np.arange(500) % 3
    table = read_columns(dict(zip(ABC, off.T, strict=True)) | {"y": labels}, eta=ABC, many_classes=True)
    assert np.abs(table.given.sum(axis=1) - 1).max() <= 2**-52
    assert (table.given == off / off.sum(axis=1, keepdims=True)).all()


@pytest.mark.parametrize(("last", "fits"), [(0.5 + 0.9e-6, True), (0.5 + 1.1e-6, False), (0.5 - 1.1e-6, False)])
def test_the_tolerance_of_a_sum(read_columns, refused, last, fits):
    columns = THREE | {"c": [last, 0.25, 0.0]}
    if fits:
        assert read_columns(columns, eta=ABC, many_classes=True).given[0].sum() == pytest.approx(1, abs=2**-52)
        return
    error = refused(read_columns, columns, eta=ABC, many_classes=True)
    assert str(error) == "the probabilities do not sum to 1 within 1e-06: table.parquet: row 1"


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("", "a missing probability"),
        ("NA", "a missing probability"),
        ("nan", "a missing probability"),
        ("inf", "a probability must be from 0 to 1"),
        ("-5e-324", "a probability must be from 0 to 1"),
        ("1.0000000000000002", "a probability must be from 0 to 1"),
        ("alice@example.org", "not a number"),
        ("50%", "not a number"),
        ('"0,5"', "not a number"),
        ("true", "not a number"),
        ("2024-01-01", "not a number"),
    ],
)
@pytest.mark.parametrize("before", [0, 1, 1 << 16], ids=["first", "second", "late"])
def test_cells_that_are_no_probability(read_text, refused, bad, says, before):
    """The row is counted in the file: one without a label comes first, and what it holds does not matter."""
    rows = ["none,\n"] + [f"0.5,{i % 2}\n" for i in range(before)] + [f"{bad},1\n", f"{bad},0\n", "1,0\n"]
    error = refused(read_text, "p,y\n" + "".join(rows), eta=("p",), drop_null_labels=True)
    assert str(error) == f"{says}: table.csv: column 'p': row {before + 2}"


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (pa.array([0.5, None, 0.5]), "a missing probability: table.parquet: column 'p': row 2"),
        (pa.array([0.5, np.nan, np.nan]), "a missing probability: table.parquet: column 'p': row 2"),
        (pa.nulls(3), "a missing probability: table.parquet: column 'p': row 1"),
        (pa.array([0.5, 0.5, np.inf]), "a probability must be from 0 to 1: table.parquet: column 'p': row 3"),
        (pa.array([1, 0, 2**63 - 1]), "a probability must be from 0 to 1: table.parquet: column 'p': row 3"),
        (pa.array([1, 0, 2**64 - 1], pa.uint64()), "a probability must be from 0 to 1: table.parquet: column"),
        (pa.array([1, 0, -1], pa.int8()), "a probability must be from 0 to 1: table.parquet: column 'p': row 3"),
        (pa.array([0.5, 65504], pa.float16()).take([0, 0, 1]), "a probability must be from 0 to 1: table.parquet"),
        (pa.array(["0.5", "x", "y"]), "not a number: table.parquet: column 'p': row 2"),
        (pa.array(["0.5", "x", "0.5"]).dictionary_encode(), "not a number: table.parquet: column 'p': row 2"),
        (pa.array([True, False, True]), "a column of type bool cannot hold probabilities: table.parquet: column 'p'"),
        (pa.array([0, 1, 0], pa.timestamp("ms")), "a column of type timestamp[ms] cannot hold probabilities"),
        (pa.array([0, 1, 0], pa.date32()), "a column of type date32[day] cannot hold probabilities"),
        (pa.array([b"0", b"1", b"0"]), "a column of type binary cannot hold probabilities"),
        (pa.array([[0.5, 0.5]] * 3), "a column of type list"),
    ],
    ids=str,
)
def test_columns_that_are_no_probabilities(read_columns, refused, bad, says):
    assert str(refused(read_columns, {"p": bad, "y": [0, 1, 0]}, eta=("p",))).startswith(says)


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([0.25, 0.0, 1.0]),
        pa.array([0.25, -0.0, 1.0]),
        pa.array([0.25, 0.0, 1.0], pa.float32()),
        pa.array(np.array([0.25, 0.0, 1.0], np.float16)),
        pa.array([decimal.Decimal("0.25"), decimal.Decimal(0), decimal.Decimal(1)], pa.decimal128(5, 3)),
        pa.array([0.25, 0.0, 1.0]).dictionary_encode(),
        pa.array(["0.25", "0", " 1 "]),
        pa.array(["0.25", "0", "1e0"], pa.large_string()),
    ],
    ids=lambda cells: str(cells.type),
)
def test_types_that_hold_probabilities(read_columns, cells):
    positive = read_columns({"p": cells, "y": [0, 1, 0]}, eta=("p",)).given[:, 1]
    assert positive.tolist() == [0.25, 0.0, 1.0]
    assert not np.signbit(positive).any()


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_every_float_survives(read_columns, read_text, cells):
    cells = [cell + 0.0 for cell in cells]
    alone = {"eta": ("p",), "exclude": ("p",), "featureless": True}
    exact = read_columns({"p": cells, "y": [i % 2 for i in range(len(cells))]}, **alone)
    assert exact.given[:, 1].tolist() == cells
    text = "p,y\n" + "".join(f"{cell!r},{i % 2}\n" for i, cell in enumerate(cells))
    assert read_text(text, **alone).given.tobytes() == exact.given.tobytes()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"eta": ("p_modle",)}, "--eta: no column 'p_modle'"),
        ({"eta": ("y",)}, "column 'y' is the label and also named by --eta"),
        ({"eta": ("y",), "label": "y"}, "column 'y' is the label and also named by --eta"),
        ({"eta": ("p_model", "p_model")}, "--eta: column 'p_model' is named twice"),
        ({"eta": ("p_model",), "categorical": ("p_model",)}, "column 'p_model' is named by --eta and also by --categ"),
        ({"eta": ("p_model",), "labels_only": True}, "--eta and --eta-file exclude each other"),
        ({"eta": ("p_model",), "exclude": ("z",)}, "--exclude: no column 'z'"),
        ({"labels_only": True, "exclude": ("y",), "label": "y"}, "column 'y' is the label and also named by --exclude"),
        ({"eta": ("p_model", "q", "r")}, "--eta: 3 columns for 2 classes"),
    ],
    ids=str,
)
def test_options_that_cannot_hold(read_text, refused, options, says):
    error = refused(read_text, "p_model,q,r,y\n0.1,0.9,0,0\n0.2,0.8,0,1\n", **options)
    assert isinstance(error, SpecError) and str(error).startswith(says)
    assert error.hint == "did you mean 'p_model'?" or "modle" not in says


@pytest.mark.parametrize("number", [1, 2, 4])
def test_the_order_of_the_columns_is_hinted(read_columns, refused, number):
    names = ("a", "b", "c", "d")[:number]
    error = refused(read_columns, THREE | {"d": [0.0] * 3}, eta=names, many_classes=True)
    assert str(error) == f"--eta: {number} column{'s' * (number > 1)} for 3 classes"
    assert error.hint == "3 columns are needed, the probabilities of 'u', 'v', 'w' in this order"
    two = refused(read_columns, THREE, eta=ABC, positive="v").hint
    assert two == "one column is needed, the probability of 'v', or two, those of 'rest', 'v'"


def test_a_probability_may_be_named_like_a_label(read_text):
    table = read_text("click,y\n0.1,0\n0.2,1\n", eta=("click",))
    assert (table.dataset.label, table.given[:, 1].tolist()) == ("y", [0.1, 0.2])


def test_features_are_read_beside_probabilities(read_text):
    """The probabilities are a feature unless they are excluded: a publisher may publish them, too."""
    options = {"eta": ("p",), "categorical": ("z",)}
    table = read_text("x,z,p,y\n1,4,0.1,0\n2,5,0.2,1\n", exclude=("x",), **options)
    assert [column.role for column in table.dataset.columns] == ["excluded", "category", "eta", "label"]
    assert table.columns.names == ("z", "p")
    assert read_text("x,z,p,y\n1,4,0.1,0\n2,5,0.2,1\n", exclude=("p",), **options).columns.names == ("x", "z")


def test_a_row_whose_label_is_missing_says_nothing(read_text):
    text = "p,q,y\n0.5,0.5,0\nx,7,\n,inf,\n0.25,0.75,1\n0.25,0.7,1\n"
    with pytest.raises(DataError, match=r"do not sum to 1 .*: table.csv: row 5$"):
        read_text(text, eta=("p", "q"), drop_null_labels=True)
    table = read_text(text.replace("0.7,", "0.75,"), eta=("p", "q"), drop_null_labels=True)
    assert table.row_numbers.tolist() == [0, 3, 4]
    assert table.labels.tolist() == [0, 1, 1]
    assert table.given.tolist() == [[0.5, 0.5], [0.25, 0.75], [0.25, 0.75]]
    assert said_of(table)[0] == "rows without a label, dropped: 2"
    with pytest.raises(DataError, match="missing labels: 2 of 5"):
        read_text(text.replace("x,7", "0,1").replace(",inf", "0,1"), eta=("p", "q"))
