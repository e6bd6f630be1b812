"""What each mechanism adds, as a picture: a dot for the estimate, a line to the certified upper limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.report import Report
from . import attacker, gains, svg_style
from .gains import Gain
from .rounds import round_step
from .spelling import confidence, points, short

_TITLE = "How many more labels does an attacker guess once they are released?"
_LEFT, _RIGHT, _TOP = 232, 772, 84
_ROW, _GAP = 26, 24  # a mechanism; above a kind
_MARKS = 8
_FINEST = 1e-5  # an advantage of 0.001 percentage points: less is spelled as less than that
_STYLE = ".reach{stroke-width:2.2}.end{stroke-width:2.2}.sure{stroke-width:5}"


@dataclass(frozen=True)
class Place:
    """Where a mechanism is drawn, and in the colour of which kind."""

    gain: Gain
    y: int
    kind: int


def draw(report: Report) -> str | None:
    """The whole .svg, or None where no mechanism adds anything that could be estimated."""
    found = gains.gains_of(report)
    return "\n".join(_parts(report, found)) + "\n" if found else None


def _parts(report: Report, found: Sequence[Gain]) -> Iterator[str]:
    rows = list(_places(found))
    bottom = rows[-1].y + _ROW
    right = _end(found)
    yield from svg_style.opening(_TITLE, _about(report), bottom + 92, _STYLE)
    yield svg_style.text(24, 74, _ends(report, found), "small")
    yield from _scale(right, bottom)
    yield from _titles(rows)
    for row in rows:
        yield from _interval(row, right)
    least = gains.least_if(report) if any(gain.bound.low for gain in found) else ""
    yield from _legend(bottom + 74, least)
    yield "</svg>"


def _about(report: Report) -> str:
    return svg_style.table(report.dataset) + (" Classes count alike." if attacker.balanced(report) else "")


def _ends(report: Report, found: Sequence[Gain]) -> str:
    """What has the confidence; lower limits have it under a condition that no data can check."""
    level = confidence(found[0].added.confidence)
    sure = "whatever eta is" if not report.eta.given else "if eta was made without these labels"
    return f"Ends: no more than this, {level} confidence, {sure}."


def _places(found: Sequence[Gain]) -> Iterator[Place]:
    """Kinds one below the other, each in the order in which it was asked for."""
    y = _TOP
    for kind, group in enumerate(gains.by_kind(found).values()):
        y += _GAP
        for gain in group:
            y += _ROW
            yield Place(gain, y, kind)


def _end(found: Sequence[Gain]) -> float:
    """The right end: a mark at or beyond all that is drawn."""
    largest = max(max(gain.bound.high or 0.0, gain.bound.estimate or 0.0) for gain in found)
    largest = max(largest, _FINEST)
    step = round_step(largest / _MARKS)
    return step * math.ceil(largest / step - 1e-9)


def _scale(right: float, bottom: int) -> Iterator[str]:
    step = round_step(right / _MARKS)
    for index in range(round(right / step) + 1):
        x = _x(index * step, right)
        yield f'<line class="{"grid" if index else "axis"}" x1="{x:g}" x2="{x:g}" y1="{_TOP}" y2="{bottom}"/>'
        yield svg_style.text(x, bottom + 20, short(round(100 * index * step, 9)), anchor="middle")
    label = "percentage points added to the share of labels that are guessed from the features alone"
    yield svg_style.text((_LEFT + _RIGHT) / 2, bottom + 42, label, anchor="middle")


def _titles(rows: Sequence[Place]) -> Iterator[str]:
    """Above the first mechanism of each kind what it is called."""
    named: set[int] = set()
    for row in rows:
        if row.kind not in named:
            named.add(row.kind)
            yield svg_style.text(24, row.y - _ROW + 6, svg_style.cut(row.gain.kind, 28), "name")


def _interval(row: Place, right: float) -> Iterator[str]:
    bound, color = row.gain.bound, svg_style.color(row.kind)
    at, end = _x(bound.estimate or 0.0, right), _x(bound.high or bound.estimate or 0.0, right)
    yield svg_style.text(_LEFT - 14, row.y + 4, svg_style.cut(row.gain.parameters, 28), anchor="end")
    if bound.high is not None:
        stroke = f'stroke="{color}"'
        yield f'<path class="reach" {stroke}{svg_style.dash(row.kind)} d="M{at:g} {row.y}H{end:g}"/>'
        yield f'<path class="end" {stroke} d="M{end:g} {row.y - 5}v10"/>'
    if bound.low:
        yield f'<path class="sure" stroke="{color}" d="M{_x(bound.low, right):g} {row.y}H{at:g}"/>'
    yield f'<circle cx="{at:g}" cy="{row.y}" r="5" fill="{color}" stroke="#fff" stroke-width="1.5"/>'
    yield svg_style.text(_RIGHT + 14, row.y + 4, _numbers(row.gain), "small")


def _numbers(gain: Gain) -> str:
    said = points(gain.bound.estimate)
    return said if gain.bound.high is None else f"{said}, at most {gains.highest(gain.bound)}"


def _legend(y: int, least: str) -> Iterator[str]:
    yield f'<circle cx="{_LEFT + 6}" cy="{y - 4}" r="5" fill="#555"/>'
    yield svg_style.text(_LEFT + 18, y, "estimate", "small")
    yield f'<path class="reach" stroke="#555" d="M{_LEFT + 96} {y - 4}h34"/>'
    yield f'<path class="end" stroke="#555" d="M{_LEFT + 130} {y - 9}v10"/>'
    yield svg_style.text(_LEFT + 140, y, "up to the most it may be", "small")
    if least:
        yield f'<path class="sure" stroke="#555" d="M{_LEFT + 306} {y - 4}h34"/>'
        yield svg_style.text(_LEFT + 350, y, f"from what it is at least, {least}", "small")


def _x(value: float, right: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * min(max(value / right, 0.0), 1.0), 2)
