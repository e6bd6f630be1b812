"""Sources, types, roles, warnings: what the reader finds out and says."""

import hashlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from labeldp_audit.data import ReadOptions, read_table
from labeldp_audit.reports.sentences import warnings as said_of

BATCH = 1 << 16


def roles(table):
    return {column.name: (column.role, column.type) for column in table.dataset.columns}


def test_byte_order_mark_and_windows_lines(read_text):
    assert roles(read_text("\ufeffa,y\r\n1,0\r\n2,1\r\n")) == {"a": ("number", "int64"), "y": ("label", "int64")}


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_delimiters(read_text, sign):
    assert read_text(f"a{sign}y\n1{sign}0\n2{sign}1\n", delimiter=sign).points.tolist() == [[-1], [1]]


def test_svmlight(read, tmp_path):
    text = "# a comment\n+1 1:2 3:4.5 # why not\n-1 qid:7 2:1\n\n+1 1:2\n"
    (tmp_path / "t.svm").write_text(text)
    table = read(tmp_path / "t.svm")
    dense = np.array([[2, 0, 4.5], [0, 1, 0], [2, 0, 0]])
    assert np.allclose(table.points, (dense - dense.mean(axis=0)) / dense.std(axis=0))
    assert table.dataset.classes == ("-1", "1")
    assert [column.name for column in table.dataset.columns] == ["label", "f1", "f2", "f3"]


def test_svmlight_of_several_blocks(read, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, (9000, 4))
    lines = (f"{i % 2} " + " ".join(f"{j}:{v}" for j, v in enumerate(row) if v) for i, row in enumerate(x))
    (tmp_path / "t.svm").write_text("\n".join(lines))
    table = read(tmp_path / "t.svm")
    assert np.allclose(table.points, (x - x.mean(axis=0)) / x.std(axis=0), atol=1e-6)
    assert table.dataset.columns[1].name == "f0"


@pytest.fixture
def parts(tmp_path):
    place = tmp_path / "clicks"
    for year in (2023, 2024):
        (place / f"year={year}" / "_temporary").mkdir(parents=True)
        pq.write_table(pa.table({"x": [year, 5], "y": [0, 1]}), place / f"year={year}" / "a.parquet")
        (place / f"year={year}" / "_temporary" / "half.parquet").write_bytes(b"half")
        for hidden in (".a.parquet.crc", ".a.parquet", "_metadata.parquet"):
            (place / f"year={year}" / hidden).write_bytes(b"no data")
    (place / "_SUCCESS").write_bytes(b"")
    return place


def test_a_folder_of_files(read, parts):
    table = read(parts)
    assert table.dataset.name == "clicks"
    assert roles(table) == {"x": ("number", "int64"), "y": ("label", "int64"), "year": ("number", "int64")}
    assert table.points[:, 1].tolist() == [-1, -1, 1, 1]


def test_folders_and_files_that_differ(read, refused, parts, tmp_path):
    pq.write_table(pa.table({"x": [1, 5], "y": [0, 1]}), parts / "b.parquet")
    assert "differ in their `name=value` parts" in str(refused(read, parts))
    place = tmp_path / "files"
    place.mkdir()
    pq.write_table(pa.table({"x": [1, 2], "y": [0, 1]}), place / "a.parquet")
    pq.write_table(pa.table({"y": [0, 1], "x": [3, 4]}), place / "b.parquet")
    assert read(place).dataset.rows == 4, "the order of columns is no difference"
    for other in ({"x": [1.5, 2], "y": [0, 1]}, {"y": [0, 1]}, {"x": [1, 2], "y": [0, 1], "z": [1, 2]}):
        pq.write_table(pa.table(other), place / "c.parquet")
        name = "z" if "z" in other else "x"
        assert str(refused(read, place)) == f"the files differ in column '{name}': a.parquet, c.parquet"
    (place / "c.csv").write_text("a,y\n1,0\n2,1\n")
    assert "only where all are Parquet" in str(refused(read, place / "*"))


