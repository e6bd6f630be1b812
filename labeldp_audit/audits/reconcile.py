"""What is certified holds for the estimate of the same thing too: no report says less, or more, than it can certify.

Estimates and their limits may be about averages, or rest on a model that was vouched for; certificates do not, and both
hold at once with the report's confidence. Where they contradict each other, what was assumed is refuted, and all that
remains is what is certified.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..core.finding import Bound, Finding
from ..questions.every import CERTIFIED as PREFIX

MOVED = "limits of certificates where they are narrower"
Place = tuple[str, str | None, tuple[tuple[str, float | str], ...]]


def within_certificates(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    said = tuple(findings)
    certified = {_place(one): one.bound for one in said if one.quantity.startswith(PREFIX)}
    return tuple(
        replace(one, bound=within(one.bound, certified[place]))
        if (place := _place(one)) in certified and not one.quantity.startswith(PREFIX)
        else one
        for one in said
    )


def _place(finding: Finding) -> Place:
    return finding.quantity.removeprefix(PREFIX), finding.mechanism, tuple(sorted(finding.at.items()))


def within(bound: Bound, certified: Bound) -> Bound:
    """`bound`, no lower and no higher than what is certified."""
    least, most = certified.low, certified.high
    if bound.estimate is None or bound.low is None or bound.high is None or least is None or most is None:
        return bound
    low, high = max(bound.low, least), min(bound.high, most)
    if low > high:
        low, high = least, most
    estimate = min(max(bound.estimate, low), high)
    if (low, estimate, high) == (bound.low, bound.estimate, bound.high):
        return bound
    said = tuple(dict.fromkeys((*bound.assumptions, *certified.assumptions)))
    return replace(bound, low=low, estimate=estimate, high=high, method=f"{bound.method}; {MOVED}", assumptions=said)
