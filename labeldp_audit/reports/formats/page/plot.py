"""Drawing that is as wide as the page: places are per cent of the plot, texts keep their size on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import svg_style
from .markup import NOTHING, Html, joined, tag, text

UNITS = 1000  # of the inner drawing, across and down


def sheet(key: str, title: str, about: str, height: int, *parts: Html, class_: str = "plot") -> Html:
    """A picture with words for whoever does not see it. Its texts may stand outside, in the margin that the style
    sheet leaves."""
    named = joined([tag("title", text(title), id=f"{key}-t"), tag("desc", text(about), id=f"{key}-d")])
    return tag("svg", named, *parts, class_=class_, role="img", aria_labelledby=f"{key}-t {key}-d",
               style=f"height:{height}px")  # fmt: skip


def inner(*paths: Html) -> Html:
    """Stretched to the whole plot; strokes are not."""
    return tag("svg", *paths, viewBox=f"0 0 {UNITS} {UNITS}", preserveAspectRatio="none", class_="in")


def figure(*parts: Html, caption: str, class_: str = "") -> Html:
    attributes = {"class_": class_} if class_ else {}
    return tag("figure", *parts, tag("figcaption", text(caption, 2_000)), **attributes)


def words(x: float, y: float, said: str, class_: str = "", dx: float = 0, dy: float = 0) -> Html:
    """x and y in per cent; dx and dy in pixels. The style sheet anchors it."""
    shift = {name: value for name, value in (("dx", dx), ("dy", dy)) if value}
    attributes = {"class_": class_} if class_ else {}
    return tag("text", text(said), x=f"{x:.4g}%", y=f"{y:.4g}%", **shift, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str, style: str = "") -> Html:
    attributes = {"style": style} if style else {}
    return tag("line", x1=_per_cent(x1), y1=_per_cent(y1), x2=_per_cent(x2), y2=_per_cent(y2), class_=class_,
               **attributes)  # fmt: skip


def dot(x: float, y: float, class_: str, style: str = "", r: float = 5) -> Html:
    attributes = {"style": style} if style else {}
    return tag("circle", cx=_per_cent(x), cy=_per_cent(y), r=r, class_=class_, **attributes)


def _per_cent(value: float) -> str:
    return f"{value:.4g}%"


def path(d: str, class_: str, place: int | None = None, dashed: bool = False) -> Html:
    """In the colour of that place of the palette."""
    dash = svg_style.pattern(place or 0) if dashed else ""
    attributes = {"stroke-dasharray": dash} if dash else {}
    return tag("path", d=d, class_=class_ if place is None else f"{class_} {color(place)}", **attributes)


def color(place: int) -> str:
    return f"c{place % len(svg_style.COLORS)}"


def swatch(*parts: Html) -> Html:
    """A bit of line before the words of a legend."""
    return tag("svg", *parts, class_="swatch", viewBox="0 0 34 14", aria_hidden="true")


def stroke(class_: str, place: int | None = None, dashed: bool = False) -> Html:
    return swatch(path("M1 7h32", class_, place, dashed))


def _said(name: str, remarks: Sequence[str]) -> list[Html]:
    return [tag("b", text(name)), *(tag("small", text(one)) for one in remarks)] if remarks else [text(name)]


def legend(entries: Iterable[tuple[Html, str, Sequence[str]]]) -> Html:
    """A mark, a name, and remarks below it."""
    items = joined(tag("li", mark, tag("span", *_said(name, remarks))) for mark, name, remarks in entries)
    return tag("ul", items, class_="legend") if items else NOTHING
