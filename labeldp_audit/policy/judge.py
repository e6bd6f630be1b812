"""Policy x Report -> verdicts. Pure: what is judged is what the report holds, and what it does not hold is not passed.

A line is about every finding of its quantity at its place. A number is safe to pass only if its limit passes; where the
limit does not, but the estimate does, that is open. So it is where a lower limit passes and the estimate does
not: more rows might raise it.
"""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ..core.finding import BASELINE, CLEAR, Bound, Finding
from ..core.policy import Judgement, Line, Outcome, Policy, Verdict, Waived
from ..core.quantity import BOUND, Quantity, find_theorems
from ..core.registry import rounded
from ..core.remark import DOUBTS
from ..core.report import COMPARED, Report
from .lines import NUMBER, parse

__all__ = ["COMPARED", "PARAMETERS", "Line", "Policy", "judge", "parse", "verdict"]

CERTIFIED = "certified_"
PARAMETERS = ("epsilon", "pi", "lambda", "k")  # coordinates that say which mechanism it is
GIVEN_AWAY = parse("labels_given_away.low > 0.99")  # stands in every policy; only tables that break it have a finding
_WORST_FIRST = (Outcome.NOT_MEASURED, Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.UNPROVEN, Outcome.PASS)


def judge(policy: Policy, report: Report, today: datetime.date) -> Judgement:
    about = [one for one in policy.waivers if one.dataset == report.dataset.sha256]
    valid = {one.quantity: one for one in about if today <= one.until}
    verdicts = []
    given_away = any(one.quantity == GIVEN_AWAY.quantity and one.bound.low is not None for one in report.findings)
    for line in (*policy.lines, *([GIVEN_AWAY] if given_away else ())):
        one = verdict(line, report, policy.confidence)
        if one.outcome in (Outcome.PASS, Outcome.UNPROVEN) and (clear := cannot_fail(line, report.findings)):
            most = _short(most_of(line, clear.bound))
            one = replace(one, outcome=Outcome.VACUOUS, said=f"even labels without noise pass: at most {most}")
        if one.outcome is Outcome.UNPROVEN and policy.unproven_passes:
            one = replace(one, outcome=Outcome.PASS, failing=0)
        elif one.outcome not in (Outcome.PASS, Outcome.NOT_MEASURED):  # a risk can be accepted once it is known
            one = replace(one, waiver=valid.get(one.quantity))
        verdicts.append(one)
    told = any(one.outcome is not Outcome.VACUOUS for one in verdicts[: len(policy.lines)])
    if policy.vacuous_passes and told:
        passed = {Outcome.VACUOUS: Outcome.PASS}
        verdicts = [replace(one, outcome=passed.get(one.outcome, one.outcome)) for one in verdicts]
    used = {one.waiver for one in verdicts}
    waivers = (Waived(one, one in about, today > one.until, one in used) for one in policy.waivers)
    return Judgement(tuple(verdicts), tuple(waivers))


def verdict(line: Line, report: Report, confidence: float = 0.0) -> Verdict:
    """The worst verdict over the findings that a line is about."""
    asked = _Asked(line, report)
    judged = asked.findings
    doubt = next((one.code for one in report.remarks if one.code in DOUBTS), None)
    unsure = [one for one in judged if one.confidence < confidence]
    found = [(asked.outcome(one), one) for one in judged]
    worst: Finding | None = None
    if judged and doubt is not None:
        found, worst = [(Outcome.NOT_MEASURED, one) for one in judged], judged[0]
        said = f"{line.quantity}: {DOUBTS[doubt]}"
    elif unsure:
        found, worst = [(Outcome.NOT_MEASURED if one in unsure else known, one) for known, one in found], unsure[0]
        said = f"measured with confidence {_short(worst.confidence)}, and {_short(confidence)} is asked for"
    elif said := asked.missing():
        worst = next((one for known, one in found if known is Outcome.NOT_MEASURED), None)
        broken = [pair for pair in found if pair[0] is Outcome.FAIL]
        said += f"; and {asked.sentence(*min(broken, key=asked.rank))}" if broken else ""
    else:
        outcome, worst = min(found, key=asked.rank)
        return _verdict(line, outcome, asked.sentence(outcome, worst), worst, found)
    return _verdict(line, Outcome.NOT_MEASURED, said, worst, found)


def _verdict(
    line: Line, outcome: Outcome, said: str, worst: Finding | None, found: list[tuple[Outcome, Finding]]
) -> Verdict:
    failing = sum(one is not Outcome.PASS for one, _ in found)
    return Verdict(
        line.text, outcome, said, line.quantity, line.field, line.comparison, line.threshold, worst, len(found), failing
    )


def outcomes(line: Line, report: Report) -> list[tuple[Outcome, Finding]]:
    """The findings that decide a line, each by itself."""
    asked = _Asked(line, report)
    return [(asked.outcome(one), one) for one in asked.findings]


