"""What the fields of a mechanism say about themselves: parsing, printing, reports and what tune chooses from read it.

    k: int = parameter(least=1, most=4096, noise=1)     # more of it hides more
    sigma: float = parameter(least=0, noise=1)

A field without it may be any number. `epsilon` and `k` are what they are everywhere: less noise, larger bags. A field
`classes` is no parameter: it is how many classes the label has.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeVar

from .errors import SpecError
from .registry import number, spelled

CLASSES = "classes"
Made = TypeVar("Made")


@dataclass(frozen=True)
class Parameter:
    """A number that a mechanism has."""

    least: float = -math.inf
    most: float = math.inf
    above: bool = False  # least itself is too little
    noise: int = 0  # 1 where it grows with the parameter, -1 where it falls; 0: tune does not choose it
    silent: float | None = None  # where the release tells nothing
    whole: bool = False

    @property
    def clearest(self) -> float:
        """The end at which there is least noise."""
        return self.least if self.noise > 0 else self.most

    def allows(self, value: float) -> bool:
        inside = self.least < value if self.above else self.least <= value
        return inside and value <= self.most and (not self.whole or float(value).is_integer())

    def checked(self, name: str, value: float) -> float:
        if self.most < value <= self.most * (1 + 1e-14):  # fifteen digits of the most, as reports write it
            value = self.most
        if self.allows(value):
            return int(value) if self.whole else value
        least, most = spelled(self.least), spelled(self.most)
        wanted = f"a whole number from {least} to {most}" if self.whole else f"between {least} and {most}"
        if self.above and self.most == math.inf:
            wanted = f"above {least}"
        raise SpecError(f"{name} = {spelled(value)} is not {wanted}")


_USUAL = {"epsilon": Parameter(least=0, noise=-1), "k": Parameter(least=1, noise=1)}
_KNOWN: dict[type[Any], Mapping[str, Parameter]] = {}  # many mechanisms of one kind are made


def parameter(*, default: Any = dataclasses.MISSING, **about: Any) -> Any:
    """A field of a dataclass, with what a Parameter says."""
    return dataclasses.field(default=default, metadata={Parameter: Parameter(**about)})


def parameters_of(kind: type[Any]) -> Mapping[str, Parameter]:
    """Those of a mechanism that are numbers, in the order of its fields."""
    if kind not in _KNOWN:
        fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
        numbers = {one: one.type in (int, "int") for one in fields if one.type in (int, "int", float, "float")}
        _KNOWN[kind] = {
            one.name: dataclasses.replace(one.metadata.get(Parameter) or _USUAL.get(one.name, Parameter()), whole=whole)
            for one, whole in numbers.items()
            if one.name != CLASSES
        }
    return _KNOWN[kind]


def check(mechanism: Any) -> None:
    """What cannot be is refused, and whole numbers are made whole."""
    for name, one in parameters_of(type(mechanism)).items():
        value: Any = getattr(mechanism, name)
        known = isinstance(value, Real) and not isinstance(value, bool)
        if not known:
            raise SpecError(f"{name} is not a number: {value!r}")
        object.__setattr__(mechanism, name, one.checked(name, value))


def read(kind: type[Any], fields: Mapping[str, str], classes: int, example: str) -> dict[str, Any]:
    """From the fields of a spec to those of the mechanism; all are wanted but those with a default."""
    known = parameters_of(kind)
    every = {one.name: one for one in dataclasses.fields(kind)}
    for name in fields:
        if name not in known:
            raise SpecError.unknown("parameter", name, known)
    wanted = [name for name in known if every[name].default is dataclasses.MISSING and name not in fields]
    if wanted:
        raise SpecError(f"wants {' and '.join(wanted)}", hint=f"for example {example}")
    values = {name: known[name].checked(name, number(text, name)) for name, text in fields.items()}
    return {**values, CLASSES: classes} if CLASSES in every else values


def of_label(mechanism: Made, classes: int) -> Made:
    """The same for a label of so many classes, where that is one of its fields."""
    known = {one.name for one in dataclasses.fields(mechanism)} if dataclasses.is_dataclass(mechanism) else ()
    return dataclasses.replace(mechanism, **{CLASSES: classes}) if CLASSES in known else mechanism  # type: ignore[type-var]


def values(mechanism: Any) -> dict[str, float]:
    return {name: float(getattr(mechanism, name)) for name in parameters_of(type(mechanism))}


def written(mechanism: Any) -> str:
    """As a spec has them."""
    known = parameters_of(type(mechanism))
    told = {name: getattr(mechanism, name) for name in known}
    return ",".join(f"{name}={told[name] if known[name].whole else spelled(told[name])}" for name in known)
