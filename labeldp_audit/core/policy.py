"""A policy, and what became of it."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from .finding import Finding

FIELDS = ("low", "estimate", "high")
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


class _Comparison:
    """Of an end of a bound with a number."""

    field: str
    comparison: str

    @property
    def is_lenient(self) -> bool:
        """Is it the end that lets more pass than the estimate does?"""
        return self.field == ("low" if self.comparison.startswith(">") else "high")


@dataclass(frozen=True)
class Line(_Comparison):
    """One condition that blocks a release."""

    text: str
    quantity: str
    at: Mapping[str, float | str]  # and the mechanism, under that name
    field: str
    comparison: str
    threshold: float

    def holds(self, value: float) -> bool:
        return COMPARISONS[self.comparison](value, self.threshold)

    @property
    def upward(self) -> bool:
        """Is it large numbers that block a release?"""
        return self.comparison.startswith(">")


@dataclass(frozen=True)
class Waiver:
    """A risk that is accepted: lines about that quantity do not count for that table until then."""

    quantity: str
    dataset: str  # sha256 of the table
    until: datetime.date  # the last day
    reason: str
    baseline: bool = False  # nobody's decision: an older report broke the line as well


@dataclass(frozen=True)
class Policy:
    lines: tuple[Line, ...]
    waivers: tuple[Waiver, ...] = ()
    confidence: float = 0.0  # numbers with less are not taken for measured
    unproven_passes: bool = False
    vacuous_passes: bool = False  # beside a line that is not vacuous


class Outcome(StrEnum):
    """Outcomes of a policy's line, the worst first."""

    FAIL = "fail"
    NOT_MEASURED = "not measured"
    INCONCLUSIVE = "inconclusive"  # the estimate passes, the limit does not
    UNPROVEN = "unproven"  # only want of rows lets it pass
    VACUOUS = "vacuous"  # even labels without noise would pass
    PASS = "pass"


UNDECIDED = (Outcome.INCONCLUSIVE, Outcome.UNPROVEN, Outcome.VACUOUS)  # neither shown to hold nor to be broken


@dataclass(frozen=True)
class Waived:
    """A waiver of the policy, and what it does for this report."""

    waiver: Waiver
    about_this: bool  # table
    expired: bool
    used: bool = False  # by a line that would otherwise not pass


@dataclass(frozen=True)
class Verdict(_Comparison):
    """What became of one line of a policy; where it is about several findings, of the one that is worst."""

    line: str
    outcome: Outcome
    said: str  # in words, with the numbers
    quantity: str
    field: str  # low, estimate or high
    comparison: str  # >, >=, <, <=
    threshold: float
    worst: Finding | None = None  # None where nothing was measured
    judged: int = 0  # findings that the line is about
    failing: int = 0  # of these, those that do not pass
    waiver: Waiver | None = None  # that is why it does not count

    @property
    def value(self) -> float | None:
        """What was compared."""
        return None if self.worst is None else getattr(self.worst.bound, self.field)

    @property
    def counts(self) -> bool:
        """Does it keep the policy from holding?"""
        return self.outcome is not Outcome.PASS and self.waiver is None


@dataclass(frozen=True)
class Judgement:
    """Does the policy hold?"""

    verdicts: tuple[Verdict, ...]
    waivers: tuple[Waived, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Return the worst outcome that counts; what was not measured and a waiver that has run out are failures."""
        if any(one.about_this and one.expired for one in self.waivers):
            return Outcome.FAIL
        left = {one.outcome for one in self.verdicts if one.counts}
        if left.difference(UNDECIDED):
            return Outcome.FAIL
        return next((one for one in Outcome if one in left), Outcome.PASS)
