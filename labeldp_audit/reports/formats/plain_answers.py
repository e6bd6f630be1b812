"""The three answers of glance.py more exactly, in nats and with limits, mechanisms and lines named.

What is certified comes first. Upper limits of losses are about averages, and every sentence with one says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_FLOOR

from ...core.finding import Bound, Finding
from ...core.policy import Judgement, Outcome, Verdict
from ...core.report import Report
from . import (
    attacker,
    certificates,
    compared,
    contributions,
    curves,
    gains,
    manager,
    phrases,
    spelling,
    tuning,
    verdict_tables,
)
from .headline import blind, not_judged, too_wide
from .spelling import confidence, high, low, nats, plain, points, share, short

WHO, MUCH, DO = "Who is at risk", "By how much", "What to do"
_FEW = 0.01  # of all people
_FAR, _SOME = 3.0, 0.001  # nats; of all people
_FAILED = (Outcome.FAIL, Outcome.NOT_MEASURED)


def paragraphs(report: Report) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each with its title, in sentences; empty ones left out."""
    planned = compared.planned(report)
    said = ((WHO, who(planned)), (MUCH, how_much(planned)), (DO, what_to_do(report)))
    found = ((title, tuple(plain(one) for one in lines if one)) for title, lines in said)
    return tuple((title, lines) for title, lines in found if lines)


def who(report: Report) -> tuple[str, ...]:
    said = _above(report) or _worst_off(report) or _guessed(report)
    return said, not_judged(report), blind(report) if said else ""


def _above(report: Report) -> str:
    """A share of people."""
    found = curves.curves_of(report)
    if not found:
        return ""
    curve = curves.strongest(found)
    tau, bound = curve.decisive()
    even = f"{'Even with' if len(found) > 1 else 'With'} {curve.mechanism}" if curve.mechanism else "As it is"
    certain = certificates.above_promise(report, curve)
    loss = f"a loss above {nats(tau)}, which on average multiplies an attacker's odds by {spelling.factor(tau)}"
    if certain is not None:
        sure = certificates.sure(report, curve.confidence)
        known = f"{even}, at least {low(certain, True)} % of people have {loss}"
        return f"{known}. This is certified {sure}; {_estimated(bound)}."
    about = phrases.rests_on(report)
    if bound.low is None or bound.high is None or too_wide(bound):
        ends = " (the limits are too wide to rely on it)" if bound.low is not None else ""
    else:
        ends = f" (limits {low(bound, True)} to {high(bound, True)} %{f', {about}' if about else ''})"
    said = f"{even}, an estimated {share(bound.estimate)} of people{ends} have {loss}"
    return f"{said}. Of how many it is so, nothing is certified."


def _estimated(bound: Bound) -> str:
    said = share(bound.estimate)
    return (
        f"the limits around the estimate of {said} are too wide to rely on it"
        if too_wide(bound)
        else f"estimate: {said}"
    )


def largest(report: Report) -> Finding | None:
    """Loss of anybody, with the most noise."""
    found = [one for one in report.findings if one.quantity == "nu_max" and one.bound.estimate is not None]
    return min(found, key=lambda one: one.at.get("epsilon", math.inf), default=None)


def _worst_off(report: Report) -> str:
    return (
        ""
        if largest(report) is None
        else "Those whose features tell most about their label: one of them has the largest loss."
    )


def _guessed(report: Report) -> str:
    before = attacker.bound(report, attacker.BEFORE)
    certain = certificates.limit(report, "certified_uninformed_utility")
    if before is None:
        return ""
    least = "" if certain is None else f" (certified: at least {low(certain.bound, True)} %)"
    return (
        f"People whose label can be guessed: from the features alone, before anything is released, the best guess is "
        f"right for an estimated {share(before.estimate)} of the labels{least}; {attacker.baseline(report)}."
    )


def how_much(report: Report) -> tuple[str, ...]:
    added = _capital(manager.sentence(report)) if gains.gains_of(report) else ""
    sure = attacker.headline(report)[1:] if gains.gains_of(report) else ()
    return one_in_a_hundred(report), _far_out(report), _largest(report), " ".join(filter(None, (added, *sure)))


def one_in_a_hundred(report: Report) -> str:
    """The largest loss that is certified of so many people."""
    found = curves.curves_of(report)
    known = curves.certified(report)
    if not found or not known:
        return ""
    strongest = curves.strongest(found).mechanism
    for curve in known:
        some = [tau for tau, bound in zip(curve.taus, curve.bounds, strict=True) if (bound.low or 0.0) >= _FEW]
        if curve.mechanism == strongest and some and some[-1] > 0:
            sure = certificates.sure(report, curve.confidence)
            loss = _size(some[-1], short(some[-1], ROUND_FLOOR))
            who = f"{short(100 * _FEW)} % of people{f' with {strongest}' if strongest else ''}"
            return f"At least {who} lose more than {loss}; this is certified {sure}."
    return ""


