"""Whatever is wrong with a table, one line says what and where."""

import gzip
import io
import os
import random
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import AuditError, SpecError
from labeldp_audit.engines import machine

GOOD = "a,y\n1,0\n2,1\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
UNCLEAR = "one column is several"


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty: table.csv"),
        (b"\n\n", "no header row: table.csv"),
        (b"a,y\n", "the table has no rows: table.csv"),
        (b"a,y\n1,0\n", "too few rows: 1: table.csv"),
        (PNG, "not a text table but a binary file: table.csv"),
        (GOOD.encode("utf-16"), "not UTF-8 text: table.csv"),
        (b"a,y\nfoo,1\ncaf\xe9,0\n", "not UTF-8 text: table.csv: row 2"),
        (b"caf\xe9,y\nfoo,1\n", "not UTF-8 text: table.csv"),
        (b"a,y\n1,0\n2,1\n3\n4,0\n", "a row with 1 instead of 2 fields: table.csv: row 3"),
        (b"a,y\n1,0\n2,1,5\n", "a row with 3 instead of 2 fields: table.csv: row 2"),
        (b'a,y\n"1\n\n1",0\n2,1\n3\n', "a row with 1 instead of 2 fields: table.csv: row 3"),
        (b"a,b,a,y\n1,2,3,0\n", "two columns have the same name: table.csv: column 'a'"),
        (b"Export 2026,,\na,b,y\n1,2,0\n", "columns without a name: 2 of 3: table.csv"),
        (b"sep=;\r\na;y\r\n1;0\r\n", "the first line, sep=, is for spreadsheets and names no columns: table.csv"),
        (b"PAR1" + bytes(8), "not a text table but a Parquet file: table.csv"),
        (b"PK\x03\x04\x14\0", "not a text table but a spreadsheet or an archive: table.csv"),
        (gzip.compress(GOOD.encode(), mtime=0), "not a text table but a gzip file: table.csv"),
        (b"a,y\n1,0\n-inf,1\n", "an infinite value: table.csv: column 'a': row 2"),
        (b"a,y\n1e308,0\n-1e308,1\n", "its spread does not fit a float64: table.csv: column 'a'"),
        (b"a,y\n1,0\n1,1\n", "no feature columns: every one is constant: table.csv"),
        (b"a,y\n1,0\n,1\n3,\n", "missing labels: 1 of 3: table.csv: column 'y'"),
        (b"a,y\n1,5\n2,5\n", "the label has one class only, '5': table.csv: column 'y'"),
        (
            b"Ann,52,138\nBob,61,120\n",
            "the first row holds numbers and no names of columns: table.csv",
        ),
        (
            b"Ann 0.9417 x\nBob 0.1 z\n",
            "no label column; the first row looks like cells and no names of columns: table.csv",
        ),
        (b"0,1,2\n5,6,7\n", "no label column; the columns are '0', '1', '2': table.csv"),
        (b"a,b\n1,5\n2,6\n", "no label column; the columns are 'a', 'b': table.csv"),
        (b"label,Y,b\n1,5,0\n", "2 columns could be the label: 'label', 'Y'; the columns are"),
        (b"a,y\n1,0\nalice@example.org,1,1\n", "a row with 3 instead of 2 fields: table.csv: row 2"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_csv(read_text, refused, content, says):
    assert str(refused(read_text, content)).startswith(says)
    assert "alice" not in str(refused(read_text, content)), "no message quotes the data"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16le", "utf-16be", "utf-32"])
def test_wide_text_is_told_by_its_mark_or_its_zeros(read_text, refused, encoding):
    text = GOOD + "3,0\n" * 200
    error = refused(read_text, text.encode(encoding))
    assert str(error) == "not UTF-8 text: table.csv"
    assert error.hint.startswith(f"convert it: iconv -f {encoding} -t utf-8 table.csv > utf8.csv")


def test_a_column_may_be_called_like_the_mark_of_a_file(read_text):
    assert read_text("PAR1,y\n1,0\n2,1\n").dataset.rows == 2
    assert read_text("sep=x,y\n1,0\n2,1\n").dataset.rows == 2


@pytest.mark.parametrize(("parted", "cut", "typed"), [(";", None, "';'"), ("\t", None, "tab"), (",", ";", "','")])
@pytest.mark.parametrize("label", [None, "y"])
def test_a_table_that_is_parted_otherwise(read_text, refused, parted, cut, typed, label):
    """Whether or not the label was named: the hint is what mends it."""
    text = "a,b c,y\n1,2,0\n2,4,1\n".replace(",", parted)
    hint = refused(read_text, text, delimiter=cut, label=label).hint
    assert hint == f"--delimiter {typed}, if this {UNCLEAR}"
    assert read_text(text, delimiter=parted, label=label).dataset.rows == 2


@pytest.mark.parametrize(
    ("text", "options", "hint"),
    [
        ("a b\n1\n2\n", {}, "--label COLUMN"),
        ("a;y\n1,5,5;0\n2;1\n", {}, "--delimiter ';' or tab, if that is what parts the columns"),
        ("a,b,y\n1,2,0\n", {"label": "q"}, "the columns are 'a', 'b', 'y'"),
        ("age,target\n1,0\n2,1\n", {"label": "targte"}, "did you mean 'target'?"),
        ('a,y\n1,0\n"zz', {}, ""),
    ],
)
def test_hints(read_text, refused, text, options, hint):
    assert refused(read_text, text, **options).hint == hint


def test_a_late_ragged_row_is_named(read_text, refused):
    rows = b"".join(b'"x\n%d",%d\n' % (i, i % 2) for i in range(800_000))
    assert str(refused(read_text, b"a,y\n" + rows + b"3\n")).endswith("row 800001")


def test_a_quotation_mark_left_open(read_text, refused):
    text = b"a,y\n" + b"1,0\n2,1\n" + b'"' + b"z" * (25 << 20)
    assert str(refused(read_text, text)) == "a row is longer than 4 MB: table.csv"


LEFT_OPEN = "in a CSV file, close the quotation mark that opens in this row"


@pytest.mark.parametrize("rows", [20, 5000], ids=["first block", "later block"])
def test_a_label_with_other_cells_names_the_row_that_opens_it(read_text, refused, rows, small_blocks):
    """And quotes none of them."""
    lines = [f"{i},{'no' if i % 2 else 'yes'}" for i in range(1, rows + 4)]
    lines[rows - 1] = f'{rows},"yes'
    error = refused(read_text, "\n".join(["a,y", *lines, ""]))
    assert str(error) == f"a label with a line break: table.csv: column 'y': row {rows}"
    assert error.hint == LEFT_OPEN


@pytest.mark.parametrize(("length", "fine"), [(100, True), (101, False)])
@pytest.mark.parametrize("options", [{}, {"labels_only": True}], ids=str)
def test_a_label_has_a_hundred_characters_at_most(read_columns, refused, length, fine, options):
    columns, options = {"x": range(20), "y": ["no", "y" * length] * 10}, {"positive": "no", **options}
    if fine:
        assert len(read_columns(columns, **options).labels) == 20
    else:
        error = refused(read_columns, columns, **options)
        assert str(error).startswith(f"a label of {length} characters, 100 at most")
        assert str(error).endswith("row 2") and error.hint == LEFT_OPEN


@pytest.mark.parametrize("name", ["a\rb", "a\n", "\n"], ids=repr)
def test_a_label_of_several_lines_is_refused_in_any_file(read_columns, refused, name):
    error = refused(read_columns, {"x": range(20), "y": ["no", name] * 10})
    assert str(error).endswith("column 'y': row 2")


def test_the_first_infinity_is_named(read_columns, refused):
    assert str(refused(read_columns, {"x": [None, float("inf"), 1.0, float("inf")]})).endswith("row 2")
    x = np.arange(200_000.0)
    x[150_000] = np.inf
    labels = pa.array([None, *(i % 2 for i in range(199_999))])
    line = str(refused(read_columns, {"x": x, "y": labels}, drop_null_labels=True))
    assert line == "an infinite value: table.parquet: column 'x': row 150001"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.xlsx", b"PK", "unknown kind of file"),
        ("t", b"PK", "unknown kind of file"),
        ("t.parquet.gz", b"PK", "unknown kind of file"),
        ("t.parquet", b"", "the file is empty: t.parquet"),
        ("t.parquet", LFS, "a pointer of Git LFS and not the file itself: t.parquet"),
        ("t.csv", LFS, "a pointer of Git LFS and not the file itself: t.csv"),
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
        ("t.svm.gz", GOOD.encode(), "cannot be read: t.svm.gz"),
        ("t.svm", PNG, "not `label index:value ...`: t.svm: row 1"),
        ("t.svm", b"1 1:2\n# note\n0 2\n", "not `label index:value ...`: t.svm: row 2"),
        ("t.svm", b"1 1:2\n0 x:2\n1 1:3\n", "not `label index:value ...`: t.svm: row 2"),
        ("t.svm", b"1 1:2\n0 99999999999999999999:2\n", "not `label index:value ...`: t.svm: row 2"),
        ("t.svm", b"1 1:2\n" * 5000 + b"0 x:2\n", "not `label index:value ...`: t.svm: row 5001"),
        ("t.svm", b"1 1:2\n0 99999999:2\n", "feature indices must be from 0 to 20000: t.svm"),
        ("t.svm", b"1 1:2\n0 -1:2\n", "feature indices must be from 0 to 20000: t.svm"),
        ("t.svm", b"1\n0\n", "no feature columns: t.svm"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_files(read, refused, tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    assert str(refused(read, tmp_path / name)).startswith(says)


def test_nothing_there(read, refused, tmp_path, monkeypatch):
    assert refused(read, tmp_path / "nowhere.parquet").what == "no such file"
    assert refused(read, tmp_path / "*.parquet").what == "no file matches"
    assert refused(read, tmp_path).what == "no Parquet files in the folder"
    assert refused(read, "/dev/null").what == "not a regular file"
    assert refused(read, "a\0b.csv").what == refused(read, "x" * 300 + ".csv").what == "cannot be read"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert str(refused(read, "-")) == "the input is empty: stdin"
    monkeypatch.setattr(sys, "stdin", None)
    assert str(refused(read, "-")) == "the input is empty: stdin"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(read, refused, tmp_path):
    (tmp_path / "t.csv").write_text(GOOD)
    (tmp_path / "t.csv").chmod(0)
    assert refused(read, tmp_path / "t.csv").what == "no permission to read"


def test_no_permission_is_one_line_whoever_runs_this(read, refused, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(GOOD)

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(pa, "input_stream", denied)
    assert str(refused(read, tmp_path / "t.csv")) == "no permission to read: t.csv"


ANY = settings(max_examples=60, deadline=None, derandomize=True,
               suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip


@ANY
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


@ANY
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
def test_nested_columns(read_columns, refused, column):
    columns = {"two\nwords": column, "x": [1, 2]}
    error = refused(read_columns, columns)
    assert error.what.startswith("cannot audit a column of type")
    assert error.where == ("table.parquet", r"column 'two\nwords'")
    assert refused(read_columns, {"two words": column}).hint == "--exclude 'two words'"
    assert read_columns(columns, exclude=("two\nwords",)).points.shape == (2, 1)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"label": "q"}, "--label: no column 'q'"),
        ({"exclude": ("a", "q")}, "--exclude: no column 'q'"),
        ({"categorical": ("q",)}, "--categorical: no column 'q'"),
        ({"group": "q"}, "--group: no column 'q'"),
        ({"label": "y", "exclude": ("y",)}, "column 'y' is the label and also named by --exclude"),
        ({"categorical": ("y",)}, "column 'y' is the label and also named by --categorical"),
        ({"group": "y"}, "column 'y' is the label and also named by --group"),
    ],
    ids=str,
)
def test_options_that_name_nothing(read_text, refused, options, says):
    error = refused(read_text, GOOD, **options)
    assert isinstance(error, SpecError) and str(error).startswith(says)


def test_a_wide_table_is_not_listed_whole_and_its_last_columns_are(read_columns, refused):
    line = str(refused(read_columns, {f"c{i}": [1, 2] for i in range(500)} | {"y": [0, 1]}, exclude=("y",)))
    assert "'c0', 'c1'" in line
    assert line.endswith("'c7', 489 more, 'c497', 'c498', 'c499', 'y': table.parquet")


def test_a_table_beyond_the_memory_is_refused_first(read_text, read_columns, refused, monkeypatch):
    """Columns, probabilities, and texts of levels."""
    given = {"eta": ("a",)}
    for memory, enough, options in ((8, 8, {}), (64, 144, given)):
        text = GOOD if options != given else "a,y\n0.5,0\n1,1\n"
        monkeypatch.setattr(machine, "installed_memory", lambda memory=memory: memory - 1)
        what = "the probabilities need" if options == given else "the encoded table needs"
        assert str(refused(read_text, text, **options)).startswith(f"{what} 0.0 GB of memory, this machine has 0.0 GB")
        monkeypatch.setattr(machine, "installed_memory", lambda enough=enough: enough)
        assert read_text(text, **options).dataset.rows == 2
    cells = {"c": [f"{i}" + "x" * 10_000 for i in range(100)]}
    monkeypatch.setattr(machine, "installed_memory", lambda: 1_000_000)
    assert refused(read_columns, cells).what.startswith("the encoded table needs")


def test_no_features_left(read_text, refused):
    assert str(refused(read_text, GOOD, exclude=("a",))) == "no feature columns: table.csv"


def test_odd_parquet_files(read, refused, tmp_path):
    def error_of(table):
        pq.write_table(table, tmp_path / "t.parquet")
        return str(refused(read, tmp_path / "t.parquet"))

    assert error_of(pa.table({})) == "the table has no columns: t.parquet"
    assert error_of(pa.schema([("x", pa.int64()), ("y", pa.int64())]).empty_table()).startswith("the table has no rows")
    twice = pa.Table.from_arrays([pa.array([1, 2])] * 3, names=["a", "a", "y"])
    assert error_of(twice) == "two columns have the same name: t.parquet: column 'a'"


def test_many_rows_without_a_label_in_a_row(read_columns):
    """A batch may have none that is used."""
    labels = pa.array([0, 1] * 50 + [None] * 140_000)
    table = read_columns({"x": np.arange(len(labels)), "y": labels}, drop_null_labels=True)
    assert len(table.points) == 100
