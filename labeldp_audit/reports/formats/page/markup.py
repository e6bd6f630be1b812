"""Text into markup: nothing from outside gets into a page but through `text` and the attributes of `tag`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType

from ..grid import Grid
from ..spelling import cut, plain

Html = NewType("Html", str)
NOTHING = Html("")
_TOGETHER = "&nbsp;%"
LONGEST = 300  # characters of other people's words; a name of a megabyte is no help to anybody


def text(words: str, most: int = LONGEST) -> Html:
    """Escaped, on one line, which does not end before a per cent sign. No address stands in a page in one piece, not
    even in somebody's column name."""
    return Html(escape(cut(plain(words), most)).replace("//", "/&#47;").replace(" %", _TOGETHER))


def tag(name: str, /, *inside: Html, **attributes: str | float) -> Html:
    """`class_` is class, `aria_label` aria-label."""
    return Html(f"<{name}{_attributes(attributes)}>{''.join(inside)}</{name}>")


def void(name: str, /, **attributes: str | float) -> Html:
    return Html(f"<{name}{_attributes(attributes)}>")


def _attributes(attributes: dict[str, str | float]) -> str:
    return "".join(f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"' for name, value in attributes.items())


def _value(value: str | float) -> str:
    return text(value, 10_000) if isinstance(value, str) else f"{value:g}"


def joined(parts: Iterable[Html], between: str = "") -> Html:
    return Html(between.join(filter(None, parts)))


def paragraphs(*sentences: str, class_: str = "") -> Html:
    shown = (text(one, 10_000) for one in sentences if one)
    return joined(tag("p", one, **({"class_": class_} if class_ else {})) for one in shown)


def bullets(lines: Iterable[str]) -> Html:
    items = joined(tag("li", text(line, 2_000)) for line in lines)
    return tag("ul", items) if items else NOTHING


def section(key: str, title: str, *parts: Html) -> Html:
    """Nothing where there is nothing in it."""
    body = joined(parts)
    return tag("section", tag("h2", text(title)), body, id=key) if body else NOTHING


def part(title: str, *parts: Html) -> Html:
    body = joined(parts)
    return tag("div", tag("h3", text(title)), body, class_="part") if body else NOTHING


def folded(title: str, *parts: Html) -> Html:
    """What only some want to read: a click away on a screen, all of it on paper."""
    body = joined(parts)
    return tag("details", tag("summary", text(title)), body) if body else NOTHING


def table(grid: Grid | None, caption: str = "", class_: str = "") -> Html:
    """In a box of its own, which scrolls where the page is narrow; its note below it. class_ stack: there, cells stand
    below each other, each behind its column's name."""
    if grid is None or not grid.rows:
        return NOTHING
    name = caption or grid.caption
    head = tag("thead", tag("tr", *(_head(cell, place in grid.left) for place, cell in enumerate(grid.header))))
    labels = grid.header if class_ else ()
    body = tag("tbody", *(_row(row, grid.left, labels) for row in grid.rows))
    inner = joined([tag("caption", tag("span", text(name))) if name else NOTHING, head, body])
    box = tag("div", tag("table", inner), class_=f"scroll {class_}".strip(), tabindex="0", role="region",
              aria_label=name or "Table")  # fmt: skip
    return joined([box, paragraphs(grid.note, class_="note")])


def _head(cell: str, left: bool) -> Html:
    return tag("th", text(cell), scope="col", **({"class_": "w"} if left else {}))


def _row(row: Sequence[str], left: Sequence[int], labels: Sequence[str]) -> Html:
    first, *rest = row
    start = tag("th", text(first), scope="row", **({"class_": "w"} if 0 in left else {}))
    return tag("tr", start, *(_cell(cell, place, left, labels) for place, cell in enumerate(rest, 1)))


def _cell(cell: str, place: int, left: Sequence[int], labels: Sequence[str]) -> Html:
    attributes = {"class_": "w"} if place in left else {}
    return tag("td", text(cell), **attributes, **({"data_label": labels[place]} if labels else {}))
