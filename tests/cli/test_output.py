"""Where reports go, and where programs are pointed to: the page below a job of GitHub, the table in its repository."""

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


@pytest.mark.parametrize(
    ("specs", "written"),
    [("github", True), ("text github", True), ("github=annotations.txt", True), ("sarif markdown=github", False)],
)
def test_a_page_where_github_is_asked_for(judged_report: Report, page: Path, specs: str, written: bool) -> None:
    for place in (None, "", str(page)):
        output.to_summary(output.plan(specs.split(), None), judged_report, place)
    assert page.exists() == written
    assert not written or page.read_text(encoding="utf-8") == formats.summary(judged_report)


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
    for place in (tmp_path, tmp_path / "nowhere" / "summary.md", *(one for one in [Path("/dev/full")] if one.exists())):
        [said] = output.to_summary(output.plan(["github"], None), judged_report, str(place))
        assert "cannot write" in said and str(place) in said


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
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page.parent))
    ended = audit("nu-max", small, "-f", "github", "--no-output")
    assert ended.status == 0  # a verdict stands, whether or not that page can be written
    said = ended.err.splitlines()[-1]
    assert said.startswith("labeldp-audit: warning: the page below the job is missing: cannot write: ")
    assert list(audit.folder.iterdir()) == []


@pytest.mark.parametrize("name", [name for name in formats.names() if formats.of_verdicts(name)])
def test_each_form_comes_out_of_the_door(audit, small, name) -> None:  # type: ignore[no-untyped-def]
    ended = audit("nu-max", small, "-f", f"{name}=out", "--no-output", "--quiet")
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    first = Path("out").read_bytes()
    assert audit("nu-max", small, "-f", f"{name}=out", "--no-output", "--threads", 1).status == 0
    assert Path("out").read_bytes() == first


# ---- where a table stands in its repository


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with a table in a folder."""
    top = tmp_path / "home" / "repository"
    (top / "data").mkdir(parents=True)
    (top / ".git").mkdir()
    (top / "data" / "t.csv").touch()
    return top


@pytest.mark.parametrize(
    ("here", "typed", "place"),
    [
        (".", "data/t.csv", "data/t.csv"), ("data", "./t.csv", "data/t.csv"), ("data", "../data/t.csv", "data/t.csv"),
        ("..", "repository/data/t.csv", "data/t.csv"), (".", "../t.csv", None), (".", ".", None),
        (".", "data/..", None),
        ("data", ".", "data"), ("data", "../data/", "data"), ("data", "*.parquet", "data/*.parquet"),
    ],
)  # fmt: skip
def test_the_place_is_the_same_from_everywhere(
    top: Path, monkeypatch, here: str, typed: str, place: str | None
) -> None:
    monkeypatch.chdir(top / here)
    assert output.location(typed) == output.location(str(Path(typed).absolute())) == place


def test_a_file_or_a_runner_may_say_where_the_top_is(top: Path) -> None:
    file = str(top / "data" / "t.csv")
    assert output.location(file, str(top.parent)) == "repository/data/t.csv"
    for elsewhere in ("", ".", str(top / "other"), file, str(top / "dat")):
        assert output.location(file, elsewhere) == "data/t.csv"
    (top / "data" / ".git").touch()  # as in a worktree or a submodule
    assert output.location(file) == "t.csv"


def test_links(top: Path) -> None:
    """One in the repository is a file of it; one to the repository leads there."""
    (top / "link.csv").symlink_to(top.parent / "t.csv")
    assert output.location(str(top / "link.csv")) == "link.csv"
    (top.parent / "way").symlink_to(top)
    assert output.location(str(top.parent / "way" / "data" / "t.csv"), str(top.parent / "way")) == "data/t.csv"
    (top / "out").symlink_to(top.parent)
    assert output.location(str(top / "out" / "t.csv")) is None


def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert output.location("t.csv") is None


def test_a_bar_says_how_long_it_will_take_or_has_taken():
    from labeldp_audit.cli import terminal

    assert terminal.time_of(61.2, 5.0) == "0:01:02 left"
    assert terminal.time_of(None, 3600.0) == "1:00:00 so far"
    assert terminal.time_of(None, None) == "0:00:00 so far"


def test_it_is_known_whether_machine_code_is_kept(tmp_path):
    from labeldp_audit.cli import terminal

    assert not terminal.is_compiled(tmp_path)
    (tmp_path / "neighbors").mkdir()
    (tmp_path / "neighbors" / "scan.nbi").touch()
    assert terminal.is_compiled(tmp_path)
