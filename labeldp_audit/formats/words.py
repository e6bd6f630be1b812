"""What a report says in sentences. A quantity without words here is still printed, under its own name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..model import Bound, Finding, Report
from . import curves, steps
from .curves import Curve
from .spelling import high, limits, low, nats, plain, share, short

_MEASURED = {
    "estimate-j": "how many people lose more privacy than tau",
    "nu-max": "the largest privacy loss of any person",
    "estimate-eta": "what the features alone tell about each label",
}

_MEANINGS = {
    "j": "share of people whose loss is above tau",
    "mean_loss": "average loss, in nats",
    "jeffreys": "how far the features part the classes, in nats",
    "weighted_jeffreys": "the same, weighted by the size of the classes",
    "eta_min": "least chance of the positive label, given the features",
    "eta_max": "greatest chance of the positive label, given the features",
    "log_ratio_min": "least log-odds from the features, against the prior",
    "log_ratio_max": "greatest log-odds from the features, against the prior",
    "nu_max": "largest loss of any person, in nats",
    "uninformed_utility": "share of labels guessed from the features alone",
}

SHARES = frozenset({"j", "uninformed_utility", "eta_min", "eta_max"})


def scope(report: Report) -> str:
    """The first line: what is measured and what is not proved."""
    measured = _MEASURED.get(report.command, "what a release tells about each person's label")
    return f"Measured: {measured}. Not proved: that a release is safe."


def meaning(quantity: str) -> str:
    return _MEANINGS.get(quantity, "")


def sentences(report: Report) -> tuple[str, ...]:
    """What the numbers mean to the person who publishes the data."""
    found = (sentence(report) for sentence in _SENTENCES)
    return tuple(plain(sentence) for sentence in found if sentence)


def assumptions(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Each one once, in the order in which they first appear."""
    return tuple(dict.fromkeys(plain(line) for finding in findings for line in finding.bound.assumptions))


def _tail(report: Report) -> str:
    found = curves.of(report)
    if not found:
        return ""
    curve = min(found, key=lambda curve: math.inf if curve.epsilon is None else curve.epsilon)
    middle = len(curve.taus) // 2
    tau, bound = curve.promise() or (curve.taus[middle], curve.bounds[middle])
    return (
        f"{_promised(curve)}for {share(bound.estimate)} of people{_between(bound)} the features and the "
        f"released label together raise an attacker's odds on the true label by more than a factor of "
        f"{steps.factor(tau)}, averaged over the noise: a loss above tau = {nats(tau)}."
    )


def _promised(curve: Curve) -> str:
    if curve.epsilon is None or curve.pi is None:
        return f"With {curve.mechanism}, " if curve.mechanism else "Without a mechanism, "
    return (
        f"{curve.mechanism} flips each label with probability {short(curve.pi, digits=3)} and promises a loss of at "
        f"most {nats(curve.epsilon)} to people whose features nobody knows. Once they are known, "
    )


def _worst(report: Report) -> str:
    found = [finding for finding in report.findings if finding.quantity == "nu_max"]
    found = [finding for finding in found if finding.bound.estimate is not None]
    if not found:
        return ""
    finding = min(found, key=lambda finding: finding.at.get("epsilon", math.inf))
    bound, estimate = finding.bound, finding.bound.estimate or 0.0
    if estimate == math.inf:
        least = "" if bound.low is None else f" and is at least {low(bound)} nats"
        return (
            f"Some neighbourhoods hold one class only: there the features may give the label away. The largest loss "
            f"with {finding.mechanism} is estimated as infinite{least}; where the features tell all, no noise on the "
            f"labels hides it."
        )
    return (
        f"With {finding.mechanism} the release can move an attacker's odds on one person's label by a factor of "
        f"{steps.factor(estimate)}: the largest loss is {nats(estimate)} {limits(bound)}".rstrip()
        + "."
    )


def _guessing(report: Report) -> str:
    found = [finding.bound for finding in report.findings if finding.quantity == "uninformed_utility"]
    if not found or found[0].estimate is None:
        return ""
    return (
        f"From the features alone an attacker guesses {share(found[0].estimate)} of the labels"
        f"{_between(found[0])}; always saying the commoner class is right for "
        f"{share(max(report.dataset.prior))}."
    )


def _spread(report: Report) -> str:
    found = {finding.quantity: finding.bound.estimate for finding in report.findings}
    least, most = found.get("eta_min"), found.get("eta_max")
    if least is None or most is None or len(report.dataset.prior) != 2:
        return ""
    return (
        f"Given the features, the chance of the label {report.dataset.positive} runs from {short(least)} to "
        f"{short(most)}; without them it is {short(report.dataset.prior[1])}."
    )


def _between(bound: Bound) -> str:
    if bound.low is None and bound.high is None:
        return ""
    return f" [{low(bound, share=True)} %, {high(bound, share=True)} %]"


_SENTENCES: tuple[Callable[[Report], str], ...] = (_tail, _worst, _guessing, _spread)
