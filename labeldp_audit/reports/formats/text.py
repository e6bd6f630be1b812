"""The report for a terminal: what is brief fits one screen; with `verbose` everything is shown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...core.quoting import plain
from ...core.report import Report
from .. import document
from ..blocks import Block, Figure, Level, Notice, Sentence, Table
from .spelling import cut

_WIDEST, _LINES, _WARNINGS = 120, 25, 5
_LETTERS = 240  # of a sentence on the first screen
_BOLD, _DIM, _RED, _GREEN, _YELLOW, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
_COLORS = {
    "FAIL": _RED,
    "PASS": _GREEN,
    "OPEN": _YELLOW,
    "INCONCLUSIVE": _YELLOW,
    "UNPROVEN": _YELLOW,
    "VACUOUS": _YELLOW,
}
_GAP = "   "


def render(
    report: Report, *, width: int, color: bool = False, run_info: Mapping[str, object] | None = None, **_: object
) -> str:
    """All of it, for a file."""
    lines, section, room = [], "", min(width, _WIDEST)
    for block in document.of(report, run_info):
        if block.section != section and not isinstance(block, Figure):
            section = block.section
            lines += ["", _styled(section, _BOLD, color), ""]
        lines += _block(block, room, color)
    return _text(lines)


def screen(report: Report, width: int = 100, color: bool = False, page: str = "", rest: str = "--verbose") -> str:
    """At most 25 lines. page: where the rest can be read; rest: what shows it."""
    brief = [one for one in document.of(report) if one.level is Level.BRIEF]
    room = min(width, _WIDEST)
    last = _last(brief, page, rest, room)
    above = [line for one in brief if not isinstance(one, Notice) for line in _brief(one, room, color)]
    most = max(1, min(_WARNINGS, _LINES - len(above) - len(last)))
    found = [one.text for one in brief if isinstance(one, Notice)]
    shown = found if len(found) <= most else found[: most - 1]
    warnings = [f"! {_clauses(one, room - 2)}" for one in shown]
    more = " more" if shown else ""
    warnings += [f"! {len(found) - len(shown)}{more} warnings"] if len(found) > len(shown) else []
    return _text([*above, *(_styled(line, _YELLOW, color) for line in warnings), *last])


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _brief(block: Block, width: int, color: bool) -> Iterator[str]:
    match block:
        case Sentence(role="next"):
            return
        case Sentence(text=text, role=role):
            style = _tint(text) if role in ("verdict", "answer") else _DIM
            most = None if role == "subject" else max(3, _LETTERS // width)
            yield from (_styled(line, style, color) for line in _wrapped(text, width, most=most))
        case Table():
            yield ""
            yield from _table(block, width, color, one=True)
            if block.note:
                yield _styled(cut(block.note, width), _DIM, color)


def _clauses(text: str, most: int) -> str:
    """As many whole clauses as one line holds, if that is more than half of it."""
    if len(text) <= most:
        return text
    ends = [match.start() for match in re.finditer(r"[;:,] | \(", text[:most])]
    ends = [end for end in ends if end > most // 2 and text.count("(", 0, end) == text.count(")", 0, end)]
    return text[: ends[-1]] if ends else cut(text, most)


def _last(brief: Sequence[Block], page: str, rest: str, width: int) -> list[str]:
    steps = next((one.text for one in brief if isinstance(one, Sentence) and one.role == "next"), "")
    parts = [f"page: {plain(page)}" if page else "", f"next: labeldp-audit {steps}" if steps else "", f"all: {rest}"]
    lines = [""]
    for part in filter(None, parts):
        joined = f"{lines[-1]}{_GAP}{part}" if lines[-1] else part
        lines = [*lines[:-1], joined] if len(joined) <= width else [*lines, part]
    return lines


# ---- all of it


def _block(block: Block, width: int, color: bool) -> Iterator[str]:
    match block:
        case Sentence(role="next"):
            return
        case Sentence(text=text, role="code"):
            yield f"  {text}"
        case Sentence(text=text, role=role):
            style = _tint(text) if role in ("verdict", "answer") else ""
            yield from (_styled(line, style, color) for line in _wrapped(text, width))
        case Notice(text=text):
            yield from _wrapped(text, width, "! ", "  ")
        case Table():
            yield ""
            yield from [_styled(block.caption, _BOLD, color)] if block.caption else []
            yield from _table(block, width, color)
            yield from _wrapped(block.note, width)
            yield ""


def _tint(text: str) -> str:
    return _BOLD + _COLORS.get(text.partition(":")[0].partition(" ")[0], "")


def _wrapped(text: str, width: int, first: str = "", rest: str = "", most: int | None = None) -> list[str]:
    """No line ends before a per cent sign. most: lines, of which the last ends with … where there would be more."""
    kept = text.replace(" %", "\xa0%")
    lines = textwrap.wrap(
        kept, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False,
        max_lines=most, placeholder="…",
    )  # fmt: skip
    return [line.replace("\xa0%", " %") for line in lines]


def _styled(line: str, style: str, color: bool) -> str:
    return f"{style}{line}{_PLAIN}" if color and line and style else line


_NAME = 8  # columns of a text that still tells what a row is about


def _table(table: Table, width: int, color: bool, one: bool = False) -> Iterator[str]:
    """Columns side by side where there is room; one: texts and headers give way to numbers, and the last columns to the
    first two; otherwise cells stand below others."""
    grid = [list(table.header), *map(list, table.rows)]
    widths, room = [max(map(_cells, column)) for column in zip(*grid, strict=True)], width + len(_GAP)
    bodies = list(zip(*grid[1:], strict=True)) or [()] * len(widths)
    least = [_least(column, place in table.left) for place, column in enumerate(bodies)]
    shown = len(widths)
    while one and shown > 2 and sum(least[:shown]) + len(_GAP) * shown > room:
        shown -= 1
    if sum(least[:shown] if one else widths) + len(_GAP) * shown > room or (shown == 1 and not one):
        yield from _stacked(table, width, shown)
        return
    widths = widths[:shown]
    while sum(widths) + len(_GAP) * len(widths) > room:
        loose = [size if size > kept else 0 for size, kept in zip(widths, least, strict=False)]
        widths[loose.index(max(loose))] -= 1
    for number, row in enumerate(grid):
        cells = [_padded(row[place], size, place in table.left) for place, size in enumerate(widths)]
        yield _styled(_GAP.join(cells), "" if number else _BOLD, color)


def _least(cells: Sequence[str], is_text: bool) -> int:
    """A number is never cut; a text while that makes no two alike, if it is not very long."""
    if not is_text:
        return max(map(_cells, cells), default=4)
    enough = (size for size in range(_NAME, 3 * _NAME) if len({one[: size - 1] for one in cells}) == len(set(cells)))
    return next(enough, _NAME)


def _stacked(table: Table, width: int, columns: int) -> Iterator[str]:
    """The first cell of each row, and each other of the first columns below it with its column's name."""
    for first, *rest in table.rows:
        if len(table.header) == 1:
            yield from _wrapped(first, width, "- ", "  ")
            continue
        yield from _wrapped(first, width) or [""]
        for name, cell in zip(table.header[1:columns], rest, strict=False):
            if cell.strip():
                yield from _wrapped(f"{name}: {' '.join(cell.split())}", width, "    ", "      ")


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)


def _padded(cell: str, room: int, left: bool) -> str:
    if _cells(cell) > room:
        while _cells(cell) >= room:
            cell = cell[:-1]
        cell += "…"
    free = " " * (room - _cells(cell))
    return cell + free if left else free + cell
