"""How numbers with their units, mechanisms and places are written: once for every screen, page and file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN

from ..core import finding
from ..core.finding import Bound, Finding
from ..core.quantity import NATS, PER_CENT, POINTS
from ..core.quoting import plain
from ..core.registry import rounded
from ..core.report import Report
from . import found
from .formats.spelling import NOTHING, factor, percent, points, short

_BASELINES = {finding.FEATURES: "features alone", finding.CLEAR: "without noise"}
FEATURES, CLEAR = _BASELINES.values()

NEAR = "neighbourhood averages"
_FINEST = 1e-5  # a share: a low below a thousandth of a per cent tells nothing


def amount(value: float | None, unit: str, rounding: str = ROUND_HALF_EVEN, digits: int = 2) -> str:
    """The bare number, in its unit."""
    if value is not None and math.isnan(value):
        raise ValueError("a report cannot hold NaN")
    if value is None or math.isinf(value):
        return NOTHING if value is None else "infinite" if value > 0 else "-infinite"
    if unit not in (PER_CENT, POINTS):
        return short(value, rounding, digits)
    if rounding == ROUND_FLOOR and 0 < value < _FINEST:
        return "0"
    text = (points if unit == POINTS else percent)(value, rounding, digits)
    whole = text.partition(".")[0]  # 5, not 5.0, where it is that
    return whole if whole.isdigit() and math.isclose(100 * value, int(whole), rel_tol=1e-12) else text


def said(value: float | None, unit: str, rounding: str = ROUND_HALF_EVEN) -> str:
    """With its unit, and of a loss what it does to odds."""
    if value is None or math.isinf(value):
        return "none" if value is None else amount(value, unit)
    number = amount(value, unit, rounding)
    if unit == NATS:
        return f"{number} {'nat' if value == 1 else 'nats'} (odds x{factor(value)})"
    return f"{number} {unit}".strip() if unit != POINTS else f"{number} {'point' if number == '1' else 'points'}"


def low(bound: Bound, unit: str) -> str:
    return amount(bound.low, unit, ROUND_FLOOR)


def high(bound: Bound, unit: str) -> str:
    return amount(bound.high, unit, ROUND_CEILING)


def outward(field: str) -> str:
    """How that end of a number is rounded."""
    return {"low": ROUND_FLOOR, "high": ROUND_CEILING}.get(field, ROUND_HALF_EVEN)


def low_high(bound: Bound, unit: str) -> str:
    known = (("low", bound.low, low), ("high", bound.high, high))
    return ", ".join(f"{name} {say(bound, unit)}" for name, end, say in known if end is not None)


def near(bound: Bound | None) -> Bound | None:
    """Return the limits of neighbourhood averages as a bound of their own."""
    if bound is None or bound.neighborhood_low is None:
        return None
    return Bound(None, bound.neighborhood_low, bound.neighborhood_high, bound.n, bound.method)


def ends(bound: Bound, unit: str) -> str:
    """Low and high, rounded outward; where nothing is known above, so much and more."""
    if (bound.low is None and bound.high is None) or bound.low == math.inf:
        return ""
    if bound.high is None or bound.high == math.inf:
        return f"{low(bound, unit)} or more"
    if bound.low is None:
        return f"up to {high(bound, unit)}"
    return f"{low(bound, unit)}{' to ' if bound.low < 0 else '-'}{high(bound, unit)}"


def cells(bounds: Sequence[Bound | None], unit: str, odds: bool = False) -> list[str]:
    """A column: estimates, each with its ends beside it, all aligned."""
    first, sign = [], " %" if unit == PER_CENT else ""
    for one in bounds:
        value = None if one is None else one.estimate
        beside = f" (x{factor(value)})" if odds and value is not None and math.isfinite(value) else ""
        first.append("" if one is None else NOTHING if value is None else amount(value, unit) + sign + beside)
    second = ["" if one is None else ends(one, unit) for one in bounds]
    wide, room = max(map(len, first), default=0), max(map(len, second), default=0)
    return [f"{one:>{wide}}{f'  {two:<{room}}' if room else ''}" for one, two in zip(first, second, strict=True)]


def mechanism(report: Report, name: str | None) -> str:
    """As it was typed, with the canonical name beside it where that is another."""
    if not name:
        return "no mechanism"
    spec = found.typed(report).get(name)
    short_name = plain(rounded(name))
    return short_name if spec is None else f"{plain(spec)} ({short_name})"


def baseline(name: str) -> str:
    return _BASELINES.get(name, plain(name))


def named(finding: Finding) -> str:
    """And where it was asked, without the fields that only say again which mechanism it is."""
    shown = {key: value for key, value in finding.at.items() if key not in found.PARAMETERS}
    at = ", ".join(
        f"{key} = {plain(value) if isinstance(value, str) else short(value)}" for key, value in shown.items()
    )
    return plain(f"{finding.quantity} at {at}" if at else finding.quantity)


def listed(names: Sequence[str], most: int = 3) -> str:
    """a, b and c; of many how many more."""
    shown = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def started(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
