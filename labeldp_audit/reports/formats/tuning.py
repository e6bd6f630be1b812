"""The least noise that meets a policy, and what every strength that was tried would let through."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...core.finding import Bound, Finding
from ...core.policy import COMPARISONS, Outcome, Verdict
from ...core.report import ALONE, MEASURED_BY, TUNE, Report
from . import compared, curves
from .grid import Grid
from .spelling import NOTHING, limits, plain, short

QUANTITY = "tuned"
TITLE = "The least noise that meets the policy"
_OWN = (*curves.PARAMETERS, "k")  # what a mechanism says of itself
_NOTE = "Cells: estimate [at least, at most], and whether the line lets it pass."
_OF_ONE = (
    '"Does not alone": limits hold at all strengths at once; that of one strength alone, as `check` has it, is higher '
    "at its lower end, and breaks the line."
)


@dataclass(frozen=True)
class Search:
    """One mechanism with one parameter left open."""

    found: Finding
    scale: str  # as it was asked for
    parameter: str
    specs: tuple[str, ...]  # of the strengths that the table shows

    @property
    def chosen(self) -> float | None:
        return self.found.bound.estimate

    @property
    def weaker(self) -> float | None:
        """The next strength, with which the policy does not hold."""
        ends = {self.found.bound.low, self.found.bound.high} - {self.chosen}
        return next((end for end in ends if end is not None and math.isfinite(end)), None)


@dataclass(frozen=True)
class Tried:
    """A mechanism, its parameter, and of each line of the policy what it is about."""

    mechanism: str
    value: float | None
    bounds: tuple[Bound | None, ...]
    vetoed: tuple[bool, ...]  # by limits of this strength alone, which are not shown


def is_one(finding: Finding) -> bool:
    return finding.quantity == QUANTITY


def searches(report: Report) -> tuple[Search, ...]:
    known = report.parameters.get(TUNE)
    specs = known if isinstance(known, Mapping) else {}
    return tuple(
        Search(one, str(one.at.get("scale", "")), str(one.at.get("parameter", "")),
               tuple(map(str, specs.get(one.at.get("scale"), ()))))
        for one in filter(is_one, report.findings)
    )  # fmt: skip


def sentence(report: Report) -> str:
    if MEASURED_BY in report.parameters:
        return " ".join(map(_by_another, searches(report)))
    return " ".join(map(_sentence, searches(report)))


def _by_another(search: Search) -> str:
    """Who checks a report by a policy of their own did not tune it."""
    if search.chosen is None:
        return f"No strength of {plain(search.scale)} met the policy that it was tuned by, which may be another one."
    least = "smallest groups" if search.parameter == "k" else "least noise"
    chosen = f"{compared.bare(search.found.mechanism)} had the {least} with which {plain(search.scale)}"
    return f"{chosen} met the policy it was tuned by, which may be another one."


def _sentence(search: Search) -> str:
    found, kind = search.found, plain(search.scale)
    if found.bound.estimate is None:
        return f"No strength of {kind} meets the policy: {plain(found.bound.reason or 'no reason is known')}."
    least = "smallest groups" if search.parameter == "k" else "least noise"
    said = f"{compared.bare(found.mechanism)} has the {least} with which {kind} meets the policy"
    if search.weaker is None:
        return f"{said}, of all that were tried."
    binds = plain(str(found.at.get("binds", "")))
    return f"{said}; with {search.parameter} = {short(search.weaker)} it does not{f': {binds}' if binds else ''}."


def lines(report: Report, search: Search) -> tuple[Verdict, ...]:
    """Lines of the policy that a number was found for."""
    judged = report.judgement.verdicts if report.judgement else ()
    about = (one for one in judged if one.worst is not None and one.worst.mechanism in (None, *search.specs))
    return tuple({one.line: one for one in about}.values())


def tried(report: Report, search: Search) -> tuple[Tried, ...]:
    """In the order of the parameter."""
    asked, vetoes = lines(report, search), _vetoes(report)
    rows = []
    for spec in search.specs if asked else ():
        members = [one for one in report.findings if compared.bare(one.mechanism) == spec and not is_one(one)]
        value = next((value for one in members if (value := one.place(search.parameter)) is not None), None)
        vetoed = tuple(spec in vetoes.get(line.line, ()) for line in asked)
        rows.append(Tried(spec, value, tuple(_bound(line, members) for line in asked), vetoed))
    return tuple(sorted(rows, key=lambda row: math.inf if row.value is None else row.value))


def _vetoes(report: Report) -> Mapping[str, Sequence[str]]:
    known = report.parameters.get(ALONE)
    return known if isinstance(known, Mapping) else {}


def _bound(line: Verdict, members: Sequence[Finding]) -> Bound | None:
    """At the place that the line was judged at; the same for all, where it is about the features."""
    assert line.worst is not None
    if line.worst.mechanism is None:
        return line.worst.bound
    place = _place(line.worst)
    return next((one.bound for one in members if one.quantity == line.quantity and _place(one) == place), None)


def _place(finding: Finding) -> dict[str, float | str]:
    return {key: value for key, value in finding.at.items() if key not in _OWN}


def passes(line: Verdict, bound: Bound | None) -> bool | None:
    """None where nothing is known."""
    value = None if bound is None else getattr(bound, line.field)
    if value is None:
        return None
    return not COMPARISONS[line.comparison](value, line.threshold)


def tables(report: Report) -> tuple[Grid, ...]:
    return tuple(grid for search in searches(report) if (grid := _table(report, search)) is not None)


def _table(report: Report, search: Search) -> Grid | None:
    rows, asked = tried(report, search), lines(report, search)
    if not rows:
        return None
    header = (search.parameter, "mechanism", *(plain(one.line) for one in asked))
    note = f"{_NOTE} {_OF_ONE}" if any(any(row.vetoed) for row in rows) else _NOTE
    return Grid(header, [_cells(row, asked, search) for row in rows], (1,), note)


def _cells(row: Tried, asked: Sequence[Verdict], search: Search) -> list[str]:
    picked = " (chosen)" if row.mechanism == search.found.mechanism else ""
    said = (_cell(*known) for known in zip(asked, row.bounds, row.vetoed, strict=True))
    return [short(row.value), plain(row.mechanism) + picked, *said]


def _cell(line: Verdict, bound: Bound | None, vetoed: bool) -> str:
    if bound is None:
        return NOTHING
    passed = passes(line, bound)
    alone = "does not alone" if vetoed else "passes"
    word = Outcome.NOT_MEASURED if passed is None else alone if passed else "does not"
    return " ".join(filter(None, (short(bound.estimate), limits(bound), str(word))))
