"""What is certified, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from ...core.report import Report
from . import certificates, curves, terminal
from .curves import Curve
from .grid import Grid

_WIDE = 110  # from this on there is room for what a number is
_COLUMN, _TAU = 14, 13  # of a mechanism in the table of shares; longer names are folded


def parts(report: Report, width: int) -> Iterator[RenderableType]:
    nobody = certificates.nobody_can(report)
    if not certificates.certified_findings(report):
        yield from terminal.paragraphs([nobody] if nobody else [])
        return
    yield from terminal.heading(certificates.title(report))
    yield Text(certificates.needs(report), style="dim")
    yield from _shares(curves.certified(report), width)
    for grid in certificates.others(report, width >= _WIDE):
        yield from ("", Text(grid.caption))
        yield from terminal.grid(grid if width >= terminal.NARROW else _narrow(grid), width)
    yield from terminal.paragraphs([*certificates.also_needed(report), *([nobody] if nobody else [])])


def _shares(found: Sequence[Curve], width: int) -> Iterator[RenderableType]:
    """As many mechanisms side by side as there is room for."""
    beside = max(1, (width - _TAU) // _COLUMN)
    tables = [certificates.shares(found[start : start + beside]) for start in range(0, len(found), beside)]
    shown = [grid for grid in tables if grid.rows]
    if shown:
        yield from ("", Text(certificates.OF_SHARES))
    for place, grid in enumerate(shown):
        yield from ([""] if place else [])
        yield from terminal.grid(grid, width)
    if end := certificates.end_of_shares(found):
        yield from ([] if shown else [""])
        yield Text(end, style="dim")


def _narrow(grid: Grid) -> Grid:
    """What stands side by side goes into one column: quantity and mechanism, or both limits."""
    if 1 in grid.left:
        rows = [["\n".join(filter(None, row[:2])), *row[2:]] for row in grid.rows]
        return replace(grid, header=[grid.header[0], *grid.header[2:]], rows=rows, left=(0,))
    if grid.header[0] != "mechanism":
        return grid
    rows = [[_folded(row[0]), f"[{row[1]}, {row[2]}]", *row[3:]] for row in grid.rows]
    return replace(
        grid,
        header=[grid.header[0], "limits", *(title.replace(", at", ",\nat") for title in grid.header[3:])],
        rows=rows,
    )


def _folded(mechanism: str) -> str:
    """Between parameters, not inside them."""
    return mechanism if len(mechanism) <= _COLUMN + 2 else mechanism.replace(",", ",\n")
