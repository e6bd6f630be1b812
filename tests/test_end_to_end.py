"""From a file to a report, with nothing faked between the door and the numbers."""

from __future__ import annotations

import os
import stat
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import ROWS, people
from running import Ended, names, of, only, started

COMMANDS = ("estimate-eta", "nu-max", "estimate-j", "advantage")
HALVES = ("part", "unseen_0", "unseen_1")
JSON = ("-f", "json", "--no-output")
FILES = ("t.csv.gz", "t.feather", "parts/*.parquet")  # tests/data compares what each kind becomes


def numbers(report: dict) -> dict:
    """All but what the file itself is called and holds."""
    kept = {key: value for key, value in report["dataset"].items() if key not in ("name", "sha256", "columns")}
    return report | {"dataset": kept, "seal": ""}


# ---- one table, one answer


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_the_same_findings(audit, tables, table, name):
    expected = audit("estimate-j", table, *JSON).report
    ended = audit("estimate-j", tables / name, *JSON)
    assert ended.status == 0, ended.err
    assert numbers(ended.report) == numbers(expected)
    assert len(ended.report["findings"]) > 50
    one, other = ([(column["name"], column["role"]) for column in report["dataset"]["columns"]]
                  for report in (ended.report, expected))  # fmt: skip
    assert one == other


def test_standard_input_gives_the_same_findings(tables, audit, monkeypatch):
    expected = audit("estimate-j", tables / "t.csv", *JSON).report
    with (tables / "t.csv").open() as data:
        monkeypatch.setattr(sys, "stdin", data)
        report = audit("estimate-j", "-", *JSON).report
    assert report["dataset"]["name"] == "stdin"
    assert report["dataset"]["sha256"] == expected["dataset"]["sha256"]
    assert numbers(report) == numbers(expected)


@pytest.mark.parametrize("command", ["estimate-eta", "advantage"])  # which have all that threads do
@pytest.mark.parametrize("approximate", [False, True], ids=["exact", "approximate"])
def test_threads_change_no_byte(audit, tmp_path, monkeypatch, command, approximate):
    from labeldp_audit import neighbors

    if approximate:
        monkeypatch.setattr(neighbors, "_AFFORDABLE", 0)
    pq.write_table(people(6000), tmp_path / "t.parquet")

    def bytes_with(threads: int) -> str:
        ended = audit(command, tmp_path / "t.parquet", *JSON, "--queries", 2000, "--threads", threads)
        assert (ended.status, ended.report["eta"]["exact"]) == (0, not approximate)
        return ended.out

    first = bytes_with(2)
    assert [bytes_with(threads) == first for threads in (1, 5)] == [True] * 2


def test_processes_and_their_variables_change_no_byte(table, tmp_path):
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    first = started("estimate-j", table, *JSON, cwd=tmp_path, env=plain).stdout
    alone = os.environ | {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "3", "TZ": "Asia/Tokyo"}
    assert started("estimate-j", table, *JSON, cwd=tmp_path, env=alone).stdout == first
    assert list(tmp_path.iterdir()) == []


# ---- what is written


@pytest.mark.parametrize("command", COMMANDS)
def test_the_folder_holds_what_the_screen_showed(audit, table, command):
    ended = audit(command, table, "-f", "json", "-o", "a/b")
    rows = ["eta.parquet"] if command == "estimate-eta" else []
    files = sorted([f"{command}.html", f"{command}.json", f"{command}.md", f"{command}.svg", *rows])
    assert ended.status == 0, ended.err
    assert names(audit.folder) == ["a", "a/b", *(f"a/b/{file}" for file in files)]
    assert (audit.folder / "a" / "b" / f"{command}.json").read_text(encoding="utf-8") == ended.out
    assert ended.err.splitlines()[-1].startswith("labeldp-audit: wrote a/b/")
    for one in ended.report["findings"]:
        said = [float(one[end]) for end in ("low", "estimate", "high") if one[end] is not None]
        assert said == sorted(said), one
        assert one["estimate"] is None or not one["quantity"].startswith("certified"), one
    again = audit(command, table, "-f", "json", "-o", "a/b", "--k", 40)  # a second run replaces the files
    assert (audit.folder / "a" / "b" / f"{command}.json").read_text(encoding="utf-8") == again.out != ended.out


