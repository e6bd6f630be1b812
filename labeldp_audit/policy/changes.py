"""What changed between two reports beyond their limits, and which broken lines were broken before.

Where limits of both hold and do not meet, what they are about is not the same: so all changes together hold with what
both reports may miss. Where they meet, nothing is shown, neither that it changed nor that it did not.
"""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..core.errors import SpecError
from ..core.finding import BASELINE, Change, Finding, Way
from ..core.policy import Judgement, Outcome, Verdict, Waiver
from ..core.report import COMPARED, MEASURED_BY, NUMBERS, OLDER, Report

BASIS = "utility"  # a parameter that decides what numbers mean
NO_WORSE = "is no worse than before"


@dataclass(frozen=True)
class Comparison:
    old: Report
    new: Report
    changes: tuple[Change, ...]  # of all numbers that both have
    alone: Mapping[str, int]  # numbers that only one of them has, by quantity

    def of(self, way: Way) -> list[Change]:
        """Those that are furthest from each other first."""
        return sorted((one for one in self.changes if one.way is way), key=lambda one: -_gap(one))


def _gap(change: Change) -> float:
    was, now = change.old.bound, change.new.bound
    ends = ((now.low, was.high), (was.low, now.high))
    gaps = [low - high for low, high in ends if low is not None and high is not None]
    return max((one for one in gaps if not math.isnan(one)), default=0.0)


def between(old: Report, new: Report) -> Comparison:
    """A SpecError where their numbers are about different things."""
    _check(old, new)
    changes: list[Change] = []
    alone: dict[str, int] = defaultdict(int)
    before, after = _curves(old), _curves(new)
    for key in dict.fromkeys((*before, *after)):
        if key in before and key in after:
            changes += _along(before[key], after[key], new)
        else:
            alone[key[0]] += len(before.get(key, after.get(key, ())))
    return Comparison(old, new, tuple(changes), dict(alone))


# ---- what can be compared


def _check(old: Report, new: Report) -> None:
    for what, of in _ALIKE.items():
        was, now = of(old), of(new)
        if was != now:
            raise SpecError(f"the reports have different {what}: {was} and {now}", hint="audit the newer table alike")
    for name in {one.quantity for one in new.findings}:
        known = new.quantities.get(name)
        for report in (old, new):
            if known is not None and _version(report.version) < _version(known.since):
                what = f"{name} means something else since version {known.since}, and a report is of {report.version}"
                raise SpecError(what, hint="audit the older table again")


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


def _mechanisms(report: Report) -> str:
    compared = report.parameters.get(COMPARED, ())
    beside = set(compared) if isinstance(compared, list | tuple) else set()
    asked = sorted({one.mechanism for one in report.findings if one.mechanism and one.mechanism not in beside})
    return ", ".join(asked) or "none"


_ALIKE: Mapping[str, Callable[[Report], str]] = {
    "labels": lambda report: report.dataset.label,
    "positive labels": lambda report: str(report.dataset.positive),
    "classes": lambda report: ", ".join(report.dataset.classes),
    "mechanisms": _mechanisms,
    "utilities": lambda report: str(report.parameters.get(BASIS, "zero-one")),
}


Key = tuple[str, str | None, frozenset[tuple[str, float | str]]]


def _curves(report: Report) -> dict[Key, list[Finding]]:
    """Findings that differ along the coordinate alone along which the quantity never grows."""
    found: dict[Key, list[Finding]] = defaultdict(list)
    for one in report.findings:
        axis = _axis(one, report)
        rest = frozenset((name, _settled(value)) for name, value in one.at.items() if name != axis)
        found[one.quantity, one.mechanism, rest].append(one)
    return found


def _settled(value: float | str) -> float | str:
    """As mechanisms are written."""
    return value if isinstance(value, str) else float(f"{value:.6g}")


def _axis(finding: Finding, report: Report) -> str:
    known = report.quantities.get(finding.quantity)
    return known.falls_along if known else ""


# ---- which way


