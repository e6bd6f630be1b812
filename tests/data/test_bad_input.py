"""Whatever is wrong with a table, one line says what and where."""

import gzip
import os
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import AuditError, DataError, SpecError
from labeldp_audit.engines import machine

GOOD = "a,y\n1,0\n2,1\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def refused(read, *arguments, error=DataError, **options):
    with pytest.raises(error) as caught:
        read(*arguments, **options)
    line = str(caught.value)
    assert "\n" not in line
    assert "Traceback" not in line
    assert "\n" not in caught.value.hint
    return line


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty: table.csv"),
        (b"\n\n", "no header row: table.csv"),
        (b"a,y\n", "the table has no rows: table.csv"),
        (b"a,y\n1,0\n", "too few rows: 1: table.csv"),
        (PNG, "not a text table: it holds zero bytes: table.csv"),
        (GOOD.encode("utf-16"), "not UTF-8 text: table.csv"),
        (b"a,y\nfoo,1\ncaf\xe9,0\n", "not UTF-8 text: table.csv: row 2"),
        (b"caf\xe9,y\nfoo,1\n", "not UTF-8 text: table.csv"),
        (b"a,y\n1,0\n2,1\n3\n4,0\n", "a row with 1 instead of 2 fields: table.csv: row 3"),
        (b"a,y\n1,0\n2,1,5\n", "a row with 3 instead of 2 fields: table.csv: row 2"),
        (b'a,y\n"1\n\n1",0\n2,1\n3\n', "a row with 1 instead of 2 fields: table.csv: row 3"),
        (b"a,b,a,y\n1,2,3,0\n", "two columns have the same name: table.csv: column 'a'"),
        (b"a,y\n1,0\n-inf,1\n", "an infinite value: table.csv: column 'a': row 2"),
        (b"a,y\n1e308,0\n-1e308,1\n", "its spread does not fit a float64: table.csv: column 'a'"),
        (b"a,y\n1,0\n1,1\n", "no feature columns: every one is constant: table.csv"),
        (b"a,y\n1,0\n,1\n3,\n", "missing labels: 1 of 3: table.csv: column 'y'"),
        (b"a,y\n1,5\n2,5\n", "the label has one class only, '5': table.csv: column 'y'"),
        (b"a,b\n1,5\n2,6\n", "no label column; the columns are 'a', 'b': table.csv"),
        (b"label,Y,b\n1,5,0\n", "2 columns could be the label: 'label', 'Y'; the columns are"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_csv(read_text, content, says):
    assert refused(read_text, content).startswith(says)


@pytest.mark.parametrize(
    ("parted", "cut", "hint"),
    [
        (";", None, "--delimiter ';', if this one column is several"),
        ("\t", None, "--delimiter tab, if this one column is several"),
        ("|", None, "--delimiter '|', if this one column is several"),
        (",", ";", "--delimiter ',', if this one column is several"),
    ],
)
@pytest.mark.parametrize("label", [None, "y"])
def test_a_table_that_is_parted_otherwise(read_text, parted, cut, hint, label):
    """Whether or not the label was named: the hint is what mends it."""
    text = "a,b c,y\n1,2,0\n2,4,1\n".replace(",", parted).encode()
    with pytest.raises(AuditError) as caught:
        read_text(text, delimiter=cut, label=label)
    assert caught.value.hint == hint
    assert read_text(text, delimiter=parted, label=label).dataset.rows == 2


def test_a_single_column_that_is_one(read_text):
    with pytest.raises(DataError) as caught:
        read_text(b"a b\n1\n2\n")
    assert caught.value.hint == "--label COLUMN"


def test_a_late_ragged_row_is_named(read_text):
    rows = b"".join(b'"x\n%d",%d\n' % (i, i % 2) for i in range(800_000))
    assert refused(read_text, b"a,y\n" + rows + b"3\n").endswith("row 800001")


def test_a_quotation_mark_left_open(read_text):
    text = b"a,y\n" + b"1,0\n2,1\n" + b'"' + b"z" * (25 << 20)
    assert refused(read_text, text) == "a row is longer than 4 MB: table.csv"


def test_the_first_infinity_is_named(read_columns):
    assert refused(read_columns, {"x": [None, float("inf"), 1.0, float("inf")]}).endswith("row 2")


def test_a_late_infinity_is_named(read_columns):
    x = np.arange(200_000.0)
    x[150_000] = np.inf
    labels = pa.array([None, *(i % 2 for i in range(199_999))])
    line = refused(read_columns, {"x": x, "y": labels}, drop_null_labels=True)
    assert line == "an infinite value: table.parquet: column 'x': row 150001"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.xlsx", b"PK", "unknown kind of file"),
        ("t", b"PK", "unknown kind of file"),
        ("t.parquet.gz", b"PK", "unknown kind of file"),
        ("t.parquet", b"", "the file is empty: t.parquet"),
        ("t.parquet", b"PAR1" * 20, "not a complete Parquet file: t.parquet"),
        ("t.parquet", GOOD.encode(), "not a complete Parquet file: t.parquet"),
        ("t.feather", b"ARROW1 and nothing else", "not a complete Arrow file: t.feather"),
        ("t.arrow", PNG, "not a complete Arrow file: t.arrow"),
        ("t.csv.gz", GOOD.encode(), "cannot be read: t.csv.gz"),
        (
            "t.csv.gz",
            gzip.compress(random.Random(0).randbytes(3000).hex().encode(), mtime=0)[:-900],
            "not a readable CSV file: t.csv.gz",
        ),
        ("t.svm", PNG, "not `label index:value ...`: t.svm: row 1"),
        ("t.svm", b"1 1:2\n# note\n0 2\n", "not `label index:value ...`: t.svm: row 2"),
        ("t.svm", b"1 1:2\n0 x:2\n", "not `label index:value ...`: t.svm: row 2"),
        ("t.svm", b"1 1:2\n0 99999999999999999999:2\n", "not `label index:value ...`: t.svm: row 2"),
        ("t.svm", b"1 1:2\n0 99999999:2\n", "feature indices must be from 0 to 20000: t.svm"),
        ("t.svm", b"1\n0\n", "no feature columns: t.svm"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_files(read, tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    assert refused(read, tmp_path / name).startswith(says)


def test_nothing_there(read, tmp_path):
    assert "no such file" in refused(read, tmp_path / "nowhere.parquet")
    assert "no file matches" in refused(read, tmp_path / "*.parquet")
    assert "no Parquet files in the folder" in refused(read, tmp_path)
    assert "not a regular file" in refused(read, "/dev/null")
    assert "cannot be read" in refused(read, "a\0b.csv")
    assert "cannot be read" in refused(read, "x" * 300 + ".csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(read, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    (tmp_path / "t.csv").chmod(0)
    assert "no permission to read" in refused(read, tmp_path / "t.csv")


def test_no_permission_is_one_line_whoever_runs_this(read, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(GOOD)

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pa, "input_stream", denied)
    assert "no permission to read: t.csv" in refused(read, tmp_path / "t.csv")


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_parquet_file_is_read_or_refused(read, tmp_path, data):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": list(range(50)), "c": ["a", "b"] * 25, "y": [0, 1] * 25}), path)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(1, len(content) - 1))]
    else:
        content[data.draw(st.integers(4, 200))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        assert len(read(path).points) <= 50
    except AuditError as error:
        assert "\n" not in str(error)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text('ay,"01\n\r .-x\té\ufeff') | st.binary().map(lambda b: b.decode("latin1")))
def test_any_text_is_read_or_refused(read_text, text):
    try:
        read_text("a,y\n1,0\n" + text)
    except AuditError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    "column",
    [[[1], [2]], [{"a": 1}, {"a": 2}], pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64()))],
    ids=["list", "struct", "map"],
)
def test_nested_columns(read_columns, column):
    columns = {"deep": column, "x": [1, 2]}
    assert "column 'deep'" in refused(read_columns, columns)
    assert read_columns(columns, exclude=("deep",)).points.shape == (2, 1)


def test_hints_can_be_typed(read_columns):
    with pytest.raises(DataError) as caught:
        read_columns({"two words": [[1], [2]]})
    assert caught.value.hint == "--exclude 'two words'"


def test_names_with_line_breaks_are_escaped(read_columns):
    line = refused(read_columns, {"a\nb\u200b": [1.0, np.inf]})
    assert r"column 'a\nb\u200b'" in line


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"label": "q"}, "--label: no column 'q'"),
        ({"exclude": ("a", "q")}, "--exclude: no column 'q'"),
        ({"categorical": ("q",)}, "--categorical: no column 'q'"),
        ({"label": "y", "exclude": ("y",)}, "column 'y' is the label and also named by --exclude"),
        ({"categorical": ("y",)}, "column 'y' is the label and also named by --categorical"),
    ],
    ids=str,
)
def test_options_that_name_nothing(read_text, options, says):
    assert refused(read_text, GOOD, error=SpecError, **options).startswith(says)


