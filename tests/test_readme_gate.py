"""What the README says of gates, run in order as it stands there: statuses, and what tune answers."""

from __future__ import annotations

import json
import re
import shlex
import signal
from pathlib import Path

import pytest

from labeldp_audit.cli import app, run_command

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ENDS = re.findall(r"^labeldp-audit (.*?) +# ends with (\d+)$", README, re.MULTILINE)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A clone in which nothing is written; no number depends on the threads."""
    monkeypatch.setenv("LABELDP_AUDIT_THREADS", "1")
    for name in ("examples", "sample_data"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(run_command, "_hush_libraries", lambda: None)
    yield tmp_path
    for each, handler in before.items():
        signal.signal(each, handler)


def test_every_status_that_the_readme_promises(here, capsys, monkeypatch):
    """And why, for the tables of the worked example."""
    monkeypatch.setenv("LABELDP_AUDIT_BAGS", "100")
    assert {status for _, status in ENDS} == {"0", "1", "4"}
    for typed, status in ENDS:
        assert app.main(shlex.split(typed)) == int(status), typed
        capsys.readouterr()
        if typed.startswith("check examples/ci/safe.csv"):
            assert set(outcomes(here).values()) == {"pass"}
        if typed.startswith("check examples/ci/risky.csv"):
            assert outcomes(here) == {
                "certified_nu_max.low > 2": "fail", "certified_j(tau=1).low > 0.02": "fail",
                "advantage.high > 0.05": "pass",
            }  # fmt: skip
    assert (here / "labeldp-report" / "audit.html").is_file() and (here / "page.html").is_file()


def outcomes(folder) -> dict[str, str]:
    report = json.loads((folder / "labeldp-report" / "check.json").read_text(encoding="utf-8"))
    return {one["line"]: one["outcome"] for one in report["judgement"]["verdicts"]}


def test_tune_answers_what_the_readme_says(here, capsys):
    epsilon, bag = re.search(r"epsilon = ([\d.]+), the second groups of (\d+)", README).groups()
    table, line = "sample_data/clinic.parquet", "advantage.high > 0.05"
    assert app.main(["estimate-eta", table, "--quiet"]) == 0
    for mechanism, answer in (("rr", f"rr:epsilon={epsilon}"), ("llp", f"llp:k={bag}")):
        capsys.readouterr()
        typed = ["tune", table, "--mechanism", mechanism, "--fail-if", line, "--quiet", "-f", "csv"]
        assert app.main([*typed, "--eta-file", "labeldp-report/eta.parquet"]) == 0
        assert f"{answer} " in (here / "labeldp-report" / "tune.md").read_text(encoding="utf-8")
