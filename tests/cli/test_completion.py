"""What may be typed next, as candidates and in real shells."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labeldp_audit.cli import app, completion, shells
from labeldp_audit.cli.completion import FILES, candidates
from labeldp_audit.cli.explain import KNOWN
from labeldp_audit.cli.options import COMMANDS
from labeldp_audit.core.errors import SpecError
from labeldp_audit.estimators import ESTIMATORS
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.reports.formats import names

ROOT = Path(__file__).parents[2]
BREAKS = " \t\n\"'><=;|&(:"


def words(*typed: str) -> list[str]:
    return [one.word for one in candidates(typed)]


def test_commands():
    assert words("") == words() == [command.name for command in COMMANDS]
    assert words("est") == ["estimate-eta", "estimate-j"]
    assert words("zzz") == []
    assert "--version" in words("-")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_of_every_command(command):
    flags = words(command.name, "--")
    for option in command.options:
        assert (f"--no-{option.flag[2:]}" if option.default is True else option.flag) in flags


def test_an_option_is_offered_once_unless_it_repeats():
    assert "--seed" not in words("estimate-j", "--seed", "1", "--")
    assert "--quiet" not in words("estimate-j", "-q", "--")
    assert "--mechanism" in words("estimate-j", "--mechanism", "rr:epsilon=1", "--")


def test_values():
    assert words("nu-max", "--estimator", "") == list(ESTIMATORS.names())
    assert words("nu-max", "-f", "") == list(names())
    assert words("nu-max", "--format=js") == ["--format=json"]
    assert words("explain", "-f", "") == ["text", "json"]
    assert words("advantage", "--utility", "b") == ["balanced"]
    assert words("--show-completion", "") == ["bash", "zsh", "fish"]
    assert words("nu-max", "--seed", "") == []
    assert words("explain", "certified_n") == ["certified_nu_max"]
    assert set(words("explain", "")) == set(KNOWN)


def test_files():
    for typed in (
        ["nu-max", "clin"],
        ["nu-max", "--eta-file", ""],
        ["nu-max", "x", "-o", "r"],
        ["nu-max", "-f", "json=x"],
    ):
        assert words(*typed) == [FILES]
    assert candidates(["nu-max", "-f", "json=x"])[0].help == "json="
    assert candidates(["nu-max", "--config=x"])[0].help == "--config="
    assert FILES not in words("nu-max", "clinic.csv", "")
    assert words("nu-max", "--label", "y", "") == [FILES]


def test_mechanisms():
    assert words("nu-max", "--mechanism", "") == [f"{name}:" for name in MECHANISMS.names()]
    assert words("nu-max", "--mechanism", "rr:") == ["rr:epsilon=", "rr:pi=", "rr:lambda="]
    assert words("nu-max", "--mechanism", "rr:epsilon=1,") == []
    assert words("nu-max", "--mechanism", "laplace-llp:k=8,") == ["laplace-llp:k=8,epsilon="]
    assert words("nu-max", "--mechanism", "coin:") == []


def test_what_is_offered_is_understood():
    """Each mechanism and field that completion spells is one that can be parsed."""
    for mechanism in MECHANISMS:
        fields = words("nu-max", "--mechanism", f"{mechanism.name}:")
        assert f"{mechanism.example.partition('=')[0]}=" in fields
    for field in words("nu-max", "--mechanism", "rr:"):
        assert MECHANISMS.parse(f"{field}0.25")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("labeldp-audit nu-max --mechanism rr:e", ["epsilon="]),
        ("labeldp-audit nu-max --mechanism 'rr:e", ["rr:epsilon="]),
        ("labeldp-audit nu-max --format=js", ["json"]),
        ("labeldp-audit nu-m", ["nu-max"]),
        ("labeldp-audit ", [command.name for command in COMMANDS]),
        ("labeldp-audit nu-max \"it's", [FILES.rstrip("\t")]),
        ("labeldp-audit nu-max '\\", [FILES.rstrip("\t")]),
        ("", [command.name for command in COMMANDS]),
    ],
)
def test_bash_gives_its_line_and_gets_what_stands_behind_its_last_break(line, offered):
    told = completion.answer("bash", [line, BREAKS]).splitlines()
    assert [one.rstrip("\t") if one.startswith("\t") else one.split("\t")[0] for one in told] == offered


@pytest.mark.parametrize("typed", ["\ud800", "\x1b[2J", "--=", "=", ":", "-f=", "'" * 9, "\\", "\u202e"])
def test_whatever_is_typed_is_answered_by_lines(typed):
    for shell in shells.SHELLS:
        for before in ((), ("nu-max",), ("nu-max", "--mechanism"), ("explain",)):
            for line in completion.answer(shell, [*before, typed]).splitlines():
                assert "\t" in line


# ---- the protocol, and how scripts are installed


@pytest.fixture
def home(tmp_path):
    """With a program of that name on its path."""
    program = tmp_path / "bin" / "labeldp-audit"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' -m labeldp_audit \"$@\"\n")
    program.chmod(0o755)
    (tmp_path / "clinic.csv").write_text("y\n")
    return tmp_path


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": f"{home / 'bin'}:/usr/bin:/bin", "TERM": "xterm", "LANG": "C.UTF-8", **more}


def ran(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["labeldp-audit", *arguments],
        env=environment(home, **more),
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_protocol_in_a_process(home):
    done = ran(home, "explain", "nu_m", _LABELDP_AUDIT_COMPLETE="fish")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"nu_max\t{KNOWN['nu_max'].meaning}\n"


def test_it_is_quick_because_it_loads_nothing_heavy(home):
    program = (
        "import sys; from labeldp_audit.cli.app import main; main(['estimate-j', '--']); "
        "sys.exit(' '.join({'typer', 'rich', 'scipy', 'pyarrow', 'faiss', 'numba'} & set(sys.modules)))"
    )
    variables = environment(home, _LABELDP_AUDIT_COMPLETE="zsh", PYTHONPATH=str(ROOT))
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert "--tau" in done.stdout


def test_the_variable_is_the_one_that_scripts_set():
    assert all(completion.VARIABLE in shells.script(shell) for shell in shells.SHELLS)
    assert f'"{completion.VARIABLE}"' in Path(app.__file__).read_text(encoding="utf-8")


@pytest.mark.parametrize(("shell", "rc"), [("bash", ".bashrc"), ("zsh", ".zshrc")])
def test_installing_twice_adds_one_line_and_keeps_what_was_there(home, shell, rc):
    (home / rc).write_bytes(b"alias x=\xff")
    told = [ran(home, "--install-completion", shell) for _ in range(2)]
    assert [one.returncode for one in told] == [0, 0]
    first, second, *more = (home / rc).read_bytes().splitlines()
    assert first == b"alias x=\xff"
    assert second.startswith(b"[ -r ")
    assert not more
    assert "now reads" in told[0].stdout
    assert "reads already" in told[1].stdout


def test_the_shell_in_use_is_taken(home):
    assert "fish" in ran(home, "--install-completion", SHELL="/usr/bin/fish").stdout
    assert (home / ".config/fish/completions/labeldp-audit.fish").is_file()
    assert ran(home, "--show-completion", SHELL="/usr/bin/fish").stdout == shells.script("fish")


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["--install-completion", "tcsh"], {}),
        (["--show-completion"], {"SHELL": "/bin/tcsh"}),
        (["--show-completion"], {}),
        (["--install-completion", "bash"], {"HOME": "/dev/null"}),
        (["--install-completion", "bash", "--version"], {}),
        (["--man", "estimate-j", "x"], {}),
    ],
    ids=str,
)
def test_what_cannot_be_is_said_in_one_line(home, arguments, variables):
    done = ran(home, *arguments, **variables)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("labeldp-audit: error: ")
    assert len(done.stderr.splitlines()) <= 2


def test_unknown_shells():
    with pytest.raises(SpecError, match="unknown shell"):
        shells.named("csh")


# ---- real shells


def typed(shell: str, home: Path, line: str, wanted: str) -> str:
    """What a terminal shows after a tab, up to `wanted`."""
    arguments = [shell, "-i"]
    process, terminal = pty.fork()
    if process == 0:  # pragma: no cover - another process
        os.chdir(home)
        os.execvpe(shell, arguments, environment(home, PS1="$ ", SHELL=f"/bin/{shell}"))
    try:
        _seen(terminal, lambda seen: "$" in seen or "#" in seen or ">" in seen, 5)
        time.sleep(0.3)
        os.write(terminal, line.encode() + b"\t")
        return _seen(terminal, lambda seen: wanted in seen, 8)
    finally:
        os.close(terminal)  # hangs up
        os.waitpid(process, 0)


def _seen(terminal: int, enough, seconds: float) -> str:
    seen, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and not enough(_plain(seen)):
        if select.select([terminal], [], [], 0.1)[0]:
            block = os.read(terminal, 1 << 16)
            seen += block
            if b"\x1b[c" in block or b"\x1b[0c" in block:  # fish asks what it talks to
                os.write(terminal, b"\x1b[?62;c")
    return _plain(seen)


def _plain(seen: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?=>]*[a-zA-Z]|\x1b[=>]|\x1b\][^\x07]*\x07|\x1b\(B|\r", "", seen.decode(errors="replace"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("labeldp-audit estimate-j --mechanism rr:la", "--mechanism rr:lambda="),
        ("labeldp-audit nu-max clinic.csv -f json=cli", "-f json=clinic.csv"),
        ("labeldp-audit adv", "labeldp-audit advantage "),
    ],
    ids=["mechanism", "file", "command"],
)
def test_a_real_shell(home, shell, line, wanted):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    (home / ".zshrc").touch()
    assert ran(home, "--install-completion", shell).returncode == 0
    assert wanted in typed(shell, home, line, wanted)
