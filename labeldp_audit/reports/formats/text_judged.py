"""What became of the policy, and what was looked for to meet it, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from ...core.report import Report
from . import terminal, tuning, verdict_tables
from .grid import Grid

_COLUMN = 24  # of a column of numbers with their limits


def parts(report: Report, width: int) -> Iterator[RenderableType]:
    lines, waivers = verdict_tables.lines(report), verdict_tables.waivers(report)
    if report.judgement is not None:
        yield from ("", Text(verdict_tables.sentence(report), style="bold"))
    for grid in filter(None, (lines, waivers)):
        yield ""
        yield from [Text(grid.caption)] if grid.caption else []
        yield from terminal.grid(grid, width)
    yield from table(tuning.TITLE, tuning.sentence(report), tuning.tables(report), width)


def table(title: str, said: str, grids: Sequence[Grid], width: int) -> Iterator[RenderableType]:
    """Under a title, with a sentence above it; as many columns side by side as there is room for."""
    if not said and not grids:
        return
    yield from terminal.heading(title)
    yield Text(said)
    for one in (part for grid in grids for part in grid.split(max(1, (width - _COLUMN) // _COLUMN))):
        yield ""
        yield from terminal.grid(one, width)
