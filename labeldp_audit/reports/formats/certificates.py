"""What is certified: limits that do not need eta to be estimated well. They have a section and tables of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR

from ...core.finding import Bound, Finding
from ...core.report import Report
from . import compared, curves, phrases
from .curves import Curve
from .grid import Grid
from .spelling import NO_LIMIT, NOTHING, confidence, high, low, plain, points, short

PREFIX = "certified_"
SHARES, ADDED, INFORMED, DIVERGENCE = (
    f"{PREFIX}{name}" for name in ("j", "advantage", "informed_utility", "renyi")
)  # those with tables of their own
OF_SHARES = "Share of people who lose more than tau, in per cent, at least"
_OF_ADDED = "What each mechanism adds to an attacker's guess, in percentage points, and how much is guessed then"
_OF_DIVERGENCES = "Rényi divergence of features between people with and without the label, in nats, at least"
_OF_REST = "Other limits"


def is_one(finding: Finding) -> bool:
    """With a limit; without any it is something that was not computed."""
    return finding.quantity.startswith(PREFIX) and (finding.bound.low, finding.bound.high) != (None, None)


def certified_findings(report: Report) -> tuple[Finding, ...]:
    return tuple(filter(is_one, report.findings))


def title(report: Report) -> str:
    levels = ", ".join(dict.fromkeys(confidence(one.confidence) for one in certified_findings(report)))
    return f"Certified: holds whatever the population{f', with {levels} confidence' if levels else ''}"


def needs(report: Report) -> str:
    """What even these take for granted."""
    if not certified_findings(report):
        return ""
    return (
        "Needed is only that rows are independent draws from one population. A good eta makes these limits say more; "
        "a bad one makes none of them wrong."
    )


def also_needed(report: Report) -> tuple[str, ...]:
    """By all or by some certificates."""
    lines: dict[str, dict[str, None]] = {}
    for finding in certified_findings(report):
        for line in finding.bound.assumptions:
            lines.setdefault(plain(line), {})[plain(finding.quantity)] = None
    every = {plain(finding.quantity) for finding in certified_findings(report)}
    return tuple(
        f"{'All of this' if every == set(names) else ', '.join(names)} also needs: {line}."
        for line, names in lines.items()
    )


def nobody_can(report: Report) -> str:
    return f"What nobody can certify: {plain(report.uncertifiable)}" if report.uncertifiable else ""


def sure(report: Report, level: float) -> str:
    """In brackets behind a certified statement."""
    needed = "if the given probabilities were made without these labels" if report.eta.given else ""
    return f"({confidence(level)} confidence, {needed or 'whatever the population'})"


def limit(report: Report, quantity: str, mechanism: str | None = None) -> Finding | None:
    return next(
        (one for one in certified_findings(report) if (one.quantity, one.mechanism) == (quantity, mechanism)), None
    )


def above_promise(report: Report, curve: Curve) -> Bound | None:
    """Where a decision looks, if nothing less than the epsilon is asked there and somebody is certain to lose more."""
    tau, _ = curve.decisive()
    if curve.epsilon is None or tau < curve.epsilon - 1e-12:
        return None
    known = next((one for one in curves.certified(report) if one.mechanism == curve.mechanism), None)
    bound = known.at(tau) if known else None
    return bound if bound is not None and bound.low else None


def shares(found: Sequence[Curve]) -> Grid:
    """tau against mechanisms; where nothing is certified for any of them, there is no row."""
    taus = [tau for tau in curves.table_taus(found) if any(_low(curve, tau) for curve in found)]
    rows = [[short(tau), *(_percent(curve.at(tau)) for curve in found)] for tau in taus]
    promises = [curve.promise() for curve in found]
    if any(promises) and rows:
        rows.insert(0, ["its epsilon", *(NOTHING if pair is None else _percent(pair[1]) for pair in promises)])
    header = ("tau", *(plain(curve.mechanism) or "no mechanism" for curve in found))
    return Grid(header, rows, (), "", OF_SHARES)


def end_of_shares(found: Sequence[Curve]) -> str:
    """From which loss on nothing is certified about anybody."""
    taus = sorted({tau for curve in found for tau in curve.taus})
    nobody = [tau for tau in taus if not any(_low(curve, tau) for curve in found)]
    if not nobody:
        return ""
    if len(nobody) == len(taus):
        return "Of no share of people is it certified that they lose more than any of the losses asked for."
    return f"From tau = {short(nobody[0])} on no share above 0 is certified."


def _low(curve: Curve, tau: float) -> float:
    bound = curve.at(tau)
    return 0.0 if bound is None else bound.low or 0.0


def _percent(bound: Bound | None) -> str:
    return NOTHING if bound is None else low(bound, share=True)


def others(report: Report, with_words: bool = True) -> Iterator[Grid]:
    """All but the shares; what is only compared has the same upper limits in the table of all mechanisms."""
    found = certified_findings(compared.planned(report))
    yield from _some(_OF_ADDED, ("mechanism", "at least", "at most", "guess, %, at least"), _gains(found))
    yield from _divergences([one for one in found if one.quantity == DIVERGENCE])
    yield from _rest(
        [one for one in found if one.quantity not in (SHARES, ADDED, INFORMED, DIVERGENCE)],
        report if with_words else None,
    )


def _some(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = (0,)) -> list[Grid]:
    found = list(rows)
    return [Grid(header, found, left, "", caption)] if found else []


def _gains(found: Sequence[Finding]) -> Iterator[list[str]]:
    names = dict.fromkeys(one.mechanism for one in found if one.quantity in (ADDED, INFORMED))
    for name in names:
        mine = {one.quantity: one.bound for one in found if one.mechanism == name}
        added, informed = mine.get(ADDED), mine.get(INFORMED)
        yield [plain(name or ""), *_points(added), _percent(informed)]


def _points(bound: Bound | None) -> tuple[str, str]:
    if bound is None:
        return NOTHING, NOTHING
    return points(bound.low, ROUND_FLOOR), NO_LIMIT if bound.high is None else points(bound.high, ROUND_CEILING)


def _divergences(found: Sequence[Finding]) -> list[Grid]:
    """Orders against directions."""
    cells = {(one.place("alpha"), _direction(one)): short(one.bound.low, ROUND_FLOOR) for one in found}
    directions = list(dict.fromkeys(direction for _, direction in cells))
    rows = (
        [f"alpha = {short(alpha)}", *(cells.get((alpha, one), NOTHING) for one in directions)]
        for alpha in dict.fromkeys(alpha for alpha, _ in cells)
    )
    return _some(_OF_DIVERGENCES, ("order", *directions), rows)


def _direction(finding: Finding) -> str:
    return plain(str(finding.at.get("of", "at least")))


def _rest(found: Sequence[Finding], report: Report | None) -> list[Grid]:
    """Without upper limits where none says anything; report: with what its numbers mean."""
    both = not all(map(_is_open, found))
    header = ["quantity", "mechanism", "at least", *(["at most"] if both else [])]
    rows = [[phrases.named(one), plain(one.mechanism or ""), *_ends(one.bound, both)] for one in found]
    if report is not None:
        header, rows = (
            [*header, "what it is"],
            [[*row, phrases.meaning(one, report)] for row, one in zip(rows, found, strict=True)],
        )
    return _some(_OF_REST, header, rows, (0, 1, *([len(header) - 1] if report is not None else [])))


def _ends(bound: Bound, both: bool) -> list[str]:
    return [low(bound), high(bound)] if both else [low(bound)]


def _is_open(finding: Finding) -> bool:
    top = finding.bound.high
    return top in (None, math.inf) or (top == 1 and finding.quantity.endswith("utility"))
