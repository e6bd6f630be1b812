"""What cannot be audited: one line from the real commands, nothing on standard output, nothing on disk."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import people

USAGE, DATA = 2, 3
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
TWELVE = "a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(12))


@pytest.fixture
def refused_columns(refused):
    def run(columns: dict[str, object], *options: object, **how: object) -> str:
        pq.write_table(pa.table(columns), refused.folder / "t.parquet")
        return refused("t.parquet", *options, **how)

    return run


@pytest.mark.parametrize("command", ["estimate-eta", "nu-max", "estimate-j"])
def test_every_command_refuses_alike(refused_text, command):
    assert refused_text("a,b\n1,2\n3,4\n", command=command).startswith("no label column; the columns are 'a', 'b'")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty: t.csv"),
        (b"a,y\n", "the table has no rows: t.csv"),
        (b"a,y\n1,0\n", "too few rows: 1: t.csv"),
        (PNG, "not a text table: it holds zero bytes: t.csv"),
        (b"a,y\ncaf\xe9,0\nx,1\n", "not UTF-8 text: t.csv: row 1"),
        (b"a,y\n1,0\n2,1\n3,1,4\n", "a row with 3 instead of 2 fields: t.csv: row 3"),
        (b"a,a,y\n1,2,0\n2,3,1\n", "two columns have the same name: t.csv: column 'a'"),
        (b"a,y\n" + b"1,0\n" * 50, "the label has one class only, '0': t.csv: column 'y'"),
        (b"a,y\n" + b"1,0\n1,1\n" * 50, "no feature columns: every one is constant: t.csv"),
        (b"y\n0\n1\n", "no feature columns: t.csv"),
        (b"a,y\n1,0\n2,\n3,1\n", "missing labels: 1 of 3: t.csv: column 'y'"),
        (b"a,y\n1,0\n2,1\n3,2\n", "not yet supported: more than two classes ('0', '1', '2'): t.csv: column 'y'"),
        (b"a,y\n1,0\ninf,1\n", "an infinite value: t.csv: column 'a': row 2"),
        (
            b"a,y\n" + b"".join(b"%d,%d\n" % (i, i) for i in range(300)),
            "300 different labels: too many classes (numbers: 20",
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_text(refused_text, content, says):
    assert refused_text(content).startswith(says)


@pytest.mark.parametrize("left", [1, 8, 300, 2000, -1])
def test_a_truncated_parquet_file(refused, left):
    whole = refused.folder / "whole"
    pq.write_table(people(), whole)
    (refused.folder / "t.parquet").write_bytes(whole.read_bytes()[:left])
    assert refused("t.parquet").startswith("not a complete Parquet file: t.parquet")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.parquet", b"", "the file is empty: t.parquet"),
        ("t.parquet", PNG, "not a complete Parquet file: t.parquet"),
        ("t.feather", PNG, "not a complete Arrow file: t.feather"),
        ("t.csv.gz", TWELVE.encode(), "cannot be read: t.csv.gz"),
        ("t.svm", PNG, "not `label index:value ...`: t.svm: row 1"),
        ("t.xlsx", PNG, "unknown kind of file: t.xlsx"),
        ("t\nt.csv", b"a,b\n1,2\n", "no label column; the columns are 'a', 'b': t t.csv"),
    ],
)
def test_files_that_are_no_tables(refused, name, content, says):
    (refused.folder / name).write_bytes(content)
    assert refused(name).startswith(says)


def test_nothing_there(refused):
    (refused.folder / "empty").mkdir()
    assert refused("nowhere.parquet") == "no such file: nowhere.parquet"
    assert refused("empty") == "no Parquet files in the folder: empty"
    assert refused("empty/*.parquet") == "no file matches: empty/*.parquet"
    pq.write_table(people(), refused.folder / "t.parquet")
    assert refused("", status=USAGE) == "missing argument DATA"  # and not the working folder


def test_one_broken_part_is_named(refused):
    (refused.folder / "parts").mkdir()
    pq.write_table(people(), refused.folder / "parts" / "a.parquet")
    (refused.folder / "parts" / "b.parquet").write_bytes(PNG)
    assert refused("parts").startswith("not a complete Parquet file: b.parquet")
    pq.write_table(people().drop_columns(["age"]), refused.folder / "parts" / "b.parquet")
    assert refused("parts") == "the files differ in column 'age': a.parquet, b.parquet"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("locked", ["t.parquet", "."])
def test_no_permission_to_read(refused, locked):
    folder = refused.folder / "folder"
    folder.mkdir()
    pq.write_table(people(), folder / "t.parquet")
    (folder / locked).chmod(0)
    assert "no permission to read" in refused("folder/t.parquet")
    (folder / locked).chmod(0o700)


@pytest.mark.parametrize("column", [[[1], [2]] * 6, [{"a": 1}, {"a": 2}] * 6, [b"\xff", b"\x00"] * 6], ids=repr)
def test_odd_columns_are_refused_or_read(refused_columns, audit, column):
    columns = {"odd": column, "y": [0, 1] * 6}
    if isinstance(column[0], bytes):
        pq.write_table(pa.table(columns), audit.folder / "t.parquet")
        assert audit("estimate-j", "t.parquet", "--no-output").status == 0
    else:
        assert refused_columns(columns).startswith("cannot audit a column of type")


def test_the_hint_can_be_followed(audit):
    """Each names an option that helps."""
    (audit.folder / "t.csv").write_text("a,b,when\n1,2,0\n2,,1\n3,1,1\n")
    for option, hint in (((), "--label"), (("--label", "b"), "--drop-null-labels"), (("--label", "a"), "--positive")):
        ended = audit("estimate-j", "t.csv", "--no-output", *option)
        assert hint in ended.err.splitlines()[1]


def test_another_delimiter_is_a_hint_not_a_guess(audit):
    for delimiter in (";", "\t", "|"):
        (audit.folder / "t.csv").write_text(TWELVE.replace(",", delimiter))
        ended = audit("estimate-j", "t.csv", "--no-output")
        assert ended.status == DATA
        assert "--delimiter" in ended.err.splitlines()[1]


def test_how_to_convert_can_be_typed(audit):
    import gzip

    (audit.folder / "t.csv.gz").write_bytes(gzip.compress(b"a,y\ncaf\xe9,0\nx,1\n"))
    hint = audit("estimate-j", "t.csv.gz", "--no-output").err.splitlines()[1]
    assert "gzip -dc t.csv.gz | iconv -f latin1 -t utf-8 > utf8.csv" in hint


# ---- extremes that can be audited


@pytest.mark.parametrize(
    "text",
    [
        "a,y\n1,0\n2,1\n",
        "a,y\n1,0\n1,1\n2,0\n",
        "a,y\n" + "7,0\n7,1\n" * 30 + "8,1\n",
        "a,y\n" + "1e-150,0\n1e150,1\n" * 3,
        "a,y\n" + "\n".join(f"{i},{int(i == 5)}" for i in range(40)) + "\n",
    ],
    ids=["two rows", "three rows", "all but one alike", "far apart", "one positive"],
)
@pytest.mark.parametrize("command", ["estimate-eta", "nu-max", "estimate-j", "advantage"])
def test_extremes_have_defined_answers(audit, text, command):
    (audit.folder / "t.csv").write_text(text)
    ended = audit(command, "t.csv", "-f", "json", "--no-output")
    assert ended.status == 0, ended.err
    for one in ended.report["findings"]:
        if one["low"] is not None and one["high"] is not None:
            assert float(one["low"]) <= float(one["high"]), one
            assert one["estimate"] is None or float(one["low"]) <= float(one["estimate"]) <= float(one["high"]), one


def test_rows_that_are_all_alike(refused_text):
    assert refused_text("a,b,y\n" + "1,x,0\n1,x,1\n" * 20) == "no feature columns: every one is constant: t.csv"


def test_a_wide_table_with_few_rows(audit):
    wide = {f"c{i}": np.arange(5.0) ** (i % 3) for i in range(2000)} | {"y": [0, 1, 0, 1, 1]}
    pq.write_table(pa.table(wide), audit.folder / "t.parquet")
    ended = audit("estimate-j", "t.parquet", "-f", "json", "--no-output")
    assert ended.report["dataset"]["features"] == 1333


def test_no_part_of_a_table_passes_for_the_whole(refused, monkeypatch):
    """A subfolder that may not be read, a link to nowhere."""
    folder = refused.folder / "folder"
    for name in ("a", "b", ".hidden"):
        (folder / name).mkdir(parents=True)
        pq.write_table(people(), folder / name / "t.parquet")
    scandir = os.scandir

    def guarded(place):
        if Path(place).name in ("b", ".hidden"):
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    with monkeypatch.context() as locked:
        locked.setattr(os, "scandir", guarded)
        assert refused("folder") == "no permission to read: folder"
    (folder / "a" / "u.parquet").symlink_to("nowhere.parquet")
    assert refused("folder") == "no such file: a/u.parquet"


@pytest.mark.parametrize(
    "then",
    ["", "a,y\n1,0\n2,1\n", TWELVE + "12,0\n", TWELVE.replace("11,1", "x1,1"), TWELVE.replace("11,1", "11,2"), None],
    ids=["emptied", "shorter", "longer", "another type", "another class", "gone"],
)
def test_a_table_that_changes_between_the_passes(audit, monkeypatch, then):
    from contextlib import nullcontext

    from labeldp_audit.cli import terminal
    from labeldp_audit.core.progress import Silent

    class Changing(Silent):
        def stage(self, name: str, total: float | None, unit: str) -> None:
            file = Path("t.csv")
            if name == "encoding":
                file.with_suffix(".new").write_text(then or "")
                file.with_suffix(".new").replace(file)
                if then is None:
                    file.unlink()

    monkeypatch.setattr(terminal, "watched", lambda quiet: nullcontext(Changing()))
    Path("t.csv").write_text(TWELVE)
    ended = audit("nu-max", "t.csv", "--no-output")
    assert (ended.status, ended.error) == (DATA, "the table changed while it was read: t.csv")
