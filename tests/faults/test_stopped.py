"""Runs that are stopped, at any moment, leave a whole report or none, and nothing beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import labeldp_audit

PACKAGE = Path(labeldp_audit.__file__).parent
HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="looks at processes as Linux does")


def played(program: str, *arguments: object, seconds: int = 120) -> Any:
    """What a program of this folder says, which forks, as a process with the threads of a test runner must not."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, HERE / program, *map(str, arguments)],
        capture_output=True, text=True, timeout=seconds, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_in_each_step_of_writing(tmp_path):
    runs, faults = played("steps.py", tmp_path)
    assert faults == []
    assert runs > 200


def test_and_that_test_has_teeth(tmp_path):
    _, faults = played("steps.py", tmp_path, "liar")
    assert any("not of one run" in one for one in faults)


@pytest.mark.parametrize("command", ["audit", "release"])
def test_at_some_moments(command):
    assert played("kills.py", command, 6, 3)["faults"] == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["audit", "release", "tune"])
def test_at_random_moments(command):
    found = played("kills.py", command, 200, 7, seconds=3600)
    assert found["faults"] == []
    stopped = sum(count for end, count in found["ends"].items() if not end.endswith(" 0"))
    assert stopped > 150, found["ends"]
