"""labeldp-audit advantage, and eta that comes from a column or from a file, as a user types them."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import people
from running import only

JSON = ("-f", "json", "--no-output")
KINDS = ("--mechanism", "rr:epsilon=0.5|2", "--mechanism", "llp:k=2|8", "--mechanism", "laplace-llp:k=8,epsilon=1")
FEW = ("--bags", 50)


def of(report, quantity, mechanism=None, **at):
    [found] = [
        one
        for one in report["findings"]
        if (one["quantity"], one["mechanism"]) == (quantity, mechanism) and at.items() <= one["at"].items()
    ]
    return found


def modelled(folder, rows=4000, seed=3, **more):
    """A table with a feature, the true eta of every row, and labels drawn from it."""
    rng = np.random.default_rng(seed)
    x = rng.random(rows)
    eta = 0.05 + 0.6 * x
    columns = {"x": x, "model": eta, "y": (rng.random(rows) < eta).astype(np.int64), **more}
    pq.write_table(pa.table(columns), folder / "m.parquet")
    return eta, "m.parquet"


# ---- what a report says


def test_no_option_is_needed(audit, table):
    report = audit("advantage", table, *FEW, *JSON).report
    asked = {one["mechanism"] for one in report["findings"] if one["quantity"] == "advantage"}
    assert asked == {
        "rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=2", "llp:k=2", "llp:k=8", "llp:k=64", "llp:k=512",
        "laplace-llp:k=8,epsilon=1",
    }  # fmt: skip


def test_numbers_agree_with_each_other(audit, table):
    report = audit("advantage", table, *KINDS, *FEW, *JSON).report
    before = only(report, "uninformed_utility")
    for one in report["findings"]:
        if one["quantity"] != "advantage":
            continue
        told = of(report, "informed_utility", one["mechanism"])
        assert told["estimate"] == pytest.approx(before["estimate"] + one["estimate"], abs=1e-12)
        assert 0 <= one["low"] <= one["estimate"] <= one["high"] <= 0.5
        bounds = [
            bound
            for bound in report["findings"]
            if (bound["quantity"], bound["mechanism"]) == ("advantage_bound", one["mechanism"])
        ]
        assert len(bounds) >= 4
        assert all(bound["estimate"] is None or bound["estimate"] >= one["estimate"] - 1e-12 for bound in bounds)
    assert (
        of(report, "advantage", "laplace-llp:k=8,epsilon=1")["estimate"]
        <= of(report, "advantage", "llp:k=8")["estimate"]
    )
    assert of(report, "advantage", "llp:k=8")["estimate"] < of(report, "advantage", "llp:k=2")["estimate"]


def test_labels_in_the_clear_and_no_labels_at_all(audit, table):
    asked = ("--mechanism", "llp:k=1", "--mechanism", "rr:epsilon=inf|0")
    report = audit("advantage", table, *asked, *JSON).report
    clear, noise = of(report, "advantage", "rr:epsilon=inf"), of(report, "advantage", "rr:epsilon=0")
    assert of(report, "advantage", "llp:k=1")["estimate"] == pytest.approx(clear["estimate"], abs=1e-15)
    assert of(report, "informed_utility", "rr:epsilon=inf")["estimate"] == pytest.approx(1, abs=1e-12)
    assert (noise["low"], noise["estimate"], noise["high"]) == (0, 0, 0)
    assert of(report, "equivalent_epsilon", "llp:k=1")["estimate"] == "Infinity"


def test_equal_strengths_lead_back(audit, table):
    """The epsilon that is said to be like a bag has an advantage like that bag's."""
    report = audit("advantage", table, "--mechanism", "llp:k=8", *JSON).report
    same = only(report, "equivalent_epsilon")
    spec = f"rr:epsilon={same['estimate']!r}"
    again = audit("advantage", table, "--mechanism", spec, *JSON).report
    assert only(again, "advantage")["estimate"] == pytest.approx(only(report, "advantage")["estimate"], rel=1e-6)
    back = only(again, "equivalent_k")
    assert back["low"] <= 8 <= back["high"]


def test_balanced_classes_count_alike(audit, table):
    report = audit("advantage", table, *KINDS, *FEW, "--utility", "balanced", *JSON).report
    assert report["parameters"]["utility"] == "balanced"
    assert only(report, "uninformed_utility")["low"] >= 0.5
    assert only(report, "uninformed_utility")["high"] <= 1


def test_the_same_bytes_whatever_the_threads(audit, table):
    one, two = (audit("advantage", table, *KINDS, *JSON, "--threads", threads).out for threads in (1, 2))
    assert one == two


