"""The curves of a report, J(tau) for each mechanism, and the round values at which a table shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...core.finding import Bound, Finding
from ...core.report import Report
from .rounds import round_step

QUANTITY, CERTIFIED, AXIS = "j", "certified_j", "tau"
# The fields of `at` that only say again which mechanism it is.
PARAMETERS = ("epsilon", "pi", "lambda")
_NEAR = 0.1 + 1e-9  # the default step of tau: a value further from epsilon says little about it


@dataclass(frozen=True)
class Curve:
    """One mechanism's shares, in the order of tau."""

    mechanism: str
    taus: tuple[float, ...]
    bounds: tuple[Bound, ...]
    epsilon: float | None
    pi: float | None
    confidence: float

    def at(self, tau: float) -> Bound | None:
        return dict(zip(self.taus, self.bounds, strict=True)).get(tau)

    def promise(self) -> tuple[float, Bound] | None:
        """The first tau at or above epsilon, the most that the label alone may give away, and the share above it."""
        epsilon = math.inf if self.epsilon is None else self.epsilon
        pairs = zip(self.taus, self.bounds, strict=True)
        return next((pair for pair in pairs if -1e-12 <= pair[0] - epsilon <= _NEAR), None)

    def decisive(self) -> tuple[float, Bound]:
        """Where a decision looks: the first tau at or above epsilon, otherwise the last one asked for."""
        pairs = list(zip(self.taus, self.bounds, strict=True))
        if self.epsilon is None:
            return pairs[len(pairs) // 2]
        least = self.epsilon - 1e-12
        return next((pair for pair in pairs if pair[0] >= least), pairs[-1])


def curves_of(report: Report) -> tuple[Curve, ...]:
    """Curves in the order of the findings; points without an estimate are left out."""
    return _grouped(filter(on_curve, report.findings))


def certified(report: Report) -> tuple[Curve, ...]:
    """Those of lower limits that do not need eta."""
    return _grouped(
        finding
        for finding in report.findings
        if finding.quantity == CERTIFIED and math.isfinite(_tau(finding)) and finding.bound.low is not None
    )


def _grouped(findings: Iterable[Finding]) -> tuple[Curve, ...]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.mechanism or "", []).append(finding)
    return tuple(_curve(mechanism, findings) for mechanism, findings in groups.items())


def strongest(found: Sequence[Curve]) -> Curve:
    """The one with the most noise, the best case of a report."""
    return min(found, key=lambda curve: math.inf if curve.epsilon is None else curve.epsilon)


def _curve(mechanism: str, findings: Sequence[Finding]) -> Curve:
    ordered = sorted(findings, key=_tau)
    first = ordered[0]
    return Curve(
        mechanism=mechanism,
        taus=tuple(map(_tau, ordered)),
        bounds=tuple(finding.bound for finding in ordered),
        epsilon=first.place("epsilon"),
        pi=first.place("pi"),
        confidence=first.confidence,
    )


def on_curve(finding: Finding) -> bool:
    return finding.quantity == QUANTITY and math.isfinite(_tau(finding)) and finding.bound.estimate is not None


def _tau(finding: Finding) -> float:
    tau = finding.place(AXIS)
    return math.nan if tau is None else tau


def number_of_taus(curves: Sequence[Curve]) -> int:
    return len({tau for curve in curves for tau in curve.taus})


def table_taus(curves: Sequence[Curve], most: int = 13) -> tuple[float, ...]:
    """All values of tau where they are few, otherwise the multiples of a round step among them."""
    taus = sorted({tau for curve in curves for tau in curve.taus if math.isfinite(tau)})
    if len(taus) <= most:
        return tuple(taus)
    step = round_step((taus[-1] - taus[0]) / (most - 1))
    rounds = [tau for tau in taus if math.isclose(tau, round(tau / step) * step, abs_tol=1e-9)]
    if len(rounds) >= most // 3:
        return tuple(rounds)
    return tuple(taus[index * (len(taus) - 1) // (most - 1)] for index in range(most))
