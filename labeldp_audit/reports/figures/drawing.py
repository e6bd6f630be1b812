"""Marks of a chart as SVG, their style sheet, and axes.

Own code, as pygal and leather draw no bands and no logit axis, and matplotlib takes longer to start than many audits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from textwrap import wrap

from ...core.quoting import plain
from ..formats.spelling import round_step, short

# A phone of 390 px leaves about 350 px for a chart: what is 14.5 units high is more than 11 px there.
WIDTH, LINE, RIGHT = 440, 19, 426
LETTER = 7.9  # mean width of a character; most of the fonts below need less
COLOURS = 6  # before they repeat

_LIGHT = {
    "paper": "#ffffff", "ink": "#16191d", "soft": "#4c5560", "rule": "#dfe3e8", "axis": "#7a838d",
    "c0": "#0072b2", "c1": "#b84a00", "c2": "#007a58", "c3": "#a8477f", "c4": "#7a6000", "c5": "#5a3fa0",
}  # fmt: skip
_DARK = {
    "paper": "#13161a", "ink": "#e9ecef", "soft": "#aab3bd", "rule": "#343b43", "axis": "#7d8791",
    "c0": "#5cb3e8", "c1": "#f08d4e", "c2": "#35c498", "c3": "#e3a3c8", "c4": "#dcc24a", "c5": "#b9a5f2",
}  # fmt: skip
_COLOURED = """
.fig .paper{fill:@paper}.fig text{fill:@ink}.fig .soft{fill:@soft}.fig .halo{stroke:@paper}
.fig .grid{stroke:@rule}.fig .axis,.fig .leader{stroke:@axis}.fig .limit,.fig .even{stroke:@ink}.fig .wedge{fill:@ink}
.fig .same{stroke:@ink}
.fig .hatch{stroke:@soft}.fig .dot,.fig .seen,.fig .promise{stroke:@paper}.fig .ring,.fig .misfit{fill:@paper}
.fig .chosen{stroke:@soft}
.fig .c0{color:@c0}.fig .c1{color:@c1}.fig .c2{color:@c2}.fig .c3{color:@c3}.fig .c4{color:@c4}.fig .c5{color:@c5}
"""
_SHAPED = """
.fig text{font:14.5px system-ui,-apple-system,"Segoe UI","Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
.fig text.name{font-weight:600}.fig text.title{font-size:17px;font-weight:600}
.fig .halo{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}
.fig .grid,.fig .axis{stroke-width:1}.fig .leader{stroke-width:.8;stroke-dasharray:1 2}
.fig .line,.fig .reach,.fig .certified{fill:none;stroke:currentColor}
.fig .line{stroke-width:2.3;stroke-linejoin:round}.fig .reach{stroke-width:1.8}
.fig .certified{stroke-width:1.6;stroke-dasharray:3 3}.fig .certified.d0{stroke-dasharray:3 3}
.fig .d1{stroke-dasharray:8 3}.fig .d2{stroke-dasharray:2 3}.fig .d3{stroke-dasharray:10 3 2 3}
.fig .d4{stroke-dasharray:14 4}.fig .d5{stroke-dasharray:5 2 1 2 1 2}
.fig .band{fill:currentColor;fill-opacity:.17}.fig .bar{fill:currentColor;fill-opacity:.45}
.fig .cell{fill:currentColor}
.fig .hatch{stroke-width:1.3;stroke-opacity:.75}.fig .dot,.fig .seen,.fig .promise{fill:currentColor;
stroke-width:1.2;stroke-dasharray:none}
.fig .ring,.fig .misfit{stroke:currentColor;stroke-width:2}.fig .limit{stroke-width:1.8;stroke-dasharray:6 4}
.fig .same{stroke-width:1;stroke-dasharray:4 4}
.fig .even{stroke-width:1;stroke-dasharray:4 4;stroke-opacity:.7}.fig .chosen{stroke-width:9;stroke-opacity:.35}
.fig.fitted{display:block;width:100%;max-width:30rem;height:auto}
"""


def _coloured(colours: dict[str, str]) -> str:
    return re.sub(r"@(\w+)", lambda name: colours[name[1]], _COLOURED).replace("\n", "")


# Without variables, which programs that are no browsers do not know. Paper is never dark.
STYLE = (
    _SHAPED.replace("\n", "") + _coloured(_LIGHT)
    + f"@media screen and (prefers-color-scheme:dark){{{_coloured(_DARK)}}}"
)  # fmt: skip


# ---- marks


def escaped(words: str) -> str:
    """All that comes from outside gets into a chart here. No address stands there in one piece, not even in a name."""
    return escape(plain(words, len(words))).replace("//", "/&#47;")


def tag(name: str, *inside: str, **attributes: str | float) -> str:
    """`class_` is class, `stroke_width` stroke-width."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value) if isinstance(value, str) else spelled(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{said}>{''.join(inside)}</{name}>" if inside else f"<{name}{said}/>"


def spelled(value: float) -> str:
    """A place in tenths of a unit."""
    return f"{round(value, 1) + 0.0:g}"


def text(x: float, y: float, words: str, class_: str = "soft", anchor: str = "start") -> str:
    return tag("text", escaped(words), x=x, y=y, class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    return path([(x1, y1), (x2, y2)], class_=class_)


def rect(x1: float, x2: float, top: float, height: float, **look: str) -> str:
    return tag("rect", x=min(x1, x2), y=top, width=max(abs(x2 - x1), 0.5), height=height, **look)


def dot(x: float, y: float, class_: str, r: float = 4.5) -> str:
    return tag("circle", cx=x, cy=y, r=r, class_=class_)


def path(corners: Iterable[tuple[float, float]], end: str = "", **look: str) -> str:
    """look: a class or a fill. Corners that are the same place are drawn once."""
    places = [place for place, _ in groupby(f"{spelled(x)} {spelled(y)}" for x, y in corners)]
    return tag("path", d=f"M{'L'.join(places)}{end}", **look)


def tint(place: int) -> str:
    return f"c{place % COLOURS} d{place % COLOURS}"


def hatching(key: str) -> str:
    """The pattern of what is open."""
    return tag("pattern", tag("path", d="M0 7L7 0", class_="hatch"), id=key, width=7, height=7,
               patternUnits="userSpaceOnUse")  # fmt: skip


def wide(words: str, bold: bool = False) -> float:
    return LETTER * (1.12 if bold else 1) * len(words)


def cut(words: str, most: float, bold: bool = False) -> str:
    """At most so many units wide."""
    words, letters = plain(words), int(most / wide("x", bold))
    return words if len(words) <= letters else words[: letters - 1] + "…"


def wrapped(words: str, larger: float = 1.12) -> list[str]:
    """Lines as wide as the chart, in letters so much larger than others."""
    return wrap(plain(words), int(RIGHT / LETTER / larger))


def apart(heights: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """The same heights, moved so that they are a gap apart, in their order, and within the ends if they fit."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed = [min(max(heights[place], top), bottom) for place in order]
    for index in range(1, len(placed)):
        placed[index] = max(placed[index], placed[index - 1] + gap)
    for index, free in zip(range(len(placed) - 1, -1, -1), range(len(placed)), strict=True):
        placed[index] = min(placed[index], bottom - free * gap)
    return [placed[order.index(place)] for place in range(len(heights))]


# ---- axes


@dataclass(frozen=True)
class Tick:
    value: float
    label: str
    below: str = ""


@dataclass(frozen=True)
class Axis:
    low: float
    high: float
    ticks: tuple[Tick, ...]
    label: str = ""
    warp: Callable[[float], float] = float

    def at(self, value: float) -> float:
        """0 at the low end and 1 at the high one; what is beyond them stands there."""
        if value <= self.low or value >= self.high:
            return float(value >= self.high)
        return (self.warp(value) - self.warp(self.low)) / (self.warp(self.high) - self.warp(self.low))

    @property
    def lines(self) -> int:
        """Of text below the labels of the ticks."""
        return any(tick.below for tick in self.ticks) + bool(self.label)

    def spaced(self, across: float) -> Iterator[Tick]:
        """Ticks whose labels have room beside each other."""
        free = -math.inf
        for tick in self.ticks:
            half = max(wide(tick.label), wide(tick.below)) / 2
            if across * self.at(tick.value) - half >= free:
                free = across * self.at(tick.value) + half + 8
                yield tick

    def drawn(self, left: float, right: float, bottom: float, top: float) -> Iterator[str]:
        """Below what it is about; top: where its ticks end."""
        for tick in self.spaced(right - left):
            x = left + (right - left) * self.at(tick.value)
            yield line(x, bottom, x, top, "axis" if tick.value == 0 or top > bottom else "grid")
            for number, words in enumerate((tick.label, tick.below)):
                if words:
                    yield text(
                        min(x, WIDTH - 2 - wide(words) / 2), bottom + 20 + LINE * number, words, "soft", "middle"
                    )
        if self.label:
            yield text((left + right) / 2, bottom + 20 + self.lines * LINE, self.label, "soft", "middle")


def linear(
    values: Iterable[float], say: Callable[[float], str] = short, label: str = "", ticks: int = 4, least: float = 1e-9
) -> Axis:
    """From 0, or a round value below, to one at or above all that is finite, and beyond where something is not."""
    known = list(values)
    finite = [one for one in known if math.isfinite(one)]
    top, bottom = max([*finite, least]) * (1 if len(finite) == len(known) else 1.05), min([*finite, 0.0])
    step = round_step((top - bottom) / ticks)
    first, last = math.floor(bottom / step + 1e-9), math.ceil(top / step - 1e-9)
    marks = [round(index * step, 12) for index in range(first, last + 1)]
    return Axis(marks[0], marks[-1], tuple(Tick(mark, say(mark)) for mark in marks), label)


def logarithmic(values: Iterable[float], label: str) -> Axis:
    """Ticks are the values themselves, where they have room."""
    found = sorted(set(values))
    room = max((found[-1] / found[0]) ** 0.04, 1.05)
    ticks = (Tick(one, short(one)) for one in found)
    return Axis(found[0] / room, found[-1] * room, tuple(ticks), label, math.log)


def logit(values: Iterable[float], label: str) -> Axis:
    """Shares. As far out as those that are inside; 0 and 1 stand at the ends."""
    inside = [one for one in values if 0 < one < 1]
    low, high = max(min([0.3, *inside]) * 0.8, 1e-4), 1 - max(1 - max([0.7, *inside]), 1e-4) * 0.8
    marks = (1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999)
    ticks = (Tick(mark, f"{short(100 * mark)} %") for mark in marks if low <= mark <= high)
    return Axis(low, high, tuple(ticks), label, lambda share: math.log(share / (1 - share)))