def test_more_than_two_classes(audit, tmp_path):
    rng = np.random.default_rng(4)
    columns = {"x": rng.random(900), "y": rng.choice(["a", "b", "c"], 900)}
    pq.write_table(pa.table(columns), tmp_path / "three.parquet")
    report = audit("advantage", tmp_path / "three.parquet", *KINDS, *JSON).report
    assert report["dataset"]["classes"] == ["a", "b", "c"]
    assert report["dataset"]["positive"] is None
    assert of(report, "advantage", "rr:epsilon=2")["at"]["pi"] == pytest.approx(2 / (np.exp(2) + 2))
    unfit = of(report, "advantage", "llp:k=2")
    assert unfit["estimate"] is None
    assert "--positive" in unfit["reason"]
    extremes = audit("estimate-eta", tmp_path / "three.parquet", *JSON).report
    assert {one["at"]["class"] for one in extremes["findings"] if one["quantity"] == "eta_max"} == {"a", "b", "c"}


def test_a_loss_without_a_form_is_a_finding_with_a_reason(audit, table):
    report = audit("estimate-j", table, "--mechanism", "llp:k=8", *JSON).report
    assert "advantage" in of(report, "j", "llp:k=8")["reason"]
    assert only(audit("nu-max", table, "--mechanism", "llp:k=8", *JSON).report, "nu_max")["estimate"] is None


def test_the_last_words_are_for_a_manager(audit, table):
    assert "For a manager:" in audit("advantage", table, *KINDS, *FEW, "--no-output").out.split("\n\n")[-1]


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


@pytest.mark.parametrize("command", ["nu-max", "estimate-j", "estimate-eta", "advantage"])
def test_every_command_takes_it(audit, command):
    eta, file = modelled(audit.folder)
    ended = audit(
        command, file, "--eta", "model", "-f", "text", "-f", "json=r.json", "-f", "markdown=r.md", "-o", "out"
    )
    assert ended.status == 0, ended.err
    report = json.loads((audit.folder / "r.json").read_text())
    for one in report["findings"]:
        if one["quantity"] == "eta_max":
            assert one["low"] == one["estimate"] == one["high"] == eta.max()
        if one["low"] is not None:
            assert float(one["low"]) <= float(one["estimate"]) <= float(one["high"])
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


@pytest.mark.parametrize(
    ("bad", "said"),
    [(1.5, "row 7"), (-0.001, "row 7"), (float("nan"), "row 7"), (None, "row 7"), (float("inf"), "row 7")],
)
@pytest.mark.parametrize("command", ["advantage", "nu-max", "estimate-j"])
def test_what_is_no_probability(refused, bad, said, command):
    values = [0.5] * 20
    values[6] = bad
    pq.write_table(pa.table({"model": pa.array(values, pa.float64()), "y": [0, 1] * 10}), refused.folder / "t.parquet")
    error = refused("t.parquet", "--eta", "model", command=command)
    assert said in error
    assert "model" in error


def test_what_goes_together(refused):
    modelled(refused.folder)
    assert "no column" in refused("m.parquet", "--eta", "modl", command="advantage", status=2)
    assert "exclude each other" in refused(
        "m.parquet", "--eta", "model", "--eta-file", "x", command="advantage", status=2
    )
    assert "--smoothness" in refused("m.parquet", "--eta", "model", "--smoothness", "1,1", command="nu-max", status=2)


# ---- eta in a file


@pytest.mark.parametrize("command", ["nu-max", "estimate-j", "advantage"])
def test_one_search_serves_every_command(audit, table, command):
    assert audit("estimate-eta", table, "-o", "first").status == 0
    options = (*FEW, *KINDS) if command == "advantage" else ()
    searched = audit(command, table, *options, *JSON)
    kept = audit(command, table, "--eta-file", "first/eta.parquet", *options, *JSON)
    assert kept.out == searched.out
    assert kept.err == searched.err


def test_with_rows_that_have_no_label(audit, tmp_path):
    whole = people().to_pydict()
    whole["label"][:3] = [None, 1, None]
    pq.write_table(pa.table(whole), tmp_path / "gaps.parquet")
    options = (tmp_path / "gaps.parquet", "--drop-null-labels", "--queries", 50)
    audit("estimate-eta", *options, "-o", "first")
    searched = audit("advantage", *options, *FEW, *JSON)
    assert audit("advantage", *options, *FEW, *JSON, "--eta-file", "first/eta.parquet").out == searched.out


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


