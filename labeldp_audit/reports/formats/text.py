"""The report for a terminal: what is brief fits one screen; with `verbose` everything is shown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...core.report import Report
from .. import document
from ..blocks import Block, Figure, Level, Remark, Sentence, Table
from .spelling import cut

_WIDEST, _LINES, _WARNINGS = 120, 25, 5
_BOLD, _DIM, _RED, _GREEN, _YELLOW, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
_COLORS = {"FAIL": _RED, "PASS": _GREEN, "OPEN": _YELLOW, "INCONCLUSIVE": _YELLOW, "UNPROVEN": _YELLOW}
_GAP = "   "


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    """All of it, for a file."""
    return whole(report, width, color, run_info)


def whole(report: Report, width: int, color: bool = False, run_info: Mapping[str, object] | None = None) -> str:
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
    above = [line for one in brief if not isinstance(one, Remark) for line in _brief(one, room, color)]
    left = max(1, min(_WARNINGS, _LINES - len(above) - len(last)))
    return _text([*above, *_warnings([one for one in brief if isinstance(one, Remark)], left, room, color), *last])


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _brief(block: Block, width: int, color: bool) -> Iterator[str]:
    match block:
        case Sentence(role="next"):
            return
        case Sentence(text=text, role=role):
            for line in _wrapped(text, width)[:3]:
                yield _styled(line, _tint(text) if role in ("verdict", "answer") else _DIM, color)
        case Table():
            yield ""
            yield from _table(block, width, color, one=True)
            if block.note:
                yield _styled(cut(block.note, width), _DIM, color)


def _tint(text: str) -> str:
    return _BOLD + _COLORS.get(text.partition(":")[0].partition(" ")[0], "")


def _warnings(found: Sequence[Remark], most: int, width: int, color: bool) -> Iterator[str]:
    shown = found if len(found) <= most else found[: most - 1]
    yield from (_styled(f"! {_clauses(one.text, width - 2)}", _YELLOW, color) for one in shown)
    if len(found) > len(shown):
        yield _styled(f"! {len(found) - len(shown)} more warnings", _YELLOW, color)


def _clauses(text: str, most: int) -> str:
    """As many whole clauses as one line holds, if that is more than half of it."""
    if len(text) <= most:
        return text
    ends = [match.start() for match in re.finditer(r"[;:,] | \(", text[:most])]
    ends = [end for end in ends if end > most // 2 and text.count("(", 0, end) == text.count(")", 0, end)]
    return text[: ends[-1]] if ends else cut(text, most)


def _last(brief: Sequence[Block], page: str, rest: str, width: int) -> list[str]:
    steps = next((one.text for one in brief if isinstance(one, Sentence) and one.role == "next"), "")
    parts = [f"page: {page}" if page else "", f"next: labeldp-audit {steps}" if steps else "", f"all: {rest}"]
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
            lines = _wrapped(text, width)
            yield from (_styled(line, _tint(text), color) if role in ("verdict", "answer") else line for line in lines)
        case Remark(text=text):
            yield from _wrapped(text, width, "! ", "  ")
        case Table():
            yield ""
            yield from [_styled(block.caption, _BOLD, color)] if block.caption else []
            yield from _table(block, width, color)
            yield from _wrapped(block.note, width)
            yield ""


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """No line ends before a per cent sign."""
    kept = text.replace(" %", "\xa0%")
    lines = textwrap.wrap(kept, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return [line.replace("\xa0%", " %") for line in lines]


def _styled(line: str, style: str, color: bool) -> str:
    return f"{style}{line}{_PLAIN}" if color and line else line


def _table(table: Table, width: int, color: bool, one: bool = False) -> Iterator[str]:
    """Columns side by side as far as there is room; one: what has none is cut, otherwise it stands below."""
    grid = [list(table.header), *map(list, table.rows)]
    widths = [max(_cells(row[place]) for row in grid) for place in range(len(table.header))]
    if len(widths) == 1 or sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        if not one:
            yield from _stacked(table, width)
            return
        widths = _squeezed(widths, width)
    for number, row in enumerate(grid):
        cells = [
            _padded(cell, room, place in table.left) for place, (cell, room) in enumerate(zip(row, widths, strict=True))
        ]
        yield _styled(_GAP.join(cells), _BOLD if number == 0 else "", color)


def _squeezed(widths: Sequence[int], width: int) -> list[int]:
    """The widest column gives way first."""
    found = list(widths)
    while sum(found) + len(_GAP) * (len(found) - 1) > width and max(found) > 4:
        found[found.index(max(found))] -= 1
    return found


def _stacked(table: Table, width: int) -> Iterator[str]:
    """Rows of a table that is too wide: the first cell, and each other below it with its column's name."""
    if len(table.header) == 1:
        for (cell,) in table.rows:
            yield from _wrapped(cell, width, "- ", "  ")
        return
    for first, *rest in table.rows:
        yield from _wrapped(first, width) or [""]
        for name, cell in zip(table.header[1:], rest, strict=True):
            if cell.strip():
                said = f"{name}: {' '.join(cell.split())}"
                yield from _wrapped(said, width, "    ", "      ")


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
