"""What each column adds to the risk: what changes where it is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN

from ...core.finding import Bound, Finding
from ...core.report import Report
from . import compared
from .grid import Grid
from .spelling import NO_LIMIT, NOTHING, count, plain, points, short

LOSS, TAIL, ADDED = "column_log_loss", "column_j", "column_advantage"
QUANTITIES = (LOSS, TAIL, ADDED)
TITLE = "What each column adds"
NOTE = (
    "Each number is what changes where this one column is left out; above 0, the column adds to the risk. Those "
    "without limits models say of themselves. They do not "
    "add up: of columns that say the same, each can be left out at no gain. An advantage may grow without a column, "
    "as a release need not add what the features tell."
)
_NAMES, _ROWS = 3, 100  # columns that a sentence names; of a table


@dataclass(frozen=True)
class Kind:
    """One number for each column."""

    quantity: str
    mechanism: str | None
    tau: float | None

    @property
    def title(self) -> str:
        of = f", {plain(self.mechanism)}" if self.mechanism else ""
        if self.quantity == LOSS:
            return f"surprise, nats{of}"
        what = f"J({short(self.tau)})" if self.quantity == TAIL else "advantage"
        return f"{what}, points{of}"

    @property
    def unit(self) -> str:
        return "nats" if self.quantity == LOSS else "percentage points"

    @property
    def what(self) -> str:
        """That changes without the column."""
        of = f" of {plain(self.mechanism)}" if self.mechanism else ""
        if self.quantity == TAIL:
            return f"the share of people who lose more than {short(self.tau)} nats, J({short(self.tau)}){of}"
        return f"the advantage{of}"

    @property
    def means(self) -> str:
        """For whoever reads a chart."""
        if self.quantity == LOSS:
            return "How much more surprised the model is by labels without the column, in nats"
        return f"By how much {self.what} falls without the column, in percentage points"


@dataclass(frozen=True)
class Part:
    column: str
    bound: Bound


def is_one(finding: Finding) -> bool:
    return finding.quantity in QUANTITIES and isinstance(finding.at.get("column"), str)


def parts_by_kind(report: Report) -> dict[Kind, tuple[Part, ...]]:
    """Largest first; in the order of the quantities."""
    found: dict[Kind, list[Part]] = {}
    for one in filter(is_one, report.findings):
        kind = Kind(one.quantity, one.mechanism, one.place("tau"))
        found.setdefault(kind, []).append(Part(str(one.at["column"]), one.bound))
    kinds = sorted(found, key=lambda kind: QUANTITIES.index(kind.quantity))
    return {kind: tuple(sorted(found[kind], key=_size, reverse=True)) for kind in kinds}


def _size(part: Part) -> float:
    return float("-inf") if part.bound.estimate is None else part.bound.estimate


def tables(report: Report) -> tuple[Grid, ...]:
    found = table(report)
    return () if found is None else (found,)


def table(report: Report) -> Grid | None:
    """Ranked by the first kind."""
    found = parts_by_kind(report)
    if not found:
        return None
    cells = {(kind, part.column): cell(kind, part.bound) for kind, parts in found.items() for part in parts}
    order = dict.fromkeys(part.column for parts in found.values() for part in parts)
    shown = list(order)[:_ROWS]
    rows = [[plain(name), *(cells.get((kind, name), NOTHING) for kind in found)] for name in shown]
    more = f" {count(len(order) - _ROWS)} more columns are in json and csv." if len(order) > _ROWS else ""
    header = ("column", *(kind.title for kind in found))
    return Grid(header, rows, (0,), f"Cells: estimate [at least, at most].{more} {NOTE}")


def cell(kind: Kind, bound: Bound) -> str:
    if bound.low is None and bound.high is None:
        return value(kind, bound.estimate)
    ends = f"[{value(kind, bound.low, ROUND_FLOOR)}, {value(kind, bound.high, ROUND_CEILING, NO_LIMIT)}]"
    return f"{value(kind, bound.estimate)} {ends}"


def value(kind: Kind, number: float | None, rounding: str = ROUND_HALF_EVEN, absent: str = NOTHING) -> str:
    """In the unit of that kind; what is taken away has a minus."""
    if number is None:
        return absent
    return short(number, rounding, 2) if kind.quantity == LOSS else points(number + 0.0, rounding)


def shown(report: Report) -> tuple[Kind, tuple[Part, ...]] | None:
    """The columns that surely add, by the kind that speaks of what is planned and not of the model alone, if there is
    one."""
    found = parts_by_kind(compared.planned(report))
    for kind in sorted(found, key=lambda kind: kind.quantity == LOSS):
        sure = tuple(part for part in found[kind] if part.bound.low is not None and part.bound.low > 0)
        if sure:
            return kind, sure
    return None


def sentence(report: Report) -> str:
    """Which columns to think about first; empty where columns were not asked about."""
    if not parts_by_kind(report):
        return ""
    found = shown(report)
    if found is None:
        return "No single column is shown to add to the risk: others may say the same, or what it adds is too little."
    kind, parts = found
    if kind.quantity == LOSS:
        return (
            f"Think first about leaving out, or making coarser, the column that tells most. Without it alone the model "
            f"knows less of labels: {_named(kind, parts)}."
        )
    return f"Leaving out a single column lowers {kind.what}: {_named(kind, parts)}."


def _named(kind: Kind, parts: Sequence[Part]) -> str:
    """Estimates, and what they are at least."""
    said = [
        f"{plain(part.column)} by {value(kind, part.bound.estimate)}{f' {kind.unit}' if place == 0 else ''} (at least "
        f"{value(kind, part.bound.low, ROUND_FLOOR)})"
        for place, part in enumerate(parts[:_NAMES])
    ]
    rest = len(parts) - _NAMES
    return ", ".join(said) + (f"; {rest} more {'does' if rest == 1 else 'do'} less" if rest > 0 else "")
