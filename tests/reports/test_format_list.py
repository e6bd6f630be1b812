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
# Formats that show the numbers of a report; the others are about the verdicts of a policy (test_faults.py).
OURS = ("text", "json", "csv", "markdown", "html", "sarif", "junit", "github")
NUMBERS = pytest.mark.parametrize("name", [name for name in formats.names() if not formats.of_verdicts(name)])


def test_names() -> None:
    assert formats.names()[: len(OURS)] == OURS


def test_an_unknown_format_lists_what_exists(eta_report: Report) -> None:
    with pytest.raises(SpecError, match="unknown format 'yaml'") as caught:
        formats.render("yaml", eta_report)
    assert caught.value.hint == f"known: {', '.join(sorted(formats.names()))}"


@EVERY
def test_a_report_of_nothing(eta_report: Report, name: str) -> None:
    nothing = replace(eta_report, findings=(), warnings=(), dataset=replace(eta_report.dataset, columns=()))
    assert formats.render(name, nothing).endswith("\n")
    assert formats.picture(nothing) is None


@NUMBERS
def test_a_quantity_that_nobody_knows_is_still_there(eta_report: Report, name: str) -> None:
    text = formats.render(name, eta_report).replace("\\", "")
    assert "made_up_later" in text
    assert "1.25" in text
    assert "llp:k=8" in text


@NUMBERS
def test_a_reason_is_given_for_what_is_missing(tail_report: Report, name: str) -> None:
    text = formats.render(name, tail_report).replace("\\", "")
    assert "weighted_jeffreys" in text
    assert "some neighbourhoods hold one class only" in text


@pytest.mark.parametrize("name", [name for name in OURS if not formats.of_verdicts(name)])
def test_a_curve_without_any_estimate_is_said_once_above_and_once_below_for_people(
    eta_report: Report, name: str
) -> None:
    missing = Bound(None, None, None, 0, "none", reason="too few rows")
    findings = tuple(Finding("j", missing, 0.99, "rr:epsilon=1", {"tau": float(tau)}) for tau in range(50))
    report = replace(eta_report, findings=findings)
    assert formats.render(name, report).count("too few rows") == (50 if name in ("json", "csv") else 2)
    assert formats.picture(report) is None


@NUMBERS
def test_one_value_of_tau_is_printed(tail_report: Report, name: str) -> None:
    report = replace(tail_report, findings=tail_report.findings[:1])
    assert "rr:epsilon=0.5" in formats.render(name, report)


@NUMBERS
def test_nan_is_refused(eta_report: Report, name: str) -> None:
    findings = (Finding("eta_min", Bound(math.nan, 0.0, 1.0, 3, "none"), 0.99),)
    with pytest.raises(ValueError, match="NaN"):
        formats.render(name, replace(eta_report, findings=findings))


@EVERY
def test_no_control_character_of_a_name_comes_through(tail_report: Report, name: str) -> None:
    text = formats.render(name, tail_report)
    assert all(character.isprintable() or character in "\r\n" for character in text)
    assert text.encode()


def test_a_picture_drawn_twice_is_the_same(tail_report: Report) -> None:
    assert formats.picture(tail_report)
    assert formats.picture(tail_report) == formats.picture(tail_report)
