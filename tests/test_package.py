"""What is handed on: wheel and sdist hold what belongs to them and nothing else, whatever lies about in the folder."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


RUBBISH = (
    ".hypothesis/examples/a", ".mypy_cache/b.json", ".pytest_cache/c", ".ruff_cache/d", ".venv/bin/python",
    ".venv-lowest/lowest.txt", "build/lib/e.py", "dist/old.whl", "labeldp-report/audit.json",
    "labeldp_audit/__pycache__/f.pyc", "labeldp_audit.egg-info/PKG-INFO", "site/index.html",
    "tests/__pycache__/g.pyc", "tests/.hypothesis/h",
)  # fmt: skip


def tracked() -> set[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=False, capture_output=True, text=True)
    if listed.returncode or "pyproject.toml" not in listed.stdout:
        pytest.skip("no repository here")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """What is in the repository, and what work leaves there."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("no hatchling here")
    made = tmp_path_factory.mktemp("folder")
    for name in (*tracked(), *RUBBISH):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        if name in RUBBISH:
            (made / name).write_text("rubbish")
        else:
            shutil.copy(ROOT / name, made / name)
    return made


def built(kind: str, folder: Path, into: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(into)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    [one] = into.iterdir()
    return one


@pytest.fixture(scope="module")
def wheel(folder, tmp_path_factory) -> Path:
    return built("wheel", folder, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked(folder, tmp_path_factory) -> Path:
    """The sdist."""
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built("sdist", folder, tmp_path_factory.mktemp("sdist"))) as archive:
        archive.extractall(place, filter="data")
    [inside] = place.iterdir()
    return inside


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    packaged = {name for name in names if ".dist-info/" not in name}
    assert packaged == {name for name in tracked() if name.startswith("labeldp_audit/")}
    assert {"labeldp_audit/py.typed", "labeldp_audit/cli/app.py", "labeldp_audit/questions/tail.py"} <= packaged
    assert {name.split("/")[0] for name in names} == {"labeldp_audit", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}


def test_the_sdist_holds_what_is_in_the_repository_and_no_other(unpacked):
    names = {file.relative_to(unpacked).as_posix() for file in unpacked.rglob("*") if not file.is_dir()}
    assert names == tracked() | {"PKG-INFO"}
    assert {"LICENSE", "README.md", "SECURITY.md", "tests/test_package.py", "docs/index.md"} <= names


def test_the_sdist_makes_the_same_wheel(unpacked, wheel, tmp_path):
    again = zipfile.ZipFile(built("wheel", unpacked, tmp_path))
    first = zipfile.ZipFile(wheel)
    assert {name: again.read(name) for name in again.namelist()} == {
        name: first.read(name) for name in first.namelist()
    }


def test_the_wheel_starts_without_the_repository(wheel, tmp_path):
    """In an environment of its own that sees the libraries of this one, but not what is installed here for editing."""
    home = tmp_path / "venv"
    venv.create(home)
    python = home / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-compile",
        wheel,
    ]
    subprocess.run(pip, check=True, capture_output=True)
    [inside] = home.glob("lib/python3*/site-packages")
    (inside / "libraries.pth").write_text(sysconfig.get_paths()["purelib"])

    def run(*command: object) -> str:
        clean = {"PATH": "/usr/bin:/bin"}
        return subprocess.run(command, cwd=tmp_path, env=clean, check=True, capture_output=True, text=True).stdout

    assert run(home / "bin" / "labeldp-audit", "--version").startswith("labeldp-audit ")
    place = "import labeldp_audit, sys; print(labeldp_audit.__file__, *sys.path, sep='\\n')"
    where, *path = run(python, "-I", "-c", place).splitlines()
    assert Path(where).is_relative_to(home) and str(ROOT) not in path


def test_it_says_what_it_is(wheel):
    archive = zipfile.ZipFile(wheel)
    inside = {name.split("/")[-1]: name for name in archive.namelist() if ".dist-info/" in name}
    commands = archive.read(inside["entry_points.txt"]).decode()
    assert "labeldp-audit = labeldp_audit.__main__:main" in commands
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
    table = ROOT / "examples" / "ci" / "safe.csv"
    arguments = ("nu-max", table, "--label", "treated", "--estimator", "knn", "--no-output", "-f", "csv")
    assert "nu_max" in run(programs / "labeldp-audit", *arguments)
