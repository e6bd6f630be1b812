"""Randomized response (Warner 1965, doi:10.1080/01621459.1965.10480775), for C classes:

    P(say s | y) = e^epsilon / (e^epsilon + C - 1) if s == y, else 1 / (e^epsilon + C - 1).

The same noise is written in three ways, which are easily mixed up (ERRATA A11):
    epsilon  the guarantee, label differential privacy
    pi       flip: the probability that the published label differs from the true one
    lambda   resampling: the probability that the label is replaced by a uniform one, which may be the same again
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ..core.arrays import Floats
from ..core.errors import SpecError
from ..core.parameters import Parameter, parameter
from ..core.registry import number
from . import exact
from .per_record import PerRecord


def epsilon_from_pi(pi: float, classes: int = 2) -> float:
    return math.inf if pi == 0 else math.log1p(-pi) + math.log(classes - 1) - math.log(pi)


def pi_from_epsilon(epsilon: float, classes: int = 2) -> float:
    others = (classes - 1) * math.exp(-epsilon)
    return others / (1 + others)


def epsilon_from_lambda(resampled: float, classes: int = 2) -> float:
    kept = resampled + classes * (1 - resampled)  # classes times the probability of the true label
    return math.inf if resampled == 0 else math.log(kept) - math.log(resampled)


def lambda_from_epsilon(epsilon: float, classes: int = 2) -> float:
    """004, Corollary 1: C / (C - 1 + e^epsilon)."""
    small = math.exp(-epsilon)
    return classes * small / (1 + (classes - 1) * small)


@dataclass(frozen=True)
class RandomizedResponse(PerRecord):
    name: ClassVar[str] = "rr"
    example: ClassVar[str] = "rr:epsilon=1"
    summary: ClassVar[str] = "randomized response: epsilon, pi (flip) or lambda (uniform replacement)"

    spellings: ClassVar[Mapping[str, str]] = {"pi": "epsilon", "lambda": "epsilon"}

    epsilon: float = parameter(least=0, noise=-1, silent=0.0)
    classes: int = 2  # of the label, on which pi and lambda depend

    @classmethod
    def parse(cls, fields: Mapping[str, str], classes: int = 2) -> Self:
        """One of epsilon, pi and lambda."""
        for name in fields:
            if name not in ("epsilon", *cls.spellings):
                raise SpecError.unknown("parameter", name, ("epsilon", *cls.spellings))
        if len(fields) != 1:
            raise SpecError("wants one of epsilon, pi and lambda", hint=f"for example {cls.example}")
        [(name, text)] = fields.items()
        if name == "pi":
            pi = Parameter(least=0, most=(classes - 1) / classes).checked(name, number(text, name))
            return cls(max(0.0, epsilon_from_pi(pi, classes)), classes)
        if name == "lambda":
            resampled = Parameter(least=0, most=1).checked(name, number(text, name))
            return cls(max(0.0, epsilon_from_lambda(resampled, classes)), classes)
        return super().parse(fields, classes)

    @property
    def pi(self) -> float:
        """The probability that the published label is not the true one."""
        return pi_from_epsilon(self.epsilon, self.classes)

    def claim(self, classes: int) -> float | None:
        return self.epsilon

    def at(self) -> dict[str, float]:
        """Return all equivalent parameters; 15 digits of pi and lambda, so that a typed 0.1 reads 0.1."""
        derived = {"pi": self.pi, "lambda": lambda_from_epsilon(self.epsilon, self.classes)}
        return {"epsilon": self.epsilon, **{name: float(f"{value:.15g}") for name, value in derived.items()}}

    def channel(self, classes: int) -> Floats:
        """P(say s | y), (C, C): a row for each true class."""
        pi = pi_from_epsilon(self.epsilon, classes)
        others = np.full((classes, classes), pi / (classes - 1))
        np.fill_diagonal(others, 1 - pi)
        return others

    def numerators(self, classes: int) -> exact.Numerators:
        return exact.of_randomized_response(self.epsilon, classes)

    def unbiased(self, classes: int) -> list[list[float]] | None:
        """In closed form: (I - lambda / C) / (1 - lambda)."""
        resampled = lambda_from_epsilon(self.epsilon, classes)
        if resampled == 1:
            return None
        kept = -math.expm1(-self.epsilon) / (1 + (classes - 1) * math.exp(-self.epsilon))  # 1 - lambda
        return [
            [(float(said == true) - resampled / classes) / kept for true in range(classes)] for said in range(classes)
        ]

    def log_ratios(self) -> Floats:
        return np.array([-self.epsilon, self.epsilon])
