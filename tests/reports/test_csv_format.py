from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judging import LINES, hostile, judged

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


def rows(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(formats.render("csv", report), newline=""), strict=True))


def test_one_row_a_finding_with_at_in_columns(tail_report: Report) -> None:
    found = rows(tail_report)
    assert len(found) == len(tail_report.findings)
    header = (
        "quantity mechanism baseline epsilon lambda pi tau estimate low high confidence n method assumptions reason"
    )
    assert [*found[0]] == header.split()
    assert found[1]["tau"] == "0.1"
    assert found[-2]["estimate"] == "Infinity"
    assert found[-1]["estimate"] == ""
    assert found[-1]["reason"] == "some neighbourhoods hold one class only"


def test_lines_end_as_the_standard_says(worst_report: Report) -> None:
    text = formats.render("csv", worst_report)
    assert text.count("\r\n") == text.count("\n") == len(worst_report.findings) + 1


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


# ---- what a policy says


def test_findings_are_the_same_rows_whether_they_were_judged_or_not(worst_report: Report) -> None:
    before, after = rows(worst_report), rows(judged(worst_report))
    assert [{**one, "line": "", "outcome": "", "until": ""} for one in before] == after[: len(before)]
    assert {one["quantity"] for one in after[len(before) :]} == {"verdict", "waiver"}


def test_verdicts_stand_below_with_what_they_were_judged_by(worst_report: Report) -> None:
    said = [one for one in rows(judged(worst_report)) if one["quantity"] == "verdict"]
    assert [one["line"] for one in said] == list(LINES)
    assert [one["outcome"] for one in said] == [
        "pass", "fail", "inconclusive", "fail", "not measured", "inconclusive",
    ]  # fmt: skip
    worst = said[3]
    assert (worst["mechanism"], worst["epsilon"], worst["high"]) == ("rr:epsilon=0.5", "0.5", "Infinity")
    assert worst["reason"] == "nu_max of rr:epsilon=0.5: high inf > 10, estimate inf"
    assert [one["until"] for one in said] == ["", "", "", "", "", "2026-06-30"]
    assert (said[4]["estimate"], said[4]["n"]) == ("", "0")


def test_every_waiver_is_a_row(worst_report: Report) -> None:
    said = [one for one in rows(judged(worst_report)) if one["quantity"] == "waiver"]
    assert [(one["line"], one["outcome"], one["until"], one["reason"]) for one in said] == [
        ("log_ratio_max", "used", "2026-06-30", "features are published already"),
        ("eta_min", "run out: this is a failure", "2026-05-31", "was to be looked at in May"),
    ]


def test_columns_hold_what_they_hold_elsewhere(worst_report: Report) -> None:
    for one in rows(hostile(worst_report)):
        assert int(one["n"]) >= 0 and 0 <= float(one["confidence"]) <= 1
        assert all(one[name] == "" or not math.isnan(float(one[name])) for name in ("estimate", "low", "high"))
