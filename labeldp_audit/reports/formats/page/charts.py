"""The charts of a report that are rows of intervals: largest losses, what releases add, what columns add."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ....core.finding import Finding
from ....core.report import Report
from .. import certificates, contributions, gains, steps
from ..contributions import Kind, Part
from ..gains import Gain
from ..spelling import count, high, low, percent, plain, points, short
from . import row_chart
from .markup import NOTHING, Html, joined, paragraphs, tag, text
from .row_chart import Row

_COLUMNS, _ROWS = 12, 40  # bars of a chart
_FINEST = 1e-5  # an advantage of 0.001 percentage points


def largest_losses(report: Report) -> Html:
    rows = [_loss(one, report) for one in report.findings if one.quantity == "nu_max" and not _is_absent(one, report)]
    label = "largest loss in nats; below it the factor on an attacker's odds"
    return _figure(rows, 1.0, label, below=True)


def _is_absent(one: Finding, report: Report) -> bool:
    known = one.bound.estimate, one.bound.low, one.bound.high
    return known == (None, None, None) and certificates.limit(report, "certified_nu_max", one.mechanism) is None


def _loss(one: Finding, report: Report) -> Row:
    bound, certain = one.bound, certificates.limit(report, "certified_nu_max", one.mechanism)
    least = certain.bound.low if certain else None
    ends = "" if bound.low is None else f", {low(bound)} to {high(bound)}"
    sure = f"; certified at least {low(certain.bound)}" if certain and least else ""
    said = f"{'infinite' if bound.estimate == math.inf else short(bound.estimate)}{ends}{sure}"
    return Row(plain(one.mechanism or "no mechanism"), said, bound.estimate, bound.low, bound.high, least)


def advantages(report: Report) -> Html:
    return _figure(
        list(_added(gains.gains_of(report))), _FINEST,
        "percentage points added to the share of labels that are guessed from the features alone", hundred=True,
    )  # fmt: skip


def _added(found: Sequence[Gain]) -> Iterator[Row]:
    """Kinds one below the other, each under its name."""
    for place, (kind, group) in enumerate(gains.by_kind(found).items()):
        for number, gain in enumerate(group):
            bound, sure = gain.bound, gain.certified.low if gain.certified else None
            top = "" if bound.high is None else f", at most {gains.highest(bound)}"
            least = f"; certified at least {gain.surely}" if gain.surely else ""
            yield Row(gain.parameters, f"{points(bound.estimate)}{top}{least}", bound.estimate, bound.low, bound.high,
                      sure, place, kind if number == 0 else "")  # fmt: skip


def columns(report: Report) -> Html:
    """For each quantity a chart, of the first mechanism and place that it was asked for."""
    first: dict[str, Kind] = {}
    found = contributions.parts_by_kind(report)
    for kind in found:
        first.setdefault(kind.quantity, kind)
    return joined(_of_kind(kind, found[kind]) for kind in first.values())


def _of_kind(kind: Kind, parts: Sequence[Part]) -> Html:
    known = [part for part in parts if part.bound.estimate is not None]
    rows = [_column(kind, part) for part in known]
    return _figure(rows, 1e-9, kind.unit, caption=kind.means, hundred=kind.quantity != contributions.LOSS)


def _column(kind: Kind, part: Part) -> Row:
    bound = part.bound
    said = contributions.cell(kind, bound)
    return Row(plain(part.column), said, bound.estimate, bound.low, bound.high, bar=True)


def _figure(
    rows: Sequence[Row], least: float, label: str, *, below: bool = False, caption: str = "", hundred: bool = False
) -> Html:
    """caption: of bars; hundred: marks are shares, spelled in percentage points."""
    if not rows:
        return NOTHING
    most = _COLUMNS if caption else _ROWS
    every, rows = len(rows), rows[:most]
    drawn = row_chart.chart(rows, least, label, _points if hundred else _number, _factor if below else None)
    marks = row_chart.legend(
        wedge=any(row.certain for row in rows), bar=bool(caption), ends=any(row.low is not None for row in rows),
        arrow=any(end is not None and math.isinf(end) for row in rows for end in (row.estimate, row.low, row.high)),
    )  # fmt: skip
    drawing = tag("figure", tag("figcaption", tag("b", text(caption))) if caption else NOTHING, drawn, marks)
    more = f"The first {count(most)} of {count(every)}; the others are in the tables." if every > most else ""
    return joined([drawing, paragraphs(more, class_="note")])


def _points(mark: float) -> str:
    return percent(mark + 0.0) if abs(mark) < 1e-4 else short(round(100 * mark, 9))


def _number(mark: float) -> str:
    return short(mark)


def _factor(mark: float) -> str:
    return f"×{steps.factor(mark)}"
