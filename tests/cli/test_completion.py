"""What may be typed next: by the protocol of typer, and in real shells."""

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

from labeldp_audit.cli import app
from labeldp_audit.cli.explain import KNOWN
from labeldp_audit.estimators import ESTIMATORS
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.reports.formats import names

ROOT = Path(__file__).parents[2]


@pytest.fixture
def words(audit, monkeypatch, capsys):
    """What fish would be told, in this process."""

    def answered(*typed: str) -> dict[str, str]:
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv(app.COMPLETE, "complete_fish")
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", " ".join(("labeldp-audit", *typed)))
        with pytest.raises(SystemExit) as end:
            app.main([])
        assert end.value.code == 0
        return dict(line.partition("\t")[::2] for line in capsys.readouterr().out.splitlines() if line)

    return answered


def test_commands_and_their_options(words):
    assert list(words("")) == list(app.commands().commands)
    assert words("nu") == {"nu-max": "The largest loss, over all neighbourhoods."}
    assert words("zzz") == {}
    assert "--version" in words("-")
    Path("labeldp-audit.toml").write_text("k = nonsense")  # which does not matter
    for name, command in app.commands().commands.items():
        assert {flag for one in command.params for flag in one.opts if flag.startswith("--")} <= {*words(name, "--")}
    assert "--seed" not in words("estimate-j", "--seed", "1", "--")
    assert "--mechanism" in words("estimate-j", "--mechanism", "rr:epsilon=1", "--")


@pytest.mark.parametrize("asked", ["zsh", "zsh_complete", "complete_nonsense", "x y", "", "complete_bash"])
def test_completion_variable_with_nonsense_is_left_alone(audit, monkeypatch, asked):
    monkeypatch.setenv(app.COMPLETE, asked)
    monkeypatch.delenv("COMP_WORDS", raising=False)
    ended = audit("explain", "tau")
    assert (ended.status, ended.err) == (0, "") and ended.out.startswith("tau")


def test_values(words):
    assert list(words("nu-max", "--estimator", "")) == list(ESTIMATORS.names())
    assert list(words("nu-max", "-f", "")) == list(names())
    assert list(words("explain", "-f", "")) == ["text", "json"]
    assert list(words("advantage", "--utility", "b")) == ["balanced"]
    assert words("nu-max", "--seed", "") == {}
    assert words("explain", "nu_m") == {"nu_max": KNOWN["nu_max"].meaning}
    assert set(words("explain", "")) == {name for name in KNOWN if " " not in name}


def test_files_are_left_to_the_shell(words):
    for typed in (["nu-max", "clin"], ["nu-max", "--eta-file", ""], ["nu-max", "x", "-o", "r"]):
        assert words(*typed) == {}


def test_what_is_offered_is_understood(words):
    """Each mechanism that completion spells is one that can be parsed, once a value stands behind its =."""
    offered = list(words("nu-max", "--mechanism", ""))
    assert {one.example for one in MECHANISMS} <= set(offered)
    assert list(words("nu-max", "--mechanism", "rr:")) == ["rr:epsilon=1", "rr:pi=", "rr:lambda="]
    for spec in offered:
        assert MECHANISMS.parse(f"{spec}0.25" if spec.endswith("=") else spec)


# ---- real shells


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


def typed(shell: str, home: Path, line: str, wanted: str) -> str:
    """What a terminal shows after a tab, up to `wanted`."""
    process, terminal = pty.fork()
    if process == 0:  # pragma: no cover - another process
        os.chdir(home)
        os.execvpe(shell, [shell, "-i"], environment(home, PS1="$ ", SHELL=f"/bin/{shell}"))
    try:
        _seen(terminal, lambda seen: "$" in seen or "#" in seen or ">" in seen, 5)
        time.sleep(0.3)
        os.write(terminal, line.encode() + b"\t\t")  # at the first one a new zsh loads what typer installed
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
    return re.sub(
        r"\x1b\[[0-9;?=>]*[a-zA-Z]|\x1b[=>]|\x1b\][^\x07]*\x07|\x1b\(B|[\r\a]", "", seen.decode(errors="replace")
    )


@pytest.mark.parametrize(
    ("shell", "line", "wanted"),
    [
        ("bash", "labeldp-audit nu-max --mechanism chan", "--mechanism channel:matrix="),
        ("bash", "labeldp-audit nu-max cli", "nu-max clinic.csv"),
        ("zsh", "labeldp-audit nu-max --mechanism rr:la", "--mechanism rr:lambda="),
        ("fish", "labeldp-audit nu-max --mechanism rr:la", "--mechanism rr:lambda="),
    ],
)
def test_a_real_shell(home, shell, line, wanted):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    (home / ".zshrc").touch()
    # Typer asks which shell it was started by.
    command = [shell, "-c", "labeldp-audit --install-completion; true"]
    done = subprocess.run(command, env=environment(home), cwd=home, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert wanted in typed(shell, home, line, wanted)


def test_a_shell_that_cannot_is_no_bug(audit, monkeypatch):
    shellingham = pytest.importorskip("shellingham")
    monkeypatch.setattr(shellingham, "detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    assert audit("--install-completion").status == 2