def test_digests(read, tmp_path):
    pq.write_table(pa.table({"x": [1, 2], "y": [0, 1]}), tmp_path / "a.parquet")
    digest = hashlib.sha256((tmp_path / "a.parquet").read_bytes()).hexdigest()
    assert read(tmp_path / "a.parquet").dataset.sha256 == digest
    one = read(tmp_path).dataset.sha256
    pq.write_table(pa.table({"x": [5, 2], "y": [0, 1]}), tmp_path / "b.parquet")
    two = read(tmp_path).dataset.sha256
    (tmp_path / "b.parquet").rename(tmp_path / "c.parquet")
    assert len({digest, two, read(tmp_path).dataset.sha256}) == 3
    assert one == digest


def test_standard_input_leaves_nothing_behind(read, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,y\n1,0\n2,1\n")))
    seen = []
    spooled = tempfile.TemporaryFile

    def watched(*arguments, **options):
        file = spooled(*arguments, **options)
        seen.append((list(tmp_path.iterdir()), os.fstat(file.fileno()).st_mode & 0o777))
        return file

    monkeypatch.setattr(tempfile, "TemporaryFile", watched)
    assert read("-").dataset.rows == 2
    assert seen == [([], 0o600)]


def test_roles_and_warnings(read_columns):
    rows = 100
    table = read_columns(
        {
            "id": [f"user {i}" for i in range(rows)],
            "number": [float(i) for i in range(rows)],
            "same": [1] * rows,
            "void": pa.nulls(rows),
            "hollow": pa.nulls(rows, pa.string()),
            "rare": [None] * (rows - 2) + [1.0, 2.0],
            "aside": [b"x"] * rows,
        },
        exclude=("aside",),
    )
    assert roles(table) == {
        "id": ("category", "string"),
        "number": ("number", "double"),
        "same": ("constant", "int64"),
        "void": ("constant", "null"),
        "hollow": ("constant", "string"),
        "rare": ("number", "double"),
        "aside": ("excluded", "binary"),
        "y": ("label", "int64"),
    }
    assert said_of(table) == (
        "column 'id' looks like an identifier; --exclude id if it is",
        "mostly missing and still a feature: 'rare'; --exclude what is not published",
        "constant, so dropped: 'same', 'void', 'hollow'",
    )
    assert table.dataset.features == 3


def test_odd_names(read_columns):
    names = ["", "\n", "a.b", "a", "__index_level_0__", "\u200b", "x" * 500]
    table = read_columns({name: [1, 2] for name in names})
    assert [column.name for column in table.dataset.columns] == [*names, "y"]
    assert table.points.shape == (2, 7)


class Steps:
    def __init__(self):
        self.said = []

    def stage(self, name, total, unit):
        self.said.append([name, total, unit, 0])

    def advance(self, amount):
        self.said[-1][-1] += amount


def test_progress(tmp_path):
    rows = 3 * BATCH + 5
    pq.write_table(pa.table({"x": np.arange(rows), "y": np.arange(rows) % 2}), tmp_path / "t.parquet")
    steps = Steps()
    read_table(str(tmp_path / "t.parquet"), ReadOptions(), steps)
    assert steps.said == [["scanning", rows, "rows", rows], ["encoding", rows, "rows", rows]]


# ru_maxrss of a child starts at what its parent held when it forked; VmHWM is its own.
MEASURE = """
import re, sys
from pathlib import Path
import numpy, pyarrow.compute, pyarrow.csv, pyarrow.parquet
from labeldp_audit.core.progress import Silent
from labeldp_audit.data import ReadOptions, read_table
from labeldp_audit.reports.sentences import warnings as said_of
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
table = read_table(sys.argv[1], ReadOptions(), Silent())
print((peak() - before) / 1024 - table.points.nbytes / 2**20)
"""
LIAR = MEASURE.replace("table =", "whole = pyarrow.parquet.read_table(sys.argv[1])\ntable =")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A row group of 120 MB."""
    rows, file = 1_000_000, tmp_path_factory.mktemp("large") / "t.parquet"
    columns = {f"x{i}": np.random.default_rng(i).normal(size=rows) for i in range(15)}
    pq.write_table(pa.table({**columns, "y": np.arange(rows) % 2}), file, compression="none")
    return file


def megabytes(program, file):
    """Needed besides the points."""
    return float(subprocess.run([sys.executable, "-c", program, file], capture_output=True, check=True).stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is told in other ways elsewhere")
def test_the_file_is_never_in_memory(large):
    """Versions of libraries need more or less, but who holds the file needs 1.5 times as much with each."""
    assert 1.5 * megabytes(MEASURE, large) < megabytes(LIAR, large)


def test_importing_tables_is_cheap():
    code = "import sys, labeldp_audit.data, labeldp_audit.data.write; print('pyarrow' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout.strip() == "False"


def test_dictionaries_of_numbers_are_categories_and_of_lists_nested(read, refused, tmp_path):
    table = pa.table({"x": pa.array([7, 9, None, 7, 8]).dictionary_encode(), "y": [0, 1, 0, 1, 0]})
    feather.write_feather(table, tmp_path / "t.feather")
    column = read(tmp_path / "t.feather").dataset.columns[0]
    assert (column.role, column.levels, column.missing) == ("category", 4, 1)
    deep = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([[1], [2]]))
    batch = pa.RecordBatch.from_pydict({"x": deep, "y": pa.array([0, 1])})
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    assert str(refused(read, tmp_path / "t.arrow")).startswith("cannot audit a column of type dictionary")


# ---- types of text columns


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "3"], "int64"),
        (["1", "", "18446744073709551615"], "uint64"),
        (["-1", "2", "18446744073709551615"], "double"),
        (["1", "2.5", "1e3"], "double"),
        (["1", "NA", "nan"], "int64"),
        ([" 1", "2 ", "3"], "int64"),
        (["true", "False", ""], "bool"),
        (["1", "true", "0"], "string"),
        (["2024-01-01", "1970-01-01", ""], "date32[day]"),
        (["2024-01-01", "2024-01-01 10:00:00", ""], "timestamp[us]"),
        (["2024-01-01 10:00:00.123456789", "2024-01-01", ""], "timestamp[ns]"),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00+02:00", ""], "timestamp[us, tz=UTC]"),
        (["12:30:00", "12:30:01.5", ""], "time64[us]"),
        (["a", "1", ""], "string"),
        (["2024-01-01", "soon", ""], "string"),
        (["2024-01-01", "7", ""], "string"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
def test_csv_types_are_learnt_from_every_row(small_blocks, read_text, cells, kind, late):
    rows = [f"{cells[0]},{i % 2}" for i in range(600 if late else 1)] + [f"{cell},1" for cell in cells]
    table = read_text("x,y\n" + "\n".join(rows) + "\n")
    assert roles(table)["x"][1] == kind


def test_a_column_that_is_empty_for_long(small_blocks, read_text):
    table = read_text("x,z,y\n" + ",1,0\n" * 600 + "0.5,2,1\n1.5,3,0\n")
    assert roles(table)["x"] == ("number", "double")
    assert table.dataset.columns[0].missing == 600
    assert table.points[-2:, 0].tolist() == [-1, 1]


def test_text_stays_as_it_is(read_text):
    table = read_text('x,y\nNA,0\n"a\nb",1\n a,0\n"",1\n')
    assert table.dataset.columns[0].levels == 4
    assert table.dataset.columns[0].missing == 1


def test_forced_categories_keep_their_zeros(read_text, refused):
    text = "zip,y\n01234,0\n1234,1\n01234,0\n"
    assert read_text(text, categorical=("zip",)).dataset.columns[0].levels == 2
    assert "constant" in str(refused(read_text, text))