def test_unknown_columns_list_the_known_ones(read_text):
    with pytest.raises(SpecError) as caught:
        read_text("a,b,y\n1,2,0\n", label="q")
    assert caught.value.hint == "columns: 'a', 'b', 'y'"


def test_a_misspelt_column_is_guessed(read_text):
    with pytest.raises(SpecError) as caught:
        read_text("age,target\n1,0\n2,1\n", label="targte")
    assert caught.value.hint == "did you mean 'target'?"


def test_cells_with_commas_hint_at_the_delimiter(read_text):
    with pytest.raises(DataError) as caught:
        read_text("a;y\n1,5,5;0\n2;1\n")
    assert "--delimiter" in caught.value.hint


def test_a_wide_table_is_not_listed_whole(read_columns):
    line = refused(read_columns, {f"c{i}": [1, 2] for i in range(500)} | {"y": [0, 1]}, label=None, exclude=("y",))
    assert "'c0', 'c1'" in line
    assert line.endswith("and 489 more: table.parquet")


def test_columns_glued_together_hint_at_the_delimiter(read_text):
    with pytest.raises(DataError) as caught:
        read_text("a;y\n1;0\n2;1\n")
    assert "--delimiter" in caught.value.hint


def test_a_table_beyond_the_memory_is_refused_first(read_text, monkeypatch):
    monkeypatch.setattr(machine, "installed_memory", lambda: 7)
    assert refused(read_text, GOOD).startswith("the encoded table needs 0.0 GB of memory, this machine has 0.0 GB")
    monkeypatch.setattr(machine, "installed_memory", lambda: 8)
    assert read_text(GOOD).points.nbytes == 8