# ---- refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mechanism", "llp:k=0"), "llp:k=0"),
        (("--mechanism", "llp:k=5000"), "llp:k=5000"),
        (("--mechanism", "llp:k=2.5"), "llp:k=2.5"),
        (("--mechanism", "laplace-llp:k=8"), "laplace-llp:k=8"),
        (("--mechanism", "laplace-llp:k=8,epsilon=0"), "laplace-llp"),
        (("--mechanism", "channel:matrix=0.9 0.2/0.1 0.9"), "row 1 of the matrix is no law"),
        (("--mechanism", "channel:matrix=1"), "a row for each class"),
        (("--mechanism", "rr:pi=0.6"), "rr:pi=0.6"),
        (("--utility", "best"), "zero-one, balanced"),
        (("--bags", "0"), "--bags"),
    ],
)
def test_what_cannot_be_asked(refused, table, arguments, said):
    assert said in refused(table, *arguments, command="advantage", status=2)


def test_a_channel_for_another_number_of_classes(audit, table):
    wide = "channel:matrix=0.8 0.1 0.1/0.1 0.8 0.1/0.1 0.1 0.8"
    report = audit("advantage", table, "--mechanism", wide, *JSON).report
    assert "3 rows and the label 2 classes" in only(report, "advantage")["reason"]


# ---- what readers found


def test_the_order_of_the_rows_has_no_part_in_an_estimate(audit, tmp_path):
    """Matched cases and controls, in turns: more rows than the fit looks at."""
    rng = np.random.default_rng(12)
    labels = np.arange(60_000) % 2
    x = rng.normal(labels * 0.8, 1)
    pq.write_table(pa.table({"x": x, "y": labels}), tmp_path / "turns.parquet")
    report = audit("advantage", tmp_path / "turns.parquet", "--mechanism", "rr:epsilon=1", "--k", 200, *JSON).report
    between = only(report, "leave_one_out_utility")["estimate"], only(report, "plug_in_utility")["estimate"]
    assert min(between) - 0.01 < only(report, "uninformed_utility")["estimate"] < max(between) + 0.01
    assert only(report, "advantage")["estimate"] > 0.03


def test_a_bag_cannot_be_larger_than_the_table(audit):
    _, file = modelled(audit.folder, rows=50)
    report = audit("advantage", file, "--mechanism", "llp:k=51|50", *JSON).report
    assert "a bag of 51 cannot be made of 50 rows" in of(report, "advantage", "llp:k=51")["reason"]
    assert any("llp:k=51 was not judged" in said for said in report["warnings"])
    assert of(report, "advantage", "llp:k=50")["estimate"] > 0
    small = audit("advantage", file, "--mechanism", "rr:epsilon=0.01", *JSON).report
    assert only(small, "equivalent_k")["estimate"] is None or only(small, "equivalent_k")["estimate"] <= 50


@pytest.mark.parametrize("option", [("--k", 5), ("--queries", 10)])
def test_a_search_that_does_not_take_place_cannot_be_told_anything(refused, option):
    modelled(refused.folder)
    assert "is about neighbourhoods" in refused("m.parquet", "--eta", "model", *option, command="nu-max", status=2)


def test_the_file_of_eta_is_not_written_over(audit, refused):
    modelled(refused.folder)
    audit("estimate-eta", "m.parquet", "-o", "first")
    options = ("--eta-file", "first/eta.parquet", "-f", "json=first/eta.parquet")
    assert "written over" in refused("m.parquet", *options, command="nu-max", status=2)


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
    assert audit("advantage", *options, *FEW, *JSON, "--eta-file", "first/eta.parquet").out == searched.out


def test_balanced_limits_are_possible(audit):
    """Whoever always says one class gets 1 / C: no release adds more than the rest."""
    rng = np.random.default_rng(15)
    labels = (np.arange(1000) == 17).astype(np.int64)
    pq.write_table(pa.table({"x": rng.random(1000), "y": labels}), audit.folder / "t.parquet")
    report = audit("advantage", "t.parquet", "--utility", "balanced", *KINDS, *FEW, *JSON).report
    before = only(report, "uninformed_utility")
    for one in report["findings"]:
        if one["quantity"] == "advantage":
            assert one["high"] <= 0.5
            told = of(report, "informed_utility", one["mechanism"])["estimate"]
            assert told - before["estimate"] == pytest.approx(one["estimate"], abs=1e-9)
        if one["quantity"].endswith("utility"):
            assert one["estimate"] <= 1 + 1e-12
