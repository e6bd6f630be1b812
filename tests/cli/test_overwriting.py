"""A report never takes the place of the table that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own(table, tmp_path, monkeypatch):
    """A copy of a table in a folder of its own."""
    folder = tmp_path / "own"
    folder.mkdir()
    copy = folder / f"eta{Path(table).suffix}"
    copy.write_bytes(Path(table).read_bytes())
    monkeypatch.chdir(folder)
    return copy


def test_as_a_file(audit, own):
    before = own.read_bytes()
    ended = audit("nu-max", own, "-f", f"csv={own.name}", "--no-output")
    assert ended.status == 2
    assert "over the table" in ended.err
    assert own.read_bytes() == before


def test_through_a_link(audit, own):
    link = own.with_name("link.csv")
    link.symlink_to(own)
    assert audit("nu-max", own, "-f", f"csv={link}", "--no-output").status == 2
    assert audit("nu-max", link, "-f", f"csv={own}", "--no-output").status == 2


def test_as_the_file_of_rows(audit, own):
    if own.suffix != ".parquet":
        own = own.rename(own.with_suffix(".parquet"))
    assert audit("estimate-eta", own, "-o", ".").status == 2
    assert audit("estimate-eta", ".", "-o", "below").status == 2
    assert audit("estimate-eta", "*.parquet", "-o", ".").status == 2


def test_elsewhere_is_fine(audit, own):
    assert audit("nu-max", own, "-f", "csv=report.csv", "-o", "elsewhere").status == 0
