"""The columns as they are: numbers keep their order, categories have codes that only their counts decide."""

import datetime as dt
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import DataError
from labeldp_audit.data import feature_columns, levels
from labeldp_audit.engines import machine

ROWS = 70_000  # more than one batch
NAN = float("nan")


def by_hand(cells):
    """Codes of text cells, None being a missing one."""
    counts = Counter(cells)
    order = sorted(counts, key=lambda level: (-counts[level], level is None, (level or "").encode()))
    code = {level: i for i, level in enumerate(order)}
    return np.array([code[level] for level in cells], np.float32)


def column(table, name):
    return table.columns.values[:, table.columns.names.index(name)]


def same(one, other):
    return np.array_equal(one, other, equal_nan=True)


def in_units_of_most(cells):
    """For up to 256 different values: from their median, in median distances from it."""
    different = np.unique(cells)
    middle = different[len(different) // 2]
    return (cells - middle) / np.median(np.abs(different - middle))


def test_only_where_they_are_asked_for(read_columns):
    table = {"x": [1.0, 2.0, 3.0], "c": ["a", None, "b"]}
    plain, asked = read_columns(table), read_columns(table, columns=True)
    assert plain.columns is None
    assert asked.points.tobytes() == plain.points.tobytes()
    assert asked.dataset == plain.dataset


def test_shape_order_and_names(read_columns):
    given = {"c": ["a", "b", "a"], "same": [5, 5, 5], "x": [1, 2, 3], "none": pa.nulls(3), "d": ["q", "q", "q"]}
    columns = read_columns(given, columns=True).columns
    assert columns.names == ("c", "x"), "as in the file, though points have numbers first"
    assert columns.categorical.tolist() == [True, False]
    assert columns.categorical.dtype == bool
    assert columns.values.dtype == np.float32
    assert columns.values.flags.f_contiguous
    assert columns.values.shape == (3, 2)


def test_numbers_are_in_units_of_most(read_columns):
    x = np.random.default_rng(0).normal(5, 3, 200)
    table = read_columns({"c": ["a", "b"] * 100, "x": x, "z": x**3}, columns=True)
    assert np.allclose(column(table, "x"), in_units_of_most(x), atol=1e-6)
    assert np.allclose(column(table, "z"), in_units_of_most(x**3), rtol=1e-5, atol=1e-6)


def test_of_many_values_those_of_a_sample_say_what_most_are(read_columns):
    x = np.random.default_rng(0).normal(5, 3, 20_000)
    found = column(read_columns({"x": x}, columns=True), "x")
    assert abs(np.median(found)) < 0.3
    assert np.median(np.abs(found)) == pytest.approx(1, abs=0.3)
    assert np.corrcoef(found, x)[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("first", [True, False])
def test_one_huge_value_leaves_the_others_as_they_were(read_columns, first):
    x = np.random.default_rng(0).normal(size=3000)
    x[0 if first else 1700] = 1e12
    found, others = column(read_columns({"x": x}, columns=True), "x"), x < 1e12
    slope, start = np.polyfit(x[others], found[others], 1)
    assert np.allclose(found[others], start + slope * x[others], atol=1e-6)
    assert 0.5 < slope < 3
    assert np.isfinite(found).all()


def test_values_beyond_32_bits(read_columns):
    found = column(read_columns({"x": [1e-200, 2e-200, 3e-200, 1.0, 2e-200]}, columns=True), "x")
    assert found.tolist() == pytest.approx([-4 / 3, -2 / 3, 0, 1e38, -2 / 3], rel=1e-5)


def test_missing_numbers_are_nan(read_columns):
    table = read_columns({"x": [1.0, None, 3.0, NAN], "k": [7, None, 7, 7]}, columns=True)
    assert same(column(table, "x"), [-2, NAN, 0, NAN])
    assert same(column(table, "k"), [0, NAN, 0, 0]), "one value and gaps: the gaps tell two kinds of rows apart"


def test_dates_and_booleans_are_numbers(read_columns):
    days = [dt.date(2024, 1, 2), dt.date(2024, 1, 1), None, dt.date(2024, 1, 3)]
    table = read_columns({"day": days, "true": [True, False, True, None]}, columns=True)
    assert not table.columns.categorical.any()
    assert np.allclose(column(table, "day"), [0, -1, NAN, 1], equal_nan=True)
    assert np.allclose(column(table, "true"), [0, -2, 0, NAN], equal_nan=True)


@pytest.mark.parametrize("count", [2, 3, 64, 65, 50_000])
@pytest.mark.parametrize("gaps", [0, 0.1])
def test_codes(read_columns, count, gaps):
    rng = np.random.default_rng(count)
    drawn = np.concatenate([np.arange(count), (count * rng.random(ROWS - count) ** 3).astype(int)])
    cells = [None if gone else f"é{i}" for i, gone in zip(drawn, rng.random(ROWS) < gaps, strict=True)]
    table = read_columns({"c": cells}, columns=True)
    found = column(table, "c")
    assert np.array_equal(found, by_hand(cells))
    assert len(np.unique(found)) == found.max() + 1 == len(set(cells))
    assert table.columns.categorical.all()


def test_ties_are_broken_by_bytes_and_a_missing_cell_comes_last(read_columns):
    cells = ["b", None, "B", "", "ba", "é", "z"]
    found = column(read_columns({"c": cells, "x": range(7)}, columns=True), "c")
    assert found.tolist() == [2, 6, 1, 0, 3, 5, 4]


def test_a_missing_cell_may_be_the_most_frequent_level(read_columns):
    found = column(read_columns({"c": ["a", None, None, "b", "b", None]}, columns=True), "c")
    assert found.tolist() == [2, 0, 0, 1, 1, 0]


def test_one_level_and_gaps_are_two_levels(read_columns):
    table = read_columns({"c": ["a", None, "a"], "one": ["q", "q", "q"]}, columns=True)
    assert table.columns.names == ("c",)
    assert column(table, "c").tolist() == [0, 1, 0]


def test_forced_categories(read_columns):
    table = read_columns({"zip": [30, 4, 4, None, 5]}, columns=True, categorical=("zip",))
    assert column(table, "zip").tolist() == [1, 0, 0, 3, 2], "as texts, '30' comes before '5'"
    assert table.columns.categorical.all()


def test_forced_floats(read_columns):
    table = read_columns({"price": [0.5, 0.0, -0.0, NAN, 2.5, None]}, columns=True, categorical=("price",))
    assert column(table, "price").tolist() == [2, 0, 0, 1, 3, 1]


@pytest.mark.parametrize("kind", [pa.large_string(), pa.binary(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_every_kind_of_category(read_columns, kind):
    found = column(read_columns({"c": pa.array(["b", "a", "b", None, "c"]).cast(kind)}, columns=True), "c")
    assert found.tolist() == [0, 1, 0, 3, 2]


def test_rows_without_a_label_do_not_count(read_columns):
    cells, labels = ["b", "b", "b", "a", "a", "c"] * 20_000, [None, None, 0, 1, 0, 1] * 20_000
    x = np.arange(len(cells))
    table = read_columns({"c": cells, "x": x, "y": labels}, columns=True, drop_null_labels=True)
    used = [i for i, label in enumerate(labels) if label is not None]
    assert np.array_equal(column(table, "c"), by_hand([cells[i] for i in used]))
    assert column(table, "c")[:4].tolist() == [1, 0, 0, 2], "with all rows 'b' would be the most frequent"
    slope, start = np.polyfit(used, column(table, "x"), 1)
    assert np.allclose(column(table, "x"), start + slope * np.array(used), atol=1e-5)


def test_a_level_of_dropped_rows_only_has_no_code(read_columns):
    table = read_columns({"c": ["a", "z", "b", None], "y": [0, None, 1, None]}, columns=True, drop_null_labels=True)
    assert column(table, "c").tolist() == [0, 1]


def test_a_wide_table_is_cut_alike(read_columns):
    """Its points are encoded in smaller steps than it is read in."""
    rng = np.random.default_rng(0)
    rows, cells = 5000, {}
    for i in range(40):
        cells[f"c{i}"] = [f"{v}" for v in rng.integers(0, 60, rows)]
        cells[f"x{i}"] = rng.normal(size=rows)
    table = read_columns(cells, columns=True)
    for j, name in enumerate(table.columns.names):
        if name[0] == "c":
            assert np.array_equal(table.columns.values[:, j], by_hand(cells[name]))
        else:
            assert np.corrcoef(table.columns.values[:, j], cells[name])[0, 1] == pytest.approx(1)


@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.none() | st.sampled_from(["", "\0", "\0\0", "a", "a\0", "B", "é"]), min_size=2, max_size=20))
def test_any_cells(read_columns, cells):
    found = column(read_columns({"c": cells, "x": range(len(cells))}, columns=True), "c") if varied(cells) else 0
    assert np.array_equal(found, by_hand(cells) if varied(cells) else 0)


def varied(cells):
    return len(set(cells)) > 1


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


def test_more_levels_than_a_float_can_number_are_refused(read_columns, monkeypatch):
    cells = {"id number": [f"{i}" for i in range(8)]}
    monkeypatch.setattr(feature_columns, "MOST_LEVELS", 9)
    assert column(read_columns(cells, columns=True), "id number").max() == 7
    monkeypatch.setattr(feature_columns, "MOST_LEVELS", 8)
    with pytest.raises(DataError, match=r"more than 7 different values: .*column 'id number'") as caught:
        read_columns(cells, columns=True)
    assert caught.value.hint == "--exclude 'id number'"
    assert len(read_columns(cells).points) == 8


def test_the_memory_is_counted(read_text, monkeypatch):
    text = "a,y\n1,0\n2,1\n"
    for memory, options in ((8, {}), (16, {"columns": True})):
        monkeypatch.setattr(machine, "installed_memory", lambda memory=memory: memory - 1)
        with pytest.raises(DataError, match="the encoded table needs"):
            read_text(text, **options)
        monkeypatch.setattr(machine, "installed_memory", lambda memory=memory: memory)
        assert len(read_text(text, **options).points) == 2


def test_the_texts_of_levels_are_counted(read_columns, monkeypatch):
    cells = {"c": [f"{i}" + "x" * 10_000 for i in range(100)]}
    monkeypatch.setattr(machine, "installed_memory", lambda: 1_000_000)
    with pytest.raises(DataError, match="the encoded table needs"):
        read_columns(cells, columns=True)
    assert len(read_columns(cells).points) == 100


def test_without_features_there_are_no_columns(read_text):
    assert read_text("p,y\n0.5,0\n1,1\n", eta=("p",), columns=True).columns is None
    assert read_text("p,y\n0.5,0\n1,1\n", labels_only=True, columns=True).columns is None
