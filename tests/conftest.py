"""The real commands, run inside the test: the door, the tables, the search, the questions, the formats."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

SIGNALS = (signal.SIGINT, signal.SIGTERM)
OURS = ("LABELDP_AUDIT_", "NO_COLOR", "FORCE_COLOR", "COLUMNS")


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """Of -f json; a bare NaN or Infinity is no JSON."""
        found: dict[str, Any] = json.loads(self.out, parse_constant=lambda token: pytest.fail(f"bare {token}"))
        return found

    @property
    def error(self) -> str:
        """The one line; anything beside it but a hint fails here."""
        first, *hints = self.err.splitlines()
        assert first.startswith("labeldp-audit: error: ")
        assert len(hints) <= 1
        assert all(hint.startswith("labeldp-audit: hint: ") for hint in hints)
        assert "Traceback" not in self.out + self.err
        assert self.out == ""
        return first.removeprefix("labeldp-audit: error: ")


class Audit(Protocol):
    folder: Path

    def __call__(self, *arguments: object) -> Ended: ...


class _Inside:
    """Runs main() in an empty folder. Warnings of libraries stay errors, as everywhere in these tests."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ended:
        from labeldp_audit import cli

        self._capsys.readouterr()
        status = cli.main([str(one) for one in arguments])
        return Ended(status, *self._capsys.readouterr())


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Audit]:
    from labeldp_audit import cli

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(cli, "_hush_libraries", lambda: None)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = {each: signal.getsignal(each) for each in SIGNALS}
    yield _Inside(tmp_path / "here", capsys)
    for each, handler in before.items():
        signal.signal(each, handler)


def names(folder: Path) -> list[str]:
    """Everything below, hidden files too."""
    return sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*"))
