"""The kinds of values an option takes: how one is written on the command line, and how in a TOML file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from .errors import SpecError


class Kind(Protocol):
    """Both ways end in the same value; a SpecError says what was expected."""

    @property
    def metavar(self) -> str: ...

    def parse(self, text: str) -> object:
        """From a flag or a variable."""

    def take(self, value: object) -> object:
        """From a file, where 1000 and "1000" are two things."""


_SHOWN = ("builtins", "datetime")  # modules of values that a file of options may hold


def refusal(expected: str, got: object) -> SpecError:
    """Names the value; of anything else, such as a table, the type alone, for its text has rows of the data."""
    kind = type(got)
    return SpecError(f"not {expected}: {repr(got) if kind.__module__ in _SHOWN else kind.__name__}")


class _Written:
    """In a file as on the command line."""

    def take(self, value: object) -> str:
        if not isinstance(value, str):
            raise refusal("a text", value)
        return self.parse(value)

    def parse(self, text: str) -> str:
        if not text:
            raise refusal("a text", text)
        return text


@dataclass(frozen=True)
class Text(_Written):
    metavar: str


@dataclass(frozen=True)
class Character(_Written):
    metavar: str

    def parse(self, text: str) -> str:
        one = {"tab": "\t", "\\t": "\t"}.get(text, text)
        if len(one) != 1 or not one.isascii() or one in '\r\n"':
            raise refusal("a single character, such as ';' or 'tab'", text)
        return one


@dataclass(frozen=True)
class OneOf(_Written):
    known: tuple[str, ...]

    @property
    def metavar(self) -> str:
        return "|".join(self.known)

    def parse(self, text: str) -> str:
        if text not in self.known:
            raise refusal(f"one of {', '.join(self.known)}", text)
        return text


@dataclass(frozen=True)
class Flag:
    metavar: str = ""

    def parse(self, text: str) -> bool:
        for value, spelled in ((True, ("1", "true", "yes", "on")), (False, ("0", "false", "no", "off"))):
            if text.lower() in spelled:
                return value
        raise refusal("true or false", text)

    def take(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise refusal("true or false", value)
        return value


@dataclass(frozen=True)
class Whole:
    metavar: str
    least: int
    most: int | None = None

    @property
    def range(self) -> str:
        return f"a whole number of at least {self.least}" + (f" and at most {self.most}" if self.most else "")

    def parse(self, text: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
            raise refusal(self.range, text)
        return self.take(int(text))

    def take(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= (self.most or value):
            raise refusal(self.range, value)
        return value


@dataclass(frozen=True)
class WholeOrAll:
    """`all` is kept as 0."""

    metavar: str

    def parse(self, text: str) -> int:
        return self.take("all" if text.lower() == "all" else int(text) if re.fullmatch("[0-9]{1,18}", text) else text)

    def take(self, value: object) -> int:
        if value == "all":
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise refusal("'all' or a whole number of at least 1", value)
        return value


@dataclass(frozen=True)
class Share:
    """A number of which `range` says in words what `low <= x` or `low < x`, and `x < 1` or `x <= 1`, mean."""

    metavar: str
    low: float
    low_included: bool
    one_included: bool

    @property
    def range(self) -> str:
        low = "of at least" if self.low_included else "above"
        return f"a number {low} {self.low:g} and {'at most' if self.one_included else 'below'} 1"

    def parse(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise refusal(self.range, text) from None
        return self.take(value)

    def take(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise refusal(self.range, value)
        above = self.low < value or (self.low_included and value == self.low)
        if not above or not (value < 1 or (self.one_included and value == 1)):
            raise refusal(self.range, value)
        return float(value)


@dataclass(frozen=True)
class Numbers:
    """Numbers in a notation of their own, kept as they are written; a file may give a number or a list."""

    metavar: str

    def parse(self, text: str) -> str:
        if not re.fullmatch(r"[-+0-9.eE_infa,: ]+", text):
            raise refusal(f"numbers written {self.metavar}", text)
        return text

    def take(self, value: object) -> str:
        many = value if isinstance(value, list) else [value]
        if any(isinstance(one, bool) or not isinstance(one, int | float | str) for one in many):
            raise refusal(f"numbers written {self.metavar}", value)
        return self.parse(",".join(str(one) for one in many))
