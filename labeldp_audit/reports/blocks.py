"""What a report is made of for readers: sentences, tables, figures and remarks, each said once and at one level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Protocol, TypeVar

from .formats.spelling import plain


class Level(IntEnum):
    """How much of a reader's time it is worth."""

    BRIEF = 1  # on the first screen
    NORMAL = 2  # on the page
    DETAIL = 3  # folded away there


class Chart(Protocol):
    """A picture that was made once."""

    title: str
    alt: str

    def svg(self, standalone: bool) -> str: ...


@dataclass(frozen=True)
class Sentence:
    text: str
    level: Level = Level.NORMAL
    section: str = ""
    role: str = ""  # subject, verdict, answer, item, code: how it is shown


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
class Remark:
    """A warning; `short` names the flag or the act that helps in one line."""

    text: str
    short: str
    level: Level = Level.BRIEF
    section: str = ""


Block = Sentence | Table | Figure | Remark
_LONGEST, _CELL = 2_000, 300  # characters of other people's words; a name of a megabyte helps no reader
Known = TypeVar("Known", Sentence, Table, Figure, Remark)


def harmless(block: Known) -> Known:
    """Without control characters, marks that turn text round, and names that fill pages."""
    changes = {one.name: _harmless(getattr(block, one.name)) for one in fields(block) if one.name not in _OWN}
    return replace(block, **changes)


_OWN = ("level", "left", "chart", "role")


def _harmless(value: object, most: int = _LONGEST) -> object:
    if isinstance(value, str):
        return cut(plain(value), most)
    return tuple(_harmless(one, _CELL) for one in value) if isinstance(value, Sequence) else value


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def in_section(section: str, level: Level, tables: Sequence[Table | None]) -> list[Table]:
    return [replace(one, section=section, level=level) for one in tables if one is not None]
