"""A report never takes the place of what it is made of, or of another report."""

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


def test_over_the_table_or_through_a_link(audit, own):
    before, link = own.read_bytes(), own.with_name("link.csv")
    link.symlink_to(own)
    for data, file in ((own, own.name), (own, link), (link, own)):
        ended = audit("nu-max", data, "-f", f"csv={file}", "--no-output")
        assert ended.status == 2 and "over the table" in ended.error
    assert own.read_bytes() == before


def test_as_the_file_of_rows(audit, own):
    assert audit("estimate-eta", own, "-o", ".").status == 2
    assert audit("estimate-eta", ".", "-o", "below").status == 2
    assert audit("estimate-eta", "*.parquet", "-o", ".").status == 2


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--config", "pol.toml"), "the configuration"),
        (("--policy", "pol.toml"), "the policy"),
        (("--config", "labeldp-audit.toml", "--policy", "pol.toml"), "the policy"),
        (("--policy", "link.toml"), "the policy"),
    ],
)
def test_over_the_policy(audit, own, options, what):
    policy, link = own.with_name("pol.toml"), own.with_name("link.toml")
    policy.write_text('[policy]\nfail_if = ["uninformed_utility.high > 1"]\n')
    own.with_name("labeldp-audit.toml").write_text("seed = 1\n")
    link.symlink_to(policy)
    ended = audit("check", own, *options, "-f", "csv=../own/pol.toml", "--no-output")
    assert (ended.status, ended.error) == (2, f"the report would be written over {what}: ../own/pol.toml")
    assert policy.read_text().startswith("[policy]")


def test_over_the_configuration_that_was_found_or_the_estimates(audit, own):
    found, estimates = own.with_name("labeldp-audit.toml"), own.with_name("kept.parquet")
    found.write_text("seed = 1\n")
    estimates.write_text("anything")
    assert audit("nu-max", own, "-f", "csv=labeldp-audit.toml", "--no-output").status == 2
    ended = audit("nu-max", own, "--eta-file", estimates, "-f", f"csv={estimates}", "--no-output")
    assert (ended.status, "over the estimates" in ended.error) == (2, True)
    assert (found.read_text(), estimates.read_text()) == ("seed = 1\n", "anything")


@pytest.mark.parametrize("other", ["{folder}/O.json", "sub/../O.json", "link/O.json", "O.json"])
def test_two_reports_in_one_file(audit, own, other):
    (own.parent / "sub").mkdir()
    (own.parent / "link").symlink_to(own.parent)
    other = other.format(folder=own.parent)
    ended = audit("nu-max", own, "-f", "json=O.json", "-f", f"csv={other}", "--no-output")
    both = "O.json" if other == "O.json" else f"O.json and {other}"
    assert (ended.status, ended.error) == (2, f"two reports in one file: {both}")
    assert not (own.parent / "O.json").exists()


@pytest.mark.parametrize("file", ["zz/nu-max.md", "zz/nu-max.svg", "zz/../zz/nu-max.json"])
def test_a_report_in_a_file_of_the_folder(audit, own, file):
    (own.parent / "zz").mkdir()
    ended = audit("nu-max", own, "-f", f"csv={file}", "-o", "zz")
    name = Path(file).name
    assert (ended.status, ended.error) == (2, f"two reports in one file: {file} and {name} in the folder zz")


def test_a_shown_report_in_a_file_of_its_folder(audit, own):
    """And the same report in its file is fine."""
    (own.parent / "zz").mkdir()
    assert audit("nu-max", own, "-f", "json=zz/nu-max.json", "-f", "json=r.json", "-o", "zz").status == 0
    assert audit("report", "r.json", "-f", "csv=zz/report.json", "-o", "zz").status == 0
    ended = audit("report", "r.json", "-f", "csv=zz/nu-max.json", "-o", "zz")
    assert (ended.status, "two reports in one file" in ended.error) == (2, True)
