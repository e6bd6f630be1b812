"""A policy put to the test: what its lines ask a table about, which of them no report could answer, and its verdict."""

from __future__ import annotations

import contextlib
import datetime
import difflib
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import SpecError
from ..core.policy import Line, Policy
from ..core.quantity import BOUND, PER_CENT, Quantity, find_theorems
from ..core.report import Report
from ..policy import advice, changes, files, judge
from ..policy.judge import PARAMETERS
from ..questions.every import QUANTITIES, QUESTIONS

if TYPE_CHECKING:  # a stored report is judged in a few tenths of a second
    from ..core.arrays import Floats
    from ..core.mechanism import Mechanism

MOST_CLASSES = 100  # of a label: a parameter may make sense for many, and for two it is looked at again
_UNKNOWN = Quantity("", "", "", "", "", "")  # a number that this version does not have


# ---- before anything is read


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


def check(line: Line) -> None:
    """What no label could have is met at once: a line like that would never be measured."""
    known = QUANTITIES.get(line.quantity, _UNKNOWN)
    if not known.has_limits and line.field != "estimate":
        what = f"{line.quantity} has no limits, only an estimate, in {line.text!r}"
        hint = f"use {line.quantity}.estimate, or a line on advantage such as 'advantage.high > 0.05'"
        raise SpecError(what, hint=hint)
    if known.share and known.written_in == PER_CENT and not line.upward and not line.holds(0.0):
        hint = "a line says what blocks a release, such as 'j(tau=3).high > 0.05'"
        raise SpecError(f"{line.text!r} cannot fail: a share is never below 0", hint=hint)
    canonical(line, MOST_CLASSES)
    named = [name for name in line.at if name in ("mechanism", *PARAMETERS)]
    if known.of_losses and named:
        of_two = canonical(line, 2)
        if any(not _may_have_loss(name, of_two.at[name]) for name in named):
            what = f"{line.quantity} is defined where each label is replaced on its own, in {line.text!r}"
            raise SpecError(what, hint="a line on advantage judges every mechanism")


def _may_have_loss(name: str, value: float | str) -> bool:
    """May a mechanism with that coordinate have one?"""
    from ..mechanisms import MECHANISMS
    from ..questions import releases

    if name == "mechanism":
        return any(releases.noise_of(one) is not None for one in MECHANISMS.parse(str(value), 2))
    return any(name in one.at() and releases.noise_of(one) is not None for one in _examples())


def _examples() -> list[Mechanism]:
    """The mechanisms of each kind's example; of another package's kind it may be malformed."""
    from ..mechanisms import MECHANISMS

    found: list[Mechanism] = []
    for kind in MECHANISMS:
        with contextlib.suppress(SpecError):
            found += MECHANISMS.parse(kind.example, 2)
    return found


def canonical(line: Line, classes: int) -> Line:
    """Mechanisms and theorems as reports of a label with so many classes write them: rr:lambda=0.2 has an epsilon."""
    from ..mechanisms import MECHANISMS

    line = with_theorem(line)
    if "mechanism" not in line.at:
        return line
    asked = _spelled(line.at["mechanism"])
    try:
        found = [one.spec for one in MECHANISMS.parse(asked, classes)]
    except SpecError as error:
        raise SpecError(f"{error.what}, in {line.text!r}", hint=_in_quotes(line, classes) or error.hint) from None
    if len(found) != 1:
        what = f"one mechanism is wanted, not {len(found)}: {asked!r}, in {line.text!r}"
        raise SpecError(what, hint="write a line for each")
    return replace(line, at={**line.at, "mechanism": found[0]})


def with_theorem(line: Line) -> Line:
    """The name of a theorem as findings write it. A quantity that does not stand at theorems is all by those it has."""
    known = QUANTITIES.get(line.quantity, _UNKNOWN)
    if len(found := find_theorems(str(line.at.get(BOUND, "")), known.theorems_about(line.field))) != 1:
        return line
    at = {**line.at, BOUND: found[0]} if BOUND in known.axes else {key: line.at[key] for key in line.at if key != BOUND}
    return replace(line, at=at)


