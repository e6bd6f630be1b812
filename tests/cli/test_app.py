"""The door: what goes to which stream, and how it ends. A fake command stands behind it."""

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

import pytest

# A whole program: the real door with a command that does what DATA says.
PROGRAM = """
import sys, threading, time, types
import numpy as np
from labeldp_audit.core.eta import EtaSummary
from labeldp_audit.core.errors import AssumptionError, DataError, SpecError
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column, Dataset

def report(warnings=()):
    columns = (Column("y", "label", "int64"), Column("a", "number", "double", width=1))
    dataset = Dataset("fake.csv", "0" * 64, 10, 10, "y", "1", ("0", "1"), (5, 5), columns)
    eta = EtaSummary("knn", 10, "l2", 10, 10, True, 1.0, 1.0, 0.7)
    bound = Bound(0.5, 0.25, 0.75, 10, "clopper-pearson", ("rows are independent",))
    findings = tuple(Finding("j", bound, 0.99, "rr:epsilon=1", {"tau": tau, "epsilon": 1.0}) for tau in (0.0, 1.0))
    return Report("estimate-j", "0.1.0", dataset, eta, {"confidence": 0.99, "seed": 0}, findings, warnings)

def work(progress):
    print("working", file=sys.stderr, flush=True)
    while True:
        progress.advance(1)
        time.sleep(0.01)

def in_threads(progress):
    from labeldp_audit.engines.threads import in_threads as each
    print("working", file=sys.stderr, flush=True)
    for _ in each(lambda block: time.sleep(0.05), iter(int, 1), 2):
        progress.advance(1)

def stubborn(progress):
    try:
        work(progress)
    finally:
        print("tidying", file=sys.stderr, flush=True)
        time.sleep(30)

def run(data, settings, progress):
    progress.stage("reading", 10, "rows")
    if data == "data": raise DataError("null labels", "x.csv", "y", hint="--drop-null-labels leaves them out")
    if data == "lines": raise DataError("bad\\nname", "x\\ny.csv")
    if data == "spec": raise SpecError("unknown thing")
    if data == "assumption": raise AssumptionError("not independent")
    if data == "bug": raise KeyError("secret cell")
    if data == "memory": return np.zeros(1 << 50)
    if data == "noise":
        import warnings
        warnings.warn("numpy is unhappy", RuntimeWarning)
    if data in ("work", "in_threads", "stubborn"): globals()[data](progress)
    progress.advance(10)
    return report(("one column looks like an identifier",) if data == "warn" else ())

def run_rows(data, settings, progress):
    rows = {"row": np.arange(3), "eta": np.array([0.1, 0.2, 0.3])}
    return report(), types.SimpleNamespace(columns=rows, about={"sha256": "0"})

fake = types.ModuleType("labeldp_audit.audits.run")
fake.estimate_j, fake.estimate_eta = run, run_rows
sys.modules[fake.__name__] = fake
from labeldp_audit.__main__ import main
sys.exit(main())
"""

PROMPT = 10  # seconds that nothing here needs
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is a thing of Linux")


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("program") / "door.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


@pytest.fixture
def door(program, tmp_path):
    """Runs the program in an empty folder: door("estimate-j", "fine", ...)."""
    (tmp_path / "here").mkdir()

    def run(*arguments, env=None, **options):
        return subprocess.run(
            [sys.executable, str(program), *arguments],
            cwd=tmp_path / "here",
            env=environment(env),
            capture_output=not options.keys() & {"stdout", "stderr"},
            text=True,
            timeout=PROMPT,
            check=False,
            **options,
        )

    run.folder = tmp_path / "here"
    return run


