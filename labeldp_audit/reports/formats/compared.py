"""Mechanisms that nobody plans to use, shown beside those that are judged."""

from __future__ import annotations

from dataclasses import replace

from ...core.finding import Finding
from ...core.report import COMPARED, Report
from .spelling import plain

_MARK = " (compared)"


def names(report: Report) -> frozenset[str]:
    """As they are written, and as they are labelled."""
    value = report.parameters.get(COMPARED, ())
    found = list(map(str, value)) if isinstance(value, list | tuple) else []
    return frozenset(found) | {name + _MARK for name in found}


def labelled(report: Report) -> Report:
    """The same report, in which whoever reads the name of such a mechanism reads what it is there for."""
    known = frozenset() if _searched(report) else names(report)
    return replace(report, findings=tuple(_labelled(one, known) for one in report.findings)) if known else report


def _searched(report: Report) -> bool:
    """A search has tried many, and one was chosen: nothing is there for comparison."""
    return any(one.quantity == "tuned" for one in report.findings)


def _labelled(finding: Finding, known: frozenset[str]) -> Finding:
    name = finding.mechanism or ""
    return replace(finding, mechanism=name + _MARK) if name in known and not name.endswith(_MARK) else finding


def planned(report: Report) -> Report:
    """Without them: sentences are about what is to be released. The whole report where nothing else is in it."""
    known = names(report)
    kept = tuple(one for one in report.findings if one.mechanism not in known)
    return replace(report, findings=kept) if any(one.mechanism for one in kept) else report


def bare(mechanism: str | None) -> str:
    """As it is typed."""
    return plain((mechanism or "").removesuffix(_MARK))
