"""labeldp-audit advantage as a user types it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import modelled
from running import of, only

JSON = ("-f", "json", "--no-output")
KINDS = ("--mechanism", "rr:epsilon=0.5|2", "--mechanism", "llp:k=2|8", "--mechanism", "laplace-llp:k=8,epsilon=1")
FEW = ("--bags", 50)


# ---- what a report says


def test_no_option_is_needed(audit, table):
    report = audit("advantage", table, *FEW, *JSON).report
    asked = {one["mechanism"] for one in report["findings"] if one["quantity"] == "advantage" and one["mechanism"]}
    assert asked == {
        "rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=2", "llp:k=2", "llp:k=8", "llp:k=64", "llp:k=512",
        "laplace-llp:k=8,epsilon=1",
    }  # fmt: skip


def test_numbers_agree_with_each_other(audit, table):
    report = audit("advantage", table, *KINDS, *FEW, *JSON).report
    before = only(report, "uninformed_utility")
    for one in report["findings"]:
        if one["quantity"] != "advantage" or not one["mechanism"]:
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
    assert abs(back["estimate"] - 8) <= 1


def test_equal_strengths_have_no_limits(audit, table):
    """Two estimates are compared: what drawing bags leaves open is the least of what is unknown."""
    report = audit("advantage", table, "--mechanism", "llp:k=8", "--mechanism", "rr:epsilon=1|0.01", *JSON).report
    found = [one for one in report["findings"] if one["quantity"].startswith("equivalent_")]
    assert len(found) == 3
    for one in found:
        assert one["low"] is one["high"] is None
        assert any("no interval" in line for line in one["assumptions"])
        assert (one["estimate"] is None) == ("reason" in one)


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
    both = ("--mechanism", "llp:k=8", "--mechanism", "rr:epsilon=1", "--tau", 1)
    report = audit("estimate-j", table, *both, *JSON).report
    assert "advantage" in of(report, "j", "llp:k=8")["reason"]
    assert of(report, "j", "rr:epsilon=1")["estimate"] > 0
    worst = audit("nu-max", table, *both[:4], *JSON).report
    assert of(worst, "nu_max", "llp:k=8")["estimate"] is None
    assert of(worst, "nu_max", "rr:epsilon=1")["estimate"] > 0


def test_a_policy_may_ask_for_the_loss_of_a_channel(audit, table):
    """Beside one of a label with more classes, which is not measured."""
    line = "certified_j(tau=3, mechanism='channel:matrix=0.9 0.1/0.2 0.8').low > 1"
    three = "channel:matrix=0.8 0.2/0.5 0.5/0.2 0.8"
    asked = ("--mechanism", "channel:matrix=0.9 0.1/0.2 0.8", "--mechanism", three, "--tau", 3, "--fail-if", line)
    ended = audit("check", table, *asked, *JSON)
    assert ended.status == 0, ended.err
    assert "the matrix has 3 rows and the label 2 classes" in of(ended.report, "j", three)["reason"]


@pytest.mark.parametrize("command", ["estimate-j", "nu-max"])
@pytest.mark.parametrize(
    "spec", ["llp:k=8", "llp:k=8|16", "laplace-llp:k=8,epsilon=1", "channel:matrix=0.8 0.2/0.5 0.5/0.2 0.8"]
)
def test_where_nothing_asked_for_has_a_loss_nothing_is_read(audit, command, spec):
    ended = audit(command, "nowhere.parquet", "--mechanism", spec)
    assert ended.status == 2
    assert "a privacy loss is defined where each label is replaced on its own" in ended.error
    assert "`labeldp-audit advantage`" in ended.err


# ---- refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mechanism", "llp:k=0"), "llp:k=0"),
        (("--mechanism", "llp:k=5000"), "llp:k=5000"),
        (("--mechanism", "llp:k=2.5"), "llp:k=2.5"),
        (("--mechanism", "laplace-llp:k=8"), "laplace-llp:k=8"),
        (("--mechanism", "laplace-llp:k=8,epsilon=0"), "laplace-llp"),
        (("--mechanism", "channel:matrix=0.9 0.2/0.1 0.9"), "row 1 of the matrix is no distribution"),
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


def test_balanced_limits_are_possible(audit):
    """Whoever always says one class gets 1 / C: no release adds more than the rest."""
    rng = np.random.default_rng(15)
    labels = (np.arange(1000) == 17).astype(np.int64)
    pq.write_table(pa.table({"x": rng.random(1000), "y": labels}), audit.folder / "t.parquet")
    report = audit("advantage", "t.parquet", "--utility", "balanced", *KINDS, *FEW, *JSON).report
    before = only(report, "uninformed_utility")
    for one in report["findings"]:
        if one["quantity"] == "advantage" and one["mechanism"]:
            assert one["high"] <= 0.5
            told = of(report, "informed_utility", one["mechanism"])["estimate"]
            assert told - before["estimate"] == pytest.approx(one["estimate"], abs=1e-9)
        if one["quantity"].endswith("utility") and one["estimate"] is not None:
            assert one["estimate"] <= 1 + 1e-12
