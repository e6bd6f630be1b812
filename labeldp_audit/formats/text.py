"""The report for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Report
from . import words
from .spelling import high, low, short


def render(report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None) -> str:
    lines = [words.scope(report), *words.sentences(report)]
    for finding in report.findings:
        bound = finding.bound
        lines.append(
            f"{finding.quantity:20} {finding.mechanism or '':20} {short(bound.estimate)} {low(bound)} {high(bound)}"
        )
    return "\n".join(lines) + "\n"
