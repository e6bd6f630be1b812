"""A small table of people with every kind of column, and files that hold it."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from pyarrow import feather

ROWS = 600


def people(rows: int = ROWS, seed: int = 5) -> pa.Table:
    """The older, the likelier; some cells are missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    days = [dt.date(2020, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 2000, rows)]
    return pa.table(
        {
            "age": age,
            "income": pa.array(rng.normal(3e4, 1e4, rows), mask=rng.random(rows) < 0.1),
            "smoker": rng.random(rows) < 0.3,
            "city": pa.array(
                rng.choice(np.array(["Ulm", "Köln", 'O"x, y'], object), rows), mask=rng.random(rows) < 0.1
            ),
            "since": pa.array(days),
            "label": (rng.random(rows) < (age - 10) / 100).astype(np.int64),
        }
    )


def write_everywhere(table: pa.Table, folder: Path) -> tuple[str, ...]:
    """The same table in files of every kind; their names."""
    half = table.num_rows // 2
    pq.write_table(table, folder / "t.parquet")
    arrow_csv.write_csv(table, folder / "t.csv")
    (folder / "t.csv.gz").write_bytes(gzip.compress((folder / "t.csv").read_bytes()))
    arrow_csv.write_csv(table, folder / "t.tsv", arrow_csv.WriteOptions(delimiter="\t"))
    feather.write_feather(table, folder / "t.feather")
    with pa.OSFile(str(folder / "t.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    (folder / "parts").mkdir()
    pq.write_table(table.slice(0, half), folder / "parts" / "a.parquet")
    pq.write_table(table.slice(half), folder / "parts" / "b.parquet")
    return ("t.parquet", "t.csv", "t.csv.gz", "t.tsv", "t.feather", "t.arrow", "parts", "parts/*.parquet")


def modelled(folder: Path, rows: int = 4000, seed: int = 3) -> tuple[np.ndarray, str]:
    """A table with a feature, the true eta of every row, and labels drawn from it; that eta, and the file's name."""
    rng = np.random.default_rng(seed)
    x = rng.random(rows)
    eta = 0.05 + 0.6 * x
    labels = (rng.random(rows) < eta).astype(np.int64)
    pq.write_table(pa.table({"x": x, "model": eta, "y": labels}), folder / "m.parquet")
    return eta, "m.parquet"
