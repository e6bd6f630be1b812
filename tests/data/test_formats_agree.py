"""One table, whatever the file it comes in, gives the same bytes, at once or later."""

import datetime as dt
import decimal
import io
import sys
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from people import write_everywhere

from labeldp_audit.data.sources import batches, delimited

ROWS = 20_000
IN_BATCH, IN_BLOCK = 1 << 13, 1 << 20  # rows, and bytes of text: the table is several of each
DAYS = 16  # coordinates of `forced`, which come last
ABC = ("a", "b", "c")
ASIDE = (*ABC, "w", "written")
FEATURES = {
    "drop_null_labels": True,
    "categorical": ("code", "forced"),
    "exclude": ASIDE,
    "label": "y",
}
GIVEN = {"eta": ABC, "many_classes": True, "drop_null_labels": True, "label": "w"}
COARSE = ("zoned", "clock", "price")  # stored in other units than text is read in, so another sample says what most are


@pytest.fixture(scope="module", autouse=True)
def small_batches():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "MOST_ROWS", IN_BATCH)
        patch.setattr(delimited, "BLOCK", IN_BLOCK)
        yield


@pytest.fixture(scope="module")
def rich():
    """Every type that CSV can hold, with missing cells; probabilities of three classes."""
    rng = np.random.default_rng(7)

    def gaps(values):
        return pa.array(values, mask=rng.random(ROWS) < 0.1)

    def days():
        return rng.integers(0, 20_000, ROWS).astype("datetime64[D]")

    return pa.table(
        {
            "tiny": gaps(rng.normal(size=ROWS) * 1e-6),
            "far": 1e9 + rng.normal(size=ROWS),
            "whole": gaps(rng.integers(-5, 6, ROWS)),
            "beyond 2^53": 2**62 + rng.integers(0, 1000, ROWS),
            "unsigned": np.uint64(2**63) + rng.integers(0, 1000, ROWS).astype(np.uint64),
            "truth": gaps(rng.random(ROWS) < 0.5),
            "day": gaps(days()),
            "instant": gaps(rng.integers(10**15, 2 * 10**15, ROWS).astype("datetime64[us]")),
            "zoned": pa.array(rng.integers(10**8, 10**9, ROWS)).cast(pa.timestamp("s", "UTC")),
            "clock": pa.array(rng.integers(0, 86_400, ROWS).astype(np.int32)).cast(pa.time32("s")),
            "price": pa.array([decimal.Decimal(int(i)).scaleb(-2) for i in rng.integers(-(10**6), 10**6, ROWS)]),
            "few": gaps(rng.choice(np.array(["red", "green", 'b"lu,\ne'], object), ROWS)),
            "place": gaps(np.array([f"place {i}" for i in rng.integers(0, 3000, ROWS)], object)),
            "each": [f"{i} " + "long" * (i % 20) for i in rng.permutation(ROWS)],
            "answer": pa.array(rng.choice(np.array(["yes", "no"], object), ROWS)).dictionary_encode(),
            "code": gaps(rng.integers(-30, 30, ROWS)),
            "forced": pa.array(days()),
            "same": ["q"] * ROWS,
            "written": pa.array([f"{i}\n" for i in range(ROWS)]),
            **dict(zip(ABC, rng.dirichlet([1, 1, 1], ROWS).T, strict=True)),
            "w": gaps(rng.choice(np.array(["u", "v", "z"], object), ROWS)),
            "y": gaps(rng.integers(0, 2, ROWS)),
        }
    )


@pytest.fixture(scope="module")
def folder(rich, tmp_path_factory):
    place = tmp_path_factory.mktemp("rich")
    write_everywhere(rich, place)
    pq.write_table(rich, place / "groups.parquet", row_group_size=2_999)
    with pa.OSFile(str(place / "stream.arrow"), "wb") as file, pa.ipc.new_stream(file, rich.schema) as writer:
        writer.write_table(rich, max_chunksize=12_345)
    return place


@pytest.fixture(scope="module")
def features(folder, read):
    return read(folder / "t.parquet", **FEATURES)


@pytest.fixture(scope="module")
def shares(folder, read):
    return read(folder / "t.parquet", **GIVEN)


def same(one, other, *arrays):
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in arrays)


def same_features(one, other):
    """But for columns of coarse units, and for where days lie that are categories: a text table has them as written."""
    kept = [i for i, name in enumerate(one.columns.names) if name not in COARSE]
    return (
        same(one, other, "labels", "row_numbers")
        and np.allclose(one.points[:, :-DAYS], other.points[:, :-DAYS], atol=1e-6)
        and one.columns.names == other.columns.names
        and one.columns.categorical.tolist() == other.columns.categorical.tolist()
        and one.columns.values[:, kept].tobytes() == other.columns.values[:, kept].tobytes()
    )


NAMES = ("groups.parquet", "t.csv", "t.tsv", "t.csv.gz", "t.feather", "stream.arrow", "parts/*.parquet")


@pytest.mark.parametrize("name", [*NAMES, "parts"])
def test_same_bytes(read, folder, features, shares, name):
    assert same(read(folder / name, **GIVEN), shares, "given", "labels", "row_numbers")
    if name != "parts":
        assert same_features(read(folder / name, **FEATURES), features)