def _along(before: Sequence[Finding], after: Sequence[Finding], report: Report) -> Iterator[Change]:
    """At each old place. A number that falls along an axis is no less at an earlier place and no more at a later one,
    so neighbours of the place will do, on the careful side."""
    axis = _axis(after[0], report)
    if not axis:
        yield from (Change(was, now, _way(was, now, report)) for was, now in zip(before, after, strict=False))
        return
    for was in before:
        place = _at(was, axis)
        later = min((one for one in after if _at(one, axis) >= place), key=lambda one: _at(one, axis), default=None)
        earlier = max((one for one in after if _at(one, axis) <= place), key=lambda one: _at(one, axis), default=None)
        if later is not None and _way(was, later, report) is Way.WORSE:
            yield Change(was, later, Way.WORSE)
        elif earlier is not None and _way(was, earlier, report) is Way.BETTER:
            yield Change(was, earlier, Way.BETTER)
        elif (nearest := later or earlier) is not None:
            yield Change(was, nearest, Way.OPEN)


def _at(finding: Finding, axis: str) -> float:
    place = finding.place(axis)
    return math.nan if place is None else place


def _way(was: Finding, now: Finding, report: Report) -> Way:
    """A limit that never exists says nothing: where there is no upper one, the new lower one must pass the estimate."""
    known = report.quantities.get(now.quantity)
    if BASELINE in now.at and was.bound == now.bound:
        return Way.OPEN
    less_is_worse = known is not None and known.less_is_worse
    one_sided = known is not None and not known.has_upper
    grew, fell = _beyond(was, now, one_sided), _beyond(now, was, one_sided)
    if grew == fell:
        return Way.OPEN
    return Way.WORSE if grew != less_is_worse else Way.BETTER


def _beyond(smaller: Finding, larger: Finding, one_sided: bool) -> bool:
    most = smaller.bound.estimate if one_sided else smaller.bound.high
    return most is not None and larger.bound.low is not None and larger.bound.low > most


# ---- a policy beside what was before


def accepted(judged: Judgement, before: Judgement, compared: Comparison, today: datetime.date) -> Judgement:
    """Lines that were as broken before, and whose number is not shown to be worse, do not count in this judgement."""
    outcomes, ranks = {one.line: one.outcome for one in before.verdicts}, list(Outcome)
    worse = {(one.new.quantity, one.new.mechanism) for one in compared.of(Way.WORSE)}
    reason = f"as before ({compared.old.dataset.name}), and not shown to be worse"

    def is_known(one: Verdict) -> bool:
        was = outcomes.get(one.line, Outcome.PASS)
        measured = Outcome.NOT_MEASURED not in (was, one.outcome)
        as_broken = one.counts and measured and ranks.index(was) <= ranks.index(one.outcome)
        return as_broken and (one.quantity, one.worst and one.worst.mechanism) not in worse

    def settled(one: Verdict) -> Verdict:
        waiver = Waiver(one.quantity, compared.new.dataset.sha256, today, reason)
        return replace(one, waiver=waiver) if is_known(one) else one

    return replace(judged, verdicts=tuple(map(settled, judged.verdicts)))


def judgement(compared: Comparison) -> Judgement:
    """Where there is no policy: nothing may have got worse."""
    names = dict.fromkeys(one.new.quantity for one in compared.changes)
    return Judgement(tuple(_no_worse(name, [one for one in compared.changes if one.new.quantity == name])
                           for name in names))  # fmt: skip


def _no_worse(name: str, changes: Sequence[Change]) -> Verdict:
    worse = [one for one in changes if one.way is Way.WORSE]
    line = f"{name} {NO_WORSE}"
    first = next(iter(worse), None)
    said = f"{name}: {len(worse)} of {len(changes)} numbers got worse beyond the limits of both reports"
    outcome = Outcome.PASS if first is None else Outcome.FAIL
    most = math.inf if first is None else _most(first)
    return Verdict(line, outcome, said, name, "low", ">", most, first.new if first else None, len(changes), len(worse))


def _most(change: Change) -> float:
    bound = change.old.bound
    return next((one for one in (bound.high, bound.estimate) if one is not None and math.isfinite(one)), math.inf)


def report(compared: Comparison) -> Report:
    """The newer report, of which the changes are shown."""
    old = compared.old.dataset
    new, changed = compared.new, (*compared.of(Way.WORSE), *compared.of(Way.BETTER))
    told = {MEASURED_BY: new.command, OLDER: [old.name, old.sha256], NUMBERS: len(compared.changes)}
    return replace(new, command="diff", parameters={**told, **new.parameters}, changes=changed, judgement=None)
