"""What a release adds to an attacker's best guess, mechanism by mechanism, as tables and sentences show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN

from ..model import Bound, Finding, Report
from .spelling import NO_LIMIT, NOTHING, high, limits, low, percent, plain, short

ADDED, INFORMED, CEILING = "advantage", "informed_utility", "advantage_bound"
# The other mechanism, its parameter, and the quantity that says which strength of it gives away as much.
SAME = {"equivalent_epsilon": "rr:epsilon=", "equivalent_k": "llp:k="}
QUANTITIES = (ADDED, INFORMED, CEILING, *SAME)
CLEAR = "labels in the clear"


@dataclass(frozen=True)
class Gain:
    """A mechanism and all that was found about what it adds."""

    added: Finding
    informed: Bound | None
    same: Finding | None
    ceilings: Mapping[str, Bound]  # by name; those that could be computed

    @property
    def mechanism(self) -> str:
        return plain(self.added.mechanism or "")

    @property
    def kind(self) -> str:
        return self.mechanism.partition(":")[0]

    @property
    def parameters(self) -> str:
        return self.mechanism.partition(":")[2] or self.mechanism

    @property
    def bound(self) -> Bound:
        return self.added.bound

    @property
    def epsilon(self) -> float | None:
        """What it claims."""
        return self.added.claim

    @property
    def bag(self) -> int:
        """How many people are released together."""
        return self.added.bag or 1


def of(report: Report) -> tuple[Gain, ...]:
    """In the order in which mechanisms were asked for; those without an estimate are left out."""
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.quantity in QUANTITIES and finding.mechanism:
            found.setdefault(finding.mechanism, []).append(finding)
    return tuple(gain for members in found.values() if (gain := _gain(members)) is not None)


def _gain(members: Sequence[Finding]) -> Gain | None:
    first: dict[str, Finding] = {}
    for finding in members:
        first.setdefault(finding.quantity, finding)
    if ADDED not in first or first[ADDED].bound.estimate is None:
        return None
    informed = first[INFORMED].bound if INFORMED in first else None
    same = next((first[name] for name in SAME if name in first), None)
    return Gain(first[ADDED], informed, same, _ceilings(members))


def _ceilings(members: Iterable[Finding]) -> dict[str, Bound]:
    return {
        plain(str(finding.at.get("bound", "bound"))): finding.bound
        for finding in members
        if finding.quantity == CEILING and finding.bound.estimate is not None
    }


def shown(found: Iterable[Gain]) -> frozenset[str]:
    """The mechanisms whose numbers have tables of their own."""
    return frozenset(gain.added.mechanism or "" for gain in found)


def in_own_table(finding: Finding, mechanisms: frozenset[str]) -> bool:
    return finding.quantity in QUANTITIES and (finding.mechanism or "") in mechanisms


def by_kind(found: Iterable[Gain]) -> dict[str, list[Gain]]:
    kinds: dict[str, list[Gain]] = {}
    for gain in found:
        kinds.setdefault(gain.kind, []).append(gain)
    return kinds


def least(found: Iterable[Gain]) -> Gain:
    """The one that adds least; where estimates are equal, of which less can be ruled out."""
    return min(found, key=_size)


def most(found: Iterable[Gain]) -> Gain:
    return max(found, key=_size)


def _size(gain: Gain) -> tuple[float, float]:
    estimate, top = gain.bound.estimate, gain.bound.high
    return (0.0 if estimate is None else estimate), (math.inf if top is None else top)


def claim(gain: Gain) -> str:
    return "none" if gain.epsilon is None else short(gain.epsilon)


def points(bound: Bound) -> tuple[str, str, str]:
    """Estimate, upper and lower limit in percentage points."""
    return percent(bound.estimate), high(bound, True), low(bound, True)


def informed(gain: Gain, with_limits: bool = True) -> str:
    """The share of labels that are guessed after the release, in per cent."""
    if gain.informed is None:
        return NOTHING
    ends = limits(gain.informed, share=True) if with_limits else ""
    return f"{percent(gain.informed.estimate)} {ends}".rstrip()


def like(gain: Gain) -> str:
    """What protects as well, with limits where they are not the same number."""
    if gain.same is None:
        return NOTHING
    bound, name = gain.same.bound, SAME[gain.same.quantity]
    if bound.estimate is None:
        return NOTHING if bound.low is None else f"{name}{strength(bound.low, ROUND_FLOOR)} or more"
    if math.isinf(bound.estimate):
        return CLEAR
    return f"{name}{strength(bound.estimate)}{_ends(bound)}"


def strength(value: float | None, rounding: str = ROUND_HALF_EVEN) -> str:
    """An epsilon or a number of people."""
    if value is None:
        return NO_LIMIT
    return f"{value:.0f}" if math.isfinite(value) and value == round(value) else short(value, rounding, digits=3)


def _ends(bound: Bound) -> str:
    if bound.low is None or {strength(bound.low), strength(bound.high)} == {strength(bound.estimate)}:
        return ""
    return f" [{strength(bound.low, ROUND_FLOOR)}, {strength(bound.high, ROUND_CEILING)}]"


def ceilings(group: Sequence[Gain]) -> list[tuple[str, list[str]]]:
    """For mechanisms of one kind: each bound by name, and a cell for each mechanism."""
    names = dict.fromkeys(name for gain in group for name in gain.ceilings)
    if not names:
        return []
    added = ("the advantage itself", [beside(gain.bound) for gain in group])
    return [added, *((name, [beside(gain.ceilings.get(name)) for gain in group]) for name in names)]


def beside(bound: Bound | None) -> str:
    """An estimate and the most that it may be."""
    if bound is None:
        return NOTHING
    return percent(bound.estimate) + ("" if bound.high is None else f" ({high(bound, True)})")