def environment(more=None) -> dict[str, str]:
    ours = ("LABELDP_AUDIT_", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | (more or {})


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def lines_of(done) -> list[str]:
    return done.stderr.splitlines()


def test_the_report_goes_to_standard_output_and_the_rest_to_standard_error(door):
    done = door("estimate-j", "warn", "-f", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["command"] == "estimate-j"
    assert lines_of(done) == [
        "labeldp-audit: warning: one column looks like an identifier",
        "labeldp-audit: wrote labeldp-report/estimate-j.json, labeldp-report/estimate-j.md, "
        "labeldp-report/estimate-j.svg",
    ]


@pytest.mark.parametrize(("form", "times"), [("text", 0), ("json", 1)])
def test_a_warning_is_read_once_on_a_terminal(program, tmp_path, form, times):
    pty = pytest.importorskip("pty")
    seen, end = pty.openpty()
    command = [sys.executable, str(program), "estimate-j", "warn", "--no-output", "-f", form]
    with os.fdopen(seen, "rb", buffering=0) as screen:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment({}), stdout=end, stderr=subprocess.PIPE)
        os.close(end)
        shown = b""
        with contextlib.suppress(OSError):  # Linux says so when nobody writes any more
            while part := screen.read(4096):
                shown += part
        said = process.communicate(timeout=PROMPT)[1]
    assert (said.count(b"looks like an identifier"), shown.count(b"looks like an identifier")) == (times, 1)


def test_a_piped_report_and_standard_error_both_have_the_warning(door):
    done = door("estimate-j", "warn", "--no-output")
    assert (done.stdout.count("looks like an identifier"), done.stderr.count("looks like an identifier")) == (1, 1)


def test_the_folder_gets_json_markdown_and_the_picture(door):
    done = door("estimate-j", "fine", "-f", "json", "-o", "a/b")
    assert names(door.folder / "a" / "b") == ["estimate-j.json", "estimate-j.md", "estimate-j.svg"]
    assert (door.folder / "a" / "b" / "estimate-j.json").read_text(encoding="utf-8") == done.stdout


def test_quiet_leaves_the_report_alone(door):
    done = door("estimate-j", "warn", "--quiet", "--no-output")
    assert (done.returncode, done.stderr) == (0, "")
    assert "fake.csv" in done.stdout
    assert names(door.folder) == []


def test_forms_are_printed_one_after_the_other_and_files_get_theirs(door):
    done = door("estimate-j", "fine", "-f", "json=a.json", "-f", "csv", "-f", "json=-", "--no-output")
    form = (door.folder / "a.json").read_text(encoding="utf-8")
    assert done.stdout.endswith(form)
    assert done.stdout.removesuffix(form).startswith("quantity,")
    assert lines_of(done) == ["labeldp-audit: wrote a.json"]
    assert names(door.folder) == ["a.json"]


def test_rows_are_for_the_owner_alone(door):
    assert door("estimate-eta", "fine").returncode == 0
    file = door.folder / "labeldp-report" / "eta.parquet"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes().startswith(b"PAR1")


def test_run_information_only_where_asked_for(door):
    plain = json.loads(door("estimate-j", "fine", "-f", "json", "--no-output").stdout)
    told = json.loads(door("estimate-j", "fine", "-f", "json", "--no-output", "--with-run-info").stdout)
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
        ("estimate-j", 2, ["error: missing argument DATA", "hint: `labeldp-audit estimate-j --help` shows examples"]),
        ("", 2, ["error: missing command", "hint: `labeldp-audit --help` lists the commands"]),
        ("--verbose", 2, ["error: --verbose goes with --version"]),
        ("--version estimate-j x", 2, ["error: --version stands alone"]),
        (
            "estimate-j fine --mechanisms x",
            2,
            [
                "error: unknown option '--mechanisms'",
                "hint: did you mean --mechanism? (`labeldp-audit estimate-j --help`)",
            ],
        ),
        ("estimate-j fine --etb x", 2, ["error: unknown option '--etb'", "hint: did you mean --eta or"]),
        ("nu-max fine --tau 1", 2, ["error: unknown option '--tau'"]),
        (
            "estimate-k fine",
            2,
            ["error: unknown command 'estimate-k'", "hint: did you mean estimate-j or estimate-eta?"],
        ),
        ("--quiet estimate-j fine", 2, ["error: unknown option '--quiet'", "hint: --quiet goes after the command"]),
        ("estimate-j a b", 2, ["error: got unexpected extra argument", "hint: one table at a time"]),
        ("estimate-j fine --k", 2, ["error: option '--k' requires an argument", "hint: `labeldp-audit estimate-j"]),
        ("estimate-j fine --k 0", 2, ["error: not a whole number of at least 1: 0: --k"]),
        (
            "estimate-j fine -f xml",
            2,
            ["error: unknown format 'xml'", "hint: known: csv, github, html, json, junit, markdown, sarif, text"],
        ),
        ("estimate-j fine -f json=", 2, ["error: no file after the =: --format json="]),
        ("estimate-j fine -f json=a -f csv=a", 2, ["error: two reports in one file: a"]),
        ("estimate-j fine --mechanism nonsense:epsilon=1", 2, ["error: unknown mechanism 'nonsense'", "hint: known:"]),
        ("estimate-j fine --mechanism rr:epsilon=-1", 2, ["error: mechanism 'rr:epsilon=-1'"]),
        ("estimate-j fine --estimator magic", 2, ["error: unknown estimator 'magic'", "hint: known:"]),
        ("estimate-j fine --estimator knn:k=3", 2, ["knn has no parameters of its own", "hint: use --k, --recall"]),
        ("estimate-j fine --config nowhere.toml", 2, ["error: cannot read the configuration"]),
    ],
)
def test_an_error_is_one_line_and_a_hint(door, arguments, status, lines):
    done = door(*arguments.split())
    assert (done.returncode, done.stdout) == (status, "")
    said = lines_of(done)
    assert all(line.startswith("labeldp-audit: ") for line in said)
    assert len([line for line in said if ": error: " in line]) == 1
    assert len(said) <= 2
    for number, line in enumerate(lines):
        assert line in said[number]
    assert names(door.folder) == []


