"""What was said beside what came; and a quantity against the strength of the noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ....core.eta import Bin
from ....core.policy import Verdict
from ....core.report import Report
from .. import tuning
from ..rounds import round_step
from ..spelling import plain, short
from ..svg_style import cut
from ..tuning import Search, Tried
from . import plot
from .markup import NOTHING, Html, tag, text

_CLASSES = 6  # that have a chart
_TALL, _LOW = 300, 220  # pixels


# ---- calibration


def calibration(report: Report) -> Html:
    """A chart a class; on the line, labels came as often as was said."""
    classes: dict[str, list[Bin]] = {}
    for one in report.eta.reliability:
        classes.setdefault(one.of, []).append(one)
    found = list(classes.items())[:_CLASSES]
    return (
        tag("div", *(_said_and_came(f"fit{n}", *one) for n, one in enumerate(found)), class_="panels")
        if found
        else NOTHING
    )


def _said_and_came(key: str, of: str, bins: Sequence[Bin]) -> Html:
    top = _round(max(max(one.said, one.high) for one in bins))
    off = sum(not one.fits for one in bins)
    about = f"{len(bins)} groups of rows with estimates alike; in {off} of them the labels do not fit"
    drawn = plot.sheet(
        key, f"What was said of label {plain(of)} and what came", about, _TALL, *_square(top),
        *(part for one in bins for part in _group(one, top)), plot.words(50, 100, "said, %", "label mid", dy=40),
        plot.words(0, 0, "came, %", "label", dx=-36, dy=-10), class_="plot square",
    )  # fmt: skip
    caption = f"Label {cut(plain(of), 40)}. Dot: share that came, with its limits; ring: it does not fit what was said."
    return tag("figure", drawn, tag("figcaption", text(caption)))


def _round(highest: float) -> float:
    step = round_step(max(highest, 1e-6) / 5)
    return min(1.0, step * math.ceil(highest / step - 1e-9))


def _square(top: float) -> Iterator[Html]:
    step = round_step(top / 5)
    for mark in (round(number * step, 12) for number in range(round(top / step) + 1)):
        at = 100 * mark / top
        yield plot.line(0, 100 - at, 100, 100 - at, "grid" if mark else "axis")
        yield plot.words(0, 100 - at, short(100 * mark), "end", dx=-8, dy=4)
        yield plot.words(at, 100, short(100 * mark), "mid", dy=20)
    yield plot.line(0, 100, 100, 0, "even")


def _group(one: Bin, top: float) -> Iterator[Html]:
    x, tint = 100 * one.said / top, "c0" if one.fits else "c1"
    yield plot.line(x, 100 - 100 * one.low / top, x, 100 - 100 * one.high / top, f"reach {tint}")
    yield plot.dot(x, 100 - 100 * one.came / top, f"dot {tint}" if one.fits else f"dot open {tint}", r=4.5)


# ---- tuning


def tuned(report: Report) -> Html:
    """A chart a line of the policy: its quantity against the parameter that was looked for."""
    panels = [panel for number, one in enumerate(tuning.searches(report)) for panel in _of_search(number, one, report)]
    return tag("div", *panels, class_="panels") if panels else NOTHING


def _of_search(number: int, search: Search, report: Report) -> list[Html]:
    rows = [row for row in tuning.tried(report, search) if row.value is not None]
    if len({row.value for row in rows}) < 2:
        return []
    asked = enumerate(tuning.lines(report, search))
    return [_of_line(f"t{number}-{place}", place, line, rows, search) for place, line in asked]


def _of_line(key: str, place: int, line: Verdict, rows: Sequence[Tried], search: Search) -> Html:
    known = [(row, bound) for row in rows if (bound := row.bounds[place]) is not None]
    ends = [end for _, bound in known for end in (bound.low, bound.estimate, bound.high)]
    top = _top([*(end for end in ends if end is not None), line.threshold])
    values = [row.value for row in rows if row.value is not None]
    across = _Across(min(values), max(values), search.parameter == "k")
    parts = [*_levels(top), *_values(across), *_threshold(line, top)]
    if search.chosen is not None:
        x = across.at(search.chosen)
        parts.append(plot.line(x, 0, x, 100, "chosen"))
    for row, bound in known:
        parts += _interval(across.at(row.value or 0.0), (bound.low, bound.estimate, bound.high), top)
    name = f"{search.parameter} of {plain(search.scale)}"
    drawn = plot.sheet(key, f"{plain(line.line)}, against {name}", plain(line.said), _LOW, *parts,
                       plot.words(50, 100, name, "label mid", dy=40), class_="plot square")  # fmt: skip
    caption = f"{plain(line.line)}. Dashed: the threshold; upright: what was chosen."
    return tag("figure", tag("figcaption", text(caption)), drawn)


class _Across:
    """A strength of noise in per cent; sizes of bags by factors."""

    def __init__(self, left: float, right: float, factors: bool) -> None:
        self.factors = factors or right > 20 * max(left, 1e-9) > 0
        self.left, self.right = self._of(left), self._of(right)
        self.ends = left, right

    def _of(self, value: float) -> float:
        return math.log(max(value, 1e-9)) if self.factors else value

    def at(self, value: float) -> float:
        return 4 + 92 * (self._of(value) - self.left) / ((self.right - self.left) or 1)

    def marks(self) -> list[float]:
        if not self.factors:
            step = round_step((self.right - self.left) / 5)
            return [round(n * step, 9) for n in range(math.ceil(self.left / step), math.floor(self.right / step) + 1)]
        return [math.exp(self.left + part * (self.right - self.left) / 3) for part in range(4)]


def _top(ends: Sequence[float]) -> float:
    finite = [abs(end) for end in ends if math.isfinite(end)]
    return 1.1 * max([*finite, 1e-9])


def _levels(top: float) -> Iterator[Html]:
    step = round_step(top / 4)
    for number in range(math.floor(top / step + 1e-9) + 1):
        y = 100 - 100 * number * step / top
        yield plot.line(0, y, 100, y, "grid" if number else "axis")
        yield plot.words(0, y, short(round(number * step, 12)), "end", dx=-8, dy=4)


def _values(across: _Across) -> Iterator[Html]:
    for mark in across.marks():
        yield plot.words(across.at(mark), 100, short(mark, digits=2), "mid", dy=20)


def _threshold(line: Verdict, top: float) -> Iterator[Html]:
    if 0 <= line.threshold <= top:
        y = 100 - 100 * line.threshold / top
        yield plot.line(0, y, 100, y, "limit")


def _interval(x: float, ends: tuple[float | None, float | None, float | None], top: float) -> list[Html]:
    """What is infinite goes out at the top."""
    low, estimate, high = (None if end is None else 100 - 100 * min(max(end / top, 0.0), 1.04) for end in ends)
    parts = [] if low is None or high is None else [plot.line(x, low, x, high, "reach c0")]
    open_ = estimate is not None and math.isinf(ends[1] or 0.0)
    return parts + ([] if estimate is None else [plot.dot(x, estimate, "dot open c0" if open_ else "dot c0", r=3.5)])
