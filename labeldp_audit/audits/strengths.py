"""The noise that tune chooses from: a fixed scale for each mechanism, from the most noise to the least.

It is fixed so that limits can hold at every value of it at once, whatever the labels make of the search. Three digits
of epsilon are never more than 1 % apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..core.errors import SpecError
from ..core.mechanism import Mechanism
from ..core.registry import number, spelled
from ..mechanisms import MECHANISMS
from ..mechanisms.bags import LARGEST

ROUND_EPSILONS = frozenset((0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0))
ROUND_SIZES = frozenset(2.0**power for power in range(13))
_OPEN = {"rr": ("epsilon",), "llp": ("k",), "laplace-llp": ("k", "epsilon")}  # and those that belong to it
_ALIKE = {"pi": "epsilon", "lambda": "epsilon"}


@dataclass(frozen=True)
class Scale:
    """One mechanism with one open parameter."""

    spec: str  # without the open parameter
    parameter: str
    values: tuple[float, ...]  # from the most noise to the least
    mechanisms: tuple[Mechanism, ...]
    silence: Mechanism | None  # tells nothing at all
    unused: tuple[str, ...] = ()  # what was written of the open parameter

    def landmarks(self) -> list[int]:
        """Places of round values, and both ends: what a table shows."""
        last = len(self.values) - 1
        known = ROUND_EPSILONS if self.parameter == "epsilon" else ROUND_SIZES
        return sorted({0, last, *(place for place, value in enumerate(self.values) if value in known)})

    def between(self, first: int, last: int, number: int) -> list[int]:
        """About so many places from the first to the last, from each value to the next by about the same factor."""
        ends = self.values[first], self.values[last]
        wanted = np.geomspace(*ends, number)
        rising = np.array(self.values[:: 1 if self.values[0] < self.values[-1] else -1])
        near = np.searchsorted(rising, wanted).clip(0, len(rising) - 1)
        places = near if self.values[0] < self.values[-1] else len(rising) - 1 - near
        return sorted({first, (first + last) // 2, last, *(int(place) for place in places if first <= place <= last)})


def epsilons() -> tuple[float, ...]:
    """0.0100, 0.0101, ... 9.99, 10.0, 10.1, ... 20.0."""
    small = (digits * 10.0**power for power in (-4, -3, -2) for digits in range(100, 1000))
    return tuple(float(f"{value:.3g}") for value in (*small, *(digits / 10 for digits in range(100, 201))))


def of(spec: str, rows: int = LARGEST, classes: int = 2) -> Scale:
    """`rr`, `llp`, `laplace-llp:k=8`, `laplace-llp:epsilon=1`; rows: of the table, which no bag exceeds."""
    name, fixed = _read(spec)
    possible = _open(name)
    left = [parameter for parameter in possible if parameter not in fixed]
    if len(possible) == 1:  # what was chosen before is where the search may start, and nothing else
        left = list(possible)
    if len(left) != 1:
        written = " or ".join(f"{name}:{one}=..." for one in possible)
        raise SpecError(f"mechanism {spec!r}: one parameter is to be left open", hint=f"write {written}")
    [parameter] = left
    values = epsilons() if parameter == "epsilon" else tuple(map(float, range(min(LARGEST, rows), 0, -1)))
    kept = {key: value for key, value in fixed.items() if key in possible and key != parameter}
    parse = MECHANISMS.get(name).parse
    aside = {key: value for key, value in fixed.items() if key not in kept}
    unused = [
        f"{spec}: tune looks for {parameter} itself, so {key} = {value} is left aside" for key, value in aside.items()
    ]
    mechanisms = tuple(parse({**kept, parameter: spelled(value)}, classes) for value in values)
    written = ":".join(filter(None, (name, ",".join(f"{key}={value}" for key, value in kept.items()))))
    return Scale(written, parameter, values, mechanisms, _silence(name, kept, classes), tuple(unused))


def _open(name: str) -> tuple[str, ...]:
    """Parameters of which one may be left open. Other people's mechanisms have them too, if they call them so."""
    kind: Any = MECHANISMS.get(name)
    return _OPEN.get(name) or tuple(one.name for one in fields(kind) if one.name in ("k", "epsilon"))


def _silence(name: str, fixed: Mapping[str, str], classes: int) -> Mechanism | None:
    return MECHANISMS.get(name).parse({"epsilon": "0"}, classes) if name == "rr" else None


def _read(spec: str) -> tuple[str, dict[str, str]]:
    name, _, rest = spec.partition(":")
    name = name.strip()
    possible = _open(name)
    if not possible:
        raise SpecError(f"mechanism {name!r} has no noise to choose", hint=f"known: {', '.join(_OPEN)}")
    fixed = {}
    for part in filter(None, (one.strip() for one in rest.split(","))):
        key, equals, value = part.partition("=")
        if key.strip() in fixed:
            raise SpecError(f"mechanism {spec!r}: {key.strip()!r} is given twice")
        if not equals:
            raise SpecError(f"mechanism {spec!r}: {part!r} is not written field=value")
        fixed[key.strip()] = value.strip()
        known = (*possible, *(_ALIKE if name == "rr" else ()))
        if key.strip() not in known:
            raise SpecError.unknown("parameter", key.strip(), known)
    for key, value in fixed.items():
        if len(possible) > 1:
            number(value, key)
    return name, fixed
