"""The curves drawn with characters, two by four dots in each. A curve also carries its mark: colour helps, nobody needs
it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from . import axes
from .axes import Frame
from .curves import Curve
from .spelling import short

# A run of characters and the curve that it belongs to.
Run = tuple[str, int | None]
Cell = tuple[int, int]  # column, row

MARKS = "123456789abcdefghijklmnopqrstuvwxyz"
HEIGHT = 14
_GUTTER = 8
_WIDEST = 110
# Bits of a braille cell, by dot row and dot column: Unicode 16, chapter 21.1.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def mark(place: int) -> str:
    return MARKS[place % len(MARKS)]


def rows(found: Sequence[Curve], width: int) -> list[list[Run]]:
    """The chart from top to bottom, at most `width` cells wide."""
    frame, across = axes.frame(found), min(width, _WIDEST) - _GUTTER - 2
    cells = _drawn(found, frame, across)
    labels = _heights(frame)
    limited = any(bound.low is not None or bound.high is not None for curve in found for bound in curve.bounds)
    where = "their limits are in the table" if limited else "they have no limits"
    body: list[list[Run]] = [[(f"J(tau), share of people: estimates; {where}", None)]]
    for row in range(HEIGHT):
        label = labels.get(row, "")
        body.append([(f"{label:>{_GUTTER - 1}} {'┤' if label else '│'}", None), *_runs(cells, row, across)])
    for line in _below(frame, across):
        body.append([(line, None)])
    return body


def _drawn(found: Sequence[Curve], frame: Frame, across: int) -> dict[Cell, tuple[str, int]]:
    paths = [_path(curve, frame, across) for curve in found]
    cells: dict[Cell, tuple[str, int]] = {}
    for place, path in enumerate(paths):
        for cell, bits in path.items():
            earlier = ord(cells[cell][0]) - 0x2800 if cell in cells else 0
            cells[cell] = (chr(0x2800 + (bits | earlier)), place)
    for place, path in enumerate(paths):
        others = set().union(*(other for index, other in enumerate(paths) if index != place))
        for cell in _spaced([cell for cell in path if cell not in others]):
            cells[cell] = (mark(place), place)
    return cells


def _path(curve: Curve, frame: Frame, across: int) -> dict[Cell, int]:
    """Cell -> dots. Each dot column takes J where it begins to be held; steps are joined by a rise."""
    cells: dict[Cell, int] = {}
    previous: int | None = None
    for x in range(2 * across):
        tau = frame.left + (frame.right - frame.left) * (x + 0.5) / (2 * across)
        place = bisect_right(curve.taus, tau) - 1
        if place < 0:
            continue
        y = _dot(frame, curve.bounds[place].estimate or 0.0)
        for dot in range(min(y, y if previous is None else previous + 1), y + 1):
            cell = (x // 2, dot // 4)
            cells[cell] = cells.get(cell, 0) | _DOTS[dot % 4][x % 2]
        previous = y
    return cells


def _spaced(cells: Sequence[Cell], least: int = 12) -> list[Cell]:
    """Some of the cells, far enough from each other; a row is about two columns high."""
    kept: list[Cell] = []
    for column, row in cells[1:]:
        if all(abs(column - other) + 2 * abs(row - level) >= least for other, level in kept):
            kept.append((column, row))
    return kept


def _runs(cells: dict[Cell, tuple[str, int]], row: int, across: int) -> list[Run]:
    return [cells.get((column, row), (" ", None)) for column in range(across)]


def _heights(frame: Frame) -> dict[int, str]:
    """Row -> label."""
    return {_dot(frame, share) // 4: f"{short(100 * share)} %" for share in frame.shares(HEIGHT // 2)}


def _dot(frame: Frame, share: float) -> int:
    """Counted from the top."""
    return round((1 - frame.up(share)) * (4 * HEIGHT - 1))


def _below(frame: Frame, across: int) -> list[str]:
    line, labels = ["─"] * across, [" "] * (across + _GUTTER)
    free = 0
    for tau in frame.taus(max(across // 8, 2)):
        column, label = round(frame.across(tau) * (across - 1)), short(tau)
        start = column - len(label) // 2 + 4
        if start >= free and start + len(label) <= len(labels):
            line[column] = "┬"
            labels[start : start + len(label)] = label
            free = start + len(label) + 1
    caption = "tau, privacy loss in nats"
    return [
        " " * _GUTTER + "└" + "".join(line),
        (" " * (_GUTTER + 1 - 4) + "".join(labels)).rstrip(),
        " " * max(0, _GUTTER + 1 + (across - len(caption)) // 2) + caption,
    ]
