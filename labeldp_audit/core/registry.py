"""Names to things and back: `rr:epsilon=1` is `RandomizedResponse(epsilon=1.0)`.

A registry is one folder's list. Help, errors, docs and contract tests read it, so adding a thing is one file and its
name in that list. Packages of other people add theirs by the entry point group `labeldp_audit.<kind>s`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from .errors import SpecError

_OURS = __name__.partition(".")[0]

Thing = TypeVar("Thing")


def spelled(value: float) -> str:
    """A parameter as it is written in specs and reports: six digits, as short as they allow."""
    return f"{value:.6g}"


def number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise SpecError(f"{what} is not a number: {text!r}") from None
    if math.isnan(value):
        raise SpecError(f"{what} is not a number: {text!r}")
    return value


class Registry(Generic[Thing]):
    """The things of one kind, by name. Each has `name`, `example` and `parse(fields, ...) -> thing`; `leading`, where
    it has one, is the field whose name may be left out in front."""

    def __init__(self, kind: str, things: tuple[type[Thing], ...]) -> None:
        self.kind = kind
        self._own = things

    def __iter__(self) -> Iterator[type[Thing]]:
        """Those that can be loaded: somebody's broken package is met where it is asked for."""
        for name in self.names():
            with contextlib.suppress(SpecError):
                yield self.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name())

    def _by_name(self) -> dict[str, Callable[[], type[Thing]]]:
        found: dict[str, Callable[[], type[Thing]]] = {
            str(thing.name): functools.partial(_itself, thing)  # type: ignore[attr-defined]
            for thing in self._own
        }
        for entry in entry_points(group=f"labeldp_audit.{self.kind}s"):
            found.setdefault(entry.name, entry.load)
        return found

    def get(self, name: str) -> type[Thing]:
        known = self._by_name()
        if name not in known:
            raise SpecError.unknown(self.kind, name, known)
        try:
            return known[name]()
        except Exception as error:
            raise SpecError(f"the {self.kind} {name!r} of another package cannot be loaded: {error!r}") from None

    def read(self, spec: str) -> tuple[str, dict[str, str]]:
        """The name, which is one of these, and the fields as they are written."""
        name, _, rest = spec.partition(":")
        leading = getattr(self.get(name.strip()), "leading", "")
        fields: dict[str, str] = {}
        for part in filter(None, (part.strip() for part in rest.split(","))):
            key, equals, value = part.partition("=")
            if leading and not equals and not fields:
                key, equals, value = leading, "=", part
            if not equals or not value.strip():
                raise SpecError(f"{self.kind} {spec!r}: {part!r} is not written field=value")
            if key.strip() in fields:
                raise SpecError(f"{self.kind} {spec!r}: {key.strip()!r} is given twice")
            fields[key.strip()] = value.strip()
        return name.strip(), fields

    def parse(self, spec: str, *context: object) -> list[Thing]:
        """`name:field=value,...`; `|` between values gives a family, in the order in which they are written.

        context: what `parse` of the kind wants to know beside the fields.
        """
        name, fields = self.read(spec)
        build: Callable[..., Thing] = self.get(name).parse  # type: ignore[attr-defined]
        try:
            each = itertools.product(*([one.strip() for one in value.split("|")] for value in fields.values()))
            return [build(dict(zip(fields, values, strict=True)), *context) for values in each]
        except SpecError as error:
            raise SpecError(f"{self.kind} {spec!r}: {error.what}", hint=error.hint) from None
        except Exception as error:
            if build.__module__.startswith(_OURS):
                raise
            raise SpecError(f"{self.kind} {spec!r}: its package fails: {error!r}") from None


def _itself(thing: type[Thing]) -> type[Thing]:
    return thing
