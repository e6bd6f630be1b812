"""The table for spreadsheets: every value comes back, and what a policy says stands below."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from joint import SHARED
from judging import hostile, judged

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats


def rows(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(formats.render("csv", report), newline=""), strict=True))


@SHARED
@given(value=st.floats(allow_nan=False), reason=st.text(max_size=30))
def test_every_value_comes_back(eta_report: Report, value: float, reason: str) -> None:
    bound = Bound(value, -math.inf, None, 3, "m", ('with "quotes", commas', "two"), reason)
    report = replace(eta_report, findings=(Finding("j", bound, 0.99, "rr:pi=0.1", {"tau": value}),))
    (found,) = rows(report)
    assert float(found["estimate"]) == float(found["tau"]) == value
    assert (found["low"], found["high"]) == ("-Infinity", "")
    assert found["assumptions"] == 'with "quotes", commas; two'
    assert not reason.isprintable() or found["reason"] == reason


def test_what_a_policy_says_stands_below_findings(worst_report: Report, golden: Callable[[str, str], None]) -> None:
    golden("nu-max-judged.csv", formats.render("csv", judged(worst_report)))
    before, after = rows(worst_report), rows(judged(worst_report))
    assert [{**one, "line": "", "outcome": "", "until": ""} for one in before] == after[: len(before)]
    assert {one["quantity"] for one in after[len(before) :]} == {"verdict", "waiver"}


def test_columns_hold_what_they_hold_elsewhere(worst_report: Report) -> None:
    for one in rows(hostile(worst_report)):
        assert int(one["n"]) >= 0 and 0 <= float(one["confidence"]) <= 1
        assert all(one[name] == "" or not math.isnan(float(one[name])) for name in ("estimate", "low", "high"))
