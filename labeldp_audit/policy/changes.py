"""What changed between two reports beyond their limits, and which broken lines were broken before.

Where limits of both hold and do not meet, what they are about is not the same: so all changes together hold with what
both reports may miss. Where they meet, nothing is shown, neither that it changed nor that it did not.
"""

from __future__ import annotations

import bisect
import datetime
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..core.errors import SpecError
from ..core.finding import Change, Finding, Way
from ..core.policy import Judgement, Line, Outcome, Verdict, Waiver
from ..core.registry import rounded
from ..core.remark import Remark
from ..core.report import COMPARED, MEASURED_BY, NUMBERS, OLDER, Report
from ..core.table import Dataset
from . import judge

BASIS = "utility"  # a parameter that decides what numbers mean
NO_WORSE = "is no worse than before"
RISE = 0.1  # of a low that has no upper limit beside it: less is chance
SAME = 0.8  # of the columns of a table and its baseline have the same names
_AGAIN = "name a report of an earlier version of the same table"
FEATURES = ("number", "category", "constant")  # roles of columns


@dataclass(frozen=True)
class Comparison:
    old: Report
    new: Report
    changes: tuple[Change, ...]  # of all numbers that both have

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
    before, after = _curves(old), _curves(new)
    for key in before:
        if key in after:
            changes += _along(before[key], after[key], new)
    return Comparison(old, new, tuple(changes))


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


def check_baseline(compared: Comparison) -> None:
    """Refuse an older report of another table, by the names of its columns, or one of other numbers."""
    before, after = ({one.name for one in report.dataset.columns} for report in (compared.old, compared.new))
    if not before or not after:
        raise SpecError("a report that names no columns has no baseline and is none", hint=_AGAIN)
    if len(before & after) < SAME * max(len(before), len(after)):
        what = f"the baseline is of another table: {len(before & after):,} columns in common"
        raise SpecError(f"{what}, of {len(before):,} and {len(after):,}", compared.old.dataset.name, hint=_AGAIN)
    check_numbers(compared)


def check_numbers(compared: Comparison) -> None:
    if not compared.changes:
        raise SpecError("the reports have no numbers in common", hint="audit the newer table by the same command")


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


def _mechanisms(report: Report) -> str:
    compared = report.parameters.get(COMPARED, ())
    beside = set(compared) if isinstance(compared, list | tuple) else set()
    asked = sorted({rounded(one.mechanism) for one in report.findings if one.mechanism and one.mechanism not in beside})
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
    found: dict[Key, list[Finding]] = defaultdict(list)
    for one in report.findings:
        found[_key(one, report)].append(one)
    return found


def _key(one: Finding, report: Report) -> Key:
    """The same for findings that differ along the coordinate alone along which the quantity never grows."""
    axis = _axis(one, report)
    rest = frozenset((name, _settled(value)) for name, value in one.at.items() if name != axis)
    return one.quantity, one.mechanism and rounded(one.mechanism), rest


def _settled(value: float | str) -> float | str:
    """As mechanisms are written."""
    return value if isinstance(value, str) else float(f"{value:.6g}")


def _axis(finding: Finding, report: Report) -> str:
    known = report.quantities.get(finding.quantity)
    return known.falls_along if known else ""


# ---- which way


def _along(before: Sequence[Finding], after: Sequence[Finding], report: Report) -> Iterator[Change]:
    """At each old place. A number that falls along an axis is no less at an earlier place and no more at a later one,
    so neighbours of the place will do, on the careful side. Of several numbers at one place nothing is known."""
    axis = _axis(after[0], report)
    if not axis:
        way = _way(before[0], after[0], report) if len(before) == len(after) == 1 else Way.OPEN
        yield Change(before[0], after[0], way)
        return
    known = sorted((one for one in after if one.place(axis) is not None), key=lambda one: one.place(axis) or 0.0)
    places = [one.place(axis) or 0.0 for one in known]
    for was in before:
        place = was.place(axis)
        if place is None:
            continue
        from_here, up_to = bisect.bisect_left(places, place), bisect.bisect_right(places, place)
        later = known[from_here] if from_here < len(known) else None
        earlier = known[up_to - 1] if up_to else None
        if later is not None and (way := _way(was, later, report)) in (Way.WORSE, Way.CERTAIN):
            yield Change(was, later, way)
        elif earlier is not None and _way(was, earlier, report) is Way.BETTER:
            yield Change(was, earlier, Way.BETTER)
        elif (nearest := later or earlier) is not None:
            yield Change(was, nearest, Way.OPEN)


def _way(was: Finding, now: Finding, report: Report) -> Way:
    known = report.quantities.get(now.quantity)
    ends = was.bound.low, was.bound.high, now.bound.low, now.bound.high
    if any(end is None for end in ends) or (known is not None and known.describes):
        return Way.OPEN
    least, most, low, high = (float(end) for end in ends if end is not None)
    if known is not None and not known.has_upper:
        return Way.CERTAIN if low > least + RISE * abs(least) else Way.OPEN
    less_is_worse = known is not None and known.less_is_worse
    if low > most or high < least:
        return Way.WORSE if (low > most) != less_is_worse else Way.BETTER
    return Way.OPEN


