"""The real commands among other programs: pipes that close, signals, disks that fill up."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from people import people
from running import names

from labeldp_audit.cli import terminal
from labeldp_audit.data import write
from labeldp_audit.engines import machine

PROMPT = 20  # seconds that nothing here needs
STAGES = ("scanning", "encoding", "looking for copies", "clustering", "searching")
resource = pytest.importorskip("resource")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Large enough for several blocks of work in each stage."""
    file = tmp_path_factory.mktemp("large") / "t.parquet"
    pq.write_table(people(20_000), file)
    return file


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def program(*arguments: object, env=None, **options) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "labeldp_audit", *map(str, arguments)]
    quick = os.environ | {"LABELDP_AUDIT_ESTIMATOR": "knn"} | (env or {})
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=quick, **options)


# ---- signals


class Trap:
    """Progress that sends a signal to this process in the middle of a stage."""

    def __init__(self, stage: str, sent: int) -> None:
        self._stage, self._sent, self._now = stage, sent, ""
        self.seen: list[str] = []

    def stage(self, name: str, total: float | None, unit: str) -> None:
        self._now = name
        self.seen.append(name)

    def advance(self, amount: float) -> None:
        if self._now == self._stage and self._sent:
            sent, self._sent = self._sent, 0
            os.kill(os.getpid(), sent)


@pytest.fixture
def trapped(audit, large, temporary, monkeypatch):
    """Runs a command into the trap; what must hold afterwards whatever the stage."""

    def run(stage: str, sent: int, command: str = "estimate-eta", *options: object) -> list[str]:
        trap = Trap(stage, sent)
        monkeypatch.setattr(terminal, "watched", lambda quiet: contextlib.nullcontext(trap))
        threads = threading.active_count()
        ended = audit(command, large, "-f", "json=out.json", *options)
        assert (ended.status, ended.out, ended.err) == (128 + sent, "", "labeldp-audit: interrupted\n")
        assert names(audit.folder) == names(temporary) == []
        assert threading.active_count() == threads
        return trap.seen

    return run


@pytest.mark.parametrize(("stage", "sent"), [*((one, signal.SIGINT) for one in STAGES), (STAGES[-1], signal.SIGTERM)])
def test_an_interrupt_leaves_nothing_behind(trapped, stage, sent):
    assert trapped(stage, sent) == list(STAGES[: STAGES.index(stage) + 1])


def test_an_interrupt_while_the_report_is_written(audit, table, monkeypatch):
    sync = os.fsync
    calls = []

    def interrupted(descriptor: int) -> None:
        calls.append(descriptor)
        sync(descriptor)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(write.os, "fsync", interrupted)
    ended = audit("estimate-eta", table)
    assert (ended.status, ended.out, ended.err) == (130, "", "labeldp-audit: interrupted\n")
    assert len(calls) == 2
    assert names(audit.folder) == []


def test_a_signal_from_outside_while_standard_input_is_read(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "temporary").mkdir()
    environment = {"TMPDIR": str(tmp_path / "temporary")}
    process = program("estimate-j", "-", stdin=subprocess.PIPE, cwd=tmp_path / "here", env=environment)
    assert process.stdin is not None
    process.stdin.write(b"a,y\n" + b"1,0\n2,1\n" * 300_000)  # more than a pipe holds: it is being read
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PROMPT)
    assert (process.returncode, out, err) == (128 + signal.SIGTERM, b"", b"labeldp-audit: interrupted\n")
    assert names(tmp_path) == ["here", "temporary"]


# ---- pipes


@pytest.mark.parametrize(("read", "unbuffered"), [(0, ""), (10, "1")])
def test_a_reader_that_has_seen_enough(table, tmp_path, read, unbuffered):
    more_than_a_pipe_holds = ("--tau", "0:20:0.1")
    environment = {"PYTHONUNBUFFERED": unbuffered}
    command = ("estimate-j", table, "-f", "json", "--no-output", *more_than_a_pipe_holds)
    process = program(*command, cwd=tmp_path, env=environment)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(read)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(PROMPT) == 141
    process.stderr.close()
    assert names(tmp_path) == []


def test_programs_get_utf_8_whatever_the_locale(tmp_path):
    (tmp_path / "ö 日.csv").write_text("öl,y\n1,0\n2,1\n3,1\n", encoding="utf-8")
    environment = {"PYTHONIOENCODING": "utf-16"}
    process = program(
        "nu-max", "ö 日.csv", "--few-rows", "-f", "json", "--no-output", "-q", cwd=tmp_path, env=environment
    )
    out, _ = process.communicate(timeout=PROMPT)
    assert json.loads(out.decode("utf-8"))["dataset"]["name"] == "ö 日.csv"


# ---- disks


@contextlib.contextmanager
def little_room(size: int):
    """No file may grow beyond `size`: what a quota or a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 5000])
def test_a_full_disk_leaves_no_part_of_a_report_and_keeps_that_of_the_last_run(audit, table, room):
    assert audit("estimate-eta", table).status == 0  # all is compiled and cached
    before = {file: file.read_bytes() for file in Path("labeldp-report").iterdir()}
    there = names(audit.folder)
    for folder in ("a/b", "labeldp-report"):
        with little_room(room):
            ended = audit("estimate-eta", table, "--k", 77, "-o", folder)
        assert (ended.status, ended.error.startswith(f"cannot write: {folder}/")) == (3, True)
    assert names(audit.folder) == there
    assert {file: file.read_bytes() for file in before} == before


def test_standard_input_that_the_disk_cannot_keep(tables, tmp_path):
    with (tables / "t.csv").open("rb") as data:
        process = program(
            "nu-max", "-", "--no-output", stdin=data, cwd=tmp_path,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        )  # fmt: skip
        out, err = process.communicate(timeout=PROMPT)
    assert (process.returncode, out) == (3, b"")
    assert err.splitlines()[0].startswith(b"labeldp-audit: error: cannot be read or kept: stdin: ")
    assert len(err.splitlines()) <= 2


# ---- little memory


@pytest.mark.parametrize(
    "asked", [("estimate-j", "t.csv"), ("release", "t.csv", "--to", "r.csv", "--mechanism", "rr:pi=0.1")]
)
@pytest.mark.parametrize("addresses", [400 << 20, 1200 << 20])
def test_few_addresses_are_no_reason_to_wait_for_ever(asked, addresses, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,0\n2,1\n")

    def few():
        resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))

    with program(*asked, preexec_fn=few, cwd=tmp_path) as started:
        out, err = started.communicate(timeout=PROMPT)
    assert (started.returncode, out) == (3, b"")
    assert err.startswith(b"labeldp-audit: error: not enough memory: ulimit -v leaves ") and err.count(b"\n") == 2
    assert names(tmp_path) == ["t.csv"]


def test_no_limit_and_a_large_one_are_enough(monkeypatch):
    for limit in (resource.RLIM_INFINITY, 1 << 40):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        machine.check_addresses()
