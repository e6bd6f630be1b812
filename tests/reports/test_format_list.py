"""What holds for every format, whatever the report: ours and those of packages that are installed beside it; what
readers see, kept as files (UPDATE_GOLDEN=1 writes them anew); and the table for spreadsheets."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joint import SHARED
from judging import hostile, judged

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
    nothing = replace(eta_report, findings=(), remarks=(), dataset=replace(eta_report.dataset, columns=()))
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


# ---- as files

FILES = {
    "certified-j.txt": "certified_tail", "joint.md": "joint_report",
    **{f"nu-max.{name}": "worst_report" for name in ("json", "csv")},
    **{f"estimate-eta.{name}": "eta_report" for name in ("json", "csv")},  # with a quantity that nobody knows yet
    **{f"advantage.{name}": "gain_report" for name in ("json", "csv")}, "certified-advantage.json": "certified_gain",
    **{f"{name}.screen.txt": f"{name}_report" for name in ("tail", "worst", "eta", "gain", "given", "joint", "tuned")},
}  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_what_readers_see(request: pytest.FixtureRequest, golden: Callable[[str, str], None], file: str) -> None:
    report, form = request.getfixturevalue(FILES[file]), formats.of_ending(file.rpartition(".")[2])
    golden(file, formats.screen(report) if ".screen." in file else formats.render(form, report))


# ---- the table for spreadsheets


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


def test_names_of_coordinates_are_as_harmless_as_cells(eta_report: Report) -> None:
    places = {"a\tb\nc": 1.0, "=1+1": 2.0}
    one = Finding("j", Bound(0.5, None, None, 3, "m"), 0.99, "rr:pi=0.1", places)
    head = formats.render("csv", replace(eta_report, findings=(one,))).splitlines()[0]
    assert head.startswith(r"quantity,mechanism,'=1+1,a\tb\nc,")
