"""What distances between the points mean."""

import datetime as dt
import decimal
import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import DataError

ANY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def squared(points):
    return np.square(points[:, None].astype(np.float64) - points).sum(axis=2)


@ANY
@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=5, max_size=30, unique=True), st.data())
def test_units_do_not_matter(read_columns, values, data):
    scale = 10.0 ** data.draw(st.integers(-6, 9))
    shift = data.draw(st.integers(-1000, 1000))
    one = read_columns({"x": values}).points
    other = read_columns({"x": [(value + shift) * scale for value in values]}).points
    assert np.allclose(one, other, atol=1e-5)


def test_numbers_are_standardised(read_columns):
    x = np.random.default_rng(0).normal(5, 3, 1000)
    points = read_columns({"x": x}).points
    assert np.allclose(points[:, 0], (x - x.mean()) / x.std(), atol=1e-6)


def test_a_tiny_spread_around_a_huge_mean(read_columns):
    noise = np.random.default_rng(0).integers(0, 1000, 200_000)
    near = read_columns({"x": noise}).points
    assert np.allclose(read_columns({"x": 2**62 + noise}).points, near, atol=1e-6)
    assert np.allclose(read_columns({"x": 1e9 + noise}).points, near, atol=1e-6)
    assert np.array_equal(
        read_columns({"x": pa.array(2**60 + noise).cast(pa.timestamp("ns"))}).points.std(axis=0).round(5), [1]
    )


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 0, 1, 0], pa.int8()),
        pa.array([1, 0, 1, 0], pa.uint64()),
        pa.array(np.array([1, 0, 1, 0], np.float16)),
        pa.array([True, False, True, False]),
        pa.array([dt.date(2024, 1, 2), dt.date(2024, 1, 1)] * 2),
        pa.array([dt.date(2024, 1, 2), dt.date(2024, 1, 1)] * 2, pa.date64()),
        pa.array([1, 0, 1, 0], pa.timestamp("ns", "Europe/Rome")),
        pa.array([1, 0, 1, 0], pa.time64("us")),
        pa.array([1, 0, 1, 0], pa.duration("s")),
        pa.array([2**63, 2**63 - 1] * 2, pa.uint64()),
        pa.array([2**63 - 1, -(2**63)] * 2, pa.int64()),
    ],
    ids=lambda column: str(column.type),
)
def test_every_kind_of_number(read_columns, column):
    table = read_columns({"x": column})
    assert table.points[:, 0].tolist() == [1, -1, 1, -1]
    assert table.dataset.columns[0].role == "number"


def test_a_missing_number_is_the_mean_and_says_so(read_columns):
    table = read_columns({"x": [1.0, None, 3.0, float("nan")]})
    assert table.points.tolist() == [[-1, 0], [0, 1], [1, 0], [0, 1]]
    assert (table.dataset.columns[0].missing, table.dataset.columns[0].width) == (2, 2)


@pytest.mark.parametrize("cells", [[0.0, -0.0], [None, float("nan")]], ids=["zeros", "gaps"])
def test_two_ways_of_writing_one_value_are_one_value(read_columns, cells):
    """A release writes them in one way."""
    columns = {"c": pa.array([*cells, 1.0, 2.0] * 25), "x": range(100), "y": [0, 1] * 50}
    table = read_columns(columns)
    assert table.columns.names == ("c", "x") and np.array_equal(table.points[0, :-1], table.points[1, :-1])


def test_long_decimals_that_differ_are_no_constant(read_columns):
    cells = [decimal.Decimal(f"1.{'0' * 25}{i % 2}") for i in range(40)]
    with pytest.raises(DataError, match="differ beyond what a float64 holds"):
        read_columns({"c": pa.array(cells, pa.decimal128(38, 30)), "x": range(40)})
    role = read_columns({"c": pa.array(cells, pa.decimal128(38, 30))}, categorical=("c",)).dataset.columns[0].role
    assert role == "category"
    read_columns({"c": pa.array(cells[:1] * 40, pa.decimal128(38, 30)), "x": range(40)})


def test_whole_decimals_are_whole_numbers(read_columns):
    near = read_columns({"x": [0, 1, None, 2, 5]}).points
    ids = [None if i is None else decimal.Decimal(2**60 + i) for i in (0, 1, None, 2, 5)]
    assert np.array_equal(read_columns({"x": pa.array(ids, pa.decimal128(38, 0))}).points, near)
    beyond = [decimal.Decimal(10) ** 30 * i for i in range(4)]
    spread = read_columns({"x": pa.array(beyond, pa.decimal128(38, 0))}).points
    assert np.allclose(spread, read_columns({"x": [0, 1, 2, 3]}).points)


def test_gaps_do_not_blur_huge_numbers(read_columns):
    near = read_columns({"x": [0, 1, None, 2, 5]}).points
    far = read_columns({"x": pa.array([2**64 - 6, 2**64 - 5, None, 2**64 - 4, 2**64 - 1], pa.uint64())}).points
    assert np.array_equal(near, far)


