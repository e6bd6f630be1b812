"""Estimates whose limits are known not to hold, and have none: all formats show them, and no policy passes by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from joint import REPORTS
from judging import TODAY, judged

from labeldp_audit.cli.explain import KNOWN
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Outcome
from labeldp_audit.core.report import Report
from labeldp_audit.policy import advice, judge
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import stored

WHY = "rows were drawn again: limits would not hold"
Cut = Callable[[Bound], Bound]


def no_limits(bound: Bound) -> Bound:
    return replace(bound, low=None, high=None, reason=WHY)


CUTS: dict[str, Cut] = {
    "no limits": no_limits,
    "no low": lambda bound: replace(bound, low=None, reason=WHY),
    "no high": lambda bound: replace(bound, high=None, reason=WHY),
    "nothing": lambda bound: replace(no_limits(bound), estimate=None),
}


MOST_PLACES = 3  # of a quantity under a mechanism: a curve of three points has a first, a last and one between


@pytest.fixture(params=REPORTS)
def whole(request: pytest.FixtureRequest) -> Report:
    report: Report = request.getfixturevalue(request.param)
    places: dict[tuple[str, str | None], list[Finding]] = {}
    for one in report.findings:
        places.setdefault((one.quantity, one.mechanism), []).append(one)
    kept = [one for found in places.values() for one in found[:: max(1, len(found) // MOST_PLACES)]]
    return replace(report, findings=tuple(kept))


def cut(report: Report, how: Cut, quantity: str | None = None) -> Report:
    """Findings of that quantity, or all; what is certified is a limit, so nothing is left of it. And judged."""
    found = []
    for one in report.findings:
        about = quantity in (None, one.quantity)
        using = CUTS["nothing"] if one.quantity.startswith("certified_") and how is no_limits else how
        found.append(replace(one, bound=using(one.bound)) if about else one)
    report = replace(report, findings=tuple(found), judgement=None)
    names = dict.fromkeys(one.quantity for one in found)
    lines = tuple(f"{name}.{field} > 0.5" for name in names for field in ("low", "high"))
    report = judged(report, lines)
    said = advice.for_lines(map(judge.parse, lines), report)
    return replace(report, remarks=(*report.remarks, *said))


def check_every_format(report: Report, widths: tuple[int, ...] = (40, 120)) -> None:
    for name in formats.names():
        for width in widths if name == "text" else widths[-1:]:
            assert formats.render(name, report, width=width).endswith("\n")
    formats.picture(report)
    text = formats.render("json", report)
    again = stored.read(text, "r.json", QUANTITIES)
    assert [one.bound for one in again.findings] == [one.bound for one in report.findings]
    assert formats.render("json", again) == text


@pytest.mark.parametrize("how", CUTS)
def test_a_report_or_a_quantity_without_limits(whole: Report, how: str) -> None:
    check_every_format(cut(whole, CUTS[how]))
    names = list(dict.fromkeys(one.quantity for one in whole.findings))
    each = how == "no limits" and whole.command != "audit"  # which has what the others have
    for quantity in names if each else (names[0], names[-1]):
        check_every_format(cut(whole, CUTS[how], quantity), (80,))


@pytest.mark.parametrize("mechanism", [None, "rr:epsilon=1"])
@pytest.mark.parametrize("quantity", [name for name in KNOWN if name.isidentifier()])
def test_a_quantity_all_by_itself(eta_report: Report, quantity: str, mechanism: str | None) -> None:
    bound = Bound(0.75, 0.5, 1.0, 100, "clopper-pearson")
    at: dict[str, float | str] = {"tau": 1.0} if quantity.endswith("j") else {}
    at |= {"column": "age"} if quantity.startswith("column_") else {}
    one = Finding(quantity, bound, 0.99, mechanism, at)
    for how in ("no limits", "nothing"):
        check_every_format(cut(replace(eta_report, findings=(one,)), CUTS[how]), (80,))


@pytest.mark.parametrize("field", ["low", "high"])
def test_a_line_on_a_limit_that_is_not_there_is_not_measured(whole: Report, field: str) -> None:
    """Whatever the estimate and the threshold: it stops the release."""
    report = cut(whole, no_limits)
    for quantity in dict.fromkeys(one.quantity for one in report.findings):
        for comparison in ("> 1e9", "> 0", "< -1e9", "< 1e9"):
            line = judge.parse(f"{quantity}.{field} {comparison}")
            [verdict] = judge.judge(judge.Policy((line,)), report, TODAY).verdicts
            assert verdict.outcome is Outcome.NOT_MEASURED and verdict.counts
            assert "tuned" in quantity or f"has no {field}" in verdict.said


@pytest.mark.parametrize("name", [name for name in formats.names() if not formats.of_verdicts(name)])
def test_why_an_estimate_has_no_limits_is_said(whole: Report, name: str) -> None:
    """Of each quantity that a format shows to people."""
    report = replace(cut(whole, no_limits), judgement=None)
    assert WHY in " ".join(formats.render(name, report, width=120).split())


def test_and_it_is_said_once_for_all_places(tail_report: Report) -> None:
    report = replace(cut(tail_report, no_limits, "j"), judgement=None)
    text = " ".join(formats.render("text", report, width=120).split())
    assert text.count(WHY) == 1 and "limits of j rr:epsilon=0.5, " in text
    assert "there are no limits" in " ".join(formats.screen(report).split())
