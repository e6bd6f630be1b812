"""Policy x Report -> verdicts. Pure: what is judged is what the report holds, and what it does not hold is not passed.

A line is about every finding of its quantity at its place. A number is safe to pass only if its limit passes; where the
limit does not, but the estimate does, nobody knows. Nor does anybody where a lower limit passes and the estimate does
not: more rows might raise it.
"""

from __future__ import annotations

import datetime
import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..core.finding import BASELINE, CLEAR, Bound, Finding
from ..core.policy import Judgement, Line, Outcome, Policy, Verdict, Waived, Waiver
from ..core.remark import DOUBTS, FITTED_BEFORE
from ..core.report import COMPARED, Report
from .lines import NUMBER, parse

__all__ = ["COMPARED", "PARAMETERS", "Line", "Policy", "judge", "parse", "verdict"]

CERTIFIED = "certified_"
PARAMETERS = ("epsilon", "pi", "lambda", "k")  # coordinates that say which mechanism it is


def judge(policy: Policy, report: Report, today: datetime.date) -> Judgement:
    about = [one for one in policy.waivers if one.dataset == report.dataset.sha256]
    valid = {one.quantity: one for one in about if today <= one.until}
    verdicts = tuple(_accepted(verdict(line, report, policy.confidence), policy, valid) for line in policy.lines)
    used = {one.waiver for one in verdicts if one.waiver is not None}
    waivers = (Waived(one, one in about, today > one.until, one in used) for one in policy.waivers)
    return Judgement(verdicts, tuple(waivers))


def _accepted(one: Verdict, policy: Policy, valid: Mapping[str, Waiver]) -> Verdict:
    """A risk can be accepted once it is known: what was not measured is not."""
    if one.outcome is Outcome.UNPROVEN and policy.unproven_passes:
        return replace(one, outcome=Outcome.PASS, failing=0)
    known = one.outcome not in (Outcome.PASS, Outcome.NOT_MEASURED)
    return replace(one, waiver=valid.get(one.quantity)) if known else one


def verdict(line: Line, report: Report, confidence: float = 0.0) -> Verdict:
    """The worst verdict over the findings that a line is about."""
    judged = about(line, report)
    doubt = next((one.code for one in report.remarks if one.code in DOUBTS), None)
    if judged and doubt is not None:
        said = f"{line.quantity}: {_DOUBTED.get(doubt, _REPEATED)}"
        found = [(Outcome.NOT_MEASURED, one) for one in judged]
        return _verdict(line, Outcome.NOT_MEASURED, said, judged[0], found)
    unsure = [one for one in judged if one.confidence < confidence]
    if unsure:
        said = f"measured with confidence {_short(unsure[0].confidence)}, and {_short(confidence)} is asked for"
        found = [(Outcome.NOT_MEASURED if one in unsure else _outcome(line, one, report), one) for one in judged]
        return _verdict(line, Outcome.NOT_MEASURED, said, unsure[0], found)
    found = [(_outcome(line, one, report), one) for one in judged]
    missing = (_missing(line, judged) or _unjudged(line, report, judged)) if judged else _no_finding(line, report)
    if missing:
        worst = next((one for outcome, one in found if outcome is Outcome.NOT_MEASURED), None)
        return _verdict(line, Outcome.NOT_MEASURED, missing, worst, found)
    outcome, worst = min(
        found, key=lambda pair: (_RANK[pair[0]], -_distance(line, _deciding(line, pair[0], pair[1], report)))
    )
    return _verdict(line, outcome, _said(line, outcome, worst, report), worst, found)


_REPEATED = "rows repeat that may be no different people; --repeats copies leaves them out"
_DOUBTED = {
    FITTED_BEFORE: (
        "the classifier was fitted before and may know these labels; its probabilities as an array, "
        "eta=clf.predict_proba(X), say that it has not seen them"
    )
}
_RANK = {outcome: rank for rank, outcome in enumerate(
    (Outcome.NOT_MEASURED, Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.UNPROVEN, Outcome.PASS))}  # fmt: skip


def _verdict(
    line: Line, outcome: Outcome, said: str, worst: Finding | None, found: Sequence[tuple[Outcome, Finding]]
) -> Verdict:
    failing = sum(one is not Outcome.PASS for one, _ in found)
    return Verdict(
        line.text, outcome, said, line.quantity, line.field, line.comparison, line.threshold, worst, len(found), failing
    )