def _far_out(report: Report) -> str:
    """What a look at the first loss that is allowed would miss: people whose features all but tell their label."""
    found = curves.curves_of(report)
    if not found:
        return ""
    curve = curves.strongest(found)
    far = [(tau, bound) for tau, bound in zip(curve.taus, curve.bounds, strict=True) if tau >= _FAR]
    if not far or not (far[0][1].estimate or 0.0) >= _SOME:
        return ""
    tau, bound = far[0]
    about = phrases.rests_on(report)
    ends = (
        ""
        if bound.low is None
        else f", limits {low(bound, True)} to {high(bound, True)} %{f' {about}' if about else ''}"
    )
    return (
        f"An estimated {share(bound.estimate)} of people lose more than {nats(tau)}{ends}: an attacker's odds on their "
        f"label change on average by a factor of more than {spelling.factor(tau)}."
    )


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _largest(report: Report) -> str:
    """The lower limit first."""
    one = largest(report)
    if one is None:
        return ""
    where = f" with {one.mechanism}" if one.mechanism else ""
    named = f"The largest loss{where}, whichever way the noise falls,"
    certain = certificates.limit(report, "certified_nu_max", one.mechanism)
    if certain is not None and certain.bound.low:
        sure = certificates.sure(report, certain.confidence)
        first = f"{named} is at least {_size(certain.bound.low, low(certain.bound))}, certified {sure}"
    elif one.bound.low is not None:
        about = phrases.rests_on(report)
        sure = f"({confidence(one.confidence)} confidence{f', {about}' if about else ''})"
        first = f"{named} is at least {_size(one.bound.low, low(one.bound))} {sure}"
    else:
        first = f"Of the largest loss{where} there is only an estimate"
    top = "" if one.bound.high is None or math.isfinite(one.bound.high) else "; it may be without limit"
    return f"{first}; estimate: {_size(one.bound.estimate or 0.0, short(one.bound.estimate))}{top}."


def _size(loss: float, spelled: str) -> str:
    if math.isinf(loss):
        return "infinite"
    return f"{spelled} {'nat' if loss == 1 else 'nats'}, which multiplies an attacker's odds by {_odds(loss)}"


def _odds(loss: float) -> str:
    return spelling.factor(loss)


def what_to_do(report: Report) -> tuple[str, ...]:
    planned = compared.planned(report)
    return _of_policy(report), tuning.sentence(report), _least(planned), contributions.sentence(report)


def _of_policy(report: Report) -> str:
    verdict = report.judgement
    if verdict is None:
        return (
            "There is no policy, so nothing is decided: write down what you accept, as lines of a policy, and judge "
            "this report by it (labeldp-audit check)."
        )
    if verdict.outcome is Outcome.PASS:
        waived = any(one.waiver for one in verdict.verdicts)
        risks = " But for the risks that are waived," if waived else ""
        start = f"{risks} the policy holds" if waived else "The policy holds"
        allowed = f"{start.strip()}{as_far_as(verdict)}: it allows what was measured"
        return f"{allowed}. That is no proof that a release is safe."
    left = [one for one in verdict.verdicts if one.counts]
    if verdict.outcome is Outcome.INCONCLUSIVE:
        shown = "nothing shows that the policy is broken, and nothing that it holds"
        settle = what_may_settle(left, report)
        return f"Do not release yet: {shown} ({_which(left)}). {settle[:1].upper()}{settle[1:]}."
    failed = [one for one in left if one.outcome in _FAILED]
    if not failed:
        return f"Do not release under this policy: {verdict_tables.run_out(verdict)}."
    return f"Do not release as planned: the policy does not hold ({_which(failed)})."


def as_far_as(found: Judgement) -> str:
    """What a pass rests on, where a line looked at an upper limit that is about averages."""
    averages = any(
        "averages" in line for one in found.verdicts if one.field == "high" for line in verdict_tables.rests_on(one)
    )
    return ", as far as averages over people who look alike go" if averages else ""


def what_may_settle(left: Sequence[Verdict], report: Report) -> str:
    """What may narrow limits that stand between a policy and a decision; some no table can ever narrow."""
    if any(is_hopeless(one, report) for one in left):
        return "no table can show it, as what a line asks for has no upper limit: change the policy"
    endless = any(one.value in (None, math.inf) or one.worst is None or not one.worst.mechanism for one in left)
    return "more rows may show it" if endless else "more rows may show it, and more noise may keep to it"


def is_hopeless(one: Verdict, report: Report) -> bool:
    """A line that no table can pass."""
    bound = None if one.worst is None else one.worst.bound
    known = report.quantities.get(one.quantity)
    endless = known is not None and not known.has_upper
    return one.field == "high" and bound is not None and bound.high in (1.0, math.inf) and endless


def _which(lines: Sequence[Verdict]) -> str:
    more = f"; and {len(lines) - 2} more" if len(lines) > 2 else ""
    return "; ".join(plain(one.said) for one in lines[:2]) + more


def _least(report: Report) -> str:
    """Which of several ways to publish tells least."""
    found = gains.gains_of(report)
    if len(found) < 2 or tuning.searches(report):
        return ""
    first = min(found, key=lambda gain: gains.size(gain, report))
    top = "" if first.bound.high is None else f", at most {gains.highest(first.bound)}"
    promise = "" if first.epsilon is not None else "; it promises nothing to anybody in particular"
    return (
        f"Of the mechanisms asked for, {first.mechanism} adds least: an estimated {points(first.bound.estimate)} "
        f"percentage points{top}{promise}."
    )
