"""A table whose features nobody needs: the same in every format, labels alone, in one pass over two columns."""

import gzip
import io
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from labeldp_audit.core.errors import DataError
from labeldp_audit.data.sources.contract import Source
from labeldp_audit.engines import machine

ROWS = 70_000  # more than one batch
ABC = ("a", "b", "c")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One table in every format; some labels are missing."""
    place, rng = tmp_path_factory.mktemp("given"), np.random.default_rng(3)
    names = np.array(["u", "v", "w"], object)[rng.integers(0, 3, ROWS)]
    labels = pa.array(names, mask=rng.random(ROWS) < 0.1)
    shares = dict(zip(ABC, rng.dirichlet([1, 1, 1], ROWS).T, strict=True))
    whole = pa.table({"text": pa.array([f"{i}\n" for i in range(ROWS)]), **shares, "y": labels})
    pq.write_table(whole, place / "t.parquet", row_group_size=9_999)
    arrow_csv.write_csv(whole, place / "t.csv")
    arrow_csv.write_csv(whole, place / "t.tsv", arrow_csv.WriteOptions(delimiter="\t"))
    (place / "t.csv.gz").write_bytes(gzip.compress((place / "t.csv").read_bytes(), 1))
    feather.write_feather(whole, place / "t.feather")
    with pa.OSFile(str(place / "t.arrow"), "wb") as file, pa.ipc.new_stream(file, whole.schema) as writer:
        writer.write_table(whole, max_chunksize=12_345)
    (place / "parts").mkdir()
    pq.write_table(whole.slice(0, 30_000), place / "parts" / "a.parquet")
    pq.write_table(whole.slice(30_000), place / "parts" / "b.parquet")
    return place


OPTIONS = {"eta": ABC, "many_classes": True, "drop_null_labels": True}


def same(one, other):
    arrays = ("given", "labels", "row_numbers")
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in arrays)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.feather", "t.arrow", "parts"])
def test_every_format_gives_the_same_bytes(read, folder, name):
    assert same(read(folder / name, **OPTIONS), read(folder / "t.parquet", **OPTIONS))


def test_and_these_are_right(read, folder):
    whole = pq.read_table(folder / "t.parquet").to_pydict()
    rows = [i for i, label in enumerate(whole["y"]) if label is not None]
    table = read(folder / "t.parquet", **OPTIONS)
    assert table.row_numbers.tolist() == rows
    assert [table.dataset.classes[code] for code in table.labels] == [whole["y"][i] for i in rows]
    raw = np.array([[whole[name][i] for name in ABC] for i in rows])
    assert (table.given == raw / raw.sum(axis=1, keepdims=True)).all()


def test_standard_input(read, folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / "t.csv").read_bytes())))
    assert same(read("-", **OPTIONS), read(folder / "t.csv", **OPTIONS))


def test_svmlight(read, tmp_path):
    (tmp_path / "t.svm").write_text("+1 1:2 2:0.75\n-1 1:3\n+1 2:1\n")
    table = read(tmp_path / "t.svm", eta=("f2",))
    assert table.given[:, 1].tolist() == [0.75, 0.0, 1.0]
    assert table.labels.tolist() == [1, 0, 1]


def test_a_label_whose_type_shows_late(read_text):
    """Whole numbers for a batch, then not: the labels read so far are forgotten, not counted twice."""
    rows = (1 << 16) + 10
    text = "p,y\n" + "".join(f"0.5,{i % 2}\n" for i in range(rows)) + "0.25,1.0\n1,-0.0\n"
    table = read_text(text, eta=("p",))
    assert table.dataset.classes == ("0", "1")
    assert table.dataset.class_counts == (rows // 2 + 1, rows // 2 + 1)
    assert table.labels[-3:].tolist() == [1, 1, 0]
    assert table.given[-2:, 1].tolist() == [0.25, 1.0]
    assert len(table.given) == rows + 2


@pytest.mark.parametrize("file", ["table.parquet", "table.csv"])
def test_labels_only(read_columns, read_text, file):
    if file == "table.csv":
        table = read_text("x,y\nfoo,b\nbar,a\n\n,c\n", labels_only=True, many_classes=True)
    else:
        table = read_columns({"x": [[1], None, []], "y": ["b", "a", "c"]}, labels_only=True, many_classes=True)
    assert (table.points.shape, table.given, table.labels.tolist()) == ((3, 0), None, [1, 0, 2])
    assert [column.role for column in table.dataset.columns] == ["excluded", "label"]
    assert table.dataset.name == file


def test_labels_only_needs_no_other_column(read_text):
    assert read_text("y\n0\n1\n", labels_only=True).labels.tolist() == [0, 1]


def test_labels_only_says_what_a_full_read_says(read, folder):
    options = {"many_classes": True, "drop_null_labels": True}
    full, short = (read(folder / "t.csv", labels_only=only, **options) for only in (False, True))
    assert full.labels.tobytes() == short.labels.tobytes()
    assert full.row_numbers.tobytes() == short.row_numbers.tobytes()
    for name in ("sha256", "rows", "rows_used", "classes", "class_counts", "positive", "label"):
        assert getattr(full.dataset, name) == getattr(short.dataset, name)


@pytest.mark.parametrize("options", [{"eta": ("p",)}, {"labels_only": True}], ids=str)
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("p,y\n", "the table has no rows"),
        ("p,y\n0.5,1\n", "the label has one class only|too few rows"),
        ("p,y\n0.5,1\n0.5,1\n", "the label has one class only, '1': table.csv: column 'y'"),
        ("p,y\n0.5,\n0.5,1\n", "missing labels: 1 of 2"),
        ("p,y\n0.5,0\n0.5,1\n0.5,2\n", "not yet supported: more than two classes"),
        ("p,y\n0.5,0\n0.5\n", "a row with 1 instead of 2 fields: table.csv: row 2"),
    ],
)
def test_labels_are_judged_as_ever(read_text, options, text, says):
    with pytest.raises(DataError, match=says):
        read_text(text, **options)


def test_no_message_quotes_the_data(read_text):
    secret = "alice@example.org"
    with pytest.raises(DataError) as caught:
        read_text(f"p,y\n1,0\n{secret},1\n", eta=("p",))
    assert secret not in str(caught.value) + caught.value.hint


def test_probabilities_beyond_the_memory_are_refused(read_text, monkeypatch):
    text = "p,y\n0.5,0\n1,1\n"
    monkeypatch.setattr(machine, "installed_memory", lambda: 63)
    with pytest.raises(DataError, match="the probabilities need"):
        read_text(text, eta=("p",))
    monkeypatch.setattr(machine, "installed_memory", lambda: 64)
    assert len(read_text(text, eta=("p",)).given) == 2


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    rows, file, rng = 1_000_000, tmp_path_factory.mktemp("large") / "t.parquet", np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=rows) for i in range(20)}
    pq.write_table(pa.table({**columns, "p": rng.random(rows), "y": rng.integers(0, 2, rows)}), file, compression=None)
    return file


def test_no_other_column_is_touched_and_none_twice(read, large, monkeypatch):
    asked = []
    batches = Source.batches

    def watched(self, columns, size):
        asked.append(tuple(columns))
        return batches(self, columns, size)

    monkeypatch.setattr(Source, "batches", watched)
    read(large, eta=("p",))
    assert asked == [("p", "y")]
    read(large, labels_only=True)
    assert asked[1:] == [("y",)]
    read(large, exclude=tuple(f"x{i}" for i in range(20)))
    assert asked[2:] == [("p", "y"), ("p", "y")], "teeth: a feature takes two passes"


def test_a_million_rows_quickly(read, large):
    """Beside reading all of the features, of which it is about a quarter."""
    taken = []
    for options in ({"eta": ("p",)}, {}):
        start = time.perf_counter()
        table = read(large, **options)
        taken.append(time.perf_counter() - start)
        assert len(table.labels) == 1_000_000
    assert taken[0] < 0.8 * taken[1]


def test_a_folder_may_say_the_probability(read, tmp_path):
    for share in ("0.25", "1"):
        (tmp_path / f"p={share}").mkdir()
        pq.write_table(pa.table({"x": [1, 2], "y": [0, 1]}), tmp_path / f"p={share}" / "a.parquet")
    assert read(tmp_path, eta=("p",)).given[:, 1].tolist() == [0.25, 0.25, 1.0, 1.0]
