"""Panels of a chart: curves with their bands, rows of intervals, predictions against observations; and the chart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from ...core.finding import Bound
from . import drawing
from .drawing import COLOURS, LINE, RIGHT, Axis, cut, dot, escaped, line, path, rect, tag, text, tint, wide

FEW = 24  # points up to which each is drawn, and not only their line
_LEFT, _BELOW, _ROW = 60, 20, 43
_GRAIN = 1.2  # units across, below which two values are one
_NEAR = 0.1  # beyond what is promised, a point that is marked for it
_BANDS = 3  # that can lie over each other
_HIGH, _LOW = 0.9, 0.1  # a share that may be at least that and at most this is open
_BETWEEN = "low to high"
_SVG = "http://www.w3.org/2000/svg"

Height = Callable[[float], float]  # how far down a value stands


@dataclass(frozen=True)
class Point:
    x: float
    bound: Bound
    planned: bool = True  # or there for comparison


@dataclass(frozen=True)
class Span:
    """What is known between two values of x."""

    left: float
    right: float
    low: float | None
    high: float | None


def is_open(low: float | None, high: float | None, share: bool) -> bool:
    """Does it say nothing about the answer? An end that is missing says nothing."""
    return low is None or high is None or math.isinf(high) or (share and high >= _HIGH and low <= _LOW)


def spans(points: Sequence[Point], falls: bool) -> list[Span]:
    """Between two values of what never rises, the high of the left one and the low of the right one hold."""
    return [Span(a.x, b.x, (b if falls else a).bound.low, (a if falls else b).bound.high) for a, b in pairwise(points)]


# ---- curves


@dataclass(frozen=True)
class Series:
    name: str
    points: tuple[Point, ...]  # in the order of x
    falls: bool | None  # along x; None: nothing is said between two values
    certified: tuple[Point, ...] = ()  # with a low alone
    promise: float | None = None  # the x that is marked
    mark: str = "dot"  # or seen, misfit: of what was observed, which no line joins


@dataclass(frozen=True)
class Curves:
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    tall: float
    share: bool  # is y a share of one?
    heading: str = ""
    said: str = ""  # beside the heading
    thresholds: tuple[tuple[float | None, float], ...] = ()  # x or all of them, and y
    chosen: float | None = None
    even: bool = False  # with the line on which x and y are equal

    @property
    def _head(self) -> float:
        return LINE * (bool(self.heading or self.said) + bool(self.y.label)) + 8

    @property
    def height(self) -> float:
        return self._head + self.tall + _BELOW + self.x.lines * LINE + 6

    @property
    def _right(self) -> float:
        """Where curves end: beside that are their names, if they are several."""
        named = [wide(one.name) + 14 for one in self.series if one.mark == "dot"]
        return RIGHT - (min(max(named), 0.42 * RIGHT) if len(named) > 1 else 10)

    def _x(self, value: float) -> float:
        return _LEFT + (self._right - _LEFT) * self.x.at(value)

    def draw(self, top: float, hatch: str) -> Iterator[str]:
        start = top + self._head

        def y(value: float) -> float:
            return start + self.tall * (1 - self.y.at(value))

        yield from self._frame(top, start, y)
        for place, one in enumerate(self.series):
            yield from self._band(one, place, y, hatch)
        if self.chosen is not None:
            yield line(self._x(self.chosen), start, self._x(self.chosen), start + self.tall, "chosen")
        for x, level in self.thresholds:
            if self.y.low <= level <= self.y.high:
                ends = (_LEFT, self._right) if x is None else (self._x(x) - 14, self._x(x) + 14)
                yield line(ends[0], y(level), ends[1], y(level), "limit")
        for place, one in enumerate(self.series):
            yield from self._curve(one, place, y)
        if len(self.series) > 1 and not self.even:
            yield from self._names(start, y)

    def _frame(self, top: float, start: float, y: Height) -> Iterator[str]:
        if self.heading or self.said:
            yield text(8, top + 15, cut(self.heading, RIGHT - 22 - wide(self.said), bold=True), "name")
            yield text(RIGHT, top + 15, self.said, anchor="end")
        if self.y.label:
            yield text(8, start - 12, self.y.label)
        for tick in self.y.ticks:
            yield line(_LEFT, y(tick.value), self._right, y(tick.value), "grid" if tick.value else "axis")
            yield text(_LEFT - 7, y(tick.value) + 5, tick.label, anchor="end")
        yield from self.x.drawn(_LEFT, self._right, start + self.tall, start + self.tall + 4)
        if self.even:
            ends = max(self.x.low, self.y.low), min(self.x.high, self.y.high)
            yield line(self._x(ends[0]), y(ends[0]), self._x(ends[1]), y(ends[1]), "even")

    def _band(self, one: Series, place: int, y: Height, hatch: str) -> Iterator[str]:
        if one.falls is None:
            return
        kept = self._apart(one.points)
        opens = [is_open(point.bound.low, point.bound.high, self.share) for point in kept]
        known = zip(spans(kept, one.falls), (any(pair) for pair in pairwise(opens)), strict=True)
        for opened, run in groupby(known, lambda pair: pair[1] and is_open(pair[0].low, pair[0].high, self.share)):
            members = [span for span, _ in run]
            corners = [(self._x(x), span) for span in members for x in (span.left, span.right)]
            above = [(x, y(self.y.high if span.high is None else span.high)) for x, span in corners]
            below = [(x, y(span.low or 0.0)) for x, span in corners]
            look = {"fill": hatch} if opened else {"class_": f"band {tint(place)}"}
            if opened or len(self.series) <= _BANDS:
                yield path([*above, *reversed(below)], "z", **look)
            if (
                opened and above[-1][0] - above[0][0] > wide("open") + 12
            ):  # where a falling line leaves room, or a rising
                (x, level), anchor = (above[-1], "end") if one.falls else (above[0], "start")
                yield text(x - 8 if one.falls else x + 8, level + 18, "open", "halo", anchor)
        sure = [(self._x(x), y(span.low or 0.0)) for span in spans(self._apart(one.certified), one.falls)
                for x in (span.left, span.right)]  # fmt: skip
        if any(point.bound.low for point in one.certified) and sure:
            yield path(sure, class_=f"certified {tint(place)}")

    def _apart(self, points: Sequence[Point]) -> list[Point]:
        """Those that can be told apart; the first and the last always."""
        kept = list(points[:1])
        for one in points[1:-1]:
            if self._x(one.x) - self._x(kept[-1].x) >= _GRAIN:
                kept.append(one)
        return kept + list(points[1:][-1:])

    def _curve(self, one: Series, place: int, y: Height) -> Iterator[str]:
        kept = one.points if len(one.points) <= FEW else self._apart(one.points)
        known = [(point, point.bound.estimate) for point in kept if point.bound.estimate is not None]
        ends = [(self._x(point.x), y(level)) for point, level in known]
        if len(one.points) > FEW:  # a step is held until the next
            ends = [corner for a, b in pairwise(ends) for corner in (a, (b[0], a[1]))] + ends[-1:]
        if len(ends) > 1 and one.mark == "dot":
            yield path(ends, class_=f"line {tint(place)}")
        aside = 5 * (place - (len(self.series) - 1) / 2) if len(self.series) < 4 and not self.even else 0
        for point, level in known if len(one.points) <= FEW else ():
            yield from self._point(
                point,
                self._x(point.x) + aside,
                y(level),
                f"{one.mark if point.planned else 'ring'} c{place % COLOURS}",
                y,
            )
        held = [pair for pair in known if one.promise is not None and 0 <= pair[0].x - one.promise + 1e-12 <= _NEAR][:1]
        yield from (dot(self._x(point.x), y(level), f"promise {tint(place)}", 5.5) for point, level in held)

    def _point(self, point: Point, x: float, at: float, class_: str, y: Height) -> Iterator[str]:
        low, high, reach = point.bound.low, point.bound.high, f"reach {class_.rsplit(maxsplit=1)[-1]}"
        if low is not None and high is not None:
            yield line(x, y(low), x, y(high), reach)
            yield from (line(x - 3, y(end), x + 3, y(end), reach) for end in (low, high) if math.isfinite(end))
        yield dot(x, at, class_, 4.5 if point.planned else 3.5)

    def _names(self, start: float, y: Height) -> Iterator[str]:
        """At the ends of lines, in the colour of text, which can be read."""
        ends = [(self._x(one.points[-1].x), y(one.points[-1].bound.estimate or 0.0)) for one in self.series]
        heights = drawing.apart([level for _, level in ends], LINE, start + 6, start + self.tall)
        for one, (x, level), height in zip(self.series, ends, heights, strict=True):
            yield line(x + 6, level, self._right + 8, height, "leader")
            yield text(self._right + 11, height + 5, cut(one.name, RIGHT - self._right))


# ---- rows


@dataclass(frozen=True)
class Row:
    name: str
    said: str  # its numbers
    bound: Bound
    certified: float | None = None
    planned: bool = True


@dataclass(frozen=True)
class Rows:
    """Intervals below each other, each with its name and its numbers above it."""

    x: Axis
    rows: tuple[Row, ...]
    share: bool
    heading: str = ""
    bars: bool = False

    @property
    def _head(self) -> int:
        return LINE * len(drawing.wrapped(self.heading)) + 6

    @property
    def height(self) -> float:
        return self._head + _ROW * len(self.rows) + _BELOW + self.x.lines * LINE + 12

    def _x(self, value: float) -> float:
        return 22 + (RIGHT - 38) * self.x.at(value)

    def draw(self, top: float, hatch: str) -> Iterator[str]:
        for number, words in enumerate(drawing.wrapped(self.heading)):
            yield text(8, top + 15 + LINE * number, words, "name")
        start = top + self._head
        yield from self.x.drawn(22, RIGHT - 16, start + _ROW * len(self.rows) + 4, start)
        for number, row in enumerate(self.rows):
            yield from self._row(row, start + _ROW * number, hatch)

    def _row(self, row: Row, top: float, hatch: str) -> Iterator[str]:
        estimate, low, high, middle = row.bound.estimate, row.bound.low, row.bound.high, top + 31
        yield text(8, top + 16, cut(row.name, RIGHT - 22 - wide(row.said), bold=True), "name halo")
        yield text(RIGHT, top + 16, row.said, "halo", "end")
        if self.bars and estimate is not None:
            yield rect(self._x(0.0), self._x(estimate), middle - 6, 12, class_="bar c0")
        left, right = self._x(self.x.low if low is None else low), self._x(self.x.high if high is None else high)
        if (low, high) != (None, None):  # numbers that have no limits at all are not open
            opened = is_open(low, high, self.share)
            yield (
                rect(left, right, middle - 7, 14, fill=hatch)
                if opened
                else line(left, middle, right, middle, "reach c0")
            )
        for end in (low, high):
            if end is not None and math.isfinite(end):
                yield line(self._x(end), middle - 6, self._x(end), middle + 6, "reach c0")
        if row.certified:
            yield path(_wedge(self._x(row.certified), middle), "z", class_="wedge")
        if estimate is not None and not self.bars:
            yield dot(self._x(estimate), middle, "dot c0" if row.planned else "ring c0", 5)


def _wedge(x: float, y: float) -> list[tuple[float, float]]:
    """It points to where more begins."""
    return [(x, y - 8), (x + 8, y), (x, y + 8)]


# ---- shares of people in cells


@dataclass(frozen=True)
class Cells:
    """Shares of people by two numbers: the more people, the darker."""

    x: Axis
    y: Axis
    cells: tuple[tuple[float, float, float], ...]  # where it begins across and up, and the share of people
    size: float  # of a cell, either way
    tall: float

    @property
    def _head(self) -> float:
        return LINE + 8

    @property
    def height(self) -> float:
        return self._head + self.tall + _BELOW + self.x.lines * LINE + 6

    def _x(self, value: float) -> float:
        return _LEFT + (RIGHT - 10 - _LEFT) * self.x.at(value)

    def draw(self, top: float, hatch: str) -> Iterator[str]:
        start = top + self._head

        def y(value: float) -> float:
            return start + self.tall * (1 - self.y.at(value))

        yield text(8, start - 12, self.y.label)
        for tick in self.y.ticks:
            yield line(_LEFT, y(tick.value), RIGHT - 10, y(tick.value), "grid" if tick.value else "axis")
            yield text(_LEFT - 7, y(tick.value) + 5, tick.label, anchor="end")
        yield from self.x.drawn(_LEFT, RIGHT - 10, start + self.tall, start + self.tall + 4)
        most = max(share for *_, share in self.cells)
        for across, up, share in self.cells:
            left, right, upper = self._x(across), self._x(across + self.size), y(up + self.size)
            dark = round(0.08 + 0.92 * math.sqrt(share / most), 3)
            yield rect(left + 0.5, right - 0.5, upper + 0.5, y(up) - upper - 1, class_="cell c0", opacity=str(dark))
        yield line(self._x(self.x.low), y(self.x.low), self._x(self.x.high), y(self.x.high), "same")


# ---- the chart

Panel = Curves | Rows | Cells


@dataclass(frozen=True)
class Chart:
    """A picture of some panels, and what it says in one sentence."""

    key: str
    title: str
    alt: str
    panels: tuple[Panel, ...]
    about: str  # the table, where the chart stands alone
    confidence: str = ""
    level: str = "normal"  # brief, normal or detail

    def svg(self, standalone: bool = False) -> str:
        """Standalone: a file with a title and its own style; otherwise for a page that has STYLE."""
        parts, top, hatch = [], 4.0, f"open-{self.key}"
        if standalone:
            titles = [(words, "title") for words in drawing.wrapped(self.title, 1.2)]
            for words, class_ in [*titles, *((words, "soft") for words in drawing.wrapped(self.about, 1))]:
                top += 23
                parts.append(text(8, top - 4, words, class_))
            top += 8
        for panel in self.panels:
            parts += panel.draw(top, f"url(#{hatch})")
            top += panel.height
        explained, top = self._legend("".join(parts), top, f"url(#{hatch})")
        inside = [tag("title", escaped(self.title)), tag("style", drawing.STYLE)] if standalone else []
        inside += [
            tag("defs", drawing.hatching(hatch)),
            rect(0, drawing.WIDTH, 0, top, class_="paper"),
            *parts,
            *explained,
        ]
        box, said = f"0 0 {drawing.WIDTH} {drawing.spelled(top)}", f"{self.title}. {self.alt}"
        size = {"width": 1.5 * drawing.WIDTH, "height": 1.5 * top} if standalone else {}
        drawn = tag("svg", "\n".join(inside), class_="fig" if standalone else "fig fitted", viewBox=box, role="img",
                    aria_label=said, **size)  # fmt: skip
        return drawn.replace("<svg", f'<svg xmlns="{_SVG}"', 1) + "\n" if standalone else drawn

    def _legend(self, drawn: str, top: float, hatch: str) -> tuple[list[str], float]:
        """The marks that are there, in lines as wide as the chart; and where they end."""
        parts, x, y = [], 8.0, top + 14
        found = {words: look for mark, words, look in reversed([*_marks(hatch)]) if f'"{mark}' in drawn}
        for name, look in reversed(found.items()):
            words = f"{name}, {self.confidence}" if name == _BETWEEN and self.confidence else name
            if x > 8 and x + 36 + wide(words) > RIGHT:
                x, y = 8.0, y + LINE
            parts.append(tag("g", *look, transform=f"translate({drawing.spelled(x)} {drawing.spelled(y - 5)})"))
            parts.append(text(x + 34, y, words))
            x += 50 + wide(words)
        return parts, round(y + 10)


def _marks(hatch: str) -> Iterator[tuple[str, str, list[str]]]:
    """What a legend explains where it is drawn: a class or a fill, in words, and how it looks."""
    yield "line", "estimate", [line(0, 0, 28, 0, "line c0")]
    yield "dot", "estimate", [dot(14, 0, "dot c0")]
    yield "cell", "people: the more, the darker", [rect(0, 28, -6, 12, class_="cell c0")]
    yield "same", "no change", [line(0, 5, 28, -5, "same")]
    yield "bar", "estimate", [rect(0, 28, -6, 12, class_="bar c0")]
    yield "seen", "observed", [dot(14, 0, "seen c0")]
    yield "ring", "for comparison", [dot(14, 0, "ring c0", 3.5)]
    yield "reach", _BETWEEN, [rect(0, 28, -6, 12, class_="band c0"), line(14, -6, 14, 6, "reach c0")]
    yield "band", _BETWEEN, [rect(0, 28, -6, 12, class_="band c0")]
    yield hatch, "open: no useful limit", [rect(0, 28, -6, 12, fill=hatch)]
    yield "certified", "certified low", [line(0, 0, 28, 0, "certified c0")]
    yield "wedge", "certified low", [path(_wedge(10, 0), "z", class_="wedge")]
    yield "promise", "tau = epsilon", [dot(14, 0, "promise c0", 5.5)]
    yield "limit", "threshold", [line(0, 0, 28, 0, "limit")]
    yield "chosen", "tuned", [line(14, -7, 14, 7, "chosen")]
    yield "even", "predicted = observed", [line(0, 5, 28, -5, "even")]
    yield "misfit", "observed, but predicted otherwise", [dot(14, 0, "misfit c1")]
