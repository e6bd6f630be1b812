"""The least noise that meets a policy, and what every strength that was tried would let through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Bound, Finding, Outcome, Report, Verdict
from . import compared, curves
from .grid import Grid
from .spelling import NOTHING, limits, plain, short

QUANTITY, PARAMETER = "tuned", "tune"
TITLE = "The least noise that meets the policy"
_OWN = (*curves.PARAMETERS, "k")  # what a mechanism says of itself
_NOTE = "Cells: estimate [at least, at most], and whether the line lets it pass."


@dataclass(frozen=True)
class Tried:
    """A mechanism, its parameter, and of each line of the policy what it is about."""

    mechanism: str
    value: float | None
    bounds: tuple[Bound | None, ...]


def of(report: Report) -> Finding | None:
    return next((one for one in report.findings if one.quantity == QUANTITY), None)


def is_one(finding: Finding) -> bool:
    return finding.quantity == QUANTITY


def parameter(found: Finding) -> str:
    """The one that was looked for: its value is what was found."""
    own = [key for key in found.at if key in _OWN]
    return next((key for key in own if found.at[key] == found.bound.estimate), own[0] if own else "epsilon")


def sentence(report: Report) -> str:
    found = of(report)
    if found is None:
        return ""
    kind = plain(str(report.parameters.get(PARAMETER, ""))) or compared.bare(found.mechanism) or "this kind"
    if found.bound.estimate is None:
        return f"No strength of {kind} meets the policy: {plain(found.bound.reason or 'no reason is known')}."
    return f"{compared.bare(found.mechanism)} is the least noise of {kind} that meets the policy{_between(found)}."


def _between(found: Finding) -> str:
    bound = found.bound
    if bound.low is None or bound.high is None:
        return ""
    return f"; it turns between {parameter(found)} = {short(bound.low)} and {short(bound.high)}"


def lines(report: Report) -> tuple[Verdict, ...]:
    """Of the policy, those that a number was found for."""
    judged = report.judgement.verdicts if report.judgement else ()
    return tuple(one for one in judged if one.worst is not None)


def tried(report: Report) -> tuple[Tried, ...]:
    """In the order of the parameter."""
    found, asked = of(report), lines(report)
    if found is None or not asked:
        return ()
    key, groups = parameter(found), _by_mechanism(report, {one.quantity for one in asked})
    rows = [
        Tried(name, next((value for one in members if (value := one.place(key)) is not None), None),
              tuple(_bound(line, members) for line in asked))
        for name, members in groups.items()
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: math.inf if row.value is None else row.value))


def _by_mechanism(report: Report, quantities: set[str]) -> dict[str, list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for one in report.findings:
        if one.quantity in quantities and one.mechanism:
            groups.setdefault(one.mechanism, []).append(one)
    return groups


def _bound(line: Verdict, members: Sequence[Finding]) -> Bound | None:
    """At the place that the line was judged at."""
    assert line.worst is not None
    place = _place(line.worst)
    return next((one.bound for one in members if one.quantity == line.quantity and _place(one) == place), None)


def _place(finding: Finding) -> dict[str, float | str]:
    return {key: value for key, value in finding.at.items() if key not in _OWN}


def passes(line: Verdict, bound: Bound | None) -> bool | None:
    """None where nothing is known."""
    value = None if bound is None else getattr(bound, line.field)
    if value is None:
        return None
    above, strict = line.comparison.startswith(">"), "=" not in line.comparison
    beyond = value > line.threshold if above else value < line.threshold
    return not (beyond or (not strict and value == line.threshold))


def table(report: Report) -> Grid | None:
    found, rows = of(report), tried(report)
    if found is None or not rows:
        return None
    asked = lines(report)
    header = (parameter(found), "mechanism", *(plain(one.line) for one in asked))
    return Grid(header, [_cells(row, asked, found) for row in rows], (1,), _NOTE)


def _cells(row: Tried, asked: Sequence[Verdict], found: Finding) -> list[str]:
    picked = " (chosen)" if row.mechanism == found.mechanism else ""
    said = (_cell(line, bound) for line, bound in zip(asked, row.bounds, strict=True))
    return [short(row.value), plain(row.mechanism) + picked, *said]


def _cell(line: Verdict, bound: Bound | None) -> str:
    if bound is None:
        return NOTHING
    passed = passes(line, bound)
    word = Outcome.NOT_MEASURED if passed is None else "passes" if passed else "does not"
    return " ".join(filter(None, (short(bound.estimate), limits(bound), str(word))))