def test_one_estimate_a_row(audit, table):
    ended = audit("estimate-eta", table, "-f", "json")
    file = audit.folder / "labeldp-report" / "eta.parquet"
    rows = pq.read_table(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    names = ["row", "eta_0", "eta_1", "count_0", "count_1", "k", "radius", *HALVES]
    assert rows.column_names == [*names, "neighborhood_low", "neighborhood_high"]
    columns = {name: rows[name].to_numpy() for name in rows.column_names}
    assert columns["row"].tolist() == list(range(1, ROWS + 1))
    assert np.array_equal(columns["count_0"] + columns["count_1"], columns["k"])
    assert np.all(columns["k"] >= ended.report["eta"]["k"])
    assert np.allclose(columns["eta_0"] + columns["eta_1"], 1)
    assert np.all(columns["radius"] > 0)
    assert only(ended.report, "eta_max")["estimate"] == columns["eta_1"].max()
    assert only(ended.report, "eta_min")["estimate"] == columns["eta_1"].min()


def test_rows_are_numbered_as_in_the_file(audit, tmp_path):
    whole = people().to_pydict()
    whole["label"][:3] = [None, 1, None]
    pq.write_table(pa.table(whole), tmp_path / "gaps.parquet")
    ended = audit("estimate-eta", tmp_path / "gaps.parquet", "-f", "json", "--drop-null-labels", "--queries", 50)
    rows = pq.read_table(audit.folder / "labeldp-report" / "eta.parquet")["row"].to_pylist()
    assert (ended.report["dataset"]["rows"], ended.report["dataset"]["rows_used"]) == (ROWS, ROWS - 2)
    assert rows == sorted(rows)
    assert len(rows) == 50
    assert not {1, 3} & set(rows)


def test_reports_hold_no_path_and_no_cell(audit, tables, table):
    for form in ("json", "text", "markdown", "csv"):
        out = audit("estimate-j", table, "-f", form, "--no-output").out
        assert str(tables) not in out
        assert "Köln" not in out


# ---- numbers that must be so whatever the table


def test_features_that_are_the_label_have_no_bound(audit, tmp_path):
    label = [0, 1] * 300
    pq.write_table(pa.table({"x": label, "y": label}), tmp_path / "t.parquet")
    ended = audit("nu-max", tmp_path / "t.parquet", *JSON)
    assert only(ended.report, "eta_max")["estimate"] == 1
    assert only(ended.report, "log_ratio_max")["estimate"] == "Infinity"
    assert only(ended.report, "log_ratio_max")["low"] > 2
    assert any("600 of 600 neighbourhoods of" in one for one in ended.report["warnings"])


def test_features_that_say_nothing_cost_only_the_noise(audit, tmp_path):
    """Everybody's neighbourhood is the whole table: eta is p but for the row itself."""
    rows = 2000
    label = (np.arange(rows) % 2).tolist()
    pq.write_table(pa.table({"x": [0] * (rows - 1) + [1], "y": label}), tmp_path / "t.parquet")
    ended = audit("estimate-j", tmp_path / "t.parquet", *JSON, "--mechanism", "rr:epsilon=1", "--tau", "0.4,0.5")
    j = {tau: of(ended.report, "j", "rr:epsilon=1", tau=tau)["estimate"] for tau in (0.4, 0.5)}
    noise = (np.e - 1) / (np.e + 1)  # (1 - 2 pi) log((1 - pi) / pi) at epsilon = 1: 0.462
    assert 0.4 < noise < 0.5
    assert j == {0.4: 1.0, 0.5: 0.0}


def test_ended_judges_what_it_reads():
    """The helper that all these tests rest on."""
    assert Ended(3, "", "labeldp-audit: error: no\nlabeldp-audit: hint: yes\n").error == "no"
    for wrong in (Ended(3, "x", "labeldp-audit: error: no\n"), Ended(3, "", "Traceback\n")):
        with pytest.raises(AssertionError):
            wrong.error  # noqa: B018