def cannot_fail(line: Line, findings: Iterable[Finding]) -> Finding | None:
    """What labels without noise come to at the place of the line, where even they pass it and it stops what is
    large."""
    if not line.upward or BASELINE in line.at:
        return None
    known = [one for one in findings if one.quantity == line.quantity and one.at.get(BASELINE) == CLEAR]
    there = [one for one in known if _is_at(one, {key: line.at[key] for key in line.at.keys() & one.at.keys()})]
    most = [(most_of(line, one.bound), one) for one in there or known]
    passing = [(value, one) for value, one in most if value is not None and not line.holds(value)]
    return max(passing, key=lambda pair: pair[0])[1] if passing and len(passing) == len(most) else None


def no_theorem(line: Line, about: Quantity | None) -> str:
    """Return why the theorem that it names is not one that the quantity has; empty if nothing is wrong."""
    asked, known = line.at.get(BOUND), about.theorems_about(line.field) if about else []
    if not known or asked is None or asked in known:
        return ""
    meant = "; ".join(find_theorems(str(asked), known) or known)
    return f"{line.quantity}.{line.field} has no one theorem {str(asked)!r}; it has: {meant}"


def most_of(line: Line, bound: Bound) -> float | None:
    """A release that hides nothing has at most so much. A low is no such number: more rows raise it. By definition some
    have no limits, and others have none for a reason."""
    if line.field == "estimate" or (bound.high is None and bound.reason is None):
        return bound.estimate
    return bound.high


