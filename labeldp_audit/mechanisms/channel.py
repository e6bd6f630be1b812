"""Any way of replacing each label on its own: the probabilities P(say s | y) as a matrix, a row for each true class.

    channel:matrix=0.9 0.1/0.2 0.8

Rows are in the order of the label's classes, the negative one first where there are two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ..core.arrays import Floats
from ..core.errors import SpecError
from ..core.registry import number, spelled
from .per_record import SUM, PerRecord, epsilon_of


@dataclass(frozen=True)
class Channel(PerRecord):
    name: ClassVar[str] = "channel"
    example: ClassVar[str] = "channel:matrix=0.9 0.1/0.2 0.8"
    summary: ClassVar[str] = "any replacement of labels one by one: rows of P(say s | class)"

    matrix: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        try:
            rows = tuple(tuple(map(float, row)) for row in self.matrix)
        except (TypeError, ValueError):
            raise SpecError("the matrix wants rows of numbers", hint=f"as in {self.example}") from None
        object.__setattr__(self, "matrix", rows)  # an array has no hash
        if len(self.matrix) < 2 or len(set(map(len, self.matrix))) != 1 or not self.matrix[0]:
            raise SpecError("the matrix wants a row for each class, all of one length", hint=f"as in {self.example}")
        for number_of_row, row in enumerate(self.matrix, 1):
            if min(row) < 0 or not math.isclose(math.fsum(row), 1, abs_tol=SUM):
                raise SpecError(
                    f"row {number_of_row} of the matrix is no distribution: numbers of 0 or more that add up to 1"
                )

    @classmethod
    def parse(cls, fields: Mapping[str, str], classes: int = 2) -> Self:
        for name in fields:
            if name != "matrix":
                raise SpecError.unknown("parameter", name, ("matrix",))
        if not fields:
            raise SpecError("wants a matrix", hint=f"for example {cls.example}")
        rows = fields["matrix"].split("/")
        return cls(tuple(tuple(number(cell, "a cell of the matrix") for cell in row.split()) for row in rows))

    @property
    def spec(self) -> str:
        return f"{self.name}:matrix={'/'.join(' '.join(map(spelled, row)) for row in self.matrix)}"

    def at(self) -> dict[str, float]:
        return {"epsilon": epsilon_of(self.channel(len(self.matrix)))}

    def channel(self, classes: int) -> Floats:
        rows = np.array(self.matrix)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))
