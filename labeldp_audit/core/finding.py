"""One answer of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

BASELINE = "baseline"  # the coordinate of what stands beside all mechanisms: FEATURES or CLEAR
NEIGHBORHOODS = ("neighborhood_low", "neighborhood_high")  # fields of a bound
FEATURES, CLEAR = "features", "no-noise"  # no label is published; all labels are


@dataclass(frozen=True)
class Bound:
    """A number and what a sample entitles us to say about it."""

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    assumptions: tuple[str, ...] = ()
    reason: str | None = None  # why there is no estimate
    standard_error: float | None = None  # of the simulation behind the estimate, where there was one
    # Limits of the same number with the average over the neighbours of each person in the place of the person.
    neighborhood_low: float | None = None
    neighborhood_high: float | None = None


@dataclass(frozen=True)
class Finding:
    """One answer of a report: a quantity, the mechanism it is about, where, and a bound at a confidence."""

    quantity: str
    bound: Bound
    confidence: float
    mechanism: str | None = None
    at: Mapping[str, float | str] = field(default_factory=dict)
    claim: float | None = None  # the epsilon of the label differential privacy that the mechanism claims
    bag: int | None = None  # records that it releases together, where that is said

    def place(self, key: str) -> float | None:
        """`at` that key, where a number stands there."""
        value = self.at.get(key)
        return None if isinstance(value, str) else value


class Way(StrEnum):
    """Which way a number went between two reports."""

    WORSE = "worse"
    CERTAIN = "more is certain"  # of a number without an upper limit: a low that rose shows no change
    BETTER = "better"
    OPEN = "open"  # limits meet, or there are none


class Knows(StrEnum):
    """What an attacker goes by."""

    FEATURES = "features"
    RELEASE = "release"
    BOTH = "features, release"
    LABELS = "all other labels"  # more than anybody has
    SUPPLIED = "supplied"


@dataclass(frozen=True)
class Change:
    """Of one number between two reports."""

    old: Finding
    new: Finding
    way: Way