# ---- a policy beside what was before


def accepted(
    lines: Sequence[Line], judged: Judgement, before: Judgement, compared: Comparison, today: datetime.date
) -> Judgement:
    """Lines that were as broken before do not count in this judgement, if every number that breaks them broke them
    before, by no less, and is not shown to be worse."""
    was = {one.line: one.outcome for one in before.verdicts}
    reason = f"broken before as well ({compared.old.dataset.name}), and not shown to be worse"

    def settled(line: Line, one: Verdict) -> Verdict:
        measured = not {Outcome.NOT_MEASURED, Outcome.VACUOUS} & {one.outcome, was.get(one.line, Outcome.PASS)}
        if not (one.counts and measured and _as_before(line, compared)):
            return one
        return replace(one, waiver=Waiver(one.quantity, compared.new.dataset.sha256, today, reason, baseline=True))

    return replace(judged, verdicts=tuple(map(settled, lines, judged.verdicts)))


def _as_before(line: Line, compared: Comparison) -> bool:
    ranks = list(Outcome)
    known = {_key(one, compared.old): (outcome, one) for outcome, one in judge.outcomes(line, compared.old)}
    for outcome, now in judge.outcomes(line, compared.new):
        if outcome is Outcome.PASS:
            continue
        before, was = known.get(_key(now, compared.new), (Outcome.PASS, now))
        if ranks.index(before) > ranks.index(outcome) or Outcome.NOT_MEASURED in (before, outcome):
            return False
        unlimited = None in (was.bound.low, was.bound.high, now.bound.low, now.bound.high)
        if unlimited or _way(was, now, compared.new) in (Way.WORSE, Way.CERTAIN):
            return False
    return True


def judgement(compared: Comparison) -> Judgement:
    """Where there is no policy: nothing may have got worse, and what had limits must have some."""
    names = dict.fromkeys(one.quantity for one in (*compared.old.findings, *compared.new.findings))
    verdicts = (_no_worse(name, compared) for name in names if _is_gated(name, compared.new))
    return Judgement(tuple(one for one in verdicts if one is not None))


def _is_gated(name: str, report: Report) -> bool:
    known = report.quantities.get(name)
    return known is not None and known.has_limits


def _no_worse(name: str, compared: Comparison) -> Verdict | None:
    changes = [one for one in compared.changes if one.new.quantity == name]
    worse = [one for one in changes if one.way is Way.WORSE]
    before, after = ({_key(one, report): one for one in report.findings if one.quantity == name}
                     for report in (compared.old, compared.new))  # fmt: skip
    listed = compared.new.quantities[name].listed
    new = [one for key, one in after.items() if listed and key not in before]
    # Losses are asked up to the end of the curve: a curve that ends sooner has lost no limit.
    last = max((one.place("tau") or 0.0 for one in after.values()), default=math.inf)
    there = {key: one for key, one in before.items() if (one.place("tau") or 0.0) <= last}
    gone = [one for key, one in there.items() if _is_limited(one) and not _is_found(one, after.get(key), listed)]
    first = worse[0].new if worse else next(iter((*new, *gone)), None)
    said = f"{name}: {len(worse) + len(new)} of {len(changes) + len(new)} numbers got worse"
    outcome = Outcome.FAIL if worse or new else Outcome.PASS
    if gone and outcome is Outcome.PASS:
        outcome, said = Outcome.NOT_MEASURED, f"{name} had limits before and has none now"
    most = worse[0].old.bound.high if worse else None
    threshold = math.inf if most is None else most
    judged, failing = len(changes) + len(new) + len(gone), len(worse) + len(new) + len(gone)
    worst = first if first in compared.new.findings else None
    if not judged:
        return None
    return Verdict(f"{name} {NO_WORSE}", outcome, said, name, "low", ">", threshold, worst, judged, failing)


def _is_limited(one: Finding) -> bool:
    """Groups and columns are found anew in each table."""
    named = {"group", "column"} & one.at.keys()
    return not named and one.bound.low is not None and one.bound.high is not None


def _is_found(one: Finding, now: Finding | None, listed: bool) -> bool:
    return listed or (now is not None and now.bound.low is not None and now.bound.high is not None)


def report(compared: Comparison) -> Report:
    """The newer report, of which the changes are shown."""
    old, new = compared.old.dataset, compared.new
    changed = [one for way in (Way.WORSE, Way.CERTAIN, Way.BETTER) for one in compared.of(way)]
    told = {MEASURED_BY: new.command, OLDER: [old.name, old.sha256], NUMBERS: len(compared.changes)}
    parameters, remarks = {**told, **new.parameters}, (*_other_columns(old, new.dataset), *new.remarks)
    return replace(new, command="diff", parameters=parameters, changes=tuple(changed), remarks=remarks, judgement=None)


def _other_columns(old: Dataset, new: Dataset) -> Iterator[Remark]:
    before, after = ({one.name: None for one in data.columns if one.role in FEATURES} for data in (old, new))
    for code, names in (
        ("columns-new", after.keys() - before.keys()), ("columns-gone", before.keys() - after.keys()),
    ):  # fmt: skip
        if names:
            yield Remark(code, columns=[one for one in (*before, *after) if one in names])