def test_standard_input(read, folder, shares, monkeypatch):
    """Its digest is that of the file."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / "t.csv").read_bytes())))
    table = read("-", **GIVEN)
    assert same(table, shares, "given", "labels")
    assert table.dataset.name == "stdin"
    assert table.dataset.sha256 == read(folder / "t.csv", **GIVEN).dataset.sha256


def test_threads_change_nothing(read, folder, features):
    before = pa.cpu_count()
    try:
        for threads, name in ((1, "t.csv"), (4, "t.parquet")):
            pa.set_cpu_count(threads)
            assert same_features(read(folder / name, **FEATURES), features)
    finally:
        pa.set_cpu_count(before)


def by_hand(cells):
    """Codes of text cells by falling frequency, None being a missing one."""
    counts = Counter(cells)
    order = sorted(counts, key=lambda level: (-counts[level], level is None, (level or "").encode()))
    code = {level: i for i, level in enumerate(order)}
    return np.array([code[level] for level in cells], np.float32)


def test_each_category_by_hand(rich, features):
    kept, columns = rich.filter(rich["y"].is_valid()), features.columns
    found = {name: values for name, values in zip(columns.names, columns.values.T, strict=True)}
    categories = [name for name, is_one in zip(columns.names, columns.categorical, strict=True) if is_one]
    categories = [name for name in categories if name in rich.column_names]  # others are endings of numbers
    assert categories == ["few", "place", "each", "answer", "code", "forced"]
    for name in categories:
        assert np.array_equal(found[name], by_hand(kept[name].cast(pa.string()).to_pylist())), name


def test_given_probabilities_by_hand(rich, shares):
    whole = rich.select([*ABC, "w"]).to_pydict()
    rows = [i for i, label in enumerate(whole["w"]) if label is not None]
    assert shares.row_numbers.tolist() == rows
    assert [shares.dataset.classes[code] for code in shares.labels] == [whole["w"][i] for i in rows]
    raw = np.array([[whole[name][i] for name in ABC] for i in rows])
    assert (shares.given == raw / raw.sum(axis=1, keepdims=True)).all()


def test_shuffled_rows_have_the_same_codes(read, rich, features, tmp_path):
    kept = rich.filter(rich["y"].is_valid())
    order = np.random.default_rng(1).permutation(len(kept))
    pq.write_table(kept.take(pa.array(order)), tmp_path / "t.parquet")
    found, codes = read(tmp_path / "t.parquet", **FEATURES).columns.values, features.columns.categorical
    assert np.array_equal(found[:, codes], features.columns.values[order][:, codes])
    assert np.allclose(found[:, ~codes], features.columns.values[order][:, ~codes], atol=1e-5, equal_nan=True)


def test_points_of_some_rows_are_those_of_the_table(features):
    rows = np.array([3, 20, 15_000])
    assert features.at(rows).points.tobytes() == features.points[rows].tobytes()
    assert features.points.shape == (len(features.labels), features.width)


def test_points_of_copies_left_out_are_those_of_the_table(read_columns):
    cells = {"c": ["a", "b", "c", "a", "b", "c"], "x": [1, 2, 3, 1, 2, 3], "y": [0, 1, 1, 0, 1, 1]}
    whole, left = (read_columns(cells, records=True, repeats=what) for what in ("people", "copies"))
    assert len(left.labels) == 3
    assert left.points.tobytes() == whole.points[:3].tobytes()


CELLS = {
    "whole": st.integers(-(2**70), 2**70),
    # Squares of smaller numbers are 0: their spread is refused.
    "float": st.floats(-1e30, 1e30).map(lambda value: value if abs(value) > 1e-100 else 0.0),
    "truth": st.booleans(),
    "day": st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)),
    "instant": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
    "price": st.decimals(-(10**12), 10**12, places=3),
}
TAKEN = {"true", "false", "nan", "inf", "infinity", "na", "null", "none"}


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), kind=st.sampled_from(sorted(CELLS)))
def test_any_column_agrees(read, tmp_path, data, kind):
    column = data.draw(st.lists(st.none() | CELLS[kind], min_size=3, max_size=12))
    if kind == "whole":
        fits = all(value is None or abs(value) < 2**63 for value in column)
        kept = column if fits else [None if value is None else float(value) for value in column]
        column = pa.array(kept, pa.int64() if fits else pa.float64())
    elif kind == "price":
        column = pa.array(column, pa.decimal128(18, 3))
    table = pa.table({"x": column, "sure": list(range(len(column))), "y": [i % 2 for i in range(len(column))]})
    pq.write_table(table, tmp_path / "t.parquet")
    arrow_csv.write_csv(table, tmp_path / "t.csv")
    if kind != "text" or all(value is None or (value.isalpha() and value.lower() not in TAKEN) for value in column):
        assert same(read(tmp_path / "t.csv"), read(tmp_path / "t.parquet"), "points", "labels")


def test_decimals_are_the_nearest_floats(read_columns):
    prices = [decimal.Decimal(i).scaleb(-2) for i in range(1000)]
    exact = read_columns({"x": pa.array([float(price) for price in prices])})
    for kind in (pa.decimal128(9, 2), pa.decimal128(30, 2), pa.decimal256(60, 2)):
        assert same(read_columns({"x": pa.array(prices, kind)}), exact, "points")
