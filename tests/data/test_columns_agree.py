"""The columns as they are do not depend on the kind of file or on the order of the rows."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from test_columns import by_hand

ROWS = 70_000  # more than one batch


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(7)

    def gaps(values):
        return pa.array(values, mask=rng.random(ROWS) < 0.1)

    return pa.table(
        {
            "few": gaps(rng.choice(np.array(["red", "green", 'b"lu,\ne'], object), ROWS)),
            "x": gaps(rng.normal(size=ROWS)),
            "many": gaps(np.array([f"place {i}" for i in rng.integers(0, 3000, ROWS)], object)),
            "day": gaps(rng.integers(0, 20_000, ROWS).astype("datetime64[D]")),
            "each": [f"{i} " + "long" * (i % 40) for i in rng.permutation(ROWS)],
            "answer": pa.array(rng.choice(np.array(["yes", "no"], object), ROWS)).dictionary_encode(),
            "forced": pa.array(rng.integers(-3000, 20_000, ROWS).astype("datetime64[D]")),
            "truth": gaps(rng.random(ROWS) < 0.5),
            "code": gaps(rng.integers(-300, 300, ROWS)),
            "y": gaps(rng.integers(0, 2, ROWS)),
        }
    )


OPTIONS = {"columns": True, "drop_null_labels": True, "categorical": ("code", "forced")}


@pytest.fixture(scope="module")
def folder(mixed, tmp_path_factory):
    place = tmp_path_factory.mktemp("mixed")
    pq.write_table(mixed, place / "t.parquet", row_group_size=9_999)
    arrow_csv.write_csv(mixed, place / "t.csv")
    arrow_csv.write_csv(mixed, place / "t.tsv", arrow_csv.WriteOptions(delimiter="\t"))
    (place / "t.csv.gz").write_bytes(gzip.compress((place / "t.csv").read_bytes(), 1))
    feather.write_feather(mixed, place / "t.feather")
    (place / "parts").mkdir()
    pq.write_table(mixed.slice(0, 30_000), place / "parts" / "a.parquet")
    pq.write_table(mixed.slice(30_000), place / "parts" / "b.parquet")
    return place


@pytest.fixture(scope="module")
def from_parquet(read, folder):
    return read(folder / "t.parquet", **OPTIONS).columns


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.feather", "parts"])
def test_every_file_alike(read, folder, from_parquet, name):
    found = read(folder / name, **OPTIONS).columns
    assert found.names == from_parquet.names == ("few", "x", "many", "day", "each", "answer", "forced", "truth", "code")
    assert np.array_equal(found.categorical, from_parquet.categorical)
    assert found.values.tobytes("F") == from_parquet.values.tobytes("F")


def test_each_column_by_hand(mixed, from_parquet):
    kept = mixed.filter(mixed["y"].is_valid())
    for j, name in enumerate(from_parquet.names):
        if from_parquet.categorical[j]:
            cells = kept[name].cast(pa.string()).to_pylist()
            assert np.array_equal(from_parquet.values[:, j], by_hand(cells)), name
    assert from_parquet.categorical.tolist() == [True, False, True, False, True, True, True, False, True]


def test_shuffled_rows_have_the_same_codes(read, mixed, from_parquet, tmp_path):
    kept = mixed.filter(mixed["y"].is_valid())
    order = np.random.default_rng(1).permutation(len(kept))
    pq.write_table(kept.take(pa.array(order)), tmp_path / "t.parquet")
    found = read(tmp_path / "t.parquet", **OPTIONS).columns.values
    codes = from_parquet.categorical
    assert np.array_equal(found[:, codes], from_parquet.values[order][:, codes])
    assert np.allclose(found[:, ~codes], from_parquet.values[order][:, ~codes], atol=1e-5, equal_nan=True)
