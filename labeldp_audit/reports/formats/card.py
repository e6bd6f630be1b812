"""Three plain sentences for whoever reads nothing else: who is at risk, by how much, what to do.

Odds stand where the rest of a report has nats, and mechanisms are described, not named.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from ...core.finding import Bound
from ...core.policy import Judgement, Outcome, Verdict
from ...core.report import MEASURED_BY, Report
from . import (
    attacker,
    certificates,
    compared,
    contributions,
    curves,
    gains,
    manager,
    phrases,
    plain_answers,
    spelling,
    tuning,
    verdict_tables,
)
from .curves import Curve
from .headline import too_wide
from .plain_answers import DO, MUCH, WHO
from .spelling import NO_LIMIT, confidence, count, high, low, percent, plain, points, share

_COLUMNS = 3  # that a sentence names


def sentences(report: Report) -> tuple[tuple[str, str], ...]:
    """Each with its title; what is only compared is left out."""
    planned = compared.planned(report)
    said = ((WHO, who(planned)), (MUCH, how_much(planned)), (DO, what_to_do(report)))
    return tuple((title, plain(one)) for title, one in said if one)


def who(report: Report) -> str:
    return _above(report) or _somebody(report) or _guessed(report)


def _above(report: Report) -> str:
    """The share of people whose loss is above what the noise alone could cost, or above the last loss asked for."""
    found = curves.curves_of(report)
    if not found:
        return ""
    curve = curves.strongest(found)
    tau, bound = curve.decisive()
    even = "even " if len(found) > 1 else ""
    noise = manager.flipped(curve.pi, len(report.dataset.prior)) if curve.pi is not None else "the release"
    loss = (
        f"{even}{noise} and the features together multiply an attacker's odds on the truth, on average, by more than "
        f"about {spelling.factor(tau)}{_alone(curve, tau)}"
    )
    certain = certificates.above_promise(report, curve)
    if certain is not None:
        sure = certificates.sure(report, curve.confidence).strip("()")
        return f"For at least {low(certain, True)} % of people ({sure}; estimate {share(bound.estimate)}), {loss}."
    return f"{_estimated(bound, report)}, {loss}; of how many, nothing is certified."


def _alone(curve: Curve, tau: float) -> str:
    """Why it is that factor that is looked at."""
    return ", more than the noisy label alone could" if curve.epsilon is not None and tau >= curve.epsilon else ""


def _estimated(bound: Bound, report: Report) -> str:
    said = f"For an estimated {share(bound.estimate)} of people"
    if bound.low is None or bound.high is None:
        return said
    if too_wide(bound):
        return f"{said} (the limits are too wide to rely on that)"
    about = phrases.rests_on(report)
    return f"{said} (between {low(bound, True)} and {high(bound, True)} %{f', {about}' if about else ''})"


def _somebody(report: Report) -> str:
    told = "The people whose features tell most about their label: others lose less, and nobody knows by how much."
    return told if plain_answers.largest(report) is not None else ""


def _guessed(report: Report) -> str:
    before = attacker.bound(report, attacker.BEFORE)
    if before is None:
        return ""
    certain = certificates.limit(report, "certified_uninformed_utility")
    least = "" if certain is None else f", certified: at least {low(certain.bound, True)} %"
    return (
        f"Whoever has a label that can be guessed: the features alone are enough to guess an estimated "
        f"{share(before.estimate)} of the labels{least}; {attacker.baseline(report)}."
    )


def how_much(report: Report) -> str:
    said = "; ".join(filter(None, (_of_the_worst(report), _of_gains(report))))
    return f"{said[:1].upper()}{said[1:]}." if said else plain_answers.one_in_a_hundred(report)


def _of_the_worst(report: Report) -> str:
    """The lower limit: an upper one protects nobody in particular."""
    one = plain_answers.largest(report)
    if one is None:
        return ""
    certain = certificates.limit(report, "certified_nu_max", one.mechanism)
    if certain is not None and certain.bound.low:
        return f"{_factor(certain.bound.low)} {certificates.sure(report, certain.confidence)}"
    if one.bound.low is None:
        return f"{_factor(one.bound.estimate or 0.0, 'an estimated')}, and there are no limits"
    about = phrases.rests_on(report)
    return f"{_factor(one.bound.low)} ({confidence(one.confidence)} confidence{f', {about}' if about else ''})"


def _factor(loss: float, how: str = "at least") -> str:
    if math.isinf(loss):
        return "somebody's features give the label away, whatever the noise"
    return f"for somebody the odds change {how} {spelling.factor(loss, down=True)}-fold"


def _of_gains(report: Report) -> str:
    """What the most telling of several ways to publish gains."""
    found = gains.gains_of(report)
    if not found:
        return ""
    most = max(found, key=functools.partial(gains.size, report=report))
    bound, which = most.bound, f", by {most.mechanism}, which tells most" if len(found) > 1 else ""
    top = "" if bound.high is None or gains.highest(bound) == NO_LIMIT else f" and at most {gains.highest(bound, 2)}"
    guessed = f"an estimated {points(bound.estimate, digits=2)}{top} labels in 100 more"
    sure = f" ({confidence(most.added.confidence)} confidence)" if top else ""
    before = attacker.bound(report, attacker.BEFORE)
    known = (
        "the features alone allow"
        if before is None
        else f"the {percent(before.estimate)} that the features alone allow"
    )
    return f"{attacker.alike(report)}an attacker guesses {guessed} than {known}{which}{sure}"


def what_to_do(report: Report) -> str:
    if report.judgement is None:
        return (
            "Decide what you accept, write it down as a policy, and judge this report by it (labeldp-audit check): no "
            "policy was given."
        )
    found = tuning.sentence(report)
    if found and MEASURED_BY not in report.parameters:  # by the policy that judges it
        proof = " That is no proof that a release is safe." if report.judgement.outcome is Outcome.PASS else ""
        return f"{found}{proof}"
    return _of_policy(report.judgement, report)


def _of_policy(found: Judgement, report: Report) -> str:
    left = [one for one in found.verdicts if one.counts]
    kept = [one for one in left if found.outcome is not Outcome.FAIL or one.outcome is not Outcome.INCONCLUSIVE]
    lines = f"{count(len(kept))} of {count(len(found.verdicts))} lines" if len(found.verdicts) > 1 else "its only line"
    if found.outcome is Outcome.PASS:
        accepted = any(one.waiver for one in found.verdicts)
        risks = ", but for risks that somebody accepted" if accepted else ""
        about = plain_answers.as_far_as(found)
        return f"The policy holds{risks}{about}: it allows what was measured, which is no proof that a release is safe."
    if found.outcome is Outcome.INCONCLUSIVE:
        shown = "nothing shows that the policy is broken, and nothing that it holds"
        return f"Do not release yet: {shown} ({lines}); {plain_answers.what_may_settle(left, report)}."
    if not left:
        return f"Do not release under this policy: {verdict_tables.run_out(found)}."
    if all(one.outcome is Outcome.NOT_MEASURED for one in left):
        return f"Do not release as planned: the policy asks for what was not measured ({lines})."
    columns = f"leave out, or make coarser, what tells most{_columns(report)}"
    return f"Do not release as planned: the policy does not hold ({lines}); {_noise(left, report)}{columns}."


def _noise(left: Sequence[Verdict], report: Report) -> str:
    """It makes gains as small as one likes, and losses no smaller than what the features alone cost."""
    about = {one.quantity.removeprefix("certified_") for one in left if one.worst is not None and one.worst.mechanism}
    if not about or any(plain_answers.is_hopeless(one, report) for one in left):
        return ""
    enough = "add noise" if about <= {gains.ADDED, gains.INFORMED} else "add noise, if labeldp-audit tune finds enough"
    return f"{enough}, or "


def _columns(report: Report) -> str:
    """Which columns those are, where that was asked."""
    found = contributions.shown(report)
    return f" ({', '.join(plain(part.column) for part in found[1][:_COLUMNS])})" if found else ""
