"""Mechanisms on fixed scales: what an audit compares, and the noise that tune chooses from, the most of it first.

Numbers of three digits are never more than 1 % apart, and a spec holds them exactly.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..core import parameters
from ..core.errors import SpecError
from ..core.mechanism import Mechanism
from ..core.parameters import Parameter
from ..core.registry import spelled
from ..core.remark import Remark
from ..core.table import Table
from ..mechanisms import MECHANISMS
from ..mechanisms.bags import LARGEST
from ..questions import advantage

LANDSCAPE = (
    "rr:epsilon=0.25|0.5|1|2|3|4|6|8", "llp:k=2|4|8|16|32|64|128|256|512", "laplace-llp:k=8,epsilon=0.5|1|2|4",
)  # fmt: skip

ROUND = frozenset((0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0))
ROUND_SIZES = frozenset(2.0**power for power in range(13))


def landscape(table: Table, asked: Sequence[Mechanism]) -> tuple[Mechanism, ...]:
    """What could be done with this table, but for what is asked about anyway."""
    known, classes = {one.spec for one in asked}, len(table.dataset.classes)
    every = (one for spec in LANDSCAPE for one in MECHANISMS.parse(spec, classes))
    return tuple(one for one in every if one.spec not in known and not advantage.unfit(one, table))


@dataclass(frozen=True)
class Scale:
    """One mechanism with one open parameter."""

    spec: str  # without the open parameter
    parameter: str
    values: tuple[float, ...]  # from the most noise to the least
    mechanisms: tuple[Mechanism, ...]
    silence: Mechanism | None  # tells nothing at all
    clearest: float  # the end of the parameter's range beyond the last value
    unused: tuple[Remark, ...] = ()  # what was written of the open parameter

    def landmarks(self) -> list[int]:
        """Places of round values, and both ends: what a table shows."""
        last = len(self.values) - 1
        known = ROUND_SIZES if parameters.parameters_of(type(self.mechanisms[0]))[self.parameter].whole else ROUND
        return sorted({0, last, *(place for place, value in enumerate(self.values) if value in known)})

    def between(self, first: int, last: int, number: int) -> list[int]:
        """About so many places from the first to the last, from each value to the next by about the same factor."""
        ends = self.values[first], self.values[last]
        wanted = np.geomspace(*ends, number)
        rising = np.array(self.values[:: 1 if self.values[0] < self.values[-1] else -1])
        near = np.searchsorted(rising, wanted).clip(0, len(rising) - 1)
        places = near if self.values[0] < self.values[-1] else len(rising) - 1 - near
        return sorted({first, (first + last) // 2, last, *(int(place) for place in places if first <= place <= last)})


def digits() -> tuple[float, ...]:
    """0.0100, 0.0101, ... 9.99, 10.0, 10.1, ... 20.0."""
    small = (digits * 10.0**power for power in (-4, -3, -2) for digits in range(100, 1000))
    return tuple(float(f"{value:.3g}") for value in (*small, *(digits / 10 for digits in range(100, 201))))


def scale_of(spec: str, rows: int = LARGEST, classes: int = 2) -> Scale:
    """`rr`, `llp`, `laplace-llp:k=8`, `laplace-llp:epsilon=1`; rows: of the table, which no bag exceeds."""
    name, given = MECHANISMS.read(spec)
    kind = MECHANISMS.get(name)
    known = {name: one for name, one in parameters.parameters_of(kind).items() if one.noise}
    if not known:
        others = [one.name for one in MECHANISMS if any(each.noise for each in parameters.parameters_of(one).values())]
        raise SpecError(f"mechanism {name!r} has no noise to choose", hint=f"known: {', '.join(others)}")
    every = (*parameters.parameters_of(kind), *kind.spellings)
    if unknown := [key for key in given if key not in every]:
        raise SpecError.unknown("parameter", unknown[0], every)
    left = [key for key in known if key not in given] if len(known) > 1 else list(known)
    if len(left) != 1:
        written = " or ".join(f"{name}:{one}=..." for one in known)
        raise SpecError(f"mechanism {spec!r}: one parameter is to be left open", hint=f"write {written}")
    [open_one] = left
    # What was chosen before of the open one is where the search may start, and nothing else.
    aside = {key: value for key, value in given.items() if kind.spellings.get(key, key) == open_one}
    kept = {key: value for key, value in given.items() if key not in aside}

    every_value = _of_every_value(kind, tuple(kept.items()), open_one, known[open_one], classes)
    fitting = [(value, one) for value, one in every_value if one.bag <= rows] or every_value
    silent = known[open_one].silent
    return Scale(
        spec=":".join(filter(None, (name, ",".join(f"{key}={value}" for key, value in kept.items())))),
        parameter=open_one,
        values=tuple(float(value) for value, _ in fitting),
        mechanisms=tuple(one for _, one in fitting),
        silence=None if silent is None else _strong(kind, kept, open_one, spelled(silent), classes),
        clearest=known[open_one].clearest,
        unused=tuple(
            Remark("value-left-aside", spec=spec, parameter=open_one, name=key, value=value)
            for key, value in aside.items()
        ),
    )


@functools.lru_cache(8)
def _of_every_value(
    kind: type[Mechanism], kept: tuple[tuple[str, str], ...], open_one: str, known: Parameter, classes: int
) -> list[tuple[str, Mechanism]]:
    """Thousands, which a search asks for before and after it has read the table."""
    return [(value, _strong(kind, dict(kept), open_one, value, classes)) for value in _values(known)]


def _strong(kind: type[Mechanism], kept: Mapping[str, str], open_one: str, value: str, classes: int) -> Mechanism:
    return MECHANISMS.checked(kind.name, kind.parse({**kept, open_one: value}, classes), classes)


def _values(one: Parameter) -> list[str]:
    """From the most noise to the least."""
    wanted = map(float, range(1, LARGEST + 1)) if one.whole else digits()
    return [spelled(value) for value in wanted if one.allows(value)][:: -one.noise]
