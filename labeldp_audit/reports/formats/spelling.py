"""How numbers and other people's strings are written for readers. Limits are rounded outward."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

NOTHING = "-"
TOO_MANY = "over 100"  # percentage points: a bound that says nothing
_FINEST = Decimal("0.001")  # of a percentage point


def exact(value: float) -> str:
    """Every digit, and infinity by the name it has in JSON."""
    if math.isnan(value):
        raise ValueError("a report cannot hold NaN")
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def count(value: int) -> str:
    return f"{value:,}"


def short(value: float | None, rounding: str = ROUND_HALF_EVEN, digits: int = 4) -> str:
    """`digits` significant digits, `inf` for infinity, `-` for nothing."""
    if value is None or not math.isfinite(value):
        return _unusual(value)
    rounded = _rounded(Decimal(repr(float(value))), digits, rounding)
    return _spelled(rounded)


def percent(value: float | None, rounding: str = ROUND_HALF_EVEN, digits: int = 3) -> str:
    """A share as a number of per cent, without the sign."""
    if value is None or not math.isfinite(value):
        return _unusual(value)
    hundredfold = Decimal(repr(float(value))) * 100
    if hundredfold in (0, 100):
        return f"{hundredfold:.0f}"
    if hundredfold.adjusted() < -5:
        return _spelled(_rounded(hundredfold, 1, rounding))
    places = max(digits - 1 - max(hundredfold.adjusted(), 0), -hundredfold.adjusted())
    rounded = hundredfold.quantize(Decimal(1).scaleb(-places), rounding)
    return "100" if rounded == 100 else f"{rounded:f}"


def points(value: float | None, rounding: str = ROUND_HALF_EVEN, digits: int = 3) -> str:
    """Percentage points: nothing is said that is finer than 0.001, or that a limit is 130."""
    if value is None or math.isnan(value):
        return _unusual(value)
    if value > 1:
        return TOO_MANY
    gained = Decimal(repr(float(value))) * 100
    if not 0 < gained < _FINEST:
        return percent(value, rounding, digits)
    rounded = gained.quantize(_FINEST, rounding)
    if rounded:
        return f"{rounded:f}"
    return "0" if rounding == ROUND_FLOOR else f"<{_FINEST}"


def places(errors: Iterable[float]) -> int:
    """Decimals for a column of numbers with standard errors: two digits of the smallest one are shown."""
    least = min((error for error in errors if 0 < error < math.inf), default=0.001)
    return min(max(1 - math.floor(math.log10(least)), 2), 6)


def share(value: float | None) -> str:
    return f"{percent(value)} %"


def nats(value: float) -> str:
    return f"{short(value)} {'nat' if value == 1 else 'nats'}"


def confidence(value: float) -> str:
    return f"{_spelled(Decimal(repr(value)) * 100)} %"


def _unusual(value: float | None) -> str:
    if value is None:
        return NOTHING
    if math.isnan(value):
        raise ValueError("a report cannot hold NaN")
    return "inf" if value > 0 else "-inf"


def _rounded(value: Decimal, digits: int, rounding: str) -> Decimal:
    if not value:
        return value
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), rounding)


def _spelled(value: Decimal) -> str:
    """No trailing zeros; powers of ten only where the zeros would be many."""
    if not value:
        return "0"
    value = value.normalize()
    return f"{value:f}" if -5 <= value.adjusted() < 7 else f"{value:e}".replace("e+", "e")


def factor(tau: float) -> str:
    """e^tau in two or three digits."""
    value = math.exp(tau) if tau < 700 else math.inf
    if 1000 <= value < 1e5:
        return f"{float(f'{value:.3g}'):,.0f}"
    if 1e5 <= value < math.inf:
        return f"{value:.1e}".replace("e+0", "e").replace("e+", "e")
    return short(value, digits=2 if value < 100 else 3)


def cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1] + "…"


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`: for marks and rows of tables."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= least * (1 - 1e-9))