def test_a_constant_with_gaps_keeps_what_the_gaps_say(read_columns):
    table = read_columns({"x": [7, None, 7, None], "z": [1, 2, 3, 4]})
    assert table.points[:, 0].tolist() == [0, 1, 0, 1]
    assert table.dataset.columns[0].width == 1


@pytest.mark.parametrize("levels", [2, 3, 17, 64])
def test_any_two_levels_are_at_distance_one(read_columns, levels):
    names = [f"level {i}" for i in range(levels)]
    table = read_columns({"x": names})
    apart = squared(table.points)[~np.eye(levels, dtype=bool)]
    assert np.allclose(apart, 1, atol=1e-6)
    assert table.dataset.columns[0].levels == levels
    assert table.points.shape[1] == (1 if levels == 2 else levels)


@pytest.mark.parametrize("levels", [65, 800])
def test_many_levels_are_at_expected_distance_one(read_columns, levels):
    table = read_columns({"x": [f"level {i}" for i in range(levels)]})
    apart = squared(table.points)[~np.eye(levels, dtype=bool)]
    assert table.points.shape[1] == 16
    assert abs(apart.mean() - 1) < 4 * 0.25 / np.sqrt(levels)  # a pair's deviation is 1/sqrt(16)
    assert apart.min() > 0.1


def test_a_missing_category_is_a_level_of_its_own(read_columns):
    few = read_columns({"x": ["a", None, "", "a"]}).points
    assert np.allclose(squared(few), [[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]], atol=1e-6)
    many = read_columns({"x": [f"{i}" for i in range(100)] + ["", None, None, ""]}).points[100:]
    assert squared(many)[0, 1] > 0.1
    assert squared(many)[0, 3] == squared(many)[1, 2] == 0


def test_order_of_the_rows_moves_rows_only(read_columns):
    rng = np.random.default_rng(3)
    columns = {
        "few": [f"{i}" for i in rng.integers(0, 5, 500)],
        "two": [f"{i}" for i in rng.integers(0, 2, 500)],
        "many": [f"{i}" for i in rng.integers(0, 200, 500)],
        "y": list(rng.integers(0, 2, 500)),
    }
    order = rng.permutation(500)
    moved = {name: [values[i] for i in order] for name, values in columns.items()}
    assert np.array_equal(read_columns(moved).points, read_columns(columns).points[order])


def test_a_level_lies_where_it_lies_in_every_file(read_columns):
    """Other rows, other batches and longer neighbours change nothing."""
    short = read_columns({"x": [f"{i}" for i in range(100)]}).points
    long = read_columns({"x": [f"{i}" for i in range(100)] + ["long " * length for length in range(1, 30)]}).points
    assert np.array_equal(short, long[:100])
    other = read_columns({"z": [f"{i}" for i in range(100)]}).points
    assert not np.array_equal(short, other), "two columns with the same levels are not the same column"


def test_the_projection_is_the_same_on_every_machine(read_columns):
    points = read_columns({"x": [f"{i}" for i in range(100)]}).points
    assert points[0, :3].tolist() == [-0.27338311076164246, 0.10496627539396286, -0.1925441026687622]


def test_numbers_come_first(read_columns):
    """So that rows with equal numbers and different levels have bitwise equal distances to one another."""
    rows = list(itertools.product("abcd", [1.25, 2.5, 7.125]))
    table = read_columns({"c": [c for c, _ in rows], "x": [x for _, x in rows]})
    assert np.allclose(table.points[:3, 0], table.points[3:6, 0])
    assert len(np.unique(table.points[:, 0])) == 3
    assert [column.name for column in table.dataset.columns] == ["c", "x", "y"]


def test_forced_categories(read_columns):
    days = [dt.date(2024, 1, i) for i in (1, 1, 2, 3)]
    columns = {"code": [1, 2, 3, None], "price": [0.5, 0.0, -0.0, 2.5], "day": days}
    features = read_columns(columns, categorical=tuple(columns)).dataset.columns[:3]
    assert [(column.role, column.levels) for column in features] == [("category", 4), ("category", 3), ("category", 3)]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.binary(), pa.binary(1), pa.dictionary(pa.int8(), pa.string())]
)
def test_every_kind_of_category(read_columns, kind):
    table = read_columns({"x": pa.array([b"a", b"b", b"c", b"a"]).cast(kind)})
    assert table.dataset.columns[0].role == "category"
    assert np.allclose(squared(table.points)[0], [0, 1, 1, 0], atol=1e-6)


def test_a_wide_table(read_columns):
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.normal(size=40) for i in range(2000)}
    table = read_columns(columns)
    assert table.points.shape == (40, 2000)
    assert np.allclose(table.points.mean(axis=0), 0, atol=1e-5)
