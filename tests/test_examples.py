"""The worked example for CI does what it says; how its tables are judged is tested with the README."""

from __future__ import annotations

import hashlib
import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from running import read_options
from test_docs import typed

from labeldp_audit.cli import app

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "ci"
CONFIGURATION = (FOLDER / "labeldp-audit.toml").read_text(encoding="utf-8")


@pytest.fixture
def example(audit, monkeypatch):
    """check(table, ...) in a copy of the example, with the estimator that users get."""
    monkeypatch.delenv("LABELDP_AUDIT_ESTIMATOR")
    for name in ("safe.csv", "risky.csv", "labeldp-audit.toml"):
        shutil.copy(FOLDER / name, audit.folder)

    def check(*arguments: str):
        return audit("check", *arguments, "--no-output", "-f", "json")

    check.folder = audit.folder
    return check


def test_the_tables_are_what_the_script_makes(tmp_path):
    module = runpy.run_path(str(FOLDER / "make_tables.py"), run_name="made")
    for name, risky in (("safe.csv", False), ("risky.csv", True)):
        module["write"](tmp_path / name, risky)
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()
        assert (FOLDER / name).stat().st_size < 200_000


def test_the_waiver_covers_its_quantity_alone(example):
    lines = CONFIGURATION.splitlines()
    start = lines.index("# [[policy.waiver]]")
    text = "\n".join([*lines[:start], *(line.removeprefix("# ") for line in lines[start:])])
    waiver = tomllib.loads(text)["policy"]["waiver"][0]
    assert waiver["dataset"] == f"sha256:{hashlib.sha256((FOLDER / 'risky.csv').read_bytes()).hexdigest()}"
    text = text.replace(f"until = {waiver['until']}", "until = 9999-12-31")  # whenever this is run
    (example.folder / "labeldp-audit.toml").write_text(text)
    ended = example("risky.csv", "--estimator", "linear")
    said = {one["line"]: one["waived"] is not None for one in ended.report["judgement"]["verdicts"]}
    assert said == {
        "certified_nu_max.low > 2": True, "certified_j(tau=1).low > 0.02": False, "advantage.high > 0.05": False,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["README.md", "check_tables.sh", "gitlab-ci.yml", "Jenkinsfile"])
def test_what_it_shows_can_be_typed(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    if name != "README.md":
        start = text.index("labeldp-audit check")
        line = text[start:].splitlines()[0].removesuffix("'").replace("$table", "x.csv")
        text = f"```sh\n{line}\n```\n"
    found = typed(text, "labeldp-audit")
    assert found
    for command, *arguments in found:
        assert read_options(command, arguments).params["data"]


def test_the_hook_of_the_page_is_the_one_that_there_is():
    for page in (ROOT / ".pre-commit-hooks.yaml", FOLDER / "README.md"):
        assert "- id: labeldp-audit\n" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "pinned"),
    [
        ("README.md", r"^    rev: (\S+)"),
        ("github.yml", r"uses: OWNER/labeldp-audit@(\S+)"),
        ("nightly.yml", r"uses: OWNER/labeldp-audit@(\S+)"),
    ],
)
def test_what_others_run_is_pinned(name, pinned):
    """A branch may become anything."""
    found = re.findall(pinned, (FOLDER / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    assert all(re.fullmatch(r"v\d+\.\d+\.\d+|[0-9a-f]{40}", one) for one in found)


def test_what_check_leaves_can_be_judged_again(example):
    """Without the data, and by the same numbers."""
    typed = ["check", "safe.csv", "--estimator", "linear", "--output", "labeldp-report/safe", "-q"]
    assert app.main(typed) == 0
    again = example("labeldp-report/safe/check.json", "--fail-if", "advantage.high > 0.01")
    assert (again.status, again.report["command"]) == (4, "check")


def script(folder: Path, program: str, *tables: str) -> subprocess.CompletedProcess[str]:
    """The script with another program in place of ours."""
    (folder / "labeldp-audit").write_text(f"#!/bin/sh\n{program}\n")
    (folder / "labeldp-audit").chmod(0o755)
    return subprocess.run(
        ["sh", str(FOLDER / "check_tables.sh"), *tables], env={"PATH": f"{folder}:/usr/bin:/bin"}, cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [((0, 0), 0), ((0, 4), 4), ((4, 1), 1), ((1, 4), 1), ((1, 3), 3), ((3, 1), 3), ((130, 0), 130)],
)
def test_the_script_ends_with_the_worst_status(tmp_path, statuses, worst):
    program = 'for last; do :; done; exit "${last#table}"'
    assert script(tmp_path, program, *(f"table{status}" for status in statuses)).returncode == worst


def test_the_script_keeps_a_report_for_each_table(tmp_path):
    tables = ("north/t.csv", "./south/t.csv", "../t.csv", "/far/t.csv", "-t.csv")
    done = script(tmp_path, 'echo "$3"', *tables)
    names = ("north/t.csv", "south/t.csv", "t.csv", "far/t.csv", "-t.csv")
    assert (done.returncode, done.stdout.split()) == (0, [f"labeldp-report/{name}" for name in names])
