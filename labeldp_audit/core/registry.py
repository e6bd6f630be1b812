"""Names to things and back: `rr:epsilon=1` is `RandomizedResponse(epsilon=1.0)`.

A list is one folder's. Help, errors, docs and contract tests read it, so adding a thing is one file and its name there.
Packages of other people add theirs by an entry point, as docs/extend.md shows.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from traceback import walk_tb
from typing import Generic, TypeVar

from .errors import SpecError
from .quoting import shown

MOST_OF_FAMILY = 1000
LONGEST_SPEC = 200
_OURS = __name__.partition(".")[0]
_NUMBER = re.compile(r"(?<![^\s=/])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![^\s,/])", re.IGNORECASE)  # a whole value

Thing = TypeVar("Thing")


def spelled(value: float) -> str:
    """Return the shortest text that reads as the same double, without a trailing .0."""
    return repr(float(value)).removesuffix(".0")


def rounded(spec: str) -> str:
    """Return a spec with six digits of each number, for people to read and for policies and baselines to match."""
    return _NUMBER.sub(lambda number: f"{float(number.group()):.6g}", spec)


def number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise SpecError(f"{what} is not a number: {text!r}") from None
    if math.isnan(value):
        raise SpecError(f"{what} is not a number: {text!r}")
    return value


@functools.cache
def entry_points(group: str) -> EntryPoints:
    """Look through all installed packages once, which takes milliseconds."""
    return metadata.entry_points(group=group)


def others(group: str) -> dict[str, EntryPoint]:
    """What packages of other people bring to a group, by name; nothing of it is loaded. Who comes first is right."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=f"{_OURS}.{group}"):
        found.setdefault(entry.name, entry)
    return found


class Named(Generic[Thing]):
    """The things of one kind, by name: our own, which cannot be replaced, and those of other people's packages."""

    def __init__(
        self, kind: str, own: Mapping[str, Callable[[], Thing]], group: str, fault: Callable[[str, Thing], str]
    ) -> None:
        """group: of entry points, behind `labeldp_audit.`; fault: what is wrong with a stranger's thing."""
        self.kind, self.group = kind, group
        self._own, self._fault = own, fault

    def __iter__(self) -> Iterator[Thing]:
        """Those that can be loaded: a broken package is met where it is asked for."""
        for name in self.names():
            with contextlib.suppress(SpecError):
                yield self.get(name)

    def names(self) -> tuple[str, ...]:
        return (*self._own, *self.of_others())

    def of_others(self) -> tuple[str, ...]:
        """Names that packages of other people brought; nothing is loaded."""
        return tuple(self._others())

    def _others(self) -> dict[str, EntryPoint]:
        return {name: entry for name, entry in others(self.group).items() if name not in self._own}

    def get(self, name: str) -> Thing:
        if name in self._own:
            return self._own[name]()
        others = self._others()
        if name not in others:
            raise SpecError.unknown(self.kind, name, self.names())
        try:
            thing: Thing = others[name].load()
            fault = self._fault(name, thing)
        except Exception as error:
            fault = repr(error)
        if fault:
            raise SpecError(f"the {self.kind} {name!r} of another package cannot be loaded: {fault}")
        return thing


def there(things: Mapping[str, Thing]) -> dict[str, Callable[[], Thing]]:
    """Our own, where they need not be loaded."""
    return {name: lambda thing=thing: thing for name, thing in things.items()}  # type: ignore[misc]


def lacking(thing: object, *wanted: str) -> str:
    """Which of these it does not have; nothing where it has all."""
    missing = [one for one in wanted if not hasattr(thing, one)]
    return f"{thing!r} has no {' and no '.join(missing)}" if missing else ""


def stranger_in(error: Exception) -> str:
    """Kind, module and line, where another package's mechanism, estimator, format ... is what failed. No message, which
    may quote the data."""
    every = metadata.entry_points()
    entries = [entry for group in every.groups if group.startswith(f"{_OURS}.") for entry in every.select(group=group)]
    theirs = {entry.module.partition(".")[0] for entry in entries}
    failed = [f"{name}: line {line}" for name, line in _frames(error) if name.partition(".")[0] in theirs]
    return f"{type(error).__name__}: {failed[-1]}" if failed else ""


def failure(error: Exception) -> str:
    """Kind, module and line of what failed in code that is not ours, without its message either."""
    failed = [f"{name}: line {line}" for name, line in _frames(error) if name.partition(".")[0] != _OURS]
    return ": ".join([type(error).__name__, *failed[-1:]])


def _frames(error: Exception) -> list[tuple[str, int]]:
    return [(str(frame.f_globals.get("__name__")), line) for frame, line in walk_tb(error.__traceback__)]


class Registry(Named[type[Thing]]):
    """Things that specs make: each kind has `name`, `example` and `parse(fields, ...) -> thing`; `leading`, where it
    has one, is the field whose name may be left out in front; `spec`, where a thing has one, leads back to it."""

    def __init__(
        self, kind: str, things: tuple[type[Thing], ...], improper: Callable[..., str] = lambda thing, *context: ""
    ) -> None:
        """improper: what is wrong with a thing that a kind has made; empty where nothing is."""
        own = there({str(thing.name): thing for thing in things})  # type: ignore[attr-defined]
        super().__init__(kind, own, f"{kind}s", _no_kind)
        self._improper = improper

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
                raise SpecError(f"{self.kind} {shown(spec, LONGEST_SPEC)}: {shown(part)} is not written field=value")
            if key.strip() in fields:
                raise SpecError(f"{self.kind} {shown(spec, LONGEST_SPEC)}: {shown(key.strip())} is given twice")
            fields[key.strip()] = value.strip()
        return name.strip(), fields

    def parse(self, spec: str, *context: object) -> list[Thing]:
        """`name:field=value,...`; `|` between values gives a family, in the order in which they are written.

        context: what `parse` of the kind wants to know beside the fields.
        """
        name, fields = self.read(spec)
        build: Callable[..., Thing] = self.get(name).parse  # type: ignore[attr-defined]
        try:
            values = [[one.strip() for one in value.split("|")] for value in fields.values()]
            if (many := math.prod(map(len, values))) > MOST_OF_FAMILY:
                raise SpecError(f"a family of {many:,}, more than {MOST_OF_FAMILY:,}")
            return [
                self.checked(name, build(dict(zip(fields, each, strict=True)), *context), *context)
                for each in itertools.product(*values)
            ]
        except SpecError as error:
            raise SpecError(f"{self.kind} {shown(spec, LONGEST_SPEC)}: {error.what}", hint=error.hint) from None
        except Exception as error:
            if build.__module__.startswith(_OURS):
                raise
            raise SpecError(f"{self.kind} {shown(spec, LONGEST_SPEC)}: its package fails: {error!r}") from None

    def checked(self, name: str, thing: Thing, *context: object) -> Thing:
        """The thing, with which nothing is wrong, and whose spec, where it has one, begins with its name: reports and
        policies would otherwise take it for another."""
        spec = getattr(thing, "spec", name)
        if not isinstance(spec, str) or spec.partition(":")[0] != name:
            raise SpecError(f"the {self.kind} {name!r} has the spec {spec!r}, which does not begin with its name")
        if fault := self._improper(thing, *context):
            raise SpecError(f"the {self.kind} {spec!r} cannot be: {fault}")
        return thing


def _no_kind(name: str, thing: object) -> str:
    own = getattr(thing, "name", name)
    return lacking(thing, "name", "example", "parse") or (f"it calls itself {own!r}" if own != name else "")
