"""Made-up certificates: limits without estimates, as commands fill them, beside the audits of conftest.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from labeldp_audit.core.eta import Bin, KnnTrial, Tried
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report

NOT_AN_ESTIMATE = "a limit, not an estimate"
HAIR = "scores do not depend on the features of the rows that they judge, or only slightly"
NOBODY = "No table, however large, can show that anybody is safe."
N, LEVEL = 19_981, 0.99
MIXED: tuple[Tried, ...] = (
    Tried("stack", 0.28613, 0.00421, None, 0.0, 0.0),
    Tried("boosted", 0.28712, 0.00428, None, 0.00099, 0.00031),
    Tried("knn", 0.2951, 0.0031, 63, 0.00897, 0.0031),
)


def limit(
    quantity: str, low: float, high: float, mechanism: str | None = None, assumptions: tuple[str, ...] = (),
    **at: float | str,
) -> Finding:  # fmt: skip
    bound = Bound(None, low, high, N, "convexity over cells of scores", assumptions, NOT_AN_ESTIMATE)
    return Finding(f"certified_{quantity}", bound, LEVEL, mechanism, at)


def share(estimate: float, tau: float) -> float:
    """Less than is estimated, and nothing where little is left."""
    return max(0.0, round(0.8 * estimate - 0.02 * tau, 6))


def of_curves(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Beside each point of J one that is certain, and what belongs to it."""
    curve = [one for one in findings if one.quantity == "j" and one.mechanism]
    for one in curve:
        least = share(one.bound.estimate or 0.0, one.place("tau") or 0.0)
        yield replace(limit("j", least, 1.0, one.mechanism), at=one.at)
    for name, at in {one.mechanism: {k: v for k, v in one.at.items() if k != "tau"} for one in curve}.items():
        yield replace(limit("mean_loss", 0.21, math.inf, name), at=at)
    for of in ("positive from negative", "negative from positive"):
        for alpha, least in ((1.0, 0.4117), (2.0, 0.7322), (math.inf, 1.9)):
            yield limit("renyi", least, math.inf, assumptions=(HAIR,), alpha=alpha, of=of)


def of_gains(added: Mapping[str, tuple[float, float]]) -> Iterator[Finding]:
    yield limit("uninformed_utility", 0.8906, 1.0)
    for name, (least, most) in added.items():
        yield limit("advantage", least, most, name)
        yield limit("informed_utility", 0.8931, 1.0, name)


def of_worst(findings: Sequence[Finding], beyond: float) -> Iterator[Finding]:
    for one in findings:
        if one.quantity == "nu_max" and one.mechanism:
            found = limit("nu_max", (one.place("epsilon") or 0.0) + beyond, math.inf, one.mechanism)
            yield replace(found, at=one.at)


def bins(*off: int, of: str = "true", groups: int = 10) -> tuple[Bin, ...]:
    """Rising estimates; the groups in `off` got fewer labels than were promised."""
    said = [(place + 0.5) / groups for place in range(groups)]
    came = [each * (0.5 if place in off else 1.0) for place, each in enumerate(said)]
    return tuple(
        Bin(of, 1_998, one, two, max(0.0, two - 0.04), min(1.0, two + 0.04))
        for one, two in zip(said, came, strict=True)
    )


def scored(report: Report, tried: tuple[Tried, ...] = MIXED, reliability: tuple[Bin, ...] | None = None) -> Report:
    """The same report, made of the scores of models."""
    fit = bins() if reliability is None else reliability
    eta = replace(
        report.eta, estimator=tried[0].name if tried else "boosted", metric="score", exact=True, recall=1.0,
        knn=KnnTrial(158, 1.0, 0.30127, 19_981),
        tried=tried, reliability=fit,
    )  # fmt: skip
    return replace(report, eta=eta)


def with_certificates(report: Report, make: Callable[[Sequence[Finding]], Iterator[Finding]]) -> Report:
    return replace(report, findings=(*report.findings, *make(report.findings)), uncertifiable=NOBODY)
