"""What a report calls things. A quantity without words here is still printed, under its own name."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.finding import Finding
from ...core.report import Report
from . import curves
from .spelling import plain, short

_MEASURED = {
    "estimate-j": "how many people lose more privacy than tau",
    "nu-max": "the largest privacy loss of any person",
    "estimate-eta": "what the features alone tell about each label",
    "advantage": "how much better an attacker guesses labels once they are released in some form",
    "audit": "what the features tell, how many people lose how much, and what an attacker gains",
    "check": "whether a report keeps to a policy",
    "tune": "the least noise that keeps to a policy",
}


def scope(report: Report) -> str:
    """The first line: what is measured and what is not proved."""
    measured = _MEASURED.get(report.command, "what a release tells about each person's label")
    return f"Measured: {measured}. Not proved: that a release is safe."


def rests_on(report: Report) -> str:
    """What limits on eta take for granted, in a few words."""
    if report.eta.given:
        return "if the given probabilities are right"
    if report.parameters.get("smoothness"):
        return ""
    return "about averages over rows with like scores" if scored(report) else "about neighbourhood averages"


def scored(report: Report) -> bool:
    """Do rows with scores alike stand where neighbours do?"""
    return report.eta.metric == "score"


def meaning(finding: Finding, report: Report) -> str:
    entry = report.quantities.get(finding.quantity)
    if entry is None:
        return ""
    return entry.meaning.replace("the positive label", "that class") if "class" in finding.at else entry.meaning


def place(finding: Finding) -> str:
    """Where it was asked, without the fields that only say again which mechanism it is."""
    shown = {key: value for key, value in finding.at.items() if key not in curves.PARAMETERS}
    return ", ".join(
        f"{key} = {plain(value) if isinstance(value, str) else short(value)}" for key, value in shown.items()
    )


def named(finding: Finding) -> str:
    at = place(finding)
    return plain(f"{finding.quantity} at {at}" if at else finding.quantity)


def assumptions(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Each one once, in the order in which they first appear."""
    return tuple(dict.fromkeys(plain(line) for finding in findings for line in finding.bound.assumptions))