@dataclass(frozen=True)
class _Asked:
    """What a line asks a report."""

    line: Line
    report: Report

    @cached_property
    def axis(self) -> str:
        """The coordinate along which the quantity never grows; empty where there is none."""
        known = self.report.quantities.get(self.line.quantity)
        return known.falls_along if known else ""

    @cached_property
    def along(self) -> float | None:
        """Where on that axis it is asked."""
        value = self.line.at.get(self.axis)
        return value if isinstance(value, float) else None

    @cached_property
    def findings(self) -> list[Finding]:
        """Those that decide; along a falling curve, of each curve the next place on the careful side."""
        if self.along is None:
            return self._at_place
        return [one for curve in self._curves.values() for one in self._beside(curve, self.along)]

    @cached_property
    def _at_place(self) -> list[Finding]:
        """At all coordinates but the one along which a neighbour will do."""
        at, quantity = self.line.at, self.line.quantity
        rest = at if self.along is None else {key: value for key, value in at.items() if key != self.axis}
        asked = (
            one for one in self.report.findings if one.quantity == quantity and one.mechanism not in self._compared
        )
        return [one for one in asked if _is_at(one, rest) and (BASELINE in at or BASELINE not in one.at)]

    @cached_property
    def _curves(self) -> dict[tuple[str | None, frozenset[tuple[str, float | str]]], list[Finding]]:
        """Findings that differ along the axis alone."""
        curves: dict[tuple[str | None, frozenset[tuple[str, float | str]]], list[Finding]] = {}
        for one in self._at_place:
            rest = frozenset((key, value) for key, value in one.at.items() if key != self.axis)
            curves.setdefault((one.mechanism, rest), []).append(one)
        return curves

    def _beside(self, curve: Iterable[Finding], asked: float) -> list[Finding]:
        """Those at the last place up to the one asked for, as the quantity never grows: no less than there. If small
        numbers are what must not go out, at the next place from there on. What stands at no place counts everywhere."""
        upward = self.line.upward
        known = [(math.nan if (place := one.place(self.axis)) is None else place, one) for one in curve]
        fit = [place for place, _ in known if (place <= asked if upward else place >= asked)]
        nearest = (max if upward else min)(fit, default=math.nan)
        return [one for place, one in known if place == nearest or math.isnan(place)]

    @cached_property
    def _mechanisms(self) -> dict[str, float | str]:
        """The coordinates that say which mechanisms it is about."""
        return {key: value for key, value in self.line.at.items() if key in ("mechanism", *PARAMETERS)}

    @cached_property
    def _compared(self) -> frozenset[str]:
        """Mechanisms that a line is about only if it names them."""
        value = () if self._mechanisms else self.report.parameters.get(COMPARED, ())
        return frozenset(map(str, value)) if isinstance(value, list | tuple) else frozenset()

    # ---- one finding

    def value(self, bound: Bound) -> float | None:
        """What is compared; NaN, which is neither above nor below anything, is no number."""
        value: float | None = getattr(bound, self.line.field)
        return None if value is None or math.isnan(value) else value

    def outcome(self, finding: Finding) -> Outcome:
        bound, line, value = finding.bound, self.line, self.value(finding.bound)
        if value is None:
            return Outcome.NOT_MEASURED
        if not line.holds(value):
            return Outcome.UNPROVEN if self._is_unproven(finding) else Outcome.PASS
        # Where only limits are known, the other one decides whether the worse end is all that speaks against it.
        known = bound.estimate if bound.estimate is not None else bound.low if line.upward else bound.high
        return Outcome.FAIL if known is not None and line.holds(known) else Outcome.INCONCLUSIVE

    def _estimates(self, finding: Finding) -> list[float]:
        """A certificate is a limit alone: its estimate is that of what is certified."""
        place = (finding.quantity.removeprefix(CERTIFIED), finding.mechanism, finding.at)
        beside = (one for one in self.report.findings if (one.quantity, one.mechanism, one.at) == place)
        return [one.bound.estimate for one in (finding, *beside) if one.bound.estimate is not None]

    def _is_unproven(self, finding: Finding) -> bool:
        """Is a limit all that passes? The estimate does not or, where there is none, neither does the other limit."""
        if not self.line.is_lenient:
            return False
        other = finding.bound.high if self.line.upward else finding.bound.low
        known = self._estimates(finding) or [math.nan if other is None else other]
        return any(math.isnan(one) or self.line.holds(one) for one in known)

    def _estimate_against(self, finding: Finding) -> float | None:
        return next((one for one in self._estimates(finding) if self.line.holds(one)), None)

    def rank(self, judged: tuple[Outcome, Finding]) -> tuple[int, float]:
        """The worst outcome first, and of those what is furthest on the bad side."""
        return _WORST_FIRST.index(judged[0]), -self.distance(*judged)

    def distance(self, outcome: Outcome, finding: Finding) -> float:
        """How far what decides is on the bad side."""
        unproven = outcome is Outcome.UNPROVEN
        value, threshold = (
            self._estimate_against(finding) if unproven else self.value(finding.bound),
            self.line.threshold,
        )
        if value is None or value == threshold:
            return 0.0
        return value - threshold if self.line.upward else threshold - value

    # ---- in words

    def missing(self) -> str:
        """Why something that the line is about has no number."""
        line, found = self.line, self.findings
        if not found:
            return self._no_finding()
        absent = next((one for one in found if self.value(one.bound) is None), None)
        if absent is not None:
            reason = absent.bound.reason or "no reason is known"
            return f"{line.quantity}{_of(absent.mechanism)} has no {line.field}: {reason}"
        judged, left = {one.mechanism for one in found}, list[str | None]()
        # Where mechanisms differ in that quantity at all, each that the line is about is wanted.
        if BASELINE not in line.at and any(
            one.mechanism and one.quantity == line.quantity for one in self.report.findings
        ):
            known = (one for one in self.report.findings if one.mechanism and one.mechanism not in self._compared)
            left = [one.mechanism for one in known if one.mechanism not in judged and _is_at(one, self._mechanisms)]
        if self.along is not None:
            left += [named for (named, _), curve in self._curves.items() if not self._beside(curve, self.along)]
        where = " at that place" if line.at else ""
        return f"the report has no {line.quantity}{_of(left[0])}{where}" if left else ""

    def _no_finding(self) -> str:
        line = self.line
        found = [one for one in self.report.findings if one.quantity == line.quantity]
        if not found:
            near = difflib.get_close_matches(line.quantity, {one.quantity for one in self.report.findings}, 1)
            return f"the report has no {line.quantity}{f', but {near[0]}' if near else ''}"
        if fault := no_theorem(line, self.report.quantities.get(line.quantity)):
            return fault
        known = {"mechanism", *(key for one in found for key in one.at)}
        strange = next((key for key in line.at if key not in known), None)
        return f"{line.quantity} has no {strange}" if strange else f"the report has no {line.quantity} at that place"

    def sentence(self, outcome: Outcome, worst: Finding) -> str:
        line, bound, field = self.line, worst.bound, self.line.field
        along = worst.place(self.axis) if self.axis else None
        place = "" if along is None else f" at {self.axis} = {_short(along)}"
        value = f"{line.quantity}{_of(worst.mechanism)}{place}: {field} {_short(getattr(bound, field))}"
        if outcome is Outcome.PASS:
            return value
        if outcome is Outcome.UNPROVEN:
            against = self._estimate_against(worst)
            why = "there is no estimate" if against is None else f"the estimate, {_short(against)}, does not"
            return f"{value} passes for want of rows: {why}"
        limit = f"{line.comparison} {_short(line.threshold)}"
        if outcome is Outcome.FAIL or field == "estimate":
            beside = "" if field == "estimate" or bound.estimate is None else f", estimate {_short(bound.estimate)}"
            return f"{value} {limit}{beside}"
        known = "no estimate" if bound.estimate is None else f"the estimate, {_short(bound.estimate)}, would pass"
        return f"{value} {limit}, but {known}"


def _is_at(finding: Finding, at: Mapping[str, float | str]) -> bool:
    return all(
        rounded(finding.mechanism or "") == rounded(str(value))
        if key == "mechanism"
        else _fits(finding.at.get(key), value)
        for key, value in at.items()
    )


def _fits(value: float | str | None, asked: float | str) -> bool:
    if value is None:
        return False
    if isinstance(asked, float) and isinstance(value, str) and NUMBER.fullmatch(value):
        value = float(value)  # a class that is called 1
    if isinstance(value, str) or isinstance(asked, str):
        return str(value) == str(asked)
    return f"{value:.6g}" == f"{asked:.6g}" or abs(value - asked) < 1e-12  # as mechanisms are written


def _of(mechanism: str | None) -> str:
    return f" of {rounded(mechanism)}" if mechanism else ""


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
