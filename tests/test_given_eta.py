"""eta that comes from a column of the table, or from the file that estimate-eta wrote."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import modelled, people
from running import of, only

from labeldp_audit.data import read_estimates, write

JSON = ("-f", "json", "--no-output")
KINDS = ("--mechanism", "rr:epsilon=0.5|2", "--mechanism", "llp:k=2|8", "--mechanism", "laplace-llp:k=8,epsilon=1")
FEW = ("--bags", 50)


# ---- eta in a column


def test_the_true_eta_of_a_column(audit):
    eta, file = modelled(audit.folder)
    report = audit("advantage", file, "--eta", "model", "--mechanism", "rr:epsilon=1", *JSON).report
    doubt = np.minimum(eta, 1 - eta)
    found = only(report, "advantage")
    assert found["estimate"] == pytest.approx(np.maximum(doubt - 1 / (1 + np.e), 0).mean(), rel=1e-9)
    assert found["low"] > 0
    assert only(report, "uninformed_utility")["estimate"] == pytest.approx(1 - doubt.mean(), rel=1e-9)
    assert report["eta"]["estimator"] == "given"
    assert report["eta"]["k"] is None
    assert report["parameters"]["eta"] == ["model"]
    assert report["warnings"] == []


def test_all_questions_take_it(audit):
    eta, file = modelled(audit.folder)
    ended = audit("audit", file, "--eta", "model", *FEW, *KINDS, "-f", "text", "-f", "json=r.json", "-o", "out")
    assert ended.status == 0, ended.err
    report = json.loads((audit.folder / "r.json").read_text())
    for one in report["findings"]:
        if one["quantity"] == "eta_max":
            assert one["low"] == one["estimate"] == one["high"] == eta.max()
        if one["low"] is not None:
            estimate = one["low"] if one["quantity"].startswith("certified_") else one["estimate"]
            assert float(one["low"]) <= float(estimate) <= float(one["high"])
    assert "neighbour" not in ended.out + ended.err


def test_labels_may_speak_against_it(audit):
    rng = np.random.default_rng(5)
    labels = (rng.random(3000) < 0.3).astype(np.int64)
    pq.write_table(
        pa.table({"model": np.where(rng.random(3000) < 0.5, 0.01, 0.99), "y": labels}), audit.folder / "t.parquet"
    )
    report = audit("advantage", "t.parquet", "--eta", "model", "--mechanism", "rr:epsilon=1", *JSON).report
    found = only(report, "advantage")
    assert found["estimate"] == 0  # as the model says
    assert found["high"] > 0.1  # as the labels say
    assert any("the labels do not fit the probabilities in model" in said for said in report["warnings"])


@pytest.mark.parametrize("share", [1.0, 0.85], ids=["true", "hedged"])
@pytest.mark.parametrize("from_file", [False, True], ids=["column", "file"])
def test_what_labels_refute_has_no_limits(audit, share, from_file):
    """Limits of true probabilities are as they were; of hedged ones `high` would be far below the truth."""
    rng = np.random.default_rng(6)
    eta = 1 / (1 + np.exp(1 - 2 * rng.normal(size=20_000)))
    labels = (rng.random(len(eta)) < eta).astype(np.int64)
    model = share * eta + (1 - share) * eta.mean()
    pq.write_table(pa.table({"model": model, "y": labels}), audit.folder / "t.parquet")
    given = ("--eta", "model")
    if from_file:
        audit("estimate-eta", "t.parquet", *given, "-o", "first")
        given = ("--eta-file", "first/eta.parquet")
    kind = ("--mechanism", "rr:epsilon=1")
    report = audit("estimate-j", "t.parquet", *given, *kind, "--tau", "1,3", *JSON).report
    odds, p = np.log(eta / (1 - eta)), labels.mean()
    loss = (2 * eta - 1) * (odds - np.log(p / (1 - p))) + np.tanh(0.5)
    for tau in (1.0, 3.0):
        one = of(report, "j", "rr:epsilon=1", tau=tau)
        if share < 1:
            assert one["low"] is one["high"] is None
        else:
            assert one["low"] <= np.mean(loss > tau) <= one["high"] < 1
    worst = of(audit("nu-max", "t.parquet", *given, *kind, *JSON).report, "nu_max", "rr:epsilon=1")
    assert (worst["high"] is None) == (share < 1)
    llp = only(audit("advantage", "t.parquet", *given, "--mechanism", "llp:k=2", *FEW, *JSON).report, "advantage")
    assert (llp["low"] is None) == (share < 1)
    assert llp["high"] > 0


@pytest.mark.parametrize("bad", [1.5, -0.001, float("nan"), None])
def test_what_is_no_probability(refused, bad):
    values = [0.5] * 20
    values[6] = bad
    pq.write_table(pa.table({"model": pa.array(values, pa.float64()), "y": [0, 1] * 10}), refused.folder / "t.parquet")
    error = refused("t.parquet", "--eta", "model")
    assert "row 7" in error and "model" in error


def test_what_goes_together(refused):
    modelled(refused.folder)
    assert "no column" in refused("m.parquet", "--eta", "modl", command="advantage", status=2)
    assert "exclude each other" in refused(
        "m.parquet", "--eta", "model", "--eta-file", "x", command="advantage", status=2
    )
    for option in (("--k", 5), ("--queries", 10), ("--smoothness", "1,1")):
        assert "is about neighbourhoods" in refused("m.parquet", "--eta", "model", *option, command="nu-max", status=2)


# ---- eta in a file


def assert_same_but_for_the_file(kept, searched):
    """It is said that eta was not estimated now."""
    assert kept["parameters"].pop("eta_file") == "eta.parquet"
    assert {**kept, "seal": ""} == {**searched, "seal": ""}


def test_a_report_says_that_eta_was_read_from_a_file(audit, table):
    audit("estimate-eta", table, "-o", "first")
    said = "Read from eta.parquet, not estimated now."
    told = ("--no-output", "-f", "markdown")
    assert said in " ".join(audit("nu-max", table, "--eta-file", "first/eta.parquet", *told).out.split())
    assert said not in " ".join(audit("nu-max", table, *told).out.split())


@pytest.mark.parametrize("command", ["nu-max", "estimate-j", "advantage"])
def test_one_search_serves_every_command(audit, table, command):
    assert audit("estimate-eta", table, "-o", "first").status == 0
    options = (*FEW, *KINDS) if command == "advantage" else ()
    searched = audit(command, table, *options, *JSON)
    kept = audit(command, table, "--eta-file", "first/eta.parquet", *options, *JSON)
    assert kept.err == searched.err
    assert_same_but_for_the_file(kept.report, searched.report)


def test_with_rows_that_have_no_label(audit, tmp_path):
    whole = people().to_pydict()
    whole["label"][:3] = [None, 1, None]
    pq.write_table(pa.table(whole), tmp_path / "gaps.parquet")
    options = (tmp_path / "gaps.parquet", "--drop-null-labels", "--queries", 50)
    audit("estimate-eta", *options, "-o", "first")
    searched = audit("advantage", *options, *FEW, *JSON)
    kept = audit("advantage", *options, *FEW, *JSON, "--eta-file", "first/eta.parquet")
    assert_same_but_for_the_file(kept.report, searched.report)


def test_also_the_file_of_a_given_column(audit):
    _, file = modelled(audit.folder)
    audit("estimate-eta", file, "--eta", "model", "-o", "first")
    given = audit("advantage", file, "--eta", "model", *FEW, *JSON).report
    kept = audit("advantage", file, "--eta-file", "first/eta.parquet", *FEW, *JSON).report
    assert kept["findings"] == given["findings"]
    assert kept["eta"] == given["eta"]


def test_a_file_that_is_about_something_else(refused, audit, table, tables):
    modelled(refused.folder)
    audit("estimate-eta", "m.parquet", "-o", "first")
    file = ("--eta-file", "first/eta.parquet")
    assert "made for another table" in refused(table, *file, command="advantage")
    assert "made with other classes" in refused("m.parquet", *file, "--positive", "0", command="advantage")
    assert "is not what the file was made with" in refused("m.parquet", *file, "--k", 5, command="nu-max", status=2)
    assert "was not written by" in refused("m.parquet", "--eta-file", tables / "t.parquet", command="nu-max")
    assert "nowhere" in refused("m.parquet", "--eta-file", "nowhere.parquet", command="estimate-j")
    assert "written over" in refused("m.parquet", *file, "-f", "json=first/eta.parquet", command="nu-max", status=2)


def test_what_was_asked_for_last_counts(audit):
    _, file = modelled(audit.folder)
    audit("estimate-eta", file, "-o", "first")
    (audit.folder / "labeldp-audit.toml").write_text('eta = ["model"]\n')
    assert audit("nu-max", file, *JSON).report["eta"]["estimator"] == "given"
    assert audit("nu-max", file, "--eta-file", "first/eta.parquet", *JSON).report["eta"]["estimator"] == "knn"


def test_a_file_keeps_what_was_warned_of_and_how_it_was_made(audit):
    rng = np.random.default_rng(13)
    columns = {"model": rng.random(3000), "x": rng.random(3000), "y": rng.integers(2, size=3000)}
    pq.write_table(pa.table(columns), audit.folder / "t.parquet")
    audit("estimate-eta", "t.parquet", "--eta", "model", "-o", "given")
    kept = audit("nu-max", "t.parquet", "--eta-file", "given/eta.parquet", *JSON).report
    assert any("do not fit the probabilities in model" in said for said in kept["warnings"])
    assert kept["parameters"]["eta"] == ["model"]
    audit("estimate-eta", "t.parquet", "--exclude", "model", "--k", 40, "--seed", 3, "-o", "searched")
    kept = audit("nu-max", "t.parquet", "--eta-file", "searched/eta.parquet", *JSON).report
    assert kept["parameters"]["exclude"] == ["model"]
    assert kept["eta"]["k"] == 40


def test_a_class_may_be_called_rest(audit):
    rng = np.random.default_rng(14)
    columns = {"x": rng.random(300), "y": rng.choice(["rest", "walk", "run"], 300)}
    pq.write_table(pa.table(columns), audit.folder / "t.parquet")
    options = ("t.parquet", "--positive", "rest")
    audit("estimate-eta", *options, "-o", "first")
    searched = audit("advantage", *options, *FEW, *JSON)
    assert searched.report["dataset"]["classes"] == ["others", "rest"]
    kept = audit("advantage", *options, *FEW, *JSON, "--eta-file", "first/eta.parquet")
    assert_same_but_for_the_file(kept.report, searched.report)


def test_bags_that_hold_a_row_twice_do_not_raise_the_lower_limit(audit):
    """Two kinds of rows: bags are added up with repetition, and as many rows as a bag say nothing yet."""
    eta = np.where(np.arange(40) < 20, 0.5, 0.02)
    labels = (np.random.default_rng(0).random(40) < eta).astype(int)
    pq.write_table(pa.table({"model": eta, "y": labels}), audit.folder / "t.parquet")
    report = audit("advantage", "t.parquet", "--eta", "model", "--mechanism", "llp:k=2|20", *JSON).report
    lows = [one["low"] for one in report["findings"] if one["quantity"] == "advantage"]
    assert lows[1] == 0
    assert "standard_error" not in of(report, "advantage", "llp:k=2")  # added up


def test_a_file_has_rows_of_the_table(audit, refused, table):
    assert audit("estimate-eta", table, "-o", "first").status == 0
    place = audit.folder / "first" / "eta.parquet"
    columns, said = read_estimates(str(place))
    for row in (0, 10**9):
        columns["row"] = np.append(columns["row"][:-1], row)
        write.write_all([write.rows_file(place, columns, said)])
        assert "rows that the table does not have" in refused(table, "--eta-file", place, command="nu-max")


def test_probabilities_that_miss_a_published_column_pass_nothing(audit):
    x = np.random.default_rng(3).random(600)
    y = np.random.default_rng(4).random(600) < np.where(x > 0.5, 0.9, 0.1)
    table = {"blind": np.full(600, 0.5), "seeing": np.where(x > 0.5, 0.9, 0.1), "y": y.astype(int)}
    pq.write_table(pa.table(table), audit.folder / "t.parquet")
    line = ("--label", "y", "--mechanism", "rr:epsilon=0.1", "--fail-if", "j(tau=4).high > 0.9")
    blind, seeing = (audit("check", "t.parquet", "--eta", name, *line) for name in ("blind", "seeing"))
    assert (blind.status, seeing.status) == (1, 0)
    said = " ".join(blind.out.split())
    assert "not measured" in said and "on the published columns predict the labels better" in said
    assert audit("check", "labeldp-report/check.json", *line[4:]).status == 0
    assert audit("check", "t.parquet", "--eta", "blind", *line, "-q").status == 1
    assert audit("check", "labeldp-report/check.json", *line[4:]).status == 1
    assert audit("check", "t.parquet", "--eta", "blind", *line, "--exclude", "seeing").status == 0
