"""What a report calls things. A quantity without words here is still printed, under its own name."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Finding, Report
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

_MEANINGS = {
    "j": "share of people whose loss is above tau",
    "mean_loss": "average loss, in nats",
    "jeffreys": "I = E (2 eta - 1) logit eta: how far the features part the labels",
    "weighted_jeffreys": "p KL(P1||P0) + (1 - p) KL(P0||P1): mean loss less what the noise adds",
    "eta_min": "least chance of the positive label, given the features",
    "eta_max": "greatest chance of the positive label, given the features",
    "log_ratio_min": "log((1 - eta_min) / eta_min): the odds against a positive label where they are longest",
    "log_ratio_max": "log(eta_max / (1 - eta_max)): the odds on a positive label where they are longest",
    "nu_max": "largest loss of any person, in nats",
    "uninformed_utility": "share of labels guessed from the features alone",
    "leave_one_out_utility": "the same, as tried on labels that guesses were made without",
    "plug_in_utility": "the same, as sure as guesses are of themselves",
    "informed_utility": "share of labels guessed from the features and the release",
    "advantage": "what the release adds to the share of labels guessed",
    "advantage_bound": "what a theorem says that the release can add at most",
    "certified_j": "share of people whose loss is certain to be above tau",
    "certified_mean_loss": "average loss, in nats",
    "certified_nu_max": "loss of the person who loses most, in nats",
    "certified_renyi": "how far the features part people with the label from those without, in nats",
    "certified_uninformed_utility": "share of labels guessed from the features alone",
    "certified_informed_utility": "share of labels guessed from the features and the release",
    "certified_advantage": "what the release adds to the share of labels guessed",
    "plug_in_j": "share of people whose loss is above tau, by the labels around each as they are",
    "equivalent_epsilon": "epsilon of the randomized response that adds as much",
    "equivalent_k": "size of the smallest bags whose totals add no more",
    "tuned": "the least noise that meets the policy",
    "column_log_loss": "how much more surprised the model is by labels without the column, in nats",
    "column_j": "how much less often the loss is above tau without the column",
    "column_advantage": "how much less a release adds without the column",
}

_OF_CLASS = {
    "eta_min": "least chance of that class, given the features",
    "eta_max": "greatest chance of that class, given the features",
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


def meaning(finding: Finding) -> str:
    if "class" in finding.at and finding.quantity in _OF_CLASS:
        return _OF_CLASS[finding.quantity]
    return _MEANINGS.get(finding.quantity, "")


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