def _in_quotes(line: Line, classes: int) -> str:
    """A comma ends a value, so what was meant for the mechanism may have become the next coordinates."""
    from ..mechanisms import MECHANISMS

    names = list(line.at)
    spec = _spelled(line.at["mechanism"])
    for name in names[names.index("mechanism") + 1 :]:
        spec += f",{name}={_spelled(line.at[name])}"
        with contextlib.suppress(SpecError):
            MECHANISMS.parse(spec, classes)
            return f"put it in quotes: mechanism='{spec}' (a shell wants the whole line in double ones then)"
    return ""


def _spelled(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


# ---- what the lines ask a table about


def quantities_of(policy: Policy, also: Iterable[Quantity] = ()) -> set[str]:
    """What no audit measures is met before the audit, which may be long. also: measured beside answers."""
    answered = (one for question in QUESTIONS.values() for one in question.quantities)
    quantities = tuple(dict.fromkeys(one.name for one in (*answered, *also)))
    known_coordinates = coordinates()
    for line in policy.lines:
        _check_known("quantity", line.quantity, quantities, line)
        for name in line.at:
            _check_known("coordinate", name, known_coordinates, line)
        if fault := judge.no_theorem(with_theorem(line), QUANTITIES.get(line.quantity)):
            raise SpecError(fault, line.text)
        tau = line.at.get("tau", 0.0)
        if not isinstance(tau, float) or not math.isfinite(tau):
            raise SpecError(f"tau is a finite number, not {tau}", line.text, hint="a loss in nats, such as tau=3")
    return {line.quantity for line in policy.lines}


def coordinates() -> tuple[str, ...]:
    """By which lines of a policy pick findings: what is not among them picks none, however long the audit takes.

    `mechanism` names all parameters of one at once.
    """
    axes = (axis for one in QUANTITIES.values() for axis in one.axes)
    return tuple(dict.fromkeys(("mechanism", *axes, *(key for one in _examples() for key in one.at()))))


def _check_known(kind: str, name: str, known: Sequence[str], line: Line) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        raise SpecError(f"unknown {kind} {name!r}", line.text, hint=hint)


def check_losses(policy: Policy | None, asked: Sequence[Mechanism]) -> None:
    """asked: mechanisms that lines are about."""
    from ..questions import releases

    for line in policy.lines if policy else ():
        if QUANTITIES.get(line.quantity, _UNKNOWN).of_losses:
            releases.check_losses(asked, line.text)


def _along_tau(policy: Policy | None) -> list[Line]:
    lines = policy.lines if policy else ()
    return [line for line in lines if "tau" in QUANTITIES.get(line.quantity, _UNKNOWN).axes]


def asked_at(policy: Policy | None) -> list[float]:
    """The losses that lines name."""
    named = {line.at.get("tau") for line in _along_tau(policy)}
    return sorted(tau for tau in named if isinstance(tau, float) and math.isfinite(tau))


def taus_of(policy: Policy, typed: Floats | None) -> Floats | None:
    """Those of the policy and those typed; where a line is about the whole curve, the whole curve."""
    import numpy as np

    if typed is None and any("tau" not in line.at for line in _along_tau(policy)):
        return None
    return np.union1d(asked_at(policy), [] if typed is None else typed)


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
    report = _without_advice(report)
    if report.command != "tune" or report.judgement is None:
        report = replace(report, judgement=judge.judge(replace(by, lines=lines), report, today))
    return replace(report, remarks=(*report.remarks, *advice.for_lines(lines, report)))


def compared(older: Report, newer: Report) -> Report:
    """Report what changed."""
    found = changes.between(older, newer)
    changes.check_numbers(found)
    return changes.report(found)


def _beside(report: Report, by: Policy | None, older: Report) -> Report:
    compared = changes.between(older, report)
    changes.check_baseline(compared)
    if by is None:
        return replace(report, judgement=changes.judgement(compared))
    now, before = judged(report, by), judged(older, by).judgement
    assert now.judgement is not None and before is not None
    lines = [canonical(judge.parse(one.line), len(report.dataset.classes)) for one in now.judgement.verdicts]
    return replace(now, judgement=changes.accepted(lines, now.judgement, before, compared, _today()))


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _without_advice(report: Report) -> Report:
    """What was said of the lines of the policy that judged it before is not said of those of another one."""
    return replace(report, remarks=tuple(one for one in report.remarks if one.code not in advice.ADVISERS))
