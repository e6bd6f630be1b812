"""A bit for each class, 1 for that of the label, each flipped by a coin (Erlingsson et al. 2014, RAPPOR)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from labeldp_audit.core.arrays import Floats
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.registry import number, spelled
from labeldp_audit.mechanisms.per_record import PerRecord

MOST_CLASSES = 10  # 2^C different releases


@dataclass(frozen=True)
class Unary(PerRecord):
    """Two labels differ in two bits, each of which is flipped with probability 1 / (1 + e^(epsilon / 2))."""

    name: ClassVar[str] = "unary"
    example: ClassVar[str] = "unary:epsilon=1"
    summary: ClassVar[str] = "a bit for each class, each flipped by a coin"

    epsilon: float

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise SpecError("epsilon is a number of at least 0")

    @classmethod
    def parse(cls, fields: Mapping[str, str], classes: int = 2) -> Unary:
        if set(fields) != {"epsilon"}:
            raise SpecError("epsilon is wanted, and nothing else")
        return cls(number(fields["epsilon"], "epsilon"))

    @property
    def spec(self) -> str:
        return f"{self.name}:epsilon={spelled(self.epsilon)}"

    def at(self) -> dict[str, float]:
        return {"epsilon": self.epsilon}

    def claim(self, classes: int) -> float | None:
        return self.epsilon

    def unfit(self, classes: int) -> str:
        return f"{self.name} is for at most {MOST_CLASSES} classes" if classes > MOST_CLASSES else ""

    def channel(self, classes: int) -> Floats:
        """(C, 2^C)."""
        bits = np.array(list(itertools.product((0, 1), repeat=classes)))
        flipped = (bits[None] != np.eye(classes)[:, None]).sum(axis=2)
        flips = math.exp(-self.epsilon / 2) / (1 + math.exp(-self.epsilon / 2))
        return np.asarray((1 - flips) ** (classes - flipped) * flips**flipped, np.float64)
