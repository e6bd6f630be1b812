"""A hundred hostile inputs, in a process that forks for each; and the oracle, which sees what it is for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz import cases, playing
from fuzz.stock import base_table

TESTS = Path(__file__).parents[1]
FIRST = base_table()["number"][0].as_py()


def test_a_hundred_inputs_end_as_promised():
    environment = os.environ | {"FUZZ_N": "100", "FUZZ_SEED": "20261120"}
    ended = subprocess.run(
        [sys.executable, "-m", "fuzz.run"], cwd=TESTS, capture_output=True, text=True, env=environment, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "100 cases from seed 20261120" in ended.stdout and ": 0 failed" in ended.stdout


@pytest.mark.parametrize(
    ("ended", "fault"),
    [
        ({"status": 70, "out": b"", "err": b"labeldp-audit: error: a bug\n"}, "status 70"),
        ({"status": -11}, "status -11"),
        ({"err": b"labeldp-audit: Traceback (most recent call last)\n"}, "a traceback"),
        ({"err": b"a library warns\n"}, "another program"),
        ({"err": b"labeldp-audit: \x1b]0;title\x07\n"}, "control characters"),
        ({"err": b"labeldp-audit: " + b"x" * 5000 + b"\n"}, "5,015 characters"),
        ({"err": b"labeldp-audit: warning: Zq3x\n"}, "cells of features"),
        ({"out": b"{NaN}"}, "no valid json"),
        ({"out": f'{{"x": {FIRST}}}'.encode()}, "cells of features"),
        ({"status": 3, "out": b"Zq3x", "err": b"labeldp-audit: error: no\n"}, "standard output: cells of features"),
        ({"files": {"t.csv": b"1", "a.html": b"<p><b>x</p>"}}, "no valid html"),
        ({"files": {"t.csv": b"1", "a.html": b"<div><p>x</p>"}}, "no valid html"),
        ({"megabytes": 9000.0}, "9000 MB"),
        ({"seconds": 100.0}, "100 seconds"),
        ({"temporary": ["x.part"]}, "temporary files"),
        ({"files": {"t.csv": b"1", ".r.csv.0a.part": b""}}, "half-written"),
        ({"files": {"t.csv": b"2"}}, "an input is not as it was"),
        ({"files": {"t.csv": b"1", "a.csv": b"=1+1,b\r\n"}}, "a formula"),
        ({"files": {"t.csv": b"1", "a.svg": b"<svg>"}}, "no valid svg"),
        ({"status": 2, "out": b"", "err": b"labeldp-audit: error: no\n", "files": {"t.csv": b"1", "o.json": b"{}"}}, "beside an error"),
    ],
)  # fmt: skip
def test_the_oracle_sees(ended, fault):
    case = cases.Case(0, 0, files={"t.csv": b"1"}, arguments=("audit", "t.csv", "-f", "json"))
    base = {
        "status": 0,
        "out": b"{}\n",
        "err": b"",
        "seconds": 0.1,
        "megabytes": 1.0,
        "files": {"t.csv": b"1"},
        "temporary": [],
    }
    assert list(playing.faults(case, playing.Played(**base))) == []
    assert any(fault in one for one in playing.faults(case, playing.Played(**(base | ended))))


def test_the_oracle_sees_that_a_changed_report_was_believed():
    case = cases.Case(0, 0, arguments=("report", "r.json"), believable=False)
    for status, seen in ((0, True), (1, True), (3, False)):
        played = playing.Played(status, b"", b"labeldp-audit: error: no\n" * (status == 3), 0.1, 1.0, {}, [])
        assert any("was believed" in one for one in playing.faults(case, played)) is seen
