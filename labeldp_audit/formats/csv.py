"""The findings as a table for spreadsheets and scripts: one row each, RFC 4180, exact floats."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from ..model import Finding, Report
from .spelling import exact, plain

_BEFORE = ("quantity", "mechanism")
_AFTER = ("estimate", "low", "high", "confidence", "n", "method", "assumptions", "reason")


def render(report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None) -> str:
    places = sorted({key for finding in report.findings for key in finding.at})
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow((*_BEFORE, *places, *_AFTER))
    writer.writerows(_row(finding, places) for finding in report.findings)
    return out.getvalue()


def _row(finding: Finding, places: Sequence[str]) -> list[str]:
    bound = finding.bound
    return [
        plain(finding.quantity),
        plain(finding.mechanism or ""),
        *(_place(finding.at.get(place)) for place in places),
        *(_number(value) for value in (bound.estimate, bound.low, bound.high, finding.confidence)),
        str(bound.n),
        plain(bound.method),
        plain("; ".join(bound.assumptions)),
        plain(bound.reason or ""),
    ]


def _place(value: float | str | None) -> str:
    return plain(value) if isinstance(value, str) else _number(value)


def _number(value: float | None) -> str:
    return "" if value is None else exact(value)
