"""The report as one HTML file for people: self-contained, without scripts, for light and dark, phones and paper."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.report import Report
from .page import document


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    return document.whole(report, run_info)
