from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit import formats
from labeldp_audit.model import Bound, Finding, Report

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


def rows(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(formats.render("csv", report), newline=""), strict=True))


def test_one_row_a_finding_with_at_in_columns(tail_report: Report) -> None:
    found = rows(tail_report)
    assert len(found) == len(tail_report.findings)
    header = "quantity mechanism epsilon lambda pi tau estimate low high confidence n method assumptions reason"
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