def test_no_features_left(read_text):
    assert refused(read_text, GOOD, exclude=("a",)) == "no feature columns: table.csv"


@pytest.mark.parametrize(
    "schema", [pa.schema([]), pa.schema([("x", pa.int64()), ("y", pa.int64())])], ids=["0 columns", "0 rows"]
)
def test_empty_parquet(read, tmp_path, schema):
    pq.write_table(schema.empty_table(), tmp_path / "t.parquet")
    assert refused(read, tmp_path / "t.parquet").startswith("the table has no ")


def test_duplicate_names_in_parquet(read, tmp_path):
    pq.write_table(pa.Table.from_arrays([pa.array([1, 2])] * 3, names=["a", "a", "y"]), tmp_path / "t.parquet")
    assert refused(read, tmp_path / "t.parquet") == "two columns have the same name: t.parquet: column 'a'"


def test_empty_standard_input(read, monkeypatch):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert refused(read, "-") == "the input is empty: stdin"


def test_no_message_quotes_the_data(read_text):
    secret = "alice@example.org"
    for text in (f"a,y\n1,0\n{secret}\n", f"a,y\n1,0\n{secret},1,1\n"):
        assert secret not in refused(read_text, text)


def test_many_rows_without_a_label_in_a_row(read_columns):
    """A batch may have none that is used."""
    labels = pa.array([0, 1] * 50 + [None] * 140_000)
    table = read_columns({"x": np.arange(len(labels)), "y": labels}, drop_null_labels=True)
    assert len(table.points) == 100
