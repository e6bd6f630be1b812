"""What a report is made of for readers: sentences, tables, figures and warnings, each said once and at one level."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from ..core.quoting import plain
from .figures.panels import Chart
from .formats.spelling import cut


class Level(IntEnum):
    """How much of a reader's time it is worth."""

    BRIEF = 1  # on the first screen
    NORMAL = 2  # on the page
    DETAIL = 3  # folded away there


@dataclass(frozen=True)
class Sentence:
    text: str
    level: Level = Level.NORMAL
    section: str = ""
    role: str = ""  # subject, verdict, answer, next, code: how it is shown


@dataclass(frozen=True)
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    level: Level = Level.NORMAL
    section: str = ""
    caption: str = ""
    note: str = ""
    left: Sequence[int] = (0,)  # columns of words


@dataclass(frozen=True)
class Figure:
    chart: Chart
    level: Level = Level.NORMAL
    section: str = ""


@dataclass(frozen=True)
class Notice:
    """A warning; on a screen as many of its clauses as one line holds."""

    text: str
    level: Level = Level.BRIEF
    section: str = ""


Block = Sentence | Table | Figure | Notice
_LONGEST, _CELL = 2_000, 1_000  # characters of other people's words; a name of a megabyte helps no reader


def harmless(block: Block) -> Block:
    """Without control characters, marks that turn text round, and names that fill pages."""
    match block:
        case Sentence() | Notice():
            return replace(block, text=cut(plain(block.text), _LONGEST))
        case Table():
            header, *rows = (tuple(cut(plain(cell), _CELL) for cell in row) for row in (block.header, *block.rows))
            return replace(block, header=header, rows=rows, note=cut(plain(block.note), _LONGEST))
    return block


def flowing(cell: str) -> str:
    """An estimate, its ends and what follows, where columns of a terminal do not keep them apart."""
    first, *rest = re.split(" {2,}", cell.strip())
    return " ".join([first, *(f"({one})" for one in rest)]) if rest and first else "".join(rest) or first