def _outcome(line: Line, finding: Finding, report: Report) -> Outcome:
    bound = finding.bound
    value = _value(line, bound)
    if value is None:
        return Outcome.NOT_MEASURED
    if not line.holds(value):
        return Outcome.UNPROVEN if _estimate_against(line, finding, report) is not None else Outcome.PASS
    # Where only limits are known, the other one decides whether the worse end is all that speaks against it.
    known = bound.estimate if bound.estimate is not None else bound.low if line.upward else bound.high
    return Outcome.FAIL if known is not None and line.holds(known) else Outcome.INCONCLUSIVE


def _estimate_against(line: Line, finding: Finding, report: Report) -> float | None:
    """The estimate, where it breaks a line whose limit on the lenient side does not. A certificate is a limit alone:
    its estimate is that of what is certified."""
    if not line.is_lenient:
        return None
    estimated = replace(finding, quantity=finding.quantity.removeprefix(CERTIFIED))
    beside = (one for one in report.findings if _same_place(one, estimated))
    known = (one.bound.estimate for one in (finding, *beside) if one.bound.estimate is not None)
    return next((one for one in known if line.holds(one)), None)


def _same_place(one: Finding, other: Finding) -> bool:
    return (one.quantity, one.mechanism, one.at) == (other.quantity, other.mechanism, other.at)


def _value(line: Line, bound: Bound) -> float | None:
    """What is compared; NaN, which is neither above nor below anything, is no number."""
    value: float | None = getattr(bound, line.field)
    return None if value is None or math.isnan(value) else value


def _deciding(line: Line, outcome: Outcome, finding: Finding, report: Report) -> float | None:
    return _estimate_against(line, finding, report) if outcome is Outcome.UNPROVEN else _value(line, finding.bound)


def _distance(line: Line, value: float | None) -> float:
    """How far on the bad side."""
    if value is None or value == line.threshold:
        return 0.0
    return float(value - line.threshold if line.upward else line.threshold - value)


def cannot_fail(line: Line, findings: Iterable[Finding]) -> Finding | None:
    """What labels without noise come to, where even they pass a line that stops what is large."""
    if not line.upward or BASELINE in line.at:
        return None
    known = (one for one in findings if one.quantity == line.quantity and one.at.get(BASELINE) == CLEAR)
    return next((one for one in known if (most := most_of(line, one.bound)) is not None and not line.holds(most)), None)


def most_of(line: Line, bound: Bound) -> float | None:
    """A release that hides nothing has at most so much. A low is no such number: more rows raise it. By definition some
    have no limits, and others have none for a reason."""
    if line.field == "estimate" or (bound.high is None and bound.reason is None):
        return bound.estimate
    return bound.high


def about(line: Line, report: Report) -> list[Finding]:
    """The findings that decide a line; along a falling curve, of each curve the next place on the careful side."""
    axis, asked = _falling(line, report)
    if axis is None:
        return _at_place(line, report)
    return [one for curve in _curves(line, report).values() for one in _beside(curve, axis, asked, line.upward)]


def _falling(line: Line, report: Report) -> tuple[str | None, float]:
    """The coordinate along which the quantity never grows, and where it is asked."""
    axis = _axis(line.quantity, report)
    asked = line.at.get(axis) if axis else None
    return (axis, asked) if isinstance(asked, float) else (None, math.nan)


def _axis(quantity: str, report: Report) -> str:
    """The coordinate along which it never grows; empty where there is none."""
    known = report.quantities.get(quantity)
    return known.falls_along if known else ""


def _at_place(line: Line, report: Report) -> list[Finding]:
    """At all coordinates but the one along which a neighbour will do."""
    axis, compared = _falling(line, report)[0], _compared(line, report)
    rest = {key: value for key, value in line.at.items() if key != axis}
    asked = (one for one in report.findings if one.quantity == line.quantity and one.mechanism not in compared)
    return [one for one in asked if _is_at(one, rest) and (BASELINE in line.at or BASELINE not in one.at)]


Curve = tuple[str | None, frozenset[tuple[str, float | str]]]


def _curves(line: Line, report: Report) -> dict[Curve, list[Finding]]:
    """Findings that differ along the axis alone."""
    axis = _falling(line, report)[0]
    curves: dict[Curve, list[Finding]] = {}
    for one in _at_place(line, report):
        rest = frozenset((key, value) for key, value in one.at.items() if key != axis)
        curves.setdefault((one.mechanism, rest), []).append(one)
    return curves


def _about_mechanism(line: Line) -> dict[str, float | str]:
    """The coordinates that say which mechanisms it is about."""
    return {key: value for key, value in line.at.items() if key in ("mechanism", *PARAMETERS)}


def _compared(line: Line, report: Report) -> frozenset[str]:
    """Mechanisms that a line is about only if it names them."""
    value = () if _about_mechanism(line) else report.parameters.get(COMPARED, ())
    return frozenset(map(str, value)) if isinstance(value, list | tuple) else frozenset()


