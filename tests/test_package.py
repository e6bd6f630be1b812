"""What is installed: the package, whole, and nothing else."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "labeldp_audit"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("no hatchling here")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


def ours() -> set[str]:
    files = (file for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {file.relative_to(ROOT).as_posix() for file in files}


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    packaged = {name for name in names if ".dist-info/" not in name}
    assert packaged == ours()
    assert {"labeldp_audit/py.typed", "labeldp_audit/cli/app.py", "labeldp_audit/questions/tail.py"} <= packaged
    assert {name.split("/")[0] for name in names} == {"labeldp_audit", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}


def test_it_says_what_it_is(wheel):
    archive = zipfile.ZipFile(wheel)
    inside = {name.split("/")[-1]: name for name in archive.namelist() if ".dist-info/" in name}
    commands = archive.read(inside["entry_points.txt"]).decode()
    assert "labeldp-audit = labeldp_audit.__main__:main" in commands
    assert "labeldp-audit-pre-commit = labeldp_audit.cli.pre_commit:main" in commands
    about = archive.read(inside["METADATA"]).decode()
    assert re.search(r"^License-Expression: Apache-2\.0$", about, re.MULTILINE)
    assert "LICENSE" in inside


def test_it_is_small(wheel):
    assert wheel.stat().st_size < 1_000_000


@pytest.mark.slow
def test_it_can_be_installed_and_run_elsewhere(wheel, tmp_path):
    """Into a new environment, with what it depends on."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    programs = tmp_path / "venv" / "bin"
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", wheel], check=True)

    def run(*command: object) -> str:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(
            [str(one) for one in command], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    assert run(programs / "labeldp-audit", "--version").startswith("labeldp-audit ")
    assert "estimate-j" in run(programs / "labeldp-audit", "--help")
    assert "nu_max" in run(programs / "labeldp-audit", "explain", "nu_max")
    assert "TABLE" in run(programs / "labeldp-audit-pre-commit", "--help")
    table = ROOT / "examples" / "ci" / "safe.csv"
    arguments = ("nu-max", table, "--label", "treated", "--estimator", "knn", "--no-output", "-f", "csv")
    assert "nu_max" in run(programs / "labeldp-audit", *arguments)
