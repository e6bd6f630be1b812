"""Label proportions with geometric noise: the count of positives of a bag + whole z, P(z) proportional to
e^(-epsilon |z|) (Ghosh, Roughgarden and Sundararajan 2012, doi:10.1137/09076828X).

One label moves the count by 1, so this has epsilon label differential privacy. What is published is a whole number,
possibly below 0 or above the size of the bag: cut off, it would say no more and average wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .bags import NoisyBags


@dataclass(frozen=True)
class GeometricProportions(NoisyBags):
    name: ClassVar[str] = "geometric-llp"
    example: ClassVar[str] = "geometric-llp:k=8,epsilon=1"
    summary: ClassVar[str] = "label proportions of random bags of k records, with noise of whole numbers"
    theorem: ClassVar[str] = "geometric noise, for a count that one label moves by 1 (Ghosh et al. 2012)"
    whole: ClassVar[bool] = True

    @property
    def laplace(self) -> float | None:
        """What is proved of Laplace noise, which is geometric noise + more noise, is not proved of it."""
        return None