def _beside(curve: Iterable[Finding], axis: str, asked: float, upward: bool) -> list[Finding]:
    """Those at the last place up to the one asked for, as the quantity never grows: no less than there. If small
    numbers are what must not go out, at the next place from there on. What stands at no place counts everywhere."""
    known = [(math.nan if (place := one.place(axis)) is None else place, one) for one in curve]
    fit = [place for place, _ in known if (place <= asked if upward else place >= asked)]
    nearest = (max if upward else min)(fit, default=math.nan)
    return [one for place, one in known if place == nearest or math.isnan(place)]


def _is_at(finding: Finding, at: Mapping[str, float | str]) -> bool:
    return all(_fits(finding.mechanism if key == "mechanism" else finding.at.get(key), value)
               for key, value in at.items())  # fmt: skip


def _fits(value: float | str | None, asked: float | str) -> bool:
    if value is None:
        return False
    if isinstance(asked, float) and isinstance(value, str) and NUMBER.fullmatch(value):
        value = float(value)  # a class that is called 1
    if isinstance(value, str) or isinstance(asked, str):
        return str(value) == str(asked)
    return f"{value:.6g}" == f"{asked:.6g}" or abs(value - asked) < 1e-12  # as mechanisms are written


# ---- in words


def _missing(line: Line, found: Sequence[Finding]) -> str:
    """Why something that the line is about has no number."""
    absent = [one for one in found if _value(line, one.bound) is None]
    if not absent:
        return ""
    named = f" of {absent[0].mechanism}" if absent[0].mechanism else ""
    return f"{line.quantity}{named} has no {line.field}: {absent[0].bound.reason or 'no reason is known'}"


def _unjudged(line: Line, report: Report, found: Sequence[Finding]) -> str:
    """Something that the line is about and of which nothing was found there, beside what was."""
    judged = {one.mechanism for one in found}
    left = [one for one in _asked(line, report) if one not in judged]
    axis, asked = _falling(line, report)
    if axis is not None:
        curves = _curves(line, report).items()
        left += [named for (named, _), curve in curves if not _beside(curve, axis, asked, line.upward)]
    if not left:
        return ""
    named = f" of {left[0]}" if left[0] else ""
    return f"the report has no {line.quantity}{named}{' at that place' if line.at else ''}"


def _asked(line: Line, report: Report) -> list[str | None]:
    """Mechanisms that the line is about, where mechanisms differ in that quantity at all."""
    if BASELINE in line.at or not any(one.mechanism and one.quantity == line.quantity for one in report.findings):
        return []
    compared, named = _compared(line, report), _about_mechanism(line)
    known = (one for one in report.findings if one.mechanism and one.mechanism not in compared)
    return list(dict.fromkeys(one.mechanism for one in known if _is_at(one, named)))


def _no_finding(line: Line, report: Report) -> str:
    found = [one for one in report.findings if one.quantity == line.quantity]
    if not found:
        near = difflib.get_close_matches(line.quantity, {one.quantity for one in report.findings}, 1)
        return f"the report has no {line.quantity}{f', but {near[0]}' if near else ''}"
    known = {"mechanism", *(key for one in found for key in one.at)}
    strange = next((key for key in line.at if key not in known), None)
    return f"{line.quantity} has no {strange}" if strange else f"the report has no {line.quantity} at that place"


def _said(line: Line, outcome: Outcome, worst: Finding, report: Report) -> str:
    bound, field = worst.bound, line.field
    named = f" of {worst.mechanism}" if worst.mechanism else ""
    place = _place(line, worst, report)
    value = f"{line.quantity}{named}{place}: {field} {_short(getattr(bound, field))}"
    if outcome is Outcome.PASS:
        return value
    if outcome is Outcome.UNPROVEN:
        estimate = _short(_estimate_against(line, worst, report))
        return f"{value} passes for want of rows: the estimate, {estimate}, does not"
    limit = f"{line.comparison} {_short(line.threshold)}"
    if outcome is Outcome.FAIL or field == "estimate":
        beside = "" if field == "estimate" or bound.estimate is None else f", estimate {_short(bound.estimate)}"
        return f"{value} {limit}{beside}"
    known = "no estimate" if bound.estimate is None else f"the estimate, {_short(bound.estimate)}, would pass"
    return f"{value} {limit}, but {known}"


def _place(line: Line, finding: Finding, report: Report) -> str:
    axis = _axis(line.quantity, report)
    return f" at {axis} = {_short(finding.place(axis))}" if axis and finding.place(axis) is not None else ""


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"
