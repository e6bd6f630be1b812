"""Label proportions with Laplace noise (003, Section 6): the count of positives of a bag + Laplace(1 / epsilon).

One label moves the count by 1, so this has epsilon label differential privacy. 003 adds Laplace(1 / (k epsilon)) to the
share, which is the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..core.errors import SpecError
from ..core.mechanism import Labels
from ..core.parameters import parameter
from ..core.randomness import Chance, OperatingSystem
from ..core.release import Guide, Release
from .bags import Bags


@dataclass(frozen=True)
class LaplaceProportions(Bags):
    name: ClassVar[str] = "laplace-llp"
    example: ClassVar[str] = "laplace-llp:k=8,epsilon=1"
    summary: ClassVar[str] = "label proportions of random bags of k records, with Laplace noise"

    epsilon: float = parameter(least=0, above=True, noise=-1)

    @property
    def laplace(self) -> float:
        return self.epsilon

    def claim(self, classes: int) -> float | None:
        return self.epsilon

    def total_variation(self, classes: int) -> float:
        """Between two Laplace laws that lie 1 apart (ERRATA B7)."""
        return -math.expm1(-self.epsilon / 2)

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        if isinstance(rng, OperatingSystem):
            raise SpecError(f"{self.spec} has noise with holes in floating point, which tell what lies below it")
        counts, bag = self.counted(labels, rng)
        return Release(counts + rng.laplace(0.0, 1.0 / self.epsilon, len(counts)), bag)
