"""The second line of a report: what a decision needs at one glance.

Lower limits come first: they are what the data shows. Everything up to the upper limit is what it cannot rule out.
What was asked for and could not be judged comes second: silence would read as safety.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...core.finding import Bound, Finding
from ...core.report import Report
from . import attacker, certificates, compared, curves, gains, phrases, spelling
from .spelling import confidence, high, low, nats, plain, share, short

TOO_WIDE = 0.5  # of all people: with such an interval the estimate says little
_ASKED = (curves.QUANTITY, "nu_max", gains.ADDED)  # the questions that are asked of each mechanism
_NAMES = 3  # of mechanisms that share a reason


def in_short(report: Report) -> str:
    """The answer about what is planned; mechanisms shown for comparison only have their place in the tables."""
    report = compared.planned(report)
    first, *rest = next(filter(None, (say(report) for say in (_tail, _worst, attacker.headline, _guessing))), ("",))
    said = [first, not_judged(report), *rest, blind(report) if first else ""]
    shown = " ".join(filter(None, said))
    return plain(f"In short: {shown if first else shown[:1].lower() + shown[1:]}") if shown else ""


def not_judged(report: Report) -> str:
    """Mechanisms without any answer to the question, and why; those with the same reason together."""
    asked = [one for one in report.findings if one.quantity in _ASKED]
    judged = {one.mechanism for one in asked if one.bound.estimate is not None}
    reasons: dict[str, dict[str, None]] = {}
    for one in asked:
        if one.mechanism not in judged and one.bound.reason:
            reasons.setdefault(one.bound.reason, {})[one.mechanism or one.quantity] = None
    said = [f"{_few(list(names))} ({reason})" for reason, names in reasons.items()]
    return f"Not judged: {'; '.join(said)}." if said else ""


def _few(names: Sequence[str]) -> str:
    rest = len(names) - _NAMES
    return attacker.listed([*names[:_NAMES], f"{rest} more"] if rest > 0 else names)


def blind(report: Report) -> str:
    """Neighbours that see nothing show nothing to be absent; a certified limit does not rest on them."""
    if report.eta.sees(report.dataset):
        return ""
    who = "The models" if phrases.scored(report) else "The neighbours"
    who = "The given probabilities" if report.eta.given else who
    matter = 'only "at most" can be relied on' if gains.gains_of(report) else "the upper limits mean little"
    return (
        f"{who} guess labels no better than the shares of the classes do: unless the features tell nothing, {matter}."
    )


def too_wide(bound: Bound) -> bool:
    return bound.low is not None and bound.high is not None and bound.high - bound.low > TOO_WIDE


def _sure(report: Report, level: float) -> str:
    """No reader of one line may take what holds for averages to hold for every person."""
    about = phrases.rests_on(report)
    return f"({confidence(level)} confidence{f', {about}' if about else ''})"


def _tail(report: Report) -> tuple[str, ...]:
    found = curves.curves_of(report)
    if not found:
        return ()
    curve = curves.strongest(found)
    tau, bound = curve.decisive()
    start = f"with {curve.mechanism}{_best_case(len(found))}" if curve.mechanism else "without a mechanism"
    loss, certain = f"more than {nats(tau)}{_promised(curve, tau)}", certificates.above_promise(report, curve)
    if certain is not None:
        known = f"certified: at least {low(certain, True)} % of people lose {loss}"
        return f"{start}, {known} {certificates.sure(report, curve.confidence)}.", _beside(bound, report)
    known, *rest = _people(bound, loss, _sure(report, curve.confidence))
    return f"{start}, {known}", *rest


def _beside(bound: Bound, report: Report) -> str:
    """What is estimated, beside what is certified."""
    if bound.low is None or bound.high is None:
        return f"Estimate: {share(bound.estimate)}."
    if too_wide(bound):
        return f"The interval is too wide to rely on the estimate of {share(bound.estimate)}."
    about = phrases.rests_on(report)
    ends = f"{low(bound, True)} to {high(bound, True)} %"
    return f"Estimate: {share(bound.estimate)}, limits {ends}{f' {about}' if about else ''}."


def _best_case(mechanisms: int) -> str:
    return ", the strongest noise asked for" if mechanisms > 1 else ""


def _promised(curve: curves.Curve, tau: float) -> str:
    if curve.epsilon is None:
        return ""
    return ", its epsilon" if tau == curve.epsilon else f" (its epsilon is {short(curve.epsilon)})"


def _people(bound: Bound, loss: str, sure: str) -> tuple[str, ...]:
    if bound.low is None or bound.high is None:
        return (f"an estimated {share(bound.estimate)} of people lose {loss}.",)
    if bound.low:
        known = f"at least {low(bound, True)} % of people lose {loss}; up to {high(bound, True)} % cannot be ruled out"
    else:
        known = f"up to {high(bound, True)} % of people may lose {loss}, though nobody is shown to"
    estimate = (
        f"The interval is too wide to rely on the estimate of {share(bound.estimate)}."
        if too_wide(bound)
        else f"Estimate: {share(bound.estimate)}."
    )
    return f"{known} {sure}.", estimate


def _worst(report: Report) -> tuple[str, ...]:
    found = [one for one in report.findings if one.quantity == "nu_max" and one.bound.estimate is not None]
    if not found:
        return ()
    finding = min(found, key=lambda one: one.at.get("epsilon", math.inf))
    named = f"with {finding.mechanism}{_best_case(len(found))}" if finding.mechanism else "without a mechanism"
    certain = certificates.limit(report, "certified_nu_max", finding.mechanism)
    if certain is not None and (finding.place("epsilon") or 0.0) < (certain.bound.low or 0.0) < math.inf:
        return _certain_loss(named, certain.bound, finding, report)
    known, *rest = _loss(finding, _sure(report, finding.confidence))
    return f"{named}, {known}", *rest


def _certain_loss(named: str, certain: Bound, finding: Finding, report: Report) -> tuple[str, ...]:
    sure = certificates.sure(report, finding.confidence)
    known = f"certified: somebody loses at least {_size(certain.low or 0.0, low(certain))} {sure}"
    return f"{named}, {known}.", f"Estimate: {_estimated(finding.bound)}{_at_most(finding.bound, report)}."


def _at_most(bound: Bound, report: Report) -> str:
    if bound.high is None:
        return ""
    about = phrases.rests_on(report)
    ending = f" {about}" if about else ""
    return "; no upper limit exists" if math.isinf(bound.high) else f"; the upper limit is {high(bound)}{ending}"


def _loss(finding: Finding, sure: str) -> tuple[str, ...]:
    bound, estimate = finding.bound, finding.bound.estimate or 0.0
    if bound.low is None or bound.high is None:
        return (f"the largest loss of a person is estimated as {_size(estimate, short(estimate))}.",)
    if math.isinf(bound.low):
        return ("the largest loss of a person is infinite.",)
    ends = "no upper limit exists" if math.isinf(bound.high) else f"the upper limit is {high(bound)}"
    return (
        f"somebody loses at least {_size(bound.low, low(bound))}; {ends} {sure}.",
        f"Estimate: {_estimated(bound)}.",
    )


def _estimated(bound: Bound) -> str:
    return _size(bound.estimate or 0.0, short(bound.estimate))


def _size(loss: float, spelled: str) -> str:
    if math.isinf(loss):
        return "infinite"
    return f"{spelled} {'nat' if loss == 1 else 'nats'}, odds ×{spelling.factor(loss)}"


def _guessing(report: Report) -> tuple[str, ...]:
    found = [one for one in report.findings if one.quantity == "uninformed_utility" and one.bound.estimate is not None]
    if not found:
        return ()
    bound, usual, alike = found[0].bound, attacker.baseline(report), attacker.alike(report)
    if bound.low is None or bound.high is None:
        guessed = f"an attacker guesses an estimated {share(bound.estimate)} of the labels"
        return (f"{alike}from the features alone {guessed}; {usual}.",)
    certain = certificates.limit(report, "certified_uninformed_utility")
    if certain is not None and (certain.bound.low or 0.0) > max(report.dataset.prior):
        least = f"certified: from the features alone an attacker guesses at least {low(certain.bound, True)} %"
        sure = certificates.sure(report, certain.confidence)
        return f"{least} of the labels {sure}.", f"{_beside(bound, report)[:-1]}; {usual}."
    return (
        f"{alike}from the features alone an attacker guesses at least {low(bound, True)} % of the labels; up to "
        f"{high(bound, True)} % cannot be ruled out {_sure(report, found[0].confidence)}.",
        f"Estimate: {share(bound.estimate)}; {usual}.",
    )
