"""The real commands run to their end, inside the test or in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from labeldp_audit.core.finding import BASELINE


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


class Audit:
    """audit("nu-max", file, ...) runs main() here, in an empty folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Ended:
        from labeldp_audit.cli import app

        self._capsys.readouterr()
        status = app.main([str(one) for one in arguments])
        return Ended(status, *self._capsys.readouterr())


def read_options(name: str, arguments: Sequence[str]) -> typer.Context:
    """Return the command with its options read, before it runs."""
    from labeldp_audit.cli import app

    group = app.commands()
    above = typer.Context(group, info_name=app.PROGRAM, **group.context_settings)
    context: typer.Context = group.commands[name].make_context(name, list(arguments), parent=above)
    return context


def started(*arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "labeldp_audit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, check=True, **options)


def names(folder: Path) -> list[str]:
    """Everything below, hidden files too."""
    return sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*"))


def only(report: dict, quantity: str) -> dict:
    """The finding, but for what stands beside all mechanisms."""
    (finding,) = [one for one in report["findings"] if one["quantity"] == quantity and BASELINE not in one["at"]]
    return finding


def of(report: dict, quantity: str, mechanism: str | None = None, **at: object) -> dict:
    """The finding about that mechanism, at that place."""
    [found] = [
        one
        for one in report["findings"]
        if (one["quantity"], one["mechanism"]) == (quantity, mechanism)
        and at.items() <= one["at"].items()
        and (BASELINE in at or BASELINE not in one["at"])
    ]
    return found
