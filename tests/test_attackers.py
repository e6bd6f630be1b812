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


def advantages(report):
    return [one for one in report["findings"] if one["quantity"] == "advantage" and one["mechanism"]]


def test_no_option_is_needed(audit, table):
    report = audit("advantage", table, *FEW, *JSON).report
    assert {one["mechanism"] for one in advantages(report)} == {
        "rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=2", "llp:k=2", "llp:k=8", "llp:k=64", "llp:k=512",
        "laplace-llp:k=8,epsilon=1",
    }  # fmt: skip


def test_numbers_agree_with_each_other(audit, table):
    report = audit("advantage", table, *KINDS, *FEW, *JSON).report
    before = only(report, "uninformed_utility")
    for one in advantages(report):
        told = of(report, "informed_utility", one["mechanism"])
        assert told["estimate"] == pytest.approx(before["estimate"] + one["estimate"], abs=1e-12)
        assert 0 <= one["low"] <= one["estimate"] <= one["high"] <= 0.5
        asked = ("advantage_bound", one["mechanism"])
        bounds = [bound for bound in report["findings"] if (bound["quantity"], bound["mechanism"]) == asked]
        assert len(bounds) >= 4
        assert all(bound["estimate"] is None or bound["estimate"] >= one["estimate"] - 1e-12 for bound in bounds)
    noisy, eight, two = (
        of(report, "advantage", name)["estimate"] for name in ("laplace-llp:k=8,epsilon=1", "llp:k=8", "llp:k=2")
    )
    assert noisy <= eight < two


def test_labels_in_the_clear_and_no_labels_at_all(audit, table):
    asked = ("--mechanism", "llp:k=1", "--mechanism", "rr:epsilon=inf|0")
    report = audit("advantage", table, *asked, *JSON).report
    clear, noise = of(report, "advantage", "rr:epsilon=inf"), of(report, "advantage", "rr:epsilon=0")
    assert of(report, "advantage", "llp:k=1")["estimate"] == pytest.approx(clear["estimate"], abs=1e-15)
    assert of(report, "informed_utility", "rr:epsilon=inf")["estimate"] == pytest.approx(1, abs=1e-12)
    assert (noise["low"], noise["estimate"], noise["high"]) == (0, 0, 0)
    assert of(report, "equivalent_epsilon", "llp:k=1")["estimate"] == "Infinity"


def test_equal_strengths_lead_back_and_have_no_limits(audit, table):
    """The epsilon that is said to be like a bag has an advantage like that bag's. Two estimates are compared: what
    drawing bags leaves open is the least of what is unknown."""
    asked = ("--mechanism", "llp:k=8", "--mechanism", "rr:epsilon=0.01")
    report = audit("advantage", table, *asked, *JSON).report
    found = [one for one in report["findings"] if one["quantity"].startswith("equivalent_")]
    assert len(found) == 2
    for one in found:
        assert one["low"] is one["high"] is None
        assert any("no interval" in line for line in one["assumptions"])
        assert (one["estimate"] is None) == ("reason" in one)
    spec = f"rr:epsilon={of(report, 'equivalent_epsilon', 'llp:k=8')['estimate']!r}"
    again = audit("advantage", table, "--mechanism", spec, *JSON).report
    same = of(report, "advantage", "llp:k=8")["estimate"]
    assert only(again, "advantage")["estimate"] == pytest.approx(same, rel=1e-6)
    assert abs(only(again, "equivalent_k")["estimate"] - 8) <= 1


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
    assert "its channel has 3 rows and the label 2 classes" in of(ended.report, "j", three)["reason"]


@pytest.mark.parametrize("command", ["estimate-j", "nu-max"])
@pytest.mark.parametrize("spec", ["llp:k=8|16", "channel:matrix=0.8 0.2/0.5 0.5/0.2 0.8"])
def test_where_nothing_asked_for_has_a_loss_nothing_is_read(audit, command, spec):
    ended = audit(command, "nowhere.parquet", "--mechanism", spec)
    assert ended.status == 2
    assert "a privacy loss is defined where each label is replaced on its own" in ended.error
    assert "`labeldp-audit advantage`" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mechanism", "llp:k=0"), "llp:k=0"),
        (("--mechanism", "channel:matrix=0.9 0.2/0.1 0.9"), "row 1 of the matrix is no distribution"),
        (("--utility", "best"), "zero-one, balanced"),
        (("--bags", "0"), "--bags"),
    ],
)
def test_what_cannot_be_asked(refused, table, arguments, said):
    assert said in refused(table, *arguments, command="advantage", status=2)


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
    assert report["parameters"]["utility"] == "balanced"
    before = only(report, "uninformed_utility")
    assert 0.5 <= before["low"] <= before["high"] <= 1
    for one in advantages(report):
        assert one["high"] <= 0.5
        told = of(report, "informed_utility", one["mechanism"])["estimate"]
        assert told - before["estimate"] == pytest.approx(one["estimate"], abs=1e-9)
        assert told <= 1 + 1e-12
