"""The door: what goes to which stream, and how it ends. Fake commands stand behind it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import fake_commands
import pytest
from running import names

from labeldp_audit.audits import calls

PROMPT = 10  # seconds that nothing here needs
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is a thing of Linux")
PROGRAM = [sys.executable, str(fake_commands.FILE)]


@pytest.fixture
def door(audit, monkeypatch):
    """door("estimate-j", "fine", ...) in this process."""
    monkeypatch.setattr(calls, "found", fake_commands.found)
    return audit


@pytest.fixture
def process(tmp_path):
    """The same in a process of its own, where streams and signals are what is tested."""

    def run(*arguments, **options):
        piped = {} if options.keys() & {"stdout", "stderr"} else {"capture_output": True}
        return subprocess.run(
            [*PROGRAM, *arguments], cwd=tmp_path, env=environment(), text=True, timeout=PROMPT, check=False,
            **(piped | options),
        )  # fmt: skip

    return run


def environment(more=None) -> dict[str, str]:
    ours = ("LABELDP_AUDIT_", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | (more or {})


def test_the_report_goes_to_standard_output_and_the_rest_to_standard_error(door):
    done = door("estimate-j", "warn", "-f", "json")
    assert done.status == 0
    assert done.report["command"] == "estimate-j"
    assert done.err.splitlines() == [
        "labeldp-audit: warning: column 'name' looks like an identifier; --exclude name if it is",
        "labeldp-audit: wrote labeldp-report/estimate-j.json, labeldp-report/estimate-j.md, "
        "labeldp-report/estimate-j.html, labeldp-report/estimate-j.svg",
    ]


def test_a_piped_report_and_standard_error_both_have_the_warning_unless_quiet(door):
    for quiet in ((), ("--quiet",)):
        done = door("estimate-j", "warn", "--no-output", *quiet)
        assert (done.status, done.out.count("looks like an identifier")) == (0, 1)
        assert done.err.count("looks like an identifier") == (not quiet) and (done.err == "") == bool(quiet)


def test_forms_are_printed_one_after_the_other_and_files_get_theirs(door):
    done = door("estimate-j", "fine", "-f", "json=a.json", "-f", "csv", "-f", "json=-", "--no-output")
    form = (door.folder / "a.json").read_text(encoding="utf-8")
    assert done.out.endswith(form)
    assert done.out.removesuffix(form).startswith("quantity,")
    assert done.err == "labeldp-audit: wrote a.json\n"
    assert names(door.folder) == ["a.json"]


def test_rows_are_for_the_owner_alone(door):
    assert door("estimate-eta", "fine").status == 0
    file = door.folder / "labeldp-report" / "eta.parquet"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes().startswith(b"PAR1")


def test_run_information_only_where_asked_for(door):
    plain = door("estimate-j", "fine", "-f", "json", "--no-output").report
    told = door("estimate-j", "fine", "-f", "json", "--no-output", "--with-run-info").report
    (added,) = told.keys() - plain.keys()
    assert {key: value for key, value in told.items() if key not in (added, "seal")} | {"seal": plain["seal"]} == plain
    assert str(door.folder) in json.dumps(told[added])


@pytest.mark.parametrize(
    ("arguments", "status", "lines"),
    [
        ("estimate-j data", 3, ["error: null labels: x.csv: y", "hint: --drop-null-labels leaves them out"]),
        ("estimate-j lines", 3, ["error: bad name: x y.csv"]),
        ("estimate-j spec", 2, ["error: unknown thing"]),
        ("estimate-j assumption", 2, ["error: not independent"]),
        ("estimate-j memory", 3, ["error: not enough memory", "hint: --exclude columns"]),
        ("estimate-j", 2, ["error: missing argument DATA", "hint: `labeldp-audit estimate-j --help` shows examples"]),
        ("", 2, ["error: missing command", "hint: `labeldp-audit --help` lists the commands"]),
        ("--verbose", 2, ["error: --verbose goes with --version"]),
        ("estimate-j fine --mechanisms x", 2, ["error: no such option", "hint: did you mean --mechanism? (`labeldp-"]),
        ("estimate-k fine", 2, ["error: no such command 'estimate-k'", "hint: did you mean 'estimate-j'"]),
        ("--quiet estimate-j fine", 2, ["error: no such option", "hint: --quiet goes after the command"]),
        ("estimate-j a b", 2, ["error: got unexpected extra argument", "hint: one table at a time"]),
        ("estimate-j fine --k", 2, ["error: option '--k' requires an argument", "hint: `labeldp-audit --help`"]),
        ("estimate-j fine --k 0", 2, ["not a whole number of at least 1: 0: --k", "`labeldp-audit estimate-j --help`"]),
        ("estimate-j fine -f xml", 2, ["error: unknown format 'xml'", "hint: known: csv, github, html, json, junit"]),
        ("estimate-j fine -f json=", 2, ["error: no file after the =: --format json="]),
        ("estimate-j fine -f json=a -f csv=a", 2, ["error: two reports in one file: a"]),
        ("estimate-j fine --mechanism nonsense:epsilon=1", 2, ["error: unknown mechanism 'nonsense'", "hint: known:"]),
        ("estimate-j fine --estimator magic", 2, ["error: unknown estimator 'magic'", "hint: known:"]),
        (
            "estimate-j fine --estimator knn:k=3",
            2,
            ["knn has one parameter: index=exact|ivf|hnsw", "hint: use --k, --recall"],
        ),
        ("estimate-j fine --config nowhere.toml", 2, ["error: cannot read the configuration"]),
        ("estimate-j data --quiet", 3, ["error: null labels"]),
    ],
)
def test_an_error_is_one_line_and_a_hint(door, arguments, status, lines):
    done = door(*arguments.split())
    assert done.status == status
    assert done.error  # and nothing but that line and a hint
    for shown, line in zip(done.err.splitlines(), lines, strict=False):
        assert line in shown
    assert len(done.err.splitlines()) >= len(lines)
    assert names(door.folder) == []


def test_a_bug_asks_for_a_report_and_quotes_no_data_unless_debugged(door, monkeypatch):
    done = door("estimate-j", "bug")
    assert done.status == 70
    assert done.error.startswith("a bug of labeldp-audit: KeyError: cli/run_command.py: line ")
    assert "secret cell" not in done.err
    assert "Traceback" in door("estimate-j", "bug", "--debug").err
    monkeypatch.setenv("LABELDP_AUDIT_DEBUG", "1")
    assert "Traceback" in door("estimate-j", "bug").err


def test_warnings_of_libraries_are_not_for_users(process):
    assert "unhappy" not in process("estimate-j", "noise", "--no-output").stderr


@pytest.mark.parametrize(
    "form", [["-o", "taken"], ["-o", "taken/inside"], ["-f", "json=taken/x.json"], ["-f", "json=."]]
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(door, form):
    (door.folder / "taken").write_text("a file")
    done = door("estimate-j", "bug", *form)
    assert done.status == 2
    assert done.error
    assert names(door.folder) == ["taken"]


@FULL
def test_a_full_disk_is_one_line(door, process):
    for form in ("json", "csv", "markdown", "text"):
        done = door("estimate-j", "fine", "-f", f"{form}=/dev/full", "--no-output")
        assert (done.status, done.error) == (3, "cannot write: /dev/full: No space left on device")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
    with Path("/dev/full").open("w") as full:
        done = process("estimate-j", "fine", "--no-output", stdout=full, stderr=subprocess.PIPE)
    said = "labeldp-audit: error: cannot write the report: No space left on device: standard output\n"
    assert (done.returncode, done.stderr) == (3, said)


@FULL
@pytest.mark.parametrize("arguments", [["--help"], ["nu-max", "--help"], ["--version"]])
def test_a_full_disk_takes_no_help(process, arguments):
    with Path("/dev/full").open("w") as full:
        done = process(*arguments, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 3
    assert done.stderr == "labeldp-audit: error: cannot write the report: No space left on device: standard output\n"


@pytest.mark.parametrize("arguments", [["estimate-j", "fine", "--no-output"], ["nu-max", "--help"], ["--version"]])
def test_nobody_reads(process, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = process(*arguments, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("words", "status"), [("-q -f json >&-", 141), ("-q -f json=kept.json >&-", 0), ("-f json=kept.json 2>&-", 0)]
)
def test_a_stream_is_closed(tmp_path, words, status):
    line = f'exec "{PROGRAM[0]}" "{PROGRAM[1]}" estimate-j fine --no-output {words}'
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, env=environment(), capture_output=True, timeout=PROMPT, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")
    assert names(tmp_path) == (["kept.json"] if status == 0 else [])


def test_nobody_reads_standard_error(process):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = process("estimate-j", "warn", "-f", "json", "--no-output", stdout=subprocess.PIPE, stderr=writer)
    finally:
        os.close(writer)
    assert done.returncode == 0
    assert json.loads(done.stdout)


def started(folder: Path, data: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [*PROGRAM, "estimate-j", data], cwd=folder, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert within(process.stderr) == "working\n"
    return process


def within(stream: IO[str]) -> str:
    """Its next line; a test that waits for ever says nothing."""
    ready, _, _ = select.select([stream], [], [], PROMPT)
    assert ready, f"nothing came within {PROMPT} seconds"
    return stream.readline()


@pytest.mark.parametrize(("data", "sent"), [("work", signal.SIGTERM), ("in_threads", signal.SIGINT)])
def test_an_interrupt_ends_at_once_and_leaves_nothing(tmp_path, data, sent):
    process = started(tmp_path, data)
    process.send_signal(sent)
    assert process.communicate(timeout=PROMPT) == ("", "labeldp-audit: interrupted\n")
    assert process.returncode == 128 + sent
    assert names(tmp_path) == []


def test_a_second_interrupt_does_not_wait(tmp_path):
    process = started(tmp_path, "stubborn")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert within(process.stderr) == "tidying\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PROMPT) == ("", "")
    assert process.returncode == 130


@pytest.mark.parametrize("wait", [0.01, 0.2])
def test_an_interrupt_while_loading(tmp_path, wait):
    """Of Python itself and of the first of our files we are not the master."""
    program = (
        "import sys, types; from labeldp_audit.cli import app\n"
        "def run(*_):\n    import numba, pyarrow.dataset, scipy.stats\n    sys.stdin.read()\n"
        "calls = types.SimpleNamespace(found=run, check_names=lambda *_: None)\n"
        "sys.modules['labeldp_audit.audits.calls'] = calls\n"
        "print('up', flush=True); sys.exit(app.main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "estimate-j", "-", "--no-config"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PROMPT)
    assert (process.returncode, said) == (130, "labeldp-audit: interrupted\n")


def test_version(door):
    assert door("--version").out == "labeldp-audit 0.1.0\n"
    told = door("--version", "--verbose").out
    assert all(f"\n{part} " in told for part in ("numpy", "scipy", "numba", "pyarrow", "faiss-cpu", "cores"))


@pytest.mark.parametrize("command", ["estimate-eta", "nu-max", "estimate-j", "advantage", "audit", "check", "tune"])
def test_help_lists_what_there_is(door, command):
    told = door(command, "-h").out
    assert all(text in told for text in ("--mechanism", "rr:epsilon=", "markdown", "Neighbourhoods", "Examples"))
    assert ("--tau" in told) == (command in ("estimate-j", "audit", "check"))
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.parametrize("command", [(), ("check",), ("explain",)])
def test_flags_take_no_value(door, command, monkeypatch):
    """Some versions of typer print their type."""
    monkeypatch.setenv("COLUMNS", "200")
    told = door(*command, "--help").out
    assert re.search(r"--help +-h +Show", told)
    assert "bool" not in told


def test_colour_and_width_follow_the_environment(door, monkeypatch):
    def shown(**variables):
        for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return door("estimate-j", "fine", "--no-output").out

    assert "\x1b[" not in shown()
    assert "\x1b[" in shown(FORCE_COLOR="1")
    assert "\x1b[" not in shown(FORCE_COLOR="1", NO_COLOR="1")
    assert max(map(len, shown(COLUMNS="60").splitlines())) <= 60


# ---- terminals


@pytest.mark.parametrize(("form", "times"), [("text", 0), ("json", 1)])
def test_a_warning_is_read_once_on_a_terminal(tmp_path, form, times):
    seen, end = pytest.importorskip("pty").openpty()
    command = [*PROGRAM, "estimate-j", "warn", "--no-output", "-f", form]
    with os.fdopen(seen, "rb", buffering=0) as screen:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment({}), stdout=end, stderr=subprocess.PIPE)
        os.close(end)
        shown = b""
        with contextlib.suppress(OSError):  # Linux says so when nobody writes any more
            while part := screen.read(4096):
                shown += part
        said = process.communicate(timeout=PROMPT)[1]
    assert (said.count(b"looks like an identifier"), shown.count(b"looks like an identifier")) == (times, 1)


def test_a_terminal_sees_a_bar_and_a_pipe_does_not(tmp_path):
    seen, end = pytest.importorskip("pty").openpty()
    process = subprocess.Popen(
        [*PROGRAM, "estimate-j", "work"], cwd=tmp_path, env=environment({"TERM": "xterm"}), stdout=subprocess.PIPE,
        stderr=end,
    )  # fmt: skip
    os.close(end)
    told = b""
    while b"reading" not in told:
        told += os.read(seen, 4096)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PROMPT)[0] == b""
    os.close(seen)
    assert process.returncode == 130
