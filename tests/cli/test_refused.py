"""What cannot be asked or audited: one line from the real commands, nothing on standard output, nothing on disk.

Each way of being refused once; tests/data has every kind of broken table.
"""

from __future__ import annotations

import gzip
import os
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import people

from labeldp_audit.cli import terminal
from labeldp_audit.core.progress import Silent

USAGE, DATA = 2, 3
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
TWELVE = "a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(12))


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        (("--label", "q"), USAGE, "--label: no column 'q'"),
        (("--label", "y", "--exclude", "y"), USAGE, "column 'y' is the label and also named by --exclude"),
        (("--exclude", "y"), DATA, "no label column; the columns are 'a', 'y': t.csv"),
        (("--exclude", "a"), DATA, "no feature columns: t.csv"),
        (("--positive", "7"), USAGE, "no class '7' in the label 'y'"),
        (("--delimiter", ";"), DATA, "no label column; the columns are 'a,y': t.csv"),
        *((("--delimiter", text), USAGE, "not a single character") for text in ("ab", "é", "\n", '"', "\udcff")),
        (("--k", 12), USAGE, "k = 12 needs more than 12 rows, and the table has 12"),
        (("--k", 10**12), USAGE, f"k = {10**12} needs more than {10**12} rows, and the table has 12"),
        (("--tau", "inf"), USAGE, "--tau wants finite numbers"),
        (("--smoothness", "1"), USAGE, "--smoothness wants two numbers C,BETA, not '1'"),
        (("--smoothness", "-1,1"), USAGE, "--smoothness wants C of at least 0"),
        (("--smoothness", "1,1"), USAGE, "--smoothness needs k of at least"),
        (("--mechanism", "rr"), USAGE, "mechanism 'rr'"),
        (("--mechanism", "rr:epsilon=1,pi=0.1"), USAGE, "mechanism 'rr:epsilon=1,pi=0.1'"),
        (("--mechanism", "rr:epsilon=nan"), USAGE, "mechanism 'rr:epsilon=nan'"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_options_that_cannot_be(refused_text, options, status, says):
    assert refused_text(TWELVE, *options, status=status).startswith(says)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", b"", "the file is empty: t.csv"),
        ("t.csv", b"a,y\n1,0\n", "too few rows: 1: t.csv"),
        ("t.csv", PNG, "not a text table but a binary file: t.csv"),
        ("t.csv", b"a,y\ncaf\xe9,0\nx,1\n", "not UTF-8 text: t.csv: row 1"),
        ("t.csv", b"a,y\n1,0\n2,1\n3,1,4\n", "a row with 3 instead of 2 fields: t.csv: row 3"),
        ("t.csv", b"a,y\n" + b"1,0\n" * 50, "the label has one class only, '0': t.csv: column 'y'"),
        ("t.csv", b"a,y\n1,0\n2,\n3,1\n", "missing labels: 1 of 3: t.csv: column 'y'"),
        ("t.csv", b"a,y\n1,0\n2,1\n3,2\n", "not yet supported: more than two classes ('0', '1', '2'): t.csv"),
        ("t.csv", b"a,y\n1,0\ninf,1\n", "an infinite value: t.csv: column 'a': row 2"),
        ("t.csv", b"a,y\n" + b"".join(b"%d,%d\n" % (i, i) for i in range(300)), "300 different labels: too many"),
        ("t.csv", b"a,b,y\n" + b"1,x,0\n1,x,1\n" * 20, "no feature columns: every one is constant: t.csv"),
        ("t.parquet", PNG, "not a complete Parquet file: t.parquet"),
        ("t.feather", PNG, "not a complete Arrow file: t.feather"),
        ("t.csv.gz", TWELVE.encode(), "cannot be read: t.csv.gz"),
        ("t.svm", PNG, "not `label index:value ...`: t.svm: row 1"),
        ("t.xlsx", PNG, "unknown kind of file: t.xlsx"),
        ("t\nt.csv", b"a,b\n1,2\n", "no label column; the columns are 'a', 'b': t t.csv"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_files_that_are_no_tables(refused, name, content, says):
    (refused.folder / name).write_bytes(content)
    assert refused(name).startswith(says)


@pytest.mark.parametrize("command", ["estimate-eta", "nu-max", "advantage", "audit"])
def test_every_command_refuses_alike(refused_text, command):
    assert refused_text("a,b\n1,2\n3,4\n", command=command).startswith("no label column; the columns are 'a', 'b'")


def test_nothing_there(refused):
    (refused.folder / "empty").mkdir()
    assert refused("nowhere.parquet") == "no such file: nowhere.parquet"
    assert refused("empty") == "no Parquet files in the folder: empty"
    assert refused("empty/*.parquet") == "no file matches: empty/*.parquet"
    pq.write_table(people(), refused.folder / "t.parquet")
    assert refused("", status=USAGE) == "missing argument DATA"  # and not the working folder


def test_no_part_of_a_table_passes_for_the_whole(refused, monkeypatch):
    """A broken part, a subfolder that may not be read, a link to nowhere."""
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
    (folder / "b" / "t.parquet").write_bytes(PNG)
    assert refused("folder").startswith("not a complete Parquet file: b/t.parquet")
    (folder / "a" / "u.parquet").symlink_to("nowhere.parquet")
    assert refused("folder") == "no such file: a/u.parquet"


def test_a_folder_that_cannot_be_made(refused, table):
    (refused.folder / "taken").write_text("mine")
    for output in (("-o", "taken"), ("-o", "taken/in"), ("-f", "json=taken/x"), ("-f", "json=nowhere/x")):
        assert refused(table, *output, status=USAGE)
    assert (refused.folder / "taken").read_text() == "mine"
    if Path("/proc/self/fd").exists():  # a folder that nobody can write is a thing of Linux
        assert refused(table, "-o", "/proc/self/report", status=USAGE).startswith("cannot write there")


def test_the_hint_can_be_followed(audit):
    """Each names an option that helps, or a command that can be typed."""
    (audit.folder / "t.csv").write_text("a,b,when\n1,2,0\n2,,1\n3,1,1\n")
    (audit.folder / "which.csv").write_text("a,y\n.1,cat\n.2,dog\n")
    (audit.folder / "l.csv.gz").write_bytes(gzip.compress(b"a,y\ncaf\xe9,0\nx,1\n"))
    for delimiter, name in ((";", "s"), ("\t", "t"), ("|", "p")):
        (audit.folder / f"{name}d.csv").write_text(TWELVE.replace(",", delimiter))
    for words, hint in {
        ("t.csv",): "--label", ("t.csv", "--label", "b"): "--drop-null-labels",
        ("which.csv", "--eta", "a"): "--positive",
        ("sd.csv",): "--delimiter", ("td.csv",): "--delimiter", ("pd.csv",): "--delimiter",
        ("l.csv.gz",): "gzip -dc l.csv.gz | iconv -f latin1 -t utf-8 > utf8.csv",
    }.items():  # fmt: skip
        assert hint in audit("estimate-j", *words, "--no-output").err.splitlines()[1]


@pytest.mark.parametrize(
    "then",
    ["", "a,y\n1,0\n2,1\n", TWELVE + "12,0\n", TWELVE.replace("11,1", "x1,1"), TWELVE.replace("11,1", "11,2"), None],
    ids=["emptied", "shorter", "longer", "another type", "another class", "gone"],
)
def test_a_table_that_changes_between_the_passes(audit, monkeypatch, then):
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
    assert text != "a,y\n1,0\n2,1\n" or ended.report["eta"]["k"] == 1
    for one in ended.report["findings"]:
        said = [float(one[end]) for end in ("low", "estimate", "high") if one[end] is not None]
        assert said == sorted(said), one


def test_a_wide_table_with_few_rows(audit):
    wide = {f"c{i}": np.arange(5.0) ** (i % 3) for i in range(2000)} | {"y": [0, 1, 0, 1, 1]}
    pq.write_table(pa.table(wide), audit.folder / "t.parquet")
    ended = audit("estimate-j", "t.parquet", "-f", "json", "--no-output")
    assert ended.report["dataset"]["features"] == 1333


def test_few_rows_are_audited_if_that_is_wanted(audit, tmp_path, monkeypatch):
    monkeypatch.setattr("labeldp_audit.data.read.FEWEST", 200)
    (tmp_path / "t.csv").write_text("a,y\n" + "1,0\n2,1\n" * 99)
    ended = audit("nu-max", tmp_path / "t.csv", "--no-output")
    assert (ended.status, ended.error) == (3, "too few rows: 198, and fewer than 200 hardly show anything: t.csv")
    assert "--few-rows" in ended.err
    assert audit("nu-max", tmp_path / "t.csv", "--no-output", "--few-rows").status == 0


def test_a_folder_of_which_a_part_would_be_read_is_refused(audit, tables, tmp_path):
    (tmp_path / "mixed").mkdir()
    for name in ("t.parquet", "t.csv"):
        (tmp_path / "mixed" / name).write_bytes((tables / name).read_bytes())
    (tmp_path / "mixed" / "notes.txt").write_text("no table")
    ended = audit("nu-max", tmp_path / "mixed", "--no-output")
    assert ended.status == 3 and ended.error.endswith("mixed: t.csv") and "*.parquet" in ended.err
    (tmp_path / "mixed" / "t.csv").unlink()
    assert audit("nu-max", tmp_path / "mixed", "--no-output").status == 0


LONG = "z" * 5000


@pytest.mark.parametrize(
    "asked",
    [
        ("nu-max", "t.csv", "-o", LONG), ("nu-max", "t.csv", "-f", f"markdown={LONG}"), ("nu-max", f"{LONG}.csv"),
        ("nu-max", "t.csv", "--eta-file", LONG), ("nu-max", "t.csv", "--config", LONG), ("verify", f"{LONG}.csv"),
        ("check", "t.csv", "--policy", LONG), ("attack", "t.csv", f"{LONG}.csv"),
        ("release", "t.csv", "--mechanism", "rr:pi=0.1", "--to", f"{LONG}.csv"),
    ],
)  # fmt: skip
def test_names_that_no_file_can_have(audit, asked):
    (audit.folder / "t.csv").write_text("x,y\n1,0\n2,1\n")
    ended = audit(*asked)
    assert ended.status in (2, 3) and len(ended.error) < 2100
    assert [one.name for one in audit.folder.iterdir()] == ["t.csv"]
