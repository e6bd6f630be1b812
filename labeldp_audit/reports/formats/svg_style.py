"""What all pictures are drawn with: a self-contained .svg, no script, no font, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ...core.table import Dataset
from .spelling import count, plain

# Okabe and Ito's colours, told apart by people who see few colours; the dashes are for print in grey.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_DASHES = ("", "8 3", "2 3", "10 3 2 3", "14 4", "5 2 1 2 1 2")

WIDTH = 960
_STYLE = (
    "text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif;fill:#333;font-size:13px}"
    ".title{font-size:19px;font-weight:600;fill:#111}.small{font-size:12px;fill:#666}.name{font-weight:600;fill:#111}"
    ".grid{stroke:#e4e4e4}.axis{stroke:#555}"
)


def opening(title: str, about: str, height: int, style: str) -> Iterator[str]:
    """The sheet with its title and one line below it."""
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title about">'
    )
    yield f'<title id="title">{escape(title)}</title>'
    yield f'<desc id="about">{escape(about)}</desc>'
    yield f"<style>{_STYLE}{style}</style>"
    yield f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#fff"/>'
    yield text(24, 34, title, "title")
    yield text(24, 56, about, "small")


def table(data: Dataset) -> str:
    return f"{cut(plain(data.name), 40)}, label {cut(plain(data.label), 30)}, {count(data.rows_used)} rows."


def color(place: int) -> str:
    return COLORS[place % len(COLORS)]


def pattern(place: int) -> str:
    return _DASHES[place % len(_DASHES)]


def dash(place: int) -> str:
    return f' stroke-dasharray="{pattern(place)}"' if pattern(place) else ""


def text(x: float, y: float, words: str, style: str = "", anchor: str = "") -> str:
    attributes = (f' class="{style}"' if style else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(words)}</text>'


def cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"
