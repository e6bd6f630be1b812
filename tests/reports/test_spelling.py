from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.core.finding import Bound
from labeldp_audit.core.quoting import plain
from labeldp_audit.reports import words
from labeldp_audit.reports.formats import spelling

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)


@settings(deadline=None)
@given(least=FINITE, most=FINITE)
def test_limits_are_rounded_outward(least: float, most: float) -> None:
    bound = Bound(None, least, most, 1, "m")
    assert float(words.low(bound, "")) <= least
    assert float(words.high(bound, "")) >= most


@settings(deadline=None)
@given(least=st.floats(0, 1), most=st.floats(0, 1))
def test_limits_of_shares_are_rounded_outward(least: float, most: float) -> None:
    bound = Bound(None, least, most, 1, "m")
    assert Decimal(words.low(bound, "%")) <= 100 * Decimal(repr(least))
    assert Decimal(words.high(bound, "%")) >= 100 * Decimal(repr(most))


@pytest.mark.parametrize(("value", "text"), [
    (0.0, "0"), (0.123456, "0.1235"), (12.0, "12"), (9999.96, "10000"), (1e-9, "1e-9"), (1.5e300, "1.5e300"),
    (-5.29512, "-5.295"), (math.inf, "inf"), (-math.inf, "-inf"), (None, "-"), (1e-5, "0.00001"), (9.5e6, "9500000"),
    (1e7, "1e7"),
])  # fmt: skip
def test_short_numbers(value: float | None, text: str) -> None:
    assert spelling.short(value) == text


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (1, "100"), (0.5, "50.0"), (0.99996, "100"), (0.0512, "5.12"), (0.00004, "0.004"), (3e-9, "3e-7"),
    (None, "-"),
])  # fmt: skip
def test_shares_keep_their_digits(value: float | None, text: str) -> None:
    assert spelling.percent(value) == text


@pytest.mark.parametrize(("value", "text", "least", "most"), [
    (0.0, "0", "0", "0"), (5e-324, "<0.001", "0", "0.001"), (4.9e-6, "<0.001", "0", "0.001"),
    (5.1e-6, "0.001", "0", "0.001"), (1e-5, "0.001", "0.001", "0.001"), (0.00008, "0.008", "0.008", "0.008"),
    (0.0512, "5.12", "5.12", "5.12"), (1.0, "100", "100", "100"), (1.0000001, *["over 100"] * 3),
    (math.inf, *["over 100"] * 3), (None, "-", "-", "-"),
])  # fmt: skip
def test_points_between_nothing_and_everything(value: float | None, text: str, least: str, most: str) -> None:
    rounded = (spelling.points(value, way) for way in (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING))
    assert tuple(rounded) == (text, least, most)


@pytest.mark.parametrize(("tau", "text"), [
    (1.0, "2.7"), (3.0, "20"), (5.0, "148"), (7.0, "1,100"), (11.4, "89,300"), (12.0, "1.6e5"), (720.0, "inf"),
])  # fmt: skip
def test_factors_on_odds(tau: float, text: str) -> None:
    assert spelling.factor(tau) == text


@pytest.mark.parametrize(("least", "step"), [(0.9, 1), (1, 1), (1.1, 2), (2.5, 5), (5.1, 10), (0.03, 0.05)])
def test_round_steps(least: float, step: float) -> None:
    assert spelling.round_step(least) == pytest.approx(step)


@settings(deadline=None, derandomize=True)
@given(value=st.floats(0, 1))
def test_limits_of_points_are_rounded_outward(value: float) -> None:
    least, most = (Decimal(spelling.points(value, way)) for way in (ROUND_FLOOR, ROUND_CEILING))
    assert least <= 100 * Decimal(repr(value)) <= most


@settings(deadline=None)
@given(st.text(st.characters()))
def test_plain_is_printable_and_can_be_written(text: str) -> None:
    assert plain(text).isprintable() and plain(text).encode("utf-8") is not None
    assert not text.isprintable() or plain(text) == text


def test_confidence() -> None:
    assert spelling.confidence(0.99) == "99 %"
    assert spelling.confidence(0.999) == "99.9 %"
