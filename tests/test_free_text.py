"""A diagnosis in a note is seen, and a text that nobody can read is no proof of safety."""

import json

import numpy as np
import pandas as pd
import pytest
from notes import notes_of, unshared

LINE = ["--mechanism", "rr:epsilon=1", "--fail-if", "j(tau=3).high > 0.05", "--label", "y"]
ROWS = 1000


@pytest.fixture
def checked(audit):
    def check(notes, labels, *options):
        smokes = (np.random.default_rng(1).random(len(labels)) < 0.3 + 0.3 * labels).astype(int)
        pd.DataFrame({"notes": notes, "smokes": smokes, "y": labels}).to_csv(audit.folder / "t.csv", index=False)
        ended = audit("check", "t.csv", *LINE, *options)
        report = json.loads((audit.folder / "labeldp-report" / "check.json").read_text(encoding="utf-8"))
        [j] = [one for one in report["findings"] if one["quantity"] == "j" and one["mechanism"]]
        return ended, j, [one["code"] for one in report["remarks"]]

    return check


@pytest.fixture
def labels():
    return (np.random.default_rng(0).random(ROWS) < 0.3).astype(int)


@pytest.mark.parametrize("estimator", ["linear", "boosted"])
def test_check_fails_where_notes_tell_the_label(checked, labels, estimator):
    ended, j, remarks = checked(notes_of(labels), labels, "--estimator", estimator)
    assert ended.status == 1 and j["low"] > 0.05
    assert "text-looks-like-identifier" not in remarks


def test_check_finds_nothing_in_notes_that_tell_nothing(checked, labels):
    _, j, remarks = checked(notes_of(labels * 0), labels, "--estimator", "boosted")
    assert j["low"] == 0 and j["estimate"] < 0.01 and "text-unreadable" not in remarks


def test_check_measures_nothing_where_no_model_can_read_the_text(checked, labels):
    ended, j, remarks = checked(unshared(ROWS), labels, "--estimator", "boosted")
    assert ended.status == 1 and "not measured" in ended.out
    assert (j["low"], j["high"]) == (None, None) and "no model can read it" in j["reason"]
    assert "text-unreadable" in remarks


def test_audit_of_stored_estimates_knows_that_no_model_can_read_the_text(audit, labels):
    """Neighbours read no columns, so the file does not say it."""
    smokes = (np.random.default_rng(1).random(ROWS) < 0.3 + 0.3 * labels).astype(int)
    pd.DataFrame({"notes": unshared(ROWS), "smokes": smokes, "y": labels}).to_csv(audit.folder / "t.csv", index=False)
    assert audit("estimate-eta", "t.csv", "--label", "y").status == 0
    ended = audit("audit", "t.csv", "--label", "y", "--eta-file", "labeldp-report/eta.parquet", "--no-output")
    assert ended.status == 0 and "no model can read 'notes'" in ended.err
