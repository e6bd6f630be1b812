"""A finding a line."""

from __future__ import annotations

from collections.abc import Mapping

from labeldp_audit.core.finding import Finding
from labeldp_audit.core.quoting import plain
from labeldp_audit.core.report import Report
from labeldp_audit.reports.formats.spelling import exact

HEADER = " | ".join(("quantity", "mechanism", "at", "estimate", "low", "high", "reason"))


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None
) -> str:
    return "".join(f"{line}\n" for line in (HEADER, *map(_line, report.findings)))


def _line(one: Finding) -> str:
    at = ", ".join(f"{key} = {value if isinstance(value, str) else exact(value)}" for key, value in one.at.items())
    numbers = ("" if end is None else exact(end) for end in (one.bound.estimate, one.bound.low, one.bound.high))
    return " | ".join(map(plain, (one.quantity, one.mechanism or "", at, *numbers, one.bound.reason or "")))
