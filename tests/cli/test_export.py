"""`report --export` as it is typed."""

from __future__ import annotations

import hashlib
import json

import pytest

MECHANISM = ("--mechanism", "rr:epsilon=1", "-q")


@pytest.fixture
def released(audit, table):
    assert audit("release", table, "--to", "out.parquet", *MECHANISM).status == 0
    return audit.folder / "out.parquet"


def test_a_verified_release_is_attested_to(audit, table, released):
    audit("verify", released, "--original", table, "-o", "found", "-q")
    ended = audit("report", "found/verify.json", "--export", "in-toto=out.intoto.json")
    assert ended.status == 0 and ended.out == "" and ended.err == "labeldp-audit: wrote out.intoto.json\n"
    statement = json.loads((audit.folder / "out.intoto.json").read_text())
    digest = hashlib.sha256(released.read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": "out.parquet", "digest": {"sha256": digest}}]
    assert statement["predicate"]["result"] == "PASSED" and statement["predicate"]["failedTests"] == []


def test_a_release_that_was_changed_fails(audit, table, released):
    other = audit.folder / "other.parquet"
    audit("release", table, "--to", other, "--mechanism", "rr:epsilon=9", "-q")
    released.write_bytes(other.read_bytes())
    audit("verify", released, "--original", table, "-o", "found", "-q")
    found = json.loads(audit("report", "found/verify.json", "--export", "in-toto").out)
    assert found["predicate"]["result"] == "FAILED" and found["predicate"]["failedTests"]


def test_a_table_with_its_labels_is_attested_to_with_a_warning(audit, table):
    audit("estimate-eta", table, "-o", "found", "-q")
    audit("check", "found/estimate-eta.json", "--fail-if", "eta_max.high > 2", "-f", "json=judged.json", "-q")
    ended = audit("report", "judged.json", "--export", "in-toto")
    assert ended.status == 0 and "confirms guesses" in ended.err
    assert json.loads(ended.out)["predicate"]["passedTests"] == ["eta_max.high > 2"]


def test_nothing_is_overwritten_unless_that_is_asked_for(audit, table, released):
    audit("verify", released, "--original", table, "-o", "found", "-q")
    typed = ("report", "found/verify.json", "--export", "in-toto=verdict.json", "-q")
    assert audit(*typed).status == 0
    mine = audit.folder / "verdict.json"
    mine.write_text("filled in")
    ended = audit(*typed)
    assert ended.status == 2 and "there is a file of that name already" in ended.error
    assert mine.read_text() == "filled in"
    assert audit(*typed, "--force").status == 0 and "PASSED" in mine.read_text()


@pytest.mark.parametrize(
    ("typed", "status", "said"),
    [
        (("--export", "in-toto"), 3, "the manifest of a release, not a report"),
        (("--export", "opendp-registry"), 2, "unknown export 'opendp-registry'"),
        (("--export", "in-toto="), 2, "no file after the ="),
        (("--export", "in-toto", "-f", "json"), 2, "--export and --format exclude each other"),
        (("--export", "in-toto=a", "--export", "in-toto=a"), 2, "two reports in one file"),
        (("--export", "in-toto=no/where.json"), 2, "cannot write there"),
        (("--export", "in-toto=out.parquet.manifest.json", "--force"), 2, "over what it is made of"),
    ],
)
def test_what_is_refused_leaves_nothing(audit, released, typed, status, said):
    before = {one.name: one.read_bytes() for one in audit.folder.iterdir()}
    ended = audit("report", "out.parquet.manifest.json", *typed)
    assert ended.status == status and said in ended.error
    assert {one.name: one.read_bytes() for one in audit.folder.iterdir()} == before


@pytest.mark.parametrize("source", ["out.parquet", "nowhere.manifest.json", "nowhere.json"])
def test_what_is_neither_a_report_nor_a_manifest(audit, released, source):
    assert audit("report", source, "--export", "in-toto").status in (2, 3)
