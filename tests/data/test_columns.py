"""The columns as they are: numbers keep their order, categories have codes that only their counts decide."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_formats_agree import by_hand

from labeldp_audit.data import feature_columns, levels

ROWS = 70_000  # more than one batch
NAN = float("nan")


@pytest.fixture
def column(read_columns):
    """A column of a table, as learners get it."""

    def found(cells, **options):
        columns = read_columns({"c": cells, "beside": np.arange(len(cells))}, **options).columns
        return columns.values[:, columns.names.index("c")]

    return found


def in_units_of_most(cells):
    """For up to 256 different values: from their median, in median distances from it."""
    different = np.unique(cells)
    middle = different[len(different) // 2]
    return (cells - middle) / np.median(np.abs(different - middle))


def test_shape_order_and_names(read_columns):
    given = {"c": ["a", "b", "a"], "same": [5, 5, 5], "x": [1, 2, 3], "none": pa.nulls(3), "d": ["q", "q", "q"]}
    columns = read_columns(given).columns
    assert columns.names == ("c", "x"), "as in the file, though points have numbers first"
    assert columns.categorical.tolist() == [True, False]
    assert columns.categorical.dtype == bool
    assert columns.values.dtype == np.float32
    assert columns.values.flags.f_contiguous
    assert columns.values.shape == (3, 2)


def test_numbers_are_in_units_of_most(column):
    x = np.random.default_rng(0).normal(5, 3, 200)
    assert np.allclose(column(x), in_units_of_most(x), atol=1e-6)
    assert np.allclose(column(x**3), in_units_of_most(x**3), rtol=1e-5, atol=1e-6)


def test_of_many_values_those_of_a_sample_say_what_most_are(column):
    x = np.random.default_rng(0).normal(5, 3, 20_000)
    found = column(x)
    assert abs(np.median(found)) < 0.3
    assert np.median(np.abs(found)) == pytest.approx(1, abs=0.3)
    assert np.corrcoef(found, x)[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("first", [True, False])
def test_one_huge_value_leaves_the_others_as_they_were(column, first):
    x = np.random.default_rng(0).normal(size=3000)
    x[0 if first else 1700] = 1e12
    found, others = column(x), x < 1e12
    slope, start = np.polyfit(x[others], found[others], 1)
    assert np.allclose(found[others], start + slope * x[others], atol=1e-6)
    assert 0.5 < slope < 3
    assert np.isfinite(found).all()


DAYS = [dt.date(2024, 1, 2), dt.date(2024, 1, 1), None, dt.date(2024, 1, 3)]


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ([1.0, None, 3.0, NAN], [-2, NAN, 0, NAN]),
        ([7, None, 7, 7], [0, NAN, 0, 0]),  # the gaps tell two kinds of rows apart
        (DAYS, [0, -1, NAN, 1]),
        ([True, False, True, None], [0, -2, 0, NAN]),
        ([1e-200, 2e-200, 3e-200, 1.0, 2e-200], [-4 / 3, -2 / 3, 0, 1e38, -2 / 3]),  # beyond 32 bits
    ],
)
def test_numbers(column, cells, wanted):
    assert np.allclose(column(cells), wanted, rtol=1e-5, equal_nan=True)


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["b", None, "B", "", "ba", "é", "z"], [2, 6, 1, 0, 3, 5, 4]),  # ties are broken by bytes, None comes last
        (["a", None, None, "b", "b", None], [2, 0, 0, 1, 1, 0]),  # a missing cell may be the most frequent level
        (["a", None, "a"], [0, 1, 0]),
        ([30, 4, 4, None, 5], [1, 0, 0, 3, 2]),  # as texts, '30' comes before '5'
        ([0.5, 0.0, -0.0, NAN, 2.5, None], [2, 0, 0, 1, 3, 1]),
        *((pa.array(["b", "a", "b", None, "c"]).cast(kind), [0, 1, 0, 3, 2])
          for kind in (pa.large_string(), pa.binary(), pa.dictionary(pa.int8(), pa.string()))),
    ],
    ids=str,
)  # fmt: skip
def test_categories(column, cells, wanted):
    assert column(cells, categorical=("c",)).tolist() == wanted


@pytest.mark.parametrize(("count", "gaps"), [(2, 0), (3, 0.1), (64, 0.1), (65, 0), (50_000, 0.1)])
def test_codes(column, count, gaps):
    rng = np.random.default_rng(count)
    drawn = np.concatenate([np.arange(count), (count * rng.random(ROWS - count) ** 3).astype(int)])
    cells = [None if gone else f"é{i}" for i, gone in zip(drawn, rng.random(ROWS) < gaps, strict=True)]
    found = column(cells)
    assert np.array_equal(found, by_hand(cells))
    assert len(np.unique(found)) == found.max() + 1 == len(set(cells))


def test_rows_without_a_label_do_not_count(read_columns):
    cells, labels = ["b", "b", "b", "a", "a", "c"] * 20_000, [None, None, 0, 1, 0, 1] * 20_000
    columns = {"c": cells, "x": np.arange(len(cells)), "y": labels}
    c, x = read_columns(columns, drop_null_labels=True).columns.values.T
    used = [i for i, label in enumerate(labels) if label is not None]
    assert np.array_equal(c, by_hand([cells[i] for i in used]))
    assert c[:4].tolist() == [1, 0, 0, 2], "with all rows 'b' would be the most frequent"
    slope, start = np.polyfit(used, x, 1)
    assert np.allclose(x, start + slope * np.array(used), atol=1e-5)
    late = read_columns({"c": ["a", "z", "b", None], "y": [0, None, 1, None]}, drop_null_labels=True)
    assert late.columns.values[:, 0].tolist() == [0, 1], "a level of dropped rows only has no code"


def test_a_wide_table_is_cut_alike(read_columns):
    """Its points are encoded in smaller steps than it is read in."""
    rng = np.random.default_rng(0)
    rows, cells = 5000, {}
    for i in range(40):
        cells[f"c{i}"] = [f"{v}" for v in rng.integers(0, 60, rows)]
        cells[f"x{i}"] = rng.normal(size=rows)
    table = read_columns(cells)
    for j, name in enumerate(table.columns.names):
        if name[0] == "c":
            assert np.array_equal(table.columns.values[:, j], by_hand(cells[name]))
        else:
            assert np.corrcoef(table.columns.values[:, j], cells[name])[0, 1] == pytest.approx(1)


INSTANTS = np.random.default_rng(5).choice(900_000_000, 400, replace=False)
ZONED = pa.timestamp("ms", "Asia/Tokyo")


@pytest.mark.parametrize(
    ("cells", "what", "wanted"),
    [
        (pa.array(INSTANTS, pa.timestamp("s")), "hour", [f"{x // 3600 % 24:02d}" for x in INSTANTS]),
        (pa.array(INSTANTS * 1000, ZONED), "hour", [f"{x // 3600 % 24:02d}" for x in INSTANTS]),
        (pa.array((INSTANTS % 86_400).astype(np.int32), pa.time32("s")), "hour",
         [f"{x // 3600 % 24:02d}" for x in INSTANTS]),
        (pa.array((INSTANTS % 20_000).astype(np.int32), pa.date32()), "weekday",
         [f"{dt.date(1970, 1, 1) + dt.timedelta(days=int(x % 20_000)):%A}" for x in INSTANTS]),
        (pa.array(INSTANTS, pa.timestamp("s")), "month",
         [f"{dt.datetime(1970, 1, 1) + dt.timedelta(seconds=int(x)):%m}" for x in INSTANTS]),
    ],
    ids=["instants", "zoned", "times", "days", "months"],
)  # fmt: skip
def test_instants_have_an_hour_a_weekday_and_a_month(read_columns, cells, what, wanted):
    columns = read_columns({"c": cells, "x": INSTANTS % 5}).columns
    place = columns.names.index(f"c ({what})")
    names = columns.readings[place].levels
    assert columns.categorical[place]
    assert [names[int(code)] for code in columns.values[:, place]] == wanted


@pytest.mark.parametrize(
    "cells",
    [INSTANTS, INSTANTS / 100, [f"{x}F" for x in INSTANTS], pa.array([7] * 399 + [8], pa.timestamp("s"))],
    ids=["numbers", "amounts", "file numbers", "one hour"],
)
def test_other_columns_have_no_derived_columns(read_columns, cells):
    table = read_columns({"c": cells, "x": np.arange(400) % 5})
    assert table.columns.names == ("c", "x")


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_instants_beyond_any_calendar_have_an_hour(read_columns, unit):
    far = np.random.default_rng(0).integers(-(2**63) + 1, 2**63 - 1, 400)
    columns = read_columns({"c": pa.array(far, pa.timestamp(unit)), "x": far % 5}).columns
    assert "c (hour)" in columns.names


def test_an_hour_is_missing_where_the_instant_is(read_columns):
    cells = [None if x % 3 == 0 else dt.datetime(2026, 1, 1, x % 24) for x in range(400)]
    columns = read_columns({"c": cells, "c (hour)": INSTANTS % 5}).columns
    assert columns.names[:3] == ("c", "c (hour)", "c (hour)'"), "a column of that name stays what it is"
    levels = columns.readings[2].levels
    assert [levels[int(code)] is None for code in columns.values[:, 2]] == [one is None for one in cells]


@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.none() | st.sampled_from(["", "\0", "\0\0", "a", "a\0", "B", "é"]), min_size=2, max_size=20))
def test_any_cells(column, cells):
    assert len(set(cells)) < 2 or np.array_equal(column(cells), by_hand(cells))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.integers(0, 60), unique=True, max_size=20), max_size=12))
def test_known_hashes_are_found_again(batches):
    known, first = feature_columns.Known(), {}
    for batch in batches:
        hashes = levels.mixed(np.array(batch, np.uint64))
        assert known.find(hashes).tolist() == [first.get(i, -1) for i in batch]
        new = [i for i in batch if i not in first]
        first |= {i: len(first) + j for j, i in enumerate(new)}
        if new:
            known.add(levels.mixed(np.array(new, np.uint64)), np.array([first[i] for i in new], np.uint32))
        assert len(known.runs) <= 7, "runs are merged"


def test_more_levels_than_a_float_can_number_are_refused(read_columns, refused, monkeypatch):
    cells = {"id number": [f"{i}" for i in range(8)]}
    monkeypatch.setattr(feature_columns, "MOST_LEVELS", 9)
    assert read_columns(cells).columns.values.max() == 7
    monkeypatch.setattr(feature_columns, "MOST_LEVELS", 8)
    error = refused(read_columns, cells)
    assert str(error) == "more than 7 different values: table.parquet: column 'id number'"
    assert error.hint == "--exclude 'id number'"
