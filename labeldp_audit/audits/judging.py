"""A policy put to the test: lines that no report could answer are refused, and a report is judged."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import SpecError
from ..core.finding import Finding
from ..core.policy import Line, Policy
from ..core.report import Report
from ..policy import advice, changes, files, judge
from ..policy.judge import PARAMETERS
from ..policy.lines import parse
from ..questions.every import QUANTITIES

if TYPE_CHECKING:
    from ..core.mechanism import Mechanism

MOST_CLASSES = 100  # of a label: a parameter may make sense for many, and for two it is looked at again


def about_losses(line: Line) -> bool:
    """Whether a line is about losses, which only channels have."""
    known = QUANTITIES.get(line.quantity)
    return known is not None and known.of_losses


def along_tau(line: Line) -> bool:
    known = QUANTITIES.get(line.quantity)
    return known is not None and "tau" in known.axes


# ---- before anything is read


def check(line: Line) -> None:
    """What no label could have is met at once."""
    _check_limits(line)
    canonical(line, MOST_CLASSES)
    _check_loss(line)


def _check_limits(line: Line) -> None:
    """Nothing could ever be measured of what a line like that asks for."""
    known = QUANTITIES.get(line.quantity)
    if known is not None and not known.has_limits and line.field != "estimate":
        what = f"{line.quantity} has no limits, only an estimate, in {line.text!r}"
        raise SpecError(
            what, hint=f"use {line.quantity}.estimate, or a line on advantage such as 'advantage.high > 0.05'"
        )


def _check_loss(line: Line) -> None:
    """A line about a loss of releases that have none would be judged after an audit, and never be measured."""
    named = [name for name in line.at if name in ("mechanism", *PARAMETERS)]
    if not about_losses(line) or not named:
        return
    line = canonical(line, 2)
    if any(not _may_have_loss(name, line.at[name]) for name in named):
        what = f"{line.quantity} is defined where each label is replaced on its own, in {line.text!r}"
        raise SpecError(what, hint="a line on advantage judges every mechanism")


def _may_have_loss(name: str, value: float | str) -> bool:
    """May a mechanism with that coordinate have one?"""
    from ..mechanisms import MECHANISMS
    from ..questions import releases

    if name == "mechanism":
        return any(releases.noise_of(one) is not None for one in MECHANISMS.parse(str(value), 2))
    return any(name in one.at() and releases.noise_of(one) is not None for kind in MECHANISMS for one in _example(kind))


def _example(kind: type[Mechanism]) -> list[Mechanism]:
    """The mechanisms of a kind's example; of another package's kind it may be malformed."""
    from ..mechanisms import MECHANISMS

    with contextlib.suppress(SpecError):
        return MECHANISMS.parse(kind.example, 2)
    return []


def canonical(line: Line, classes: int) -> Line:
    """Mechanisms as reports of a label with so many classes write them: rr:lambda=0.2 is one with an epsilon."""
    if "mechanism" not in line.at:
        return line
    named = _spelled(line.at["mechanism"])
    try:
        found = _specs(named, classes)
    except SpecError as error:
        raise SpecError(f"{error.what}, in {line.text!r}", hint=_in_quotes(line, classes) or error.hint) from None
    if len(found) != 1:
        what = f"one mechanism is wanted, not {len(found)}: {named!r}, in {line.text!r}"
        raise SpecError(what, hint="write a line for each")
    return replace(line, at={**line.at, "mechanism": found[0]})


def _specs(named: str, classes: int) -> list[str]:
    from ..mechanisms import MECHANISMS

    return [one.spec for one in MECHANISMS.parse(named, classes)]


def _in_quotes(line: Line, classes: int) -> str:
    """A comma ends a value, so what was meant for the mechanism may have become the next coordinates."""
    names = list(line.at)
    spec = _spelled(line.at["mechanism"])
    for name in names[names.index("mechanism") + 1 :]:
        spec += f",{name}={_spelled(line.at[name])}"
        with contextlib.suppress(SpecError):
            _specs(spec, classes)
            return f"put it in quotes: mechanism='{spec}' (a shell wants the whole line in double ones then)"
    return ""


def _spelled(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def policy_of(fail_if: str | Iterable[str] = (), file: str | os.PathLike[str] | None = None) -> Policy | None:
    """Lines, beside those of a file, which may have waivers."""
    known = files.Known(QUANTITIES, check)
    lines = files.read([fail_if] if isinstance(fail_if, str) else fail_if, "--fail-if", known)
    kept = Policy(()) if file is None else files.from_file(Path(file), known)
    lines = (*lines, *kept.lines)
    return replace(kept, lines=lines) if lines else None


def wanted(found: Policy | None, example: str = "--fail-if ['advantage.high > 0.05']") -> Policy:
    if found is None:
        raise SpecError("no policy: nothing says what blocks a release", hint=f"for example {example}")
    return found


def check_can_fail(lines: Iterable[Line], findings: Iterable[Finding], balanced: bool) -> None:
    """A line that no release of this table could break stops nothing."""
    told = tuple(findings)
    for line in lines:
        clear = judge.cannot_fail(line, told)
        most = None if clear is None else judge.most_of(line, clear.bound)
        if most is None:
            continue
        what = f"{line.text!r} cannot fail: {line.quantity} is at most {most:.4g} with labels without noise"
        raise SpecError(what, hint=_hint(line, most, balanced))


def _hint(line: Line, most: float, balanced: bool) -> str:
    if line.threshold >= 1:
        return "a share is at most 1: 5 % is written 0.05"
    relative = f"a threshold relative to that, such as {most / 2:.2g} (half of it)"
    return relative if balanced else f"{relative}, or --utility balanced, which counts each class alike however rare"


# ---- a report


def judged(report: Report, by: Policy | None, older: Report | None = None) -> Report:
    """tune has judged already, by what is said of the mechanism that it chose. Beside an older report only what got
    worse counts; where there is no policy nothing may get worse."""
    if older is not None:
        return _beside(report, by, older)
    if by is None:
        return report
    classes, today = len(report.dataset.classes), _today()
    lines = tuple(canonical(line, classes) for line in by.lines)
    check_can_fail(lines, report.findings, report.parameters.get("utility") == "balanced")
    report = _without_doubts(report)
    if report.command != "tune" or report.judgement is None:
        report = replace(report, judgement=judge.judge(replace(by, lines=lines), report, today))
    return replace(report, warnings=tuple(dict.fromkeys((*report.warnings, *advice.for_lines(lines, report)))))


def compared(older: Report | None, newer: Report) -> Report:
    """What changed."""
    assert older is not None
    return changes.report(changes.between(older, newer))


def _beside(report: Report, by: Policy | None, older: Report) -> Report:
    compared = changes.between(older, report)
    if by is None:
        return replace(report, judgement=changes.judgement(compared))
    now, before = judged(report, by), judged(older, by).judgement
    assert now.judgement is not None and before is not None
    return replace(now, judgement=changes.accepted(now.judgement, before, compared, _today()))


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _without_doubts(report: Report) -> Report:
    """What was said of the lines of the policy that judged it before is not said of those of another one."""
    lines = []
    for one in report.judgement.verdicts if report.judgement else ():
        with contextlib.suppress(SpecError):  # of a grammar that has changed since
            lines.append(canonical(parse(one.line), len(report.dataset.classes)))
    said = advice.for_lines(lines, report)
    return replace(report, warnings=tuple(one for one in report.warnings if one not in said))
