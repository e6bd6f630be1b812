"""Machines that lack what others have: streams, a home, a cache, a temporary folder, a language, a wide terminal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.csv as arrow_csv
import pytest
from people import people
from running import names

import labeldp_audit

PACKAGE = Path(labeldp_audit.__file__).parent
QUICK = ("--estimator", "knn", "--threads", "1", "--no-config")
CHEAP = ("nu-max", "t.csv", *QUICK)


def slow(*given: object):
    return pytest.param(*given, marks=pytest.mark.slow)


@pytest.fixture
def run(tmp_path):
    """A process of its own; `words` of a shell stand behind it."""
    here = tmp_path / "here"
    here.mkdir()
    arrow_csv.write_csv(people(400), here / "t.csv")

    def started(*arguments: str, words: str = "", python: tuple[str, ...] = (), **variables: str | None):
        given = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "TMPDIR": str(tmp_path)} | variables
        return subprocess.run(
            ["sh", "-c", f'exec "$@" {words}', "sh", sys.executable, *python, "-m", "labeldp_audit", *arguments],
            cwd=here, capture_output=True, timeout=240, check=False,
            env={name: value for name, value in given.items() if value is not None and not name.startswith("LABELDP")},
        )  # fmt: skip

    started.folder = here
    return started


@pytest.mark.parametrize(
    ("words", "source", "status"),
    [
        ("<&-", "-", 3), ("<&- >&- 2>&-", "t.csv", 141), slow("<&-", "t.csv", 0), slow("<&- >&-", "t.csv", 141),
        slow("<&- >&- 2>&-", "-", 3),
    ],
)  # fmt: skip
def test_closed_streams(run, words, source, status):
    done = run("nu-max", source, *QUICK, "--label", "label", "-f", "json", "--no-output", "-q", words=words)
    assert done.returncode == status, done.stderr
    assert names(run.folder) == ["t.csv"]
    if status == 0:
        assert json.loads(done.stdout)["command"] == "nu-max"
    elif "2>&-" not in words and status == 3:
        assert done.stderr == b"labeldp-audit: error: the input is empty: stdin\n"


NO_LANGUAGE = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    "variables",
    [
        {"HOME": None, "PATH": None, "TMPDIR": "/nonexistent"}, NO_LANGUAGE,
        slow({"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"}), slow({"LANG": "C"}),
    ],
    ids=" ".join,
)  # fmt: skip
def test_variables_that_are_missing(run, variables):
    shutil.copy(run.folder / "t.csv", run.folder / "größe 日.csv")
    done = run("nu-max", "größe 日.csv", *QUICK, "-o", "bericht ö", "-f", "json", "-q", **variables)
    assert (done.returncode, done.stderr) == (0, b"")
    assert variables == NO_LANGUAGE or json.loads(done.stdout)["dataset"]["name"] == "größe 日.csv"
    assert "bericht ö/nu-max.json" in names(run.folder)


def test_standard_input_without_a_temporary_folder(run):
    done = run("nu-max", "-", *QUICK, "--no-output", "-q", words="<t.csv", TMPDIR="/nonexistent")
    assert (done.returncode, done.stderr) == (0, b"")


def test_twenty_columns(audit, table, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    done = audit("nu-max", table, "--no-output")
    assert done.status == 0
    lines = done.out.splitlines()
    assert {line.split()[0] for line in lines if len(line) > 20} <= {"next:", "all:"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", "t.csv", "--bags", "30", *QUICK),
        ("release", "t.csv", "--to", "r.csv", "--mechanism", "cluster-rr:epsilon=1,clusters=4", "--no-config"),
        slow(("audit", "t.csv", "--bags", "30", "--no-config")),
        slow(("tune", "t.csv", "--mechanism", "rr", "--fail-if", "advantage.high > 0.3", *QUICK)),
    ],
    ids=lambda arguments: arguments[0],
)
def test_warnings_are_errors(run, arguments):
    """Of all libraries, from the first import on."""
    done = run(*arguments, "-q", python=("-W", "error"))
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_no_folder_for_machine_code(run, tmp_path):
    """All is compiled in each run; nothing else differs."""
    copy, closed = tmp_path / "copy", tmp_path / "closed"
    shutil.copytree(PACKAGE, copy / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    closed.mkdir()
    if subprocess.run(["mount", "--bind", copy, closed], capture_output=True, check=False).returncode:
        pytest.skip("only root may mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", closed], check=True)
        nowhere = {"NUMBA_CACHE_DIR": "/proc/none", "XDG_CACHE_HOME": "/proc/none", "HOME": None}
        done = run(*CHEAP, "--no-output", "-f", "json", "-q", PYTHONPATH=str(closed), **nowhere)
    finally:
        subprocess.run(["umount", closed], check=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == run(*CHEAP, "--no-output", "-f", "json", "-q").stdout
