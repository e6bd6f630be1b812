"""`release` as it is typed."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from labeldp_audit.cli import release_command
from labeldp_audit.core.release import ANYBODY


@pytest.fixture
def clicks(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame({"x": rng.normal(size=500), "click": rng.integers(0, 2, 500)}).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_the_screen_says_what_is_spent_and_what_to_do_next(audit, clicks, tmp_path):
    ended = audit("release", clicks, "--to", tmp_path / "out.csv", "--mechanism", "rr:epsilon=1")
    lines = ended.out.splitlines()
    assert ended.status == 0 and len(lines) <= 25
    assert lines[0] == "out.csv  500 rows  label click (0, 1)"
    assert lines[1] == "RELEASED by rr:epsilon=1: epsilon 1 for anybody who reads it."
    assert "a label stays what it is with probability 73.1 %" in lines
    assert "labeldp-audit verify" in ended.out and "out.csv.manifest.json" in ended.err


def test_what_to_do_next_reads_the_table_as_it_was_read(audit, clicks, tmp_path):
    place, to = tmp_path / "my t.csv", tmp_path / "out.csv"
    place.write_text(clicks.read_text().replace(",", ";").replace(".", ","))
    european = ("--delimiter", ";", "--decimal", ",")
    key = ("--order", str(tmp_path / "key.parquet"))
    ended = audit("release", place, "--to", to, "--mechanism", "llp:k=8", *european, "--exclude", "x", *key)
    verify, attack = (shlex.split(line[6:])[1:] for line in ended.out.splitlines()[-2:])
    assert verify == ["verify", str(to), "--original", str(place), *european, *key]
    assert attack == ["attack", str(place), str(to), *european, *key, "--exclude", "x"]
    assert "not published: x" in ended.out
    assert audit(*verify, "--no-output").status == 0


def test_a_release_says_what_it_leaves_out_and_which_labels_it_tells_apart(audit, tmp_path):
    """Before it is published: rows are gone, and one class may be two."""
    labels = ["", "", *(["no", "yes", "Yes "] * 100)[2:]]
    pd.DataFrame({"x": np.arange(300), "y": labels}).to_csv(tmp_path / "t.csv", index=False)
    ended = audit("release", tmp_path / "t.csv", "--to", tmp_path / "out.csv", "--mechanism", "rr:epsilon=1",
                  "--drop-null-labels")  # fmt: skip
    assert ended.status == 0
    assert "warning: rows without a label, dropped: 2\n" in ended.err
    assert "warning: labels that differ in spelling alone count as different classes: 'Yes ', 'yes'; " in ended.err


def test_a_guarantee_that_says_nothing_more_is_not_shown(audit, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=500), "c": np.arange(500), "y": rng.integers(0, 2, 500)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    typed = ("--to", tmp_path / "out.csv", "--mechanism", "p2p:epsilon=2", "--cluster", "c")
    lines = audit("release", tmp_path / "t.csv", *typed).out.splitlines()
    assert lines[2:5] == ["  epsilon 2 for anybody who reads it", "  epsilon 2 for the other people in it", ""]


def test_programs_get_the_manifest(audit, clicks, tmp_path):
    ended = audit("release", clicks, "--to", tmp_path / "out.csv", "--mechanism", "llp:k=8", "-f", "json", "-q")
    assert json.loads(ended.out) == json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert ended.err == ""


@pytest.mark.parametrize(
    ("typed", "status", "said"),
    [
        (("--mechanism", "rr:epsilon=1"), 2, "missing --to FILE"),
        (("--to", "out.csv"), 2, "which mechanism?"),
        (("--to", "out.csv", "--mechanism", "rr:epsilon=1", "--seed", "3"), 2, "--seed is not for releases"),
        (("--to", "out.txt", "--mechanism", "rr:epsilon=1"), 2, "unknown kind of file to release to"),
        (("--to", "out.csv", "--mechanism", "rr:epsilon=1", "--label", "z"), 2, "no column 'z'"),
        (("--to", "out.csv", "--mechanism", "rr:epsilon=1|2"), 2, "a release has one mechanism, not 2"),
    ],
)
def test_what_is_refused_leaves_nothing(audit, clicks, typed, status, said, monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    ended = audit("release", clicks, *typed)
    assert ended.status == status and said in ended.error
    assert [*(tmp_path / "empty").iterdir()] == []


def test_a_seed_is_for_tests_and_the_manifest_says_so(audit, clicks, tmp_path):
    made = []
    for name in ("a.csv", "b.csv"):
        typed = ("--to", tmp_path / name, "--mechanism", "rr:epsilon=1", "--insecure-for-testing", "--seed", "3")
        assert "FOR TESTS ONLY: drawn from a seed" in audit("release", clicks, *typed).out
        made.append((tmp_path / name).read_bytes())
        manifest = (tmp_path / f"{name}.manifest.json").read_text()
        assert json.loads(manifest)["randomness"] == "seeded-for-testing" and '"seed"' not in manifest
        assert json.loads(manifest)["guarantees"] == []
    assert made[0] == made[1]


def test_a_full_disk_leaves_nothing(audit, clicks, tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "out").mkdir()
    monkeypatch.setattr("labeldp_audit.data.write.os.fsync", full)
    ended = audit("release", clicks, "--to", tmp_path / "out" / "out.csv", "--mechanism", "rr:epsilon=1")
    assert ended.status == 3 and "No space left" in ended.error
    assert [*(tmp_path / "out").iterdir()] == []


def test_standard_input_is_no_table_to_release(audit, tmp_path):
    ended = audit("release", "-", "--to", tmp_path / "out.csv", "--mechanism", "rr:epsilon=1")
    assert ended.status == 2 and "read several times" in ended.error


def test_rows_of_an_attack_are_not_written_over_what_belongs_to_the_release(audit, clicks, tmp_path):
    audit("release", clicks, "--to", tmp_path / "out.csv", "--mechanism", "llp:k=4")
    for name, said in (("out.csv.manifest.json", "its manifest"), ("out.bags.csv", "its table of bags")):
        before = (tmp_path / name).read_bytes()
        ended = audit("attack", clicks, tmp_path / "out.csv", "--per-row", tmp_path / name, "--no-output")
        assert ended.status == 2 and said in ended.error and (tmp_path / name).read_bytes() == before


def test_verify_is_not_named_where_it_cannot_decide(audit, clicks, tmp_path):
    for spec, decides in (("pate:epsilon=20,teachers=3,queries=20", False), ("dummy:epsilon=1", True)):
        ended = audit("release", clicks, "--to", tmp_path / "out.csv", "--mechanism", spec, "--force")
        assert ("labeldp-audit verify" in ended.out) == decides and "labeldp-audit attack" in ended.out


def test_what_is_spent_is_never_rounded_down():
    told = {"epsilon": 0.6794971, "delta": 1.0001e-6, "viewer": ANYBODY}
    assert release_command._spent(told) == "epsilon 0.679498, delta 1.01e-6 for anybody who reads it"
