"""What the parts of the report for a terminal are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .grid import Grid

NARROW = 72  # below this, numbers and limits share a column


def heading(title: str, remark: str = "") -> Iterator[Text]:
    yield Text()
    yield Text.assemble((title, "bold"), (f"  {remark}" if remark else "", "dim"))


def paragraphs(sentences: Sequence[str]) -> Iterator[RenderableType]:
    for sentence in sentences:
        yield from ("", Text(sentence))


def listed(title: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    if not lines:
        return
    yield from heading(title)
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for line in lines:
        grid.add_row("-", Text(line))
    yield Padding(grid, (0, 0, 0, 2))


def table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")


def grid(shown: Grid, width: int) -> Iterator[RenderableType]:
    """Where there is little room, errors go on with a line below. Whatever is too wide is folded, never cut."""
    made = table()
    for place, title in enumerate(shown.header):
        made.add_column(Text(title), justify="left" if place in shown.left else "right", overflow="fold")
    for row in shown.rows:
        made.add_row(*(Text(cell.replace(" ±", "\n±") if width < NARROW else cell) for cell in row))
    yield made
    if shown.note:
        yield Text(shown.note, style="dim")
