"""Two reports side by side: `diff` and `check --baseline`, typed and from Python."""

from __future__ import annotations

import json

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
