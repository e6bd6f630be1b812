"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Report
from . import words
from .spelling import high, low, plain, short


def render(report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None) -> str:
    lines = [f"# {report.command}: {plain(report.dataset.name)}", "", words.scope(report), ""]
    lines += ["| quantity | mechanism | estimate | low | high |", "|---|---|---|---|---|"]
    for finding in report.findings:
        bound = finding.bound
        cells = (finding.quantity, finding.mechanism or "", short(bound.estimate), low(bound), high(bound))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
