"""What a release adds to an attacker's best guess, mechanism by mechanism, as tables and sentences show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR

from ...core.finding import Bound, Finding
from ...core.report import Report
from . import spelling
from .spelling import NO_LIMIT, NOTHING, limits, percent, plain, short

CERTIFIED = "certified_advantage"
ADDED, INFORMED, CEILING = "advantage", "informed_utility", "advantage_bound"
# The other mechanism, its parameter, and the quantity that says which strength of it gives away as much.
SAME = {"equivalent_epsilon": "rr:epsilon=", "equivalent_k": "llp:k="}
QUANTITIES = (ADDED, INFORMED, CEILING, *SAME)
CLEAR, ADDS_NOTHING = "labels in the clear", "adds nothing"
_PAPERS = {
    "002": 'Wu and others, "Does Label Differential Privacy Prevent Label Inference Attacks?"',
    "003": 'Busa-Fekete and others, "A Unified Analysis of Label Inference Attacks"',
}


@dataclass(frozen=True)
class Gain:
    """A mechanism and all that was found about what it adds."""

    added: Finding
    informed: Bound | None
    same: Finding | None
    ceilings: Mapping[str, Bound]  # by name; those that could be computed
    certified: Bound | None = None  # limits that do not need eta

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
    def surely(self) -> str:
        """The least that it adds whatever eta is, in percentage points; empty where that is nothing."""
        return spelling.points(self.certified.low, ROUND_FLOOR) if self.certified and self.certified.low else ""

    @property
    def epsilon(self) -> float | None:
        """What it claims."""
        return self.added.claim

    @property
    def bag(self) -> int:
        """How many people are released together."""
        return self.added.bag or 1


def gains_of(report: Report) -> tuple[Gain, ...]:
    """In the order in which mechanisms were asked for; those without an estimate are left out."""
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        if finding.quantity in (*QUANTITIES, CERTIFIED) and finding.mechanism:
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
    certified = first[CERTIFIED].bound if CERTIFIED in first else None
    return Gain(first[ADDED], informed, same, _ceilings(members), certified)


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


def size(gain: Gain, report: Report) -> tuple[float, float]:
    """What ranks mechanisms: the estimate, then the upper limit; the other way round where eta saw nothing, as
    estimates that rest on it say little then."""
    estimate, top = gain.bound.estimate or 0.0, math.inf if gain.bound.high is None else gain.bound.high
    return (estimate, top) if report.eta.sees(report.dataset) else (top, estimate)


def least_if(report: Report) -> str:
    """On what the lower limits of advantages rest."""
    if report.eta.given:
        return "if eta is right"
    return "if eta is smooth" if report.parameters.get("smoothness") else "if eta is even"


def claim(gain: Gain) -> str:
    return "none" if gain.epsilon is None else short(gain.epsilon)


def points(bound: Bound) -> tuple[str, str, str]:
    """Estimate, upper and lower limit in percentage points."""
    return spelling.points(bound.estimate), highest(bound), spelling.points(bound.low, ROUND_FLOOR)


def highest(bound: Bound, digits: int = 3) -> str:
    return NO_LIMIT if bound.high == math.inf else spelling.points(bound.high, ROUND_CEILING, digits)


def informed(gain: Gain, with_limits: bool = True) -> str:
    """The share of labels that are guessed after the release, in per cent."""
    if gain.informed is None:
        return NOTHING
    ends = limits(gain.informed, share=True) if with_limits else ""
    return f"{percent(gain.informed.estimate)} {ends}".rstrip()


def like(gain: Gain) -> str:
    """What protects as well."""
    if gain.same is None:
        return NOTHING
    bound, name = gain.same.bound, SAME[gain.same.quantity]
    if bound.estimate is None:
        return NOTHING
    if gain.same.quantity == "equivalent_epsilon" and bound.estimate in (0, math.inf):
        return CLEAR if bound.estimate else ADDS_NOTHING
    return f"{name}{strength(bound.estimate)}"


def strength(value: float) -> str:
    """An epsilon or a number of people."""
    return f"{value:.0f}" if math.isfinite(value) and value == round(value) else short(value, digits=3)


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
    estimate, top = spelling.points(bound.estimate), highest(bound)
    return estimate if bound.high is None or estimate == top == spelling.TOO_MANY else f"{estimate} ({top})"


def sources(found: Iterable[Gain]) -> str:
    """What the names in the tables of bounds stand for."""
    names = [name for gain in found for name in gain.ceilings]
    papers = [f"{key} is {paper}" for key, paper in _PAPERS.items() if any(name.startswith(key) for name in names)]
    return f"{'; '.join([*papers, 'more in docs/mathematics.md'])}." if names else ""
