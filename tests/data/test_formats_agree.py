"""One table, whatever the file it comes in, gives the same bytes."""

import datetime as dt
import decimal
import gzip
import io
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather

ROWS = 70_000  # more than one batch


@pytest.fixture(scope="module")
def rich():
    """Every type that CSV can hold, with missing cells."""
    rng = np.random.default_rng(7)

    def gaps(values, share=0.1):
        return pa.array(values, mask=rng.random(ROWS) < share)

    return pa.table(
        {
            "tiny": gaps(rng.normal(size=ROWS) * 1e-6),
            "far": 1e9 + rng.normal(size=ROWS),
            "whole": gaps(rng.integers(-5, 6, ROWS)),
            "beyond 2^53": 2**62 + rng.integers(0, 1000, ROWS),
            "unsigned": np.uint64(2**63) + rng.integers(0, 1000, ROWS).astype(np.uint64),
            "truth": gaps(rng.random(ROWS) < 0.5),
            "day": pa.array(rng.integers(0, 20_000, ROWS).astype(np.int32)).cast(pa.date32()),
            "instant": gaps(rng.integers(10**15, 2 * 10**15, ROWS).astype("datetime64[us]")),
            "zoned": pa.array(rng.integers(10**8, 10**9, ROWS)).cast(pa.timestamp("s", "UTC")),
            "clock": pa.array(rng.integers(0, 86_400, ROWS).astype(np.int32)).cast(pa.time32("s")),
            "price": pa.array([decimal.Decimal(int(i)).scaleb(-2) for i in rng.integers(-(10**6), 10**6, ROWS)]),
            "colour": gaps(rng.choice(np.array(["red", "green", 'b"lu,\ne'], object), ROWS)),
            "place": pa.array([f"place {i}" for i in rng.integers(0, 3000, ROWS)]),
            "answer": pa.array(rng.choice(np.array(["yes", "no"], object), ROWS)).dictionary_encode(),
            "y": rng.integers(0, 2, ROWS),
        }
    )


def same(one, other):
    return one.points.tobytes() == other.points.tobytes() and one.labels.tobytes() == other.labels.tobytes()


@pytest.fixture(scope="module")
def folder(rich, tmp_path_factory):
    place = tmp_path_factory.mktemp("rich")
    pq.write_table(rich, place / "t.parquet", row_group_size=9_999)
    arrow_csv.write_csv(rich, place / "t.csv")
    arrow_csv.write_csv(rich, place / "t.tsv", arrow_csv.WriteOptions(delimiter="\t"))
    (place / "t.csv.gz").write_bytes(gzip.compress((place / "t.csv").read_bytes(), 1))
    feather.write_feather(rich, place / "t.feather")
    with pa.OSFile(str(place / "stream.arrow"), "wb") as file, pa.ipc.new_stream(file, rich.schema) as writer:
        writer.write_table(rich, max_chunksize=12_345)
    (place / "parts").mkdir()
    pq.write_table(rich.slice(0, 30_000), place / "parts" / "a.parquet")
    pq.write_table(rich.slice(30_000), place / "parts" / "b.parquet")
    return place


@pytest.fixture(scope="module")
def from_parquet(folder, read):
    return read(folder / "t.parquet")


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.csv.gz", "t.feather", "stream.arrow", "parts", "parts/*.parquet"]
)
def test_same_bytes(read, folder, from_parquet, name):
    assert same(read(folder / name), from_parquet)


def test_standard_input(read, folder, from_parquet, monkeypatch):
    data = (folder / "t.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    table = read("-")
    assert same(table, from_parquet)
    assert table.dataset.name == "stdin"
    assert table.dataset.sha256 == read(folder / "t.csv").dataset.sha256


cells = {
    "whole": st.integers(-(2**70), 2**70),
    # Squares of smaller numbers are 0: their spread is refused.
    "float": st.floats(-1e30, 1e30).map(lambda value: value if abs(value) > 1e-100 else 0.0),
    "truth": st.booleans(),
    "day": st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)),
    "instant": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
    "text": st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
    "price": st.decimals(-(10**12), 10**12, places=3),
}


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), kind=st.sampled_from(sorted(cells)))
def test_any_column_agrees(read, tmp_path, data, kind):
    column = data.draw(st.lists(st.none() | cells[kind], min_size=3, max_size=12))
    if kind == "whole":
        fits = all(value is None or abs(value) < 2**63 for value in column)
        kept = column if fits else [None if value is None else float(value) for value in column]
        column = pa.array(kept, pa.int64() if fits else pa.float64())
    elif kind == "price":
        column = pa.array(column, pa.decimal128(18, 3))
    table = pa.table({"x": column, "sure": list(range(len(column))), "y": [i % 2 for i in range(len(column))]})
    pq.write_table(table, tmp_path / "t.parquet")
    arrow_csv.write_csv(table, tmp_path / "t.csv")
    if kind == "text" and not plain(column):
        return  # "1" and "true" in a text column are numbers to whoever reads CSV
    assert same(read(tmp_path / "t.csv"), read(tmp_path / "t.parquet"))


def plain(column):
    """Text that CSV readers take for nothing but text."""
    return all(value is None or (value.isalpha() and value.lower() not in TAKEN) for value in column)


TAKEN = {"true", "false", "nan", "inf", "infinity", "na", "null", "none"}


def test_decimals_are_the_nearest_floats(read_columns):
    prices = [decimal.Decimal(i).scaleb(-2) for i in range(1000)]
    exact = read_columns({"x": pa.array([float(price) for price in prices])})
    for kind in (pa.decimal128(9, 2), pa.decimal128(30, 2), pa.decimal256(60, 2)):
        assert same(read_columns({"x": pa.array(prices, kind)}), exact)


def test_threads_change_nothing(read, folder, from_parquet):
    before = pa.cpu_count()
    try:
        for threads in (1, 4):
            pa.set_cpu_count(threads)
            assert same(read(folder / "t.parquet"), from_parquet)
            assert same(read(folder / "t.csv"), from_parquet)
    finally:
        pa.set_cpu_count(before)
