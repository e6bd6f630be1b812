"""The hook before commits: which report belongs to which table, and what comes of it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from labeldp_audit.cli import app, pre_commit

FINE = "--fail-if=uninformed_utility.high > 2"
QUICK = ("advantage", "--no-certify", "--mechanism", "rr:epsilon=1", "-q")


@pytest.fixture
def hook(audit, capsys):
    """In an empty folder; the status and what was said."""

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = pre_commit.main(arguments)
        return (status, *capsys.readouterr())

    run.folder, run.audit = audit.folder, audit
    return run


@pytest.fixture
def clinic(hook, tables) -> Path:
    """A table with a report on it."""
    table = hook.folder / "clinic.csv"
    table.write_bytes((tables / "t.csv").read_bytes())
    assert hook.audit(*QUICK, "clinic.csv").status == 0
    return table


def fake(file: Path, sha256: str, command: str = "audit", schema: str = "labeldp-audit/1") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"schema": schema, "dataset": {"sha256": sha256}, "command": command}))


def test_a_folder_of_parquet_files_is_one_table(hook, tables, monkeypatch):
    parts = hook.folder / "data" / "year=1"
    parts.mkdir(parents=True)
    for name in ("a.parquet", "b.parquet", "_c.parquet"):
        (parts / name).write_bytes((tables / "t.parquet").read_bytes())
    assert hook.audit(*QUICK, "data").status == 0
    known, part = pre_commit.reports(Path("labeldp-report")), Path("data/year=1/a.parquet")
    assert [one.command for one in pre_commit.about(part, known)] == ["advantage"]
    (parts / "b.parquet").write_bytes(b"other")
    assert pre_commit.about(part, known) == []


@pytest.mark.parametrize(
    ("line", "status"),
    [("uninformed_utility.high > 2", 0), ("advantage.low >= 0", 1), ("advantage.high > 0", 1), ("nu_max.high > 9", 1)],
)
def test_the_policy_decides(clinic, hook, line, status):
    assert hook(f"--fail-if={line}", "clinic.csv")[0] == status
    assert hook(f"--fail-if={line}", "--exit-zero", "clinic.csv")[0] == 0


def test_reports_about_other_releases_do_not_matter_beside_one_that_is_planned(clinic, hook):
    (hook.folder / "labeldp-audit.toml").write_text('mechanism = ["rr:epsilon=1"]')
    other = ("advantage", "--no-certify", "--mechanism", "rr:epsilon=9", "-q", "clinic.csv")
    assert hook.audit(*other, "-o", "labeldp-report/other").status == 0
    line = "--fail-if=uninformed_utility.high > 1"
    assert hook(line, "clinic.csv")[0] == 0
    (hook.folder / "labeldp-report" / "advantage.json").unlink()
    status, _, said = hook(line, "clinic.csv")
    assert status == 3 and "does not judge rr:epsilon=1" in said and "other/advantage.json" in said


@pytest.mark.parametrize(
    ("name", "value", "by"),
    [("group", "person", "file"), ("repeats", "people", "file"), ("eta", "p", "file"), ("group", "person", "variable")],
)
def test_a_report_must_be_about_the_rows_and_estimates_that_are_planned(hook, monkeypatch, name, value, by):
    cells = np.random.default_rng(5).random((600, 3))
    rows = "\n".join(f"{i // 2},{x},{p},{z < p:d}" for i, (x, p, z) in enumerate(cells))
    (hook.folder / "t.csv").write_text(f"person,x,p,y\n{rows}\n")
    assert hook.audit(*QUICK, "t.csv", "-o", "labeldp-report/without").status == 0
    if by == "file":
        (hook.folder / "labeldp-audit.toml").write_text(f'{name} = "{value}"')
    else:
        monkeypatch.setenv(f"LABELDP_AUDIT_{name.upper()}", value)
    line = "--fail-if=uninformed_utility.high > 1"
    status, _, said = hook(line, "t.csv")
    assert status == 3 and f"the report has {name} none" in said
    assert hook.audit(*QUICK, "t.csv", "-o", "labeldp-report/with").status == 0
    assert hook(line, "t.csv")[0] == 0


def test_the_policy_of_the_configuration_or_of_a_file(clinic, hook):
    assert hook("clinic.csv")[0] == 2  # nothing says what blocks it
    (hook.folder / "labeldp-audit.toml").write_text('[policy]\nfail_if = ["uninformed_utility.high > 2"]\n')
    (hook.folder / "strict.toml").write_text('fail_if = ["advantage.low >= 0"]\n')
    assert hook("clinic.csv")[0] == 0
    assert hook("--policy", "strict.toml", "clinic.csv")[0] == 1


def test_a_report_or_a_table_that_somebody_changed_is_refused(clinic, hook):
    stored = hook.folder / "labeldp-report" / "advantage.json"
    stored.write_text(stored.read_text().replace('"seed": 0', '"seed": 1'))
    assert hook(FINE, "clinic.csv")[0] == 3
    clinic.write_bytes(clinic.read_bytes() + b"\n")
    status, out, err = hook(FINE, "clinic.csv")
    assert (status, out) == (3, "")
    first, hint = err.splitlines()
    assert first == "labeldp-audit: error: no report on this very table in labeldp-report: clinic.csv"
    assert hint == (
        "labeldp-audit: hint: labeldp-audit check clinic.csv '--fail-if=uninformed_utility.high > 2' "
        "--output labeldp-report/clinic"
    )


def test_what_the_hint_names_makes_the_report_that_was_missing(hook, tables):
    """Tables of the same name in two folders keep reports of their own."""
    line = FINE
    parts = [f"{folder}/t.csv" for folder in ("north", "south")]
    for number, part in enumerate(parts):
        (hook.folder / part).parent.mkdir()
        (hook.folder / part).write_bytes((tables / "t.csv").read_bytes() + b"\n" * number)
    status, _, said = hook(line, *parts)
    hints = [text.removeprefix("labeldp-audit: hint: labeldp-audit ") for text in said.splitlines()[1::2]]
    assert status == 3 and [hint.split()[-1] for hint in hints] == ["labeldp-report/north/t", "labeldp-report/south/t"]
    for hint in hints:
        assert hook.audit(*shlex.split(hint), "-q", "--no-certify").status == 0
    assert hook(line, *parts)[0] == 0


@pytest.mark.parametrize("table", ["../up/t.csv", "/far/up/t.csv"])
def test_reports_on_tables_elsewhere_stay_in_the_folder_of_reports(hook, table):
    hint = pre_commit._hint(Path(table), pre_commit._asked(["--reports", "kept"]))
    assert hint.split()[-1] in ("kept/up/t", "kept/far/up/t")


def test_reports_that_look_like_tables_are_none(clinic, hook):
    """`git add -A` also adds what an audit left."""
    for name in ("audit.csv", "eta.parquet"):
        (hook.folder / "labeldp-report" / name).write_text("quantity,low\nj,0\n")
    files = ("clinic.csv", "labeldp-report/audit.csv", str(hook.folder / "labeldp-report" / "eta.parquet"))
    assert hook(FINE, *files)[0] == 0
    assert hook(FINE, "--reports=./labeldp-report/", *files)[0] == 0
    (hook.folder / "labeldp-report-2").mkdir()
    (hook.folder / "labeldp-report-2" / "new.csv").write_text("y\n")
    assert hook(FINE, "labeldp-report-2/new.csv")[0] == 3


def test_a_folder_that_holds_the_tables_too_is_refused(clinic, hook):
    """Nothing passes unseen."""
    for folder in (".", "..", "", "/"):
        status, out, err = hook(FINE, f"--reports={folder}", "clinic.csv")
        assert (status, out) == (2, "") and "holds the tables too" in err


def test_no_table_is_fine_and_without_a_folder_there_is_no_report(hook):
    assert hook() == hook("gone.csv") == (0, "", "")
    (hook.folder / "x.csv").write_text("y\n")
    assert hook("--reports", "nowhere", "x.csv")[0] == 3


def test_other_files_among_the_reports_are_passed_over(hook, monkeypatch):
    table = hook.folder / "x.csv"
    table.write_text("y\n1\n")
    folder, digest = hook.folder / "labeldp-report", pre_commit.digest(table)
    fake(folder / "a" / "audit.json", digest)
    fake(folder / "b" / "j.json", digest, command="estimate-j")
    fake(folder / "c" / "audit.json", "0" * 64)
    fake(folder / "d" / "audit.json", digest, schema="other/1")
    broken = ("", "[]", "null", "{", '{"schema": 3}', "[" * 100_000, '{"schema": "labeldp-audit/1"}')
    for number, text in enumerate(broken):
        (folder / f"{number}.json").write_text(text)
    (folder / "raw.json").write_bytes(b"\xff\xfe")
    (folder / "folder.json").mkdir()
    known = pre_commit.reports(folder)
    assert [one.file.relative_to(folder).as_posix() for one in pre_commit.about(table, known)] == ["a/audit.json"]


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [((0, 4), 4), ((4, 1), 1), ((1, 3), 3), ((3, 2), 2), ((2, 70), 70), ((0, 0), 0), ((1, 130), 130)],
)
def test_the_worst_status_counts(hook, monkeypatch, statuses, worst):
    """One report for each table."""
    for number in range(len(statuses)):
        table = hook.folder / f"{number}.csv"
        table.write_text(f"{number}\n")
        fake(hook.folder / "labeldp-report" / f"{number}.json", pre_commit.digest(table))
    left = iter(statuses)
    monkeypatch.setattr(app, "main", lambda arguments: next(left))
    assert hook(*(f"{number}.csv" for number in range(len(statuses))))[0] == worst


def test_what_check_is_asked(hook, monkeypatch):
    (hook.folder / "-x.csv").write_text("1\n")
    fake(hook.folder / "-r" / "x.json", pre_commit.digest(hook.folder / "-x.csv"))
    asked = []
    monkeypatch.setattr(app, "main", lambda arguments: asked.append(arguments) or 0)
    assert hook("--reports=-r", "--policy=-p.toml", "--fail-if=j.high > 1", "--", "-x.csv")[0] == 0
    assert asked == [["check", "--no-output", "--policy=-p.toml", "--fail-if=j.high > 1", "--", "-r/x.json"]]


def test_a_wrong_option_is_one_line(hook):
    for wrong in ("--nothing", "--reports"):
        status, out, err = hook(wrong)
        assert (status, out, err.startswith("labeldp-audit: error: ")) == (2, "", True)


def test_no_table_is_parsed_and_nothing_heavy_is_loaded(clinic, hook):
    program = (
        "import sys; from labeldp_audit.cli.pre_commit import main\n"
        "status = main(['--fail-if=uninformed_utility.high > 2', 'clinic.csv'])\n"
        "heavy = {'pyarrow', 'faiss', 'numba', 'lightgbm', 'scipy'} & set(sys.modules)\n"
        "print(status, *heavy, file=sys.stderr)"
    )
    root = str(Path(__file__).parents[2])
    command, environment = [sys.executable, "-c", program], {"PYTHONPATH": root}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "0"
