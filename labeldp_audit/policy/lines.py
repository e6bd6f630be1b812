"""One line of a policy, which says what blocks a release: `j(tau=6, mechanism=rr:epsilon=1).high > 0.05`.

line        quantity [ '(' coordinate { ',' coordinate } ')' ] '.' field comparison number
coordinate  name '=' value; a value with a comma or a bracket in it stands in quotes
field       low | estimate | high
comparison  > | >= | < | <=
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NoReturn

from ..core.errors import SpecError
from ..core.policy import COMPARISONS, FIELDS, Line

NUMBER = re.compile(r"[-+]?(?:inf(?:inity)?|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?![\w.])", re.IGNORECASE)
_SPACE, _NAME = re.compile(r"\s*"), re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BARE, _QUOTED = re.compile(r"[^\s,()'\"=]+(?:=[^\s,()'\"=]+)*"), re.compile(r"'[^']*'|\"[^\"]*\"")

_NUMBERS = ("tau", "epsilon", "pi", "lambda", "k", "alpha")


def parse(text: str) -> Line:
    """One line of a policy; an error names the character."""
    return _Parser(text).line()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0

    def line(self) -> Line:
        quantity = self.take(_NAME, "the name of a quantity, such as nu_max")
        at = dict(self.coordinates()) if self.next("(") else {}
        self.expect(".", "one of .low, .estimate and .high")
        self.skip()
        start = self.place
        field = self.take(_NAME, "low, estimate or high")
        if field not in FIELDS:
            self.fail(f"{field!r} is not low, estimate or high", start)
        comparison = next((sign for sign in COMPARISONS if self.next(sign)), "")
        if not comparison:
            self.fail("one of > >= < <= is missing")
        self.skip()
        start, word = self.place, self.take(NUMBER, "a number")
        number = float(word)
        if math.isinf(number) and "inf" not in word.lower():  # nothing would ever be above it
            self.fail(f"{word} is too large a number", start)
        if (comparison, number) in ((">", math.inf), ("<", -math.inf)):
            self.fail("nothing is ever beyond that", start)
        self.skip()
        if self.place < len(self.text):
            self.fail("the line should end here")
        return Line(self.text.strip(), quantity, at, field, comparison, number)

    def coordinates(self) -> Iterator[tuple[str, float | str]]:
        seen: set[str] = set()
        while True:
            self.skip()
            start, name = self.place, self.take(_NAME, "the name of a coordinate, such as tau")
            if name in seen:
                self.fail(f"{name} is there twice", start)
            seen.add(name)
            self.expect("=", f"= and a value of {name}")
            yield name, self.value(name)
            if self.next(")"):
                return
            self.expect(",", "a comma or a closing bracket")

    def value(self, name: str) -> float | str:
        self.skip()
        quoted = _QUOTED.match(self.text, self.place)
        if quoted:
            self.place = quoted.end()
            inside = quoted.group()[1:-1]  # a number where reports have numbers; else maybe a name that looks like one
            return float(inside) if name in _NUMBERS and NUMBER.fullmatch(inside) else inside
        word = self.take(_BARE, f"a value of {name}, in quotes if it holds a comma or a bracket")
        return float(word) if NUMBER.fullmatch(word) else word

    def skip(self) -> None:
        self.place = _SPACE.match(self.text, self.place).end()  # type: ignore[union-attr]

    def next(self, sign: str) -> bool:
        self.skip()
        found = self.text.startswith(sign, self.place)
        self.place += len(sign) if found else 0
        return found

    def expect(self, sign: str, wanted: str) -> None:
        if not self.next(sign):
            self.fail(f"{wanted} is missing")

    def take(self, pattern: re.Pattern[str], wanted: str) -> str:
        self.skip()
        found = pattern.match(self.text, self.place)
        if not found:
            self.fail(f"{wanted} is missing")
        self.place = found.end()
        return found.group()

    def fail(self, what: str, place: int | None = None) -> NoReturn:
        at = self.place if place is None else place
        rest = f"before {self.text[at:].strip()!r}" if self.text[at:].strip() else "at its end"
        quote = '"' if "'" in self.text else "'"
        shown = "".join(one if one.isprintable() else " " for one in self.text)  # as many characters: no escapes
        hint = "a line is written like 'advantage.high > 0.05' or 'j(tau=6).low > 0.05'"
        raise SpecError(f"{what}: {quote}{shown}{quote}, character {at + 1}, {rest}", hint=hint)
