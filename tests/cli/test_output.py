"""The page that GitHub shows below a job: written where that format is asked for and the workflow says where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from policies import finding, judged, report

from labeldp_audit.cli import output
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import github

LINES = ("nu_max.high > 10",)
WORST = finding("nu_max", 1, 12, 13, "rr:epsilon=1")


@pytest.fixture
def judged_report() -> Report:
    return replace(report(WORST), judgement=judged(LINES, WORST))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "summary.md"


@pytest.mark.parametrize("specs", [["github"], ["text", "github"], ["github=annotations.txt"]])
def test_a_page_where_github_is_asked_for(judged_report: Report, page: Path, specs: list[str]) -> None:
    output.to_summary(output.plan(specs, None), judged_report, str(page))
    assert page.read_text(encoding="utf-8") == formats.summary(judged_report)


@pytest.mark.parametrize("specs", [["text"], ["sarif", "junit=junit.xml", "markdown=github"], []])
def test_none_where_it_is_not(judged_report: Report, page: Path, specs: list[str]) -> None:
    output.to_summary(output.plan(specs, "folder"), judged_report, str(page))
    assert not page.exists()


@pytest.mark.parametrize("place", [None, ""])
def test_none_where_nobody_says_where(judged_report: Report, tmp_path: Path, monkeypatch, place: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    output.to_summary(output.plan(["github"], None), judged_report, place)
    assert list(tmp_path.iterdir()) == []


def test_what_others_wrote_stays_and_does_not_run_into_ours(judged_report: Report, page: Path) -> None:
    page.write_text("| a table |\n| --- |\n| of another step, in UTF-8: \u00f6 |", encoding="utf-8")
    before = page.read_text(encoding="utf-8")
    for _ in range(2):
        output.to_summary(output.plan(["github"], None), judged_report, str(page))
    ours = formats.summary(judged_report)
    assert page.read_text(encoding="utf-8") == f"{before}\n\n{ours}\n\n{ours}"


@pytest.mark.parametrize("left", [0, 60, 700, 5000])
def test_all_of_it_together_is_not_too_long(judged_report: Report, page: Path, left: int) -> None:
    """GitHub would show nothing at all, neither ours nor what others wrote."""
    page.write_bytes(b"x" * (github.ROOM - left))
    output.to_summary(output.plan(["github"], None), judged_report, str(page))
    assert github.ROOM - left <= page.stat().st_size <= github.ROOM < 1_048_576
    assert (page.stat().st_size > github.ROOM - left) == (left >= 700)


def test_a_place_that_cannot_be_written(judged_report: Report, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere" / "summary.md"):
        [said] = output.to_summary(output.plan(["github"], None), judged_report, str(place))
        assert "cannot write" in said and str(place) in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full is a thing of Linux")
def test_a_full_disk(judged_report: Report) -> None:
    [said] = output.to_summary(output.plan(["github"], None), judged_report, "/dev/full")
    assert "No space left" in said


# ---- the whole tool


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "t.csv"
    file.write_text("a,y\n" + "".join(f"{row % 7},{row % 3 == 0:d}\n" for row in range(200)), encoding="utf-8")
    return file


def test_the_door_reads_where_it_goes(audit, small, page, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    ended = audit("nu-max", small, "-f", "github", "--no-output", "--quiet")
    assert (ended.status, ended.out, ended.err) == (0, "labeldp-audit: no policy was judged\n", "")
    assert page.read_text(encoding="utf-8").startswith("# nu-max: t.csv\n")
    before = page.stat().st_size
    assert audit("nu-max", small, "-f", "json", "--no-output").status == 0
    assert page.stat().st_size == before
    assert list(audit.folder.iterdir()) == []


def test_and_says_where_it_cannot_write(audit, small, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    ended = audit("nu-max", small, "-f", "github", "--no-output")
    assert ended.status == 0  # a verdict stands, whether or not that page can be written
    said = ended.err.splitlines()[-1]
    assert said.startswith("labeldp-audit: warning: the page below the job is missing: cannot write: ")
    assert ended.out == "labeldp-audit: no policy was judged\n"


@pytest.mark.parametrize("name", [name for name in formats.names() if formats.of_verdicts(name)])
def test_each_form_comes_out_of_the_door(audit, small, name) -> None:  # type: ignore[no-untyped-def]
    ended = audit("nu-max", small, "-f", f"{name}=out", "--no-output", "--quiet")
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    first = Path("out").read_bytes()
    assert audit("nu-max", small, "-f", f"{name}=out", "--no-output", "--threads", 1).status == 0
    assert Path("out").read_bytes() == first
