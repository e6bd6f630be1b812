"""Two reports side by side: `diff` and `check --baseline`, typed and from Python."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import labeldp_audit as lda

LINE = "advantage.high > 0.01"


def table(telling, seed=0, n=600):
    """A column that tells the label with that probability."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    x = np.where(rng.random(n) < telling, y, rng.integers(0, 2, n))
    return pd.DataFrame({"x": x + rng.normal(0, 0.01, n), "y": y})


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Of a column that tells nothing, and of one that tells nearly everything."""
    folder = tmp_path_factory.mktemp("reports")
    for name, telling in (("before", 0.0), ("after", 0.95)):
        found = lda.estimate_eta(table(telling), label="y", estimator="linear")
        found.save(folder / f"{name}.json")
    lda.nu_max(table(0.0), label="y", estimator="linear", mechanisms="rr:epsilon=1").save(folder / "other.json")
    return folder


def test_what_changed_is_told_with_both_limits(audit, reports):
    ended = audit("diff", reports / "before.json", reports / "after.json", "-f", "json")
    assert ended.status == 0
    changed = {one["new"]["quantity"]: one for one in ended.report["changes"]}
    guessed = changed["uninformed_utility"]
    assert guessed["way"] == "worse" and guessed["new"]["low"] > guessed["old"]["high"]
    shown = audit("diff", reports / "before.json", reports / "after.json").out
    said = " ".join(shown.split())
    assert "Beyond the limits of both reports, 1 of" in said and "shared numbers got worse and 0 better" in said
    back = audit("diff", reports / "after.json", reports / "before.json", "-f", "json").report
    assert {one["way"] for one in back["changes"]} == {"better"}


def test_a_diff_can_be_kept_and_shown_again(audit, reports, tmp_path):
    audit("diff", reports / "before.json", reports / "after.json", "-o", tmp_path / "kept", "-q")
    kept = tmp_path / "kept" / "diff.json"
    assert json.loads(kept.read_text())["command"] == "diff"
    assert "got worse" in audit("report", kept).out


def test_nothing_changed_against_itself(audit, reports):
    ended = audit("diff", reports / "after.json", reports / "after.json")
    assert "Nothing changed" in ended.out


@pytest.mark.parametrize(
    ("old", "new", "lines", "status"),
    [
        ("before", "after", (), 1),
        ("after", "before", (), 0),
        ("after", "after", (), 0),
        ("after", "after", ("uninformed_utility.low > 0.7",), 0),
        ("before", "after", ("uninformed_utility.low > 0.7",), 1),
    ],
)
def test_a_gate_on_what_got_worse(audit, reports, old, new, lines, status):
    typed = [part for line in lines for part in ("--fail-if", line)]
    ended = audit("check", reports / f"{new}.json", "--baseline", reports / f"{old}.json", *typed)
    assert ended.status == status, ended.out + ended.err


def test_what_cannot_be_compared_is_refused(audit, reports, tmp_path):
    ended = audit("diff", reports / "before.json", reports / "other.json")
    assert ended.status == 2 and "different mechanisms" in ended.error
    assert audit("diff", reports / "before.json").status == 2
    assert audit("diff", reports / "before.json", tmp_path / "none.json").status == 3


def test_from_python(reports):
    old, new = (lda.read_report(reports / f"{name}.json") for name in ("before", "after"))
    assert "got worse" in str(new.diff(old))
    assert new.check(baseline=old).outcome == "fail"
    assert new.check(["uninformed_utility.low > 0.7"], baseline=new).outcome == "pass"


# ---- a baseline is an older report of the same table


@pytest.fixture
def stored(audit):
    """Reports of a table, of it with more and with other columns, and of one whose classes are words."""
    first = table(0.3).assign(**{f"c{i}": np.arange(600) % (i + 3) for i in range(3)})
    tables = {
        "first": first, "fourth": first.assign(new=1.0 * (np.arange(600) % 2)), "fewer": first.drop(columns="c2"),
        "another": first.rename(columns={"x": "u", "c0": "v"}),
        "words": first.assign(y=np.where(np.arange(600) % 3, "often", "rarely")),
    }  # fmt: skip
    for name, frame in tables.items():
        frame.to_csv(audit.folder / f"{name}.csv", index=False)
        options = {"positive": "often"} if name == "words" else {}
        report = lda.nu_max(audit.folder / f"{name}.csv", estimator="knn", mechanisms="rr:epsilon=1", **options)
        report.save(audit.folder / f"{name}.json")
    return audit


def baseline(name, *line):
    return ("--baseline", f"{name}.json", "--mechanism", "rr:epsilon=1", *line)


@pytest.mark.parametrize(
    ("name", "status"), [("first", 0), ("fourth", 0), ("fewer", 0), ("another", 2), ("without", 2)]
)
@pytest.mark.parametrize("lines", [(), ("--fail-if", "nu_max.high > 1")])
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_baseline_of_another_table_is_refused(stored, name, status, lines, ending):
    if name == "without":
        content = lda.read_report(stored.folder / "first.json").content
        lda.Report(replace(content, dataset=replace(content.dataset, columns=()))).save(stored.folder / "without.json")
    typed = ("--baseline", f"{name}.json", *lines)
    ended = stored(
        "check", f"first.{ending}", *typed, *(("--no-output", "--mechanism", "rr:epsilon=1") * (ending == "csv"))
    )
    assert ended.status == status, ended.err
    if name == "another":
        assert "the baseline is of another table: 3 columns in common, of 5 and 5: another.csv" in ended.err
    if name == "without":
        assert "a report that names no columns has no baseline and is none" in ended.err


def test_python_refuses_a_baseline_of_another_table(stored):
    new, other = (lda.read_report(stored.folder / f"{name}.json") for name in ("first", "another"))
    with pytest.raises(lda.SpecError, match="the baseline is of another table"):
        new.check(["nu_max.high > 1"], baseline=other)


def test_headline_says_what_is_still_broken(stored):
    lines = ("--fail-if", "nu_max.high > 1", "--fail-if", "nu_max.low > 50")
    assert stored("check", "first.json", *lines).status == 1
    for some, said in ((lines[:2], ""), (lines, "; 1 other holds")):
        ended = stored("check", "first.json", "--baseline", "first.json", *some)
        assert ended.status == 0
        assert ended.out.startswith(f"PASS: 1 line still broken, no worse than the baseline{said}")


@pytest.mark.parametrize("command", ["nu-max", "advantage", "audit", "check"])
def test_table_is_checked_against_a_baseline_without_a_policy(stored, command):
    how = ("--estimator", "linear", "--bags", "30") if command in ("advantage", "audit") else ("--estimator", "linear")
    more = ("--fail-if", "uninformed_utility.low > 0.9") if command == "check" else ()
    for name, telling in (("old", 0.0), ("new", 1.0)):
        table(telling).to_csv(stored.folder / f"{name}.csv", index=False)
    stored(command, "old.csv", *how, *more, "--no-output", "-f", "json=old.json", "--mechanism", "rr:epsilon=2")
    beside = ("--baseline", "old.json", "--estimator", "linear", "--bags", "30", "--no-output", "-f", "json=out.json")
    assert stored("check", "old.csv", *beside).status == 0
    again = lda.read_report("out.json").content
    (stored.folder / "out.json").rename("again.json")  # and a baseline that was made so itself
    assert stored("check", "old.csv", "--baseline", "again.json", *beside[2:]).status == 0
    assert lda.read_report("out.json").content.findings == again.findings
    content = lda.read_report("out.json").content
    assert content.command == "check" and content.parameters["measured_by"] == command
    compared = content.parameters.get("compared", ())
    assert {one.mechanism for one in content.findings} - {None, *compared} == {"rr:epsilon=2"}
    assert stored("check", "new.csv", *beside).status == (0 if command == "nu-max" else 1)  # whose limits are open


def test_baseline_keeps_its_positive_class(stored):
    report = ("--no-output", "-f", "json=out.json")
    assert stored("check", "words.csv", *baseline("words", *report)).status == 0
    assert lda.read_report("out.json").content.dataset.positive == "often"
    stored("nu-max", "words.csv", *report)
    assert lda.read_report("out.json").content.dataset.positive == "rarely"


def test_reports_without_common_numbers_are_refused(audit, stored):
    stored("estimate-eta", "first.csv", "--no-output", "-f", "json=eta.json")
    content = lda.read_report("eta.json").content
    kept = tuple(one for one in content.findings if one.quantity == "uninformed_utility")
    lda.Report(replace(content, findings=kept)).save(stored.folder / "one.json")
    other = tuple(one for one in content.findings if one.quantity == "plug_in_utility")
    lda.Report(replace(content, findings=other)).save(stored.folder / "other.json")
    for typed in (("diff", "one.json", "other.json"), ("check", "other.json", "--baseline", "one.json")):
        ended = stored(*typed)
        assert ended.status == 2 and ended.error == "the reports have no numbers in common"


def test_report_of_an_attack_is_no_baseline_of_a_table(stored):
    lda.release(stored.folder / "first.csv", "rr:epsilon=1", to=stored.folder / "q.csv")
    stored("attack", "first.csv", "q.csv", "--attacker", "optimal", "--no-output", "-f", "json=attack.json")
    ended = stored("check", "first.csv", "--baseline", "attack.json", "--no-output")
    assert ended.status == 2 and "a report of attack is no baseline of a table" in ended.error


def test_curve_that_ends_sooner_has_lost_no_limit():
    """A table that tells less has a shorter curve; a place inside it that is gone still counts."""
    old = lda.estimate_j(table(0.95), label="y", estimator="linear", tau="0:4:1", mechanisms="rr:epsilon=1")
    content = old.content
    kept = {
        name: tuple(one for one in content.findings if test(one.place("tau") or 0.0))
        for name, test in (("shorter", lambda tau: tau <= 2), ("holed", lambda tau: tau != 2))
    }
    shorter, holed = (lda.Report(replace(content, findings=some)).check(baseline=old) for some in kept.values())
    assert (shorter.outcome, holed.outcome) == (lda.Outcome.PASS, lda.Outcome.FAIL)
    assert any("had limits before and has none now" in one.said for one in holed.verdicts)
