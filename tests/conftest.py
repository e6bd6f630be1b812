"""What tests of the whole tool share."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from people import people, write_everywhere
from running import Audit, names

from labeldp_audit.core.errors import STOPS

OURS = ("LABELDP_AUDIT_", "NO_COLOR", "FORCE_COLOR", "COLUMNS")

# Tests run side by side: threads that spin while they wait for work would take the processor from the other tests.
os.environ |= {"OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1"}

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # run by a script in the background: the tool would honour that
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through it again and again for what could go is a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of tests are small."""
    monkeypatch.setattr("labeldp_audit.data.read.FEWEST", 2)


@pytest.fixture
def audit(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Audit]:
    """Warnings of libraries stay errors, as everywhere in these tests."""
    from labeldp_audit.cli import run_command

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LABELDP_AUDIT_ESTIMATOR", "knn")  # can be computed by hand, and is fast
    monkeypatch.setenv("LABELDP_AUDIT_THREADS", "1")  # toys gain nothing from more
    monkeypatch.setenv("LABELDP_AUDIT_BAGS", "200")
    monkeypatch.setattr(run_command, "_hush_libraries", lambda: None)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = {each: signal.getsignal(each) for each in STOPS}
    yield Audit(tmp_path / "here", capsys)
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one table in files of every kind."""
    folder = tmp_path_factory.mktemp("people")
    write_everywhere(people(), folder)
    return folder


@pytest.fixture
def table(tables: Path) -> Path:
    return tables / "t.parquet"


@pytest.fixture
def refused(audit, monkeypatch, tmp_path):
    """The error of a command that must leave everything as it was."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def run(*arguments: object, status: int = 3, command: str = "estimate-j") -> str:
        before = names(audit.folder)
        ended = audit(command, *arguments)
        assert ended.status == status, ended.err
        assert names(audit.folder) == before
        assert names(temporary) == []
        return ended.error

    run.folder = audit.folder
    return run


@pytest.fixture
def refused_text(refused):
    def run(content: str | bytes, *options: object, **how: object) -> str:
        file = refused.folder / "t.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return refused("t.csv", *options, **how)

    return run
