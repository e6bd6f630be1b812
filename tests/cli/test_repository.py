"""Where programs are pointed to: the table's place in its repository, and nothing of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from labeldp_audit.cli import output


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with a table in a folder."""
    top = tmp_path / "home" / "repository"
    (top / "data").mkdir(parents=True)
    (top / ".git").mkdir()
    (top / "data" / "t.csv").touch()
    return top


@pytest.mark.parametrize(
    ("here", "typed"),
    [(".", "data/t.csv"), ("data", "t.csv"), ("data", "./t.csv"), ("data", "../data/t.csv"),
     ("..", "repository/data/t.csv")],
)  # fmt: skip
def test_the_same_place_from_everywhere(top: Path, monkeypatch: pytest.MonkeyPatch, here: str, typed: str) -> None:
    monkeypatch.chdir(top / here)
    assert output.location(typed) == "data/t.csv"
    assert output.location(str(Path(typed).absolute())) == "data/t.csv"


def test_what_is_in_no_repository_has_no_place(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top)
    assert output.location("../t.csv") is None
    assert output.location(str(top.parent / "t.csv")) is None
    assert output.location(".") is output.location("data/..") is None


def test_a_folder_of_parts_has_one(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top / "data")
    assert output.location(".") == output.location("../data/") == "data"
    assert output.location("*.parquet") == "data/*.parquet"


def test_the_top_may_be_marked_by_a_file(top: Path) -> None:
    """As in a worktree or a submodule."""
    (top / "data" / ".git").touch()
    assert output.location(str(top / "data" / "t.csv")) == "t.csv"


def test_a_runner_says_where_the_top_is(top: Path) -> None:
    file = str(top / "data" / "t.csv")
    assert output.location(file, str(top.parent)) == "repository/data/t.csv"
    for elsewhere in ("", ".", str(top / "other"), str(top / "data" / "t.csv"), str(top / "dat")):
        assert output.location(file, elsewhere) == "data/t.csv"


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
