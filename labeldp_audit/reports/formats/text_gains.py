"""What each mechanism adds to an attacker's guess, as tables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...core.report import Report
from . import compared, facts, gains, terminal
from .gains import Gain

_WIDE = 78  # from this on, every number has a column
_NARROWEST = 56
_WIDEST = 116  # from this on, names and limits have a line
_HEADER = 14  # of a mechanism in the table of bounds; longer names are folded


def parts(report: Report, width: int) -> Iterator[RenderableType]:
    found = gains.gains_of(report)
    if not found:
        return
    least, remark = gains.least_if(report), f"advantage in percentage points, {facts.level(report)}"
    below = "" if width >= _WIDE else f"; [at least, {least}; at most]"
    yield from terminal.heading("What each mechanism adds", remark + below)
    yield _wide(found, least, width >= _WIDEST) if width >= _WIDE else _narrow(found, width)
    yield from _beside_bounds(gains.gains_of(compared.planned(report)), width)


def _wide(found: Sequence[Gain], least: str, one_line: bool) -> Table:
    table = terminal.table()
    table.add_column("\n\nmechanism", overflow="fold")
    least = f"at least\nif eta\n{least.removeprefix('if eta ')}"
    for title in ("\nclaims\nepsilon", "\nadds,\nestimate", "\nat\nmost", least, "\ninformed\nguess, %"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("\n\nprotects like", no_wrap=True)
    for gain in found:
        name = gain.mechanism if one_line else _folded(gain.mechanism)
        same = gains.like(gain) if one_line else _in_two_lines(gain)
        cells = [name, gains.claim(gain), *gains.points(gain.bound), gains.informed(gain, one_line), same]
        table.add_row(*map(Text, cells))
    return table


def _folded(mechanism: str) -> str:
    """Between parameters, not inside them."""
    return mechanism if len(mechanism) <= _HEADER + 2 else mechanism.replace(",", ",\n")


def _in_two_lines(gain: Gain) -> str:
    """What needs more room than most numbers do."""
    said = gains.like(gain)
    return "labels in\nthe clear" if said == gains.CLEAR else said


def _narrow(found: Sequence[Gain], width: int) -> Table:
    """Limits below the estimate; claims are in the names. Where there is no room beside them, equals are below."""
    table, below = terminal.table(), width < _NARROWEST
    table.add_column("mechanism\n  protects like" if below else "mechanism", overflow="fold")
    table.add_column("adds", justify="right", no_wrap=True)
    if not below:
        table.add_column("protects like", overflow="fold")
    for gain in found:
        estimate, most, least = gains.points(gain.bound)
        adds = Text(estimate + ("" if gain.bound.high is None else f"\n[{least}, {most}]"))
        same = _in_two_lines(gain)
        if below:
            table.add_row(Text(f"{_folded(gain.mechanism)}\n{textwrap.indent(same, '  ')}"), adds)
        else:
            table.add_row(Text(_folded(gain.mechanism)), adds, Text(same))
    return table


def _beside_bounds(found: Sequence[Gain], width: int) -> Iterator[RenderableType]:
    """A table a kind of mechanism: the bounds that papers give, below what was computed."""
    kinds = [group for group in gains.by_kind(found).values() if gains.ceilings(group)]
    if not kinds:
        return
    yield from terminal.heading("Beside the bounds of the papers", "percentage points: estimate (at most)")
    for group in kinds:
        yield from _split(group, width)
        yield ""
    yield Text(gains.sources(found), style="dim")


def _split(group: Sequence[Gain], width: int) -> Iterator[RenderableType]:
    """As many mechanisms side by side as there is room for."""
    rows = gains.ceilings(group)
    names = max(cell_len(name) for name, _ in rows)
    column = max(cell_len(cell) for _, cells in rows for cell in cells)
    column = max(column, min(_HEADER, max(cell_len(gain.parameters) for gain in group))) + 1
    beside = max(1, (width - names - 1) // column)
    for start in range(0, len(group), beside):
        if start:
            yield ""
        yield _bounds(group[start : start + beside], [(name, cells[start : start + beside]) for name, cells in rows])


def _bounds(group: Sequence[Gain], rows: Sequence[tuple[str, Sequence[str]]]) -> Table:
    table = terminal.table()
    table.add_column(Text(group[0].kind), overflow="fold")
    for gain in group:
        table.add_column(Text(gain.parameters), justify="right", overflow="fold")
    for name, cells in rows:
        table.add_row(Text(name), *map(Text, cells))
    return table