def test_a_bug_asks_for_a_report_and_quotes_no_data(door):
    done = door("estimate-j", "bug")
    assert (done.returncode, done.stdout) == (70, "")
    assert lines_of(done)[0].startswith(
        "labeldp-audit: error: a bug of labeldp-audit: KeyError: cli/run_command.py: line "
    )
    assert len(lines_of(done)) == 2
    assert "secret cell" not in done.stderr


def test_debug_shows_where_a_bug_is(door):
    done = door("estimate-j", "bug", "--debug")
    assert done.returncode == 70
    assert "Traceback" in done.stderr


def test_too_little_memory_is_said(door):
    done = door("estimate-j", "memory")
    assert done.returncode == 3
    assert lines_of(done)[0] == "labeldp-audit: error: not enough memory"


def test_warnings_of_libraries_are_not_for_users(door):
    assert "unhappy" not in door("estimate-j", "noise", "--no-output").stderr


def test_a_quiet_error_is_still_said(door):
    assert door("estimate-j", "data", "--quiet").stderr.startswith("labeldp-audit: error: null labels")


@pytest.mark.parametrize(
    "form", [["-o", "taken"], ["-o", "taken/inside"], ["-f", "json=taken/x.json"], ["-f", "json=."]]
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(door, form):
    (door.folder / "taken").write_text("a file")
    done = door("estimate-j", "work", *form)
    assert (done.returncode, done.stdout) == (2, "")
    assert len([line for line in lines_of(done) if ": error: " in line]) == 1
    assert "working" not in done.stderr
    assert names(door.folder) == ["taken"]


@FULL
def test_a_full_disk_is_one_line(door):
    done = door("estimate-j", "fine", "-f", "json=/dev/full", "--no-output")
    assert (done.returncode, done.stdout) == (3, "")
    assert "No space left on device" in lines_of(done)[0]
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@FULL
def test_a_full_disk_behind_standard_output_is_one_line(door):
    with Path("/dev/full").open("w") as full:
        done = door("estimate-j", "fine", "--no-output", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 3
    assert lines_of(done) == ["labeldp-audit: error: cannot write the report: No space left on device: standard output"]


@pytest.mark.parametrize("arguments", [["estimate-j", "fine", "--no-output"], ["nu-max", "--help"], ["--version"]])
def test_nobody_reads(door, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = door(*arguments, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(("form", "status"), [("json", 141), ("json=kept.json", 0)])
def test_standard_output_is_closed(door, program, form, status):
    line = f'exec "{sys.executable}" "{program}" estimate-j fine --quiet --no-output -f {form} >&-'
    done = subprocess.run(
        ["sh", "-c", line], cwd=door.folder, env=environment(), stderr=subprocess.PIPE, timeout=PROMPT, check=False
    )
    assert (done.returncode, done.stderr) == (status, b"")
    assert names(door.folder) == (["kept.json"] if status == 0 else [])


def test_nobody_reads_standard_error(door):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = door("estimate-j", "warn", "-f", "json", "--no-output", stdout=subprocess.PIPE, stderr=writer)
    finally:
        os.close(writer)
    assert done.returncode == 0
    assert json.loads(done.stdout)


def started(program: Path, folder: Path, data: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, str(program), "estimate-j", data],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert within(process.stderr) == "working\n"
    return process


def within(stream: IO[str]) -> str:
    """Its next line; a test that waits for ever says nothing."""
    ready, _, _ = select.select([stream], [], [], PROMPT)
    assert ready, f"nothing came within {PROMPT} seconds"
    return stream.readline()


@pytest.mark.parametrize("data", ["work", "in_threads"])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_at_once_and_leaves_nothing(program, tmp_path, data, sent):
    process = started(program, tmp_path, data)
    process.send_signal(sent)
    assert process.communicate(timeout=PROMPT) == ("", "labeldp-audit: interrupted\n")
    assert process.returncode == 128 + sent
    assert names(tmp_path) == []


def test_a_second_interrupt_does_not_wait(program, tmp_path):
    process = started(program, tmp_path, "stubborn")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert within(process.stderr) == "tidying\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PROMPT) == ("", "")
    assert process.returncode == 130


def test_an_interrupt_while_loading(tmp_path):
    """Of Python itself and of the first of our files we are not the master."""
    program = (
        "import sys, types; from labeldp_audit.cli import app\n"
        "def run(*_):\n    import numba, pyarrow.dataset, scipy.stats\n    sys.stdin.read()\n"
        "sys.modules['labeldp_audit.audits.run'] = types.SimpleNamespace(estimate_j=run)\n"
        "print('up', flush=True); sys.exit(app.main())"
    )
    for wait in (0.01, 0.03, 0.06, 0.2, 0.4):
        process = subprocess.Popen(
            [sys.executable, "-c", program, "estimate-j", "-", "--no-config"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PROMPT)
        assert process.returncode == 130
        assert said == "labeldp-audit: interrupted\n"


def test_show_config_needs_no_data(door):
    (door.folder / "labeldp-audit.toml").write_text('label = "clicked"\n')
    done = door("estimate-j", "--show-config", "--k", "5", env={"LABELDP_AUDIT_SEED": "3", "LABELDP_AUDIT_LABLE": "x"})
    assert done.returncode == 0
    assert 'label = "clicked"  # ' in done.stdout
    assert "k = 5  # --k" in done.stdout
    assert "seed = 3  # LABELDP_AUDIT_SEED" in done.stdout
    assert lines_of(done) == [
        "labeldp-audit: warning: LABELDP_AUDIT_LABLE is not an option and is not used (did you mean label?)"
    ]


def test_version(door):
    assert door("--version").stdout == "labeldp-audit 0.1.0\n"
    told = door("--version", "--verbose").stdout
    assert all(f"\n{part} " in told for part in ("numpy", "scipy", "numba", "pyarrow", "faiss-cpu", "cores"))


@pytest.mark.parametrize("command", ["estimate-eta", "nu-max", "estimate-j"])
def test_help_lists_what_the_lists_hold(door, command):
    told = door(command, "--help", env={"COLUMNS": "200"}).stdout
    assert all(text in told for text in ("--mechanism", "rr:epsilon=", "markdown", "Neighbourhoods", "Examples"))
    assert ("--tau" in told) == (command == "estimate-j")


@pytest.mark.parametrize("command", [(), ("check",), ("explain",)])
def test_help_takes_no_value(door, command):
    """Some versions of typer print its type."""
    told = door(*command, "--help", env={"COLUMNS": "200"}).stdout
    assert re.search(r"--help +-h +Show", told)


def test_colour_and_width_follow_the_environment(door):
    def shown(**env):
        return door("estimate-j", "fine", "--no-output", env=env).stdout

    assert "\x1b[" not in shown()
    assert "\x1b[" in shown(FORCE_COLOR="1")
    assert "\x1b[" not in shown(FORCE_COLOR="1", NO_COLOR="1")
    assert max(map(len, shown(COLUMNS="60").splitlines())) <= 60


def test_a_terminal_sees_a_bar_and_a_pipe_does_not(program, tmp_path):
    pty = pytest.importorskip("pty")
    seen, end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(program), "estimate-j", "work"],
        cwd=tmp_path,
        env=environment({"TERM": "xterm"}),
        stdout=subprocess.PIPE,
        stderr=end,
    )
    os.close(end)
    told = b""
    while b"reading" not in told:
        told += os.read(seen, 4096)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PROMPT)[0] == b""
    os.close(seen)
    assert process.returncode == 130
