"""What each mechanism adds to an attacker's guess, as tables for a page. Whoever prints the cells escapes them."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.report import Report
from . import compared, facts, gains
from .gains import Gain
from .grid import Grid

ADDS = "What each mechanism adds"
BOUNDS = "Beside the bounds of the papers"
_BEFORE = ("mechanism", "claims epsilon", "adds, estimate", "at most")
_AFTER = ("informed guess, %", "protects like")


def adds(report: Report) -> Iterator[Grid]:
    found = gains.gains_of(report)
    if found:
        note = f"Advantage in percentage points, at {facts.level(report)}."
        header = (*_BEFORE, f"at least, {gains.least_if(report)}", *_AFTER)
        yield Grid(header, [_row(gain) for gain in found], (0, 6), note)


def _row(gain: Gain) -> list[str]:
    return [gain.mechanism, gains.claim(gain), *gains.points(gain.bound), gains.informed(gain), gains.like(gain)]


def bounds(report: Report) -> Iterator[Grid]:
    """A table for each kind of mechanism that is planned."""
    found = gains.gains_of(compared.planned(report))
    note = f"Percentage points: estimate (at most). {gains.sources(found)}"
    for kind, group in gains.by_kind(found).items():
        rows = [[name, *cells] for name, cells in gains.ceilings(group)]
        if rows:
            header = [kind, *(gain.parameters for gain in group)]
            yield Grid(header, rows, (0,), note)
