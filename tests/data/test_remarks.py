"""Numbers whose name says that they are names are pointed out."""

import decimal

import numpy as np
import pyarrow as pa
import pytest

from labeldp_audit.data.describe import names_identifier

NUMBERS = [10, 20, 30, 40]


WORDS = ["id", "ID", "user_id", "userId", "UserID", "user-id", "visit.id", "id_client", "IDNumber", "id2"]
OTHERS = ["userid", "PatientId", "uuid", "session_uuid", "customer identifier"]


@pytest.mark.parametrize("name", [*WORDS, *OTHERS])
def test_names_of_identifiers(name):
    assert names_identifier(name)


@pytest.mark.parametrize(
    "name", ["paid", "covid", "humid", "idea", "width", "Grid", "is_valid", "paidAt", "", "日", "7"]
)
def test_names_that_only_look_alike(name):
    assert not names_identifier(name)


def test_a_number_named_like_an_identifier(read_columns):
    table = read_columns({"user_id": NUMBERS, "age": [1, 2, 3, 3]})
    assert table.warnings == (
        "column 'user_id' is named like an identifier and read as a number; --exclude or --categorical",
    )


@pytest.mark.parametrize("option", ["exclude", "categorical"])
def test_and_nothing_is_said_once_it_is_settled(read_columns, option):
    assert read_columns({"user_id": NUMBERS, "age": [1, 2, 3, 3]}, **{option: ("user_id",)}).warnings == ()


@pytest.mark.parametrize(
    ("column", "warnings"),
    [
        (pa.array(NUMBERS, pa.uint8()), 1),
        (pa.array([1, None, 3, 4], pa.int32()), 1),
        (pa.array(map(decimal.Decimal, NUMBERS), pa.decimal128(20, 0)), 1),
        (pa.array([0.5, 1.5, 2.5, 3.5]), 0),
        (pa.array(["a", "b", "a", "b"]), 0),
    ],
    ids=str,
)
def test_whole_numbers_only(read_columns, column, warnings):
    assert len(read_columns({"id": column}).warnings) == warnings


def test_a_constant_is_dropped_and_not_called_an_identifier(read_columns):
    assert read_columns({"id": [7] * 4, "age": [1, 2, 3, 3]}).warnings == ("constant, so dropped: 'id'",)


def test_text_tables_too(read_text):
    assert "named like an identifier" in read_text("userId,age,y\n1,30,0\n2,40,1\n3,50,1\n").warnings[0]


def test_values_far_beyond_most(read_columns):
    x = np.random.default_rng(0).normal(size=500)
    said = (
        "a few values thousands of times as far out as most, as codes for missing ones may be: 'far'; distances (knn)"
    )
    warnings = read_columns({"near": x, "far": np.where(np.arange(500) == 7, -1e9, x), "heavy": np.exp(2 * x)}).warnings
    assert [one[: len(said)] for one in warnings] == [said]
