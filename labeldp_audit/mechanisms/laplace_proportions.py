"""Label proportions with Laplace noise (003, Section 6): the count of positives of a bag + Laplace(1 / epsilon).

One label moves the count by 1, so this has epsilon label differential privacy. 003 adds Laplace(1 / (k epsilon)) to the
share, which is the same.

Floating-point Laplace noise tells what lies below it, so what is published is drawn on a grid, exactly (Canonne, Kamath
and Steinke 2020, arXiv:2004.00010). Laplace noise is such noise + independent noise of up to a step, and rounded to the
grid it has the same law but for a probability of (epsilon step)^2 / 8. So what this adds to guesses is what Laplace
noise adds, which reports give, + at most 2^-43 of what a right guess is worth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from .bags import NoisyBags

_FINE = 20  # a step is at most 2^-20 / epsilon
_FINEST = 40  # so that counts of bags are exact in double precision


@dataclass(frozen=True)
class LaplaceProportions(NoisyBags):
    name: ClassVar[str] = "laplace-llp"
    example: ClassVar[str] = "laplace-llp:k=8,epsilon=1"
    summary: ClassVar[str] = "label proportions of random bags of k records, with Laplace noise"
    theorem: ClassVar[str] = "discrete Laplace noise, for a count that one label moves by 1 (Canonne et al. 2020)"

    @property
    def steps(self) -> int:
        if self.epsilon == math.inf:
            return 1
        mantissa, power = math.frexp(self.epsilon)  # epsilon = mantissa 2^power, mantissa from 1/2 to 1
        return 1 << min(max(0, power - (mantissa == 0.5) + _FINE), _FINEST)

    def total_variation(self, classes: int) -> float:
        """Between two Laplace laws that lie 1 apart (ERRATA B7); on a grid it is the same."""
        return -math.expm1(-self.epsilon / 2)

    def _published(self, steps: Integers) -> npt.NDArray[np.generic]:
        return np.asarray(steps / self.steps)
