"""Nouns back from JSON, by how their fields are declared: whatever is not exactly that is refused with TypeError,
ValueError, KeyError or OverflowError, never read as something else."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, NoReturn

Reader = Callable[[Any], Any]
WORDS = {"Infinity": math.inf, "-Infinity": -math.inf}  # JSON has no numbers for these


class Nouns:
    """kinds: that fields of others are declared as; optional: fields that a file may lack; more: readers of further
    declared types."""

    def __init__(
        self, kinds: Iterable[type], more: Mapping[str, Reader], optional: Mapping[type, tuple[str, ...]] | None = None
    ) -> None:
        self._optional = optional or {}
        self._readers: Mapping[str, Reader] = {
            "str": text, "int": whole, "float": number, "bool": truth, "Mapping[str, object]": members,
            **{one.__name__: functools.partial(self.read, one) for one in kinds}, **more,
        }  # fmt: skip
        self._known: dict[tuple[type, tuple[str, ...]], tuple[tuple[str, Reader], ...]] = {}

    def read(self, kind: type, values: Any, **known: object) -> Any:
        """What has those fields; `known` stand in the file in another shape."""
        given, optional = members(values), self._optional.get(kind, ())
        for name, reader in self._fields(kind, tuple(known)):
            if name in given or name not in optional:
                known[name] = reader(given[name])
        return kind(**known)

    def _fields(self, kind: type, known: tuple[str, ...]) -> tuple[tuple[str, Reader], ...]:
        if (kind, known) not in self._known:
            wanted = (one for one in fields(kind) if one.name not in known)
            self._known[kind, known] = tuple((one.name, self.reader(str(one.type))) for one in wanted)
        return self._known[kind, known]

    def reader(self, declared: str) -> Reader:
        """By how a field is declared: `int`, `int | None`, `tuple[int, ...]`."""
        if declared in self._readers:
            return self._readers[declared]
        one = declared.removesuffix(" | None")
        if one != declared:
            inner = self.reader(one)
            return lambda value: None if value is None else inner(value)
        one = declared.removeprefix("tuple[").removesuffix(", ...]")
        if one != declared:
            item = self.reader(one)
            return lambda value: tuple(map(item, listed(value)))
        raise LookupError(f"no reader of {declared}")


def text(value: Any) -> str:
    return value if isinstance(value, str) else refused(value, "a text")


def truth(value: Any) -> bool:
    return value if isinstance(value, bool) else refused(value, "true or false")


def whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else refused(value, "a whole number")


def number(value: Any) -> float:
    if isinstance(value, str) and value in WORDS:
        return WORDS[value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        float(value)  # refuses what no number of a report can be
        return value
    return refused(value, "a number")


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else refused(value, "a list")


def members(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else refused(value, "an object")


def refused(value: object, wanted: str) -> NoReturn:
    raise TypeError(f"{type(value).__name__} instead of {wanted}")
