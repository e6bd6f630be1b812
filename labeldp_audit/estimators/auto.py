"""The best of what makes sense for the table, judged by labels that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .contract import Estimator, Learner
from .stack import MEMBERS, Stack


@dataclass(frozen=True)
class Auto(Estimator):
    name: ClassVar[str] = "auto"
    example: ClassVar[str] = "auto"
    looks_around: ClassVar[bool] = True

    def learners(self) -> tuple[Learner, ...]:
        return (*MEMBERS, Stack())
