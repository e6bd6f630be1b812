"""Intervals one below the other on one axis: a name, a drawing, and the numbers it shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..rounds import round_step
from ..spelling import short
from . import plot
from .markup import NOTHING, Html, joined, tag, text

_MARKS = 8
_MIDDLE, _OUT = 50.0, 93.0  # per cent of the height of a row; of its width, what is infinite


@dataclass(frozen=True)
class Row:
    name: str
    said: str  # the numbers
    estimate: float | None
    low: float | None
    high: float | None
    certain: float | None = None  # a certified lower limit
    place: int = 0  # of the palette
    head: str = ""  # above this row
    bar: bool = False  # from 0 to the estimate


@dataclass(frozen=True)
class Scale:
    left: float
    right: float
    step: float

    def across(self, value: float) -> float:
        """In per cent."""
        return 100 * min(max((value - self.left) / (self.right - self.left), 0.0), 1.0)

    def marks(self) -> list[float]:
        return [
            round(self.left + index * self.step, 12) for index in range(round((self.right - self.left) / self.step) + 1)
        ]


def scale(rows: Sequence[Row], least: float) -> Scale:
    """From 0, or below it, to a round mark beyond all that is finite. least: so far it goes at least."""
    ends = [end for row in rows for end in (row.estimate, row.low, row.high, row.certain) if end is not None]
    finite = [end for end in ends if math.isfinite(end)] or [0.0]
    top, bottom = max(*finite, least), min(*finite, 0.0)
    beyond = 1.08 if len(finite) < len(ends) else 1.0  # room for arrows
    step = round_step((top * beyond - bottom) / _MARKS)
    return Scale(step * math.floor(bottom / step + 1e-9), step * math.ceil(top * beyond / step - 1e-9), step)


def chart(
    rows: Sequence[Row], least: float, label: str, spelled: Callable[[float], str] = short,
    below: Callable[[float], str] | None = None,
) -> Html:  # fmt: skip
    """spelled: a mark of the axis; below: a second line of it."""
    if not rows:
        return NOTHING
    axis = scale(rows, least)
    items = joined(item for row in rows for item in (_head(row), _item(row, axis)))
    return tag("div", tag("ul", items, class_="rows"), _axis(axis, label, spelled, below), class_="chart")


def _head(row: Row) -> Html:
    return tag("li", text(row.head), class_="kind") if row.head else NOTHING


def _item(row: Row, axis: Scale) -> Html:
    drawn = tag("svg", tag("title", text(f"{row.name}: {row.said}")), *_grid(axis), *_drawn(row, axis), class_="row",
                role="img")  # fmt: skip
    name, said = tag("span", text(row.name, 80), class_="name"), tag("span", text(row.said), class_="said")
    return tag("li", name, tag("div", drawn, class_="cell"), said)


def _grid(axis: Scale) -> Iterator[Html]:
    for mark in axis.marks():
        x = axis.across(mark)
        yield plot.line(x, 0, x, 100, "axis" if mark == 0 else "grid")


def _drawn(row: Row, axis: Scale) -> Iterator[Html]:
    tint, ends = plot.color(row.place), [end for end in (row.low, row.estimate, row.high) if end is not None]
    if row.bar and row.estimate is not None:
        yield _bar(row.estimate, axis, tint)
    if len(ends) > 1:
        yield _line(axis.across(ends[0]), axis.across(ends[-1]), f"reach {tint}")
        yield from (_end(end, axis, tint) for end in (row.low, row.high) if end is not None)
    if row.certain:
        yield _certain(axis.across(row.certain))
    if row.estimate is not None and not row.bar:
        yield _estimate(row.estimate, axis, tint)


def _bar(estimate: float, axis: Scale, tint: str) -> Html:
    ends = sorted((axis.across(0.0), axis.across(estimate)))
    return tag(
        "rect", x=f"{ends[0]:.4g}%", width=f"{ends[1] - ends[0]:.4g}%", y="28%", height="44%", class_=f"bar {tint}"
    )


def _line(left: float, right: float, class_: str) -> Html:
    return plot.line(left, _MIDDLE, right, _MIDDLE, class_)


def _end(end: float, axis: Scale, tint: str) -> Html:
    """A bar across the line, or an arrow where there is no end."""
    if math.isfinite(end):
        x = axis.across(end)
        return plot.line(x, 30, x, 70, f"reach {tint}")
    return _arrow(axis, tint, right=end > 0)


def _arrow(axis: Scale, tint: str, right: bool) -> Html:
    x, away = (100, -9) if right else (0, 9)
    head = tag("path", d=f"M{away} -6L0 0L{away} 6", class_=f"arrow {tint}")
    return tag("svg", head, x=f"{x}%", y="50%", overflow="visible", width=1, height=1)


def _certain(x: float) -> Html:
    """A wedge that points to where more begins."""
    head = tag("path", d="M0 -8V8L7 0Z", class_="wedge")
    return tag("svg", head, x=f"{x:.4g}%", y="50%", overflow="visible", width=1, height=1)


def _estimate(estimate: float, axis: Scale, tint: str) -> Html:
    if math.isfinite(estimate):
        return plot.dot(axis.across(estimate), _MIDDLE, f"dot {tint}")
    return plot.dot(_OUT, _MIDDLE, f"dot open {tint}")


def _axis(
    axis: Scale, label: str, spelled: Callable[[float], str], below: Callable[[float], str] | None
) -> Html:  # fmt: skip
    texts: list[Html] = []
    for place, mark in enumerate(axis.marks()):
        x, minor = axis.across(mark), " minor" if place % 2 else ""
        texts.append(plot.words(x, 0, spelled(mark), f"mid{minor}", dy=14))
        if below is not None:
            texts.append(plot.words(x, 0, below(mark), f"mid soft{minor}", dy=30))
    shown = tag("svg", *texts, class_="marks two" if below else "marks", aria_hidden="true")
    return tag("div", shown, tag("p", text(label), class_="label"), class_="scale")


def legend(*, wedge: bool, arrow: bool, ends: bool, bar: bool = False) -> Html:
    """What the marks stand for; only those that are there."""
    estimate = plot.path("M4 7h26", "thick grey") if bar else tag("circle", cx=17, cy=7, r=5, class_="dot grey")
    entries: list[tuple[Html, str, Sequence[str]]] = [(plot.swatch(estimate), "estimate", ())]
    if ends:
        entries.append((plot.swatch(plot.path("M2 7h30M2 3v8M32 3v8", "reach grey")), "at least to at most", ()))
    if arrow:
        entries.append((plot.swatch(plot.path("M2 7h30M25 2L32 7L25 12", "arrow grey")), "no limit, or infinite", ()))
    if wedge:
        entries.append((plot.swatch(tag("path", d="M12 0V14L19 7Z", class_="wedge")), "certified: at least", ()))
    return plot.legend(entries)
