"""What holds for every format, whatever the report: ours and those of packages that are installed beside it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

EVERY = pytest.mark.parametrize("name", formats.names())
# Formats that show the numbers of a report; the others are about the verdicts of a policy (test_ci_results.py).
NUMBERS = pytest.mark.parametrize("name", [name for name in formats.names() if not formats.of_verdicts(name)])
MISSING = Bound(None, None, None, 0, "none", reason="too few rows")


def test_an_unknown_format_lists_what_exists(eta_report: Report) -> None:
    with pytest.raises(SpecError, match="unknown format 'yaml'") as caught:
        formats.render("yaml", eta_report)
    assert caught.value.hint == f"known: {', '.join(sorted(formats.names()))}"


@EVERY
def test_a_report_of_nothing(eta_report: Report, name: str) -> None:
    nothing = replace(eta_report, findings=(), warnings=(), dataset=replace(eta_report.dataset, columns=()))
    assert formats.render(name, nothing).endswith("\n") and formats.picture(nothing) is None


@NUMBERS
def test_a_quantity_that_nobody_knows_is_still_there(eta_report: Report, name: str) -> None:
    text = formats.render(name, eta_report).replace("\\", "")
    assert all(one in text for one in ("made_up_later", "1.25", "llp:k=8"))


@NUMBERS
def test_one_value_of_tau_is_printed_and_a_reason_given_for_what_is_missing(tail_report: Report, name: str) -> None:
    report = replace(tail_report, findings=(tail_report.findings[0], tail_report.findings[-1]))
    text = formats.render(name, report).replace("\\", "")
    said = ("rr:epsilon=0.5", "weighted_jeffreys", "some neighbourhoods hold one class only")
    assert all(one in text for one in said)


@pytest.mark.parametrize(("name", "times"), [("json", 50), ("csv", 50), ("text", 2), ("markdown", 2), ("html", 2)])
def test_a_curve_without_any_estimate_is_said_once_above_and_once_below_for_people(
    eta_report: Report, name: str, times: int
) -> None:
    findings = tuple(Finding("j", MISSING, 0.99, "rr:epsilon=1", {"tau": float(tau)}) for tau in range(50))
    report = replace(eta_report, findings=findings)
    assert formats.render(name, report).count("too few rows") == times
    assert formats.picture(report) is None


@NUMBERS
def test_nan_is_refused(eta_report: Report, name: str) -> None:
    findings = (Finding("eta_min", Bound(math.nan, 0.0, 1.0, 3, "none"), 0.99),)
    with pytest.raises(ValueError, match="NaN"):
        formats.render(name, replace(eta_report, findings=findings))


@EVERY
def test_no_control_character_of_a_name_comes_through(tail_report: Report, name: str) -> None:
    text = formats.render(name, tail_report)
    assert all(character.isprintable() or character in "\r\n" for character in text) and text.encode()
