"""The answer of a report in sentences: what the policy says, or how much people lose and an attacker gains."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR

from ..core.finding import Bound, Finding
from ..core.policy import Judgement, Outcome, Verdict, Waived
from ..core.quantity import NATS, PER_CENT, POINTS
from ..core.report import MEASURED_BY, Report
from . import found, words
from .formats.spelling import count, nats, plain, short

OPEN = "OPEN"

# ---- the policy


def verdict(report: Report) -> str:
    """The outcome, and the line that decides it with number, end and threshold; empty where there is no policy."""
    judged = report.judgement
    return "" if judged is None else f"{judged.outcome.upper()}: {_because(judged, report)}."


def _because(judged: Judgement, report: Report) -> str:
    late = run_out(judged)
    if late:
        one = late[0].waiver
        return f"the waiver of {plain(one.quantity)} ran out on {one.until.isoformat()}, which fails the policy"
    left = blocking(judged)
    if not left:
        number, waived = len(judged.verdicts), sum(one.waiver is not None for one in judged.verdicts)
        hold = "the one line of the policy holds" if number == 1 else f"all {count(number)} lines of the policy hold"
        return f"{hold} for {plain(report.dataset.name)}{f', {count(waived)} by a waiver' if waived else ''}"
    more = f" (and {count(len(left) - 1)} more)" if len(left) > 1 else ""
    return f"blocked by {plain(left[0].line)}{more}: {in_words(left[0], report)}"


def blocking(judged: Judgement) -> list[Verdict]:
    """Lines that keep the policy from holding, the worst first."""
    order = list(Outcome)
    return sorted((one for one in judged.verdicts if one.counts), key=lambda one: order.index(one.outcome))


def run_out(judged: Judgement) -> list[Waived]:
    return [one for one in judged.waivers if one.about_this and one.expired]


def in_words(one: Verdict, report: Report) -> str:
    """What was compared with what."""
    if one.worst is None or one.value is None or one.outcome is Outcome.NOT_MEASURED:
        return f"not measured, {plain(one.said)}" if one.outcome is Outcome.NOT_MEASURED else plain(one.said)
    known, bound = found.quantity(report, one.quantity), one.worst.bound
    unit, rounding = known.written_in, {"low": ROUND_FLOOR, "high": ROUND_CEILING}.get(one.field, "ROUND_HALF_EVEN")
    beside = (
        "" if one.field == "estimate" or bound.estimate is None else f" (estimate {words.said(bound.estimate, unit)})"
    )
    allowed = "at most" if one.comparison.startswith(">") else "at least"
    value = words.said(one.value, unit, rounding)
    return (
        f"{_subject(known.title, one.worst, report)}: {one.field} {value}{beside}, "
        f"allowed {allowed} {words.said(one.threshold, unit)}"
    )


def _subject(title: str, one: Finding, report: Report) -> str:
    tau = one.place("tau")
    at = "" if tau is None else f" of {nats(tau)}"
    under = f" under {words.mechanism(report, one.mechanism)}" if one.mechanism else ""
    return f"{title[:1].lower()}{title[1:]}{at}{under}"


def settles(report: Report) -> str:
    """What to do about it."""
    judged = report.judgement
    if judged is None:
        return (
            "No policy was given, so nothing is decided here. Write down what you accept as lines of a policy, and "
            "judge this report by them (labeldp-audit check)."
        )
    left = blocking(judged)
    if judged.outcome is Outcome.PASS:
        return "The policy allows what was measured."
    if any(_is_endless(one, report) for one in left):
        return "No table can meet a line that asks for an upper limit where none exists: change that line."
    if judged.outcome is Outcome.FAIL:
        return (
            "Do not release as planned. More noise may help (labeldp-audit tune); where the features alone break a "
            "line, only dropping or coarsening columns does (labeldp-audit audit --explain names them)."
        )
    told = _rows_would_tell(left, report)
    return f"Do not release yet: nothing shows that the policy holds or that it is broken. {told}"


def _is_endless(one: Verdict, report: Report) -> bool:
    known = report.quantities.get(one.quantity)
    return one.field == "high" and one.value in (1.0, math.inf) and known is not None and not known.has_upper


def _rows_would_tell(left: Sequence[Verdict], report: Report) -> str:
    """How many rows would bring the end that decides half way between the estimate and the threshold."""
    needed = []
    for one in left:
        estimate = None if one.worst is None else one.worst.bound.estimate
        if estimate is not None and one.value is not None and math.isfinite(one.value) and estimate != one.threshold:
            ratio = (one.value - estimate) / (one.threshold - estimate)
            needed.append(report.dataset.rows_used * max(ratio, 1.0) ** 2)
    if not needed:
        return "More rows may."
    return f"If the estimate is right, about {count(int(float(f'{max(needed):.0e}')))} rows would."


# ---- the numbers


def answers(report: Report) -> tuple[str, ...]:
    """The main answer first; about what is planned, not about what is shown for comparison."""
    shown = found.planned(report)
    said = (answer for each in _ANSWERS for answer in each(shown) if answer)
    return tuple(dict.fromkeys(said))


def _most(report: Report, quantity: str) -> str:
    number = len(found.mechanisms(report, quantity))
    return f", the most noise of {count(number)}" if number > 1 else ""


def _under(report: Report, name: str | None, quantity: str) -> str:
    return f" under {words.mechanism(report, name)}{_most(report, quantity)}" if name else ""


def tail(report: Report) -> Iterator[str]:
    name = found.strongest(report, found.J)
    tau = found.tau_of_answer(report, name or "")
    bound = None if tau is None else found.bound(report, found.J, name, tau)
    if bound is None or tau is None:
        return
    what, estimate = (
        f"lose more than {nats(tau)}{_under(report, name, found.J)}",
        words.said(bound.estimate, PER_CENT),
    )
    if bound.low is None or bound.high is None:
        yield f"An estimated {estimate} of people {what}; there are no limits."
    elif found.is_open(bound):
        yield f"{OPEN}: {_between(bound)} {what} (estimate {estimate}); {_would_tell(bound, report)}."
    else:
        yield f"{words.started(_between(bound))} of people {what} (estimate {estimate})."


def _would_tell(bound: Bound, report: Report) -> str:
    """No number of rows helps a model that tells nobody apart."""
    if not report.eta.sees(report.dataset):
        return "the model tells nobody apart, so a better one or more rows are needed"
    return f"about {count(found.rows_to_decide(bound, report.dataset.rows_used))} rows would tell"


def _between(bound: Bound) -> str:
    return f"between {words.low(bound, PER_CENT)} % and {words.high(bound, PER_CENT)} %"


def worst(report: Report) -> Iterator[str]:
    name = found.strongest(report, found.WORST)
    bound = found.bound(report, found.WORST, name)
    if bound is None:
        return
    under, estimate = _under(report, name, found.WORST), words.said(bound.estimate, NATS)
    if bound.low is None:
        yield f"The largest loss of a person{under} is an estimated {estimate}; there are no limits."
    elif bound.low == math.inf:
        yield f"The largest loss of a person{under} is infinite."
    elif bound.high is None or bound.high == math.inf:
        least = words.said(bound.low, NATS, ROUND_FLOOR)
        yield f"{OPEN} above: somebody loses at least {least}{under}; estimate {estimate}, no upper limit."
    else:
        ends = f"between {words.low(bound, NATS)} and {words.high(bound, NATS)} nats"
        yield f"The largest loss of a person{under} is {ends} (estimate {estimate})."


def added(report: Report) -> Iterator[str]:
    name = found.strongest(report, found.ADDED)
    bound, before = found.bound(report, found.ADDED, name), found.bound(report, found.FEATURES)
    if name is None or bound is None:
        return
    number = len(found.mechanisms(report, found.ADDED))
    least = f"{words.mechanism(report, name)} adds{f' least of {count(number)},' if number > 1 else ''}"
    known = "" if before is None else f" to the {words.said(before.estimate, PER_CENT)} guessed from features alone"
    estimate = words.said(bound.estimate, POINTS)
    if bound.high is None:
        yield f"{least} an estimated {estimate}{known}; there are no limits."
        return
    ends = f"low {words.low(bound, POINTS)}, high {words.high(bound, POINTS)}"
    clear = 1.0 - (before.low or 0.0) if before is not None else 1.0
    if clear > 0 and found.is_open(Bound(None, (bound.low or 0.0) / clear, bound.high / clear, 0, "")):
        scaled = Bound(None, (bound.low or 0.0) / clear, bound.high / clear, 0, "")
        yield f"{OPEN}: {least} {estimate}{known} ({ends}: as much as no noise); {_would_tell(scaled, report)}."
    else:
        yield f"{least} {estimate}{known} ({ends})."


def features(report: Report) -> Iterator[str]:
    bound = found.bound(report, found.FEATURES)
    if bound is None:
        return
    ends = (
        "no limits" if bound.high is None else f"low {words.low(bound, PER_CENT)}, high {words.high(bound, PER_CENT)}"
    )
    alike = ", classes counted alike" if report.parameters.get("utility") == "balanced" else ""
    yield (
        f"From the features alone an attacker guesses {words.said(bound.estimate, PER_CENT)} of labels right "
        f"({ends}{alike}); {_blind(report)}."
    )


def _blind(report: Report) -> str:
    prior, classes = report.dataset.prior, report.dataset.classes
    if report.parameters.get("utility") == "balanced":
        return f"always naming one class is right for {words.said(1 / len(prior), PER_CENT)}"
    place = max(range(len(prior)), key=prior.__getitem__)
    return f"always saying {plain(classes[place])[:20]} is right for {words.said(prior[place], PER_CENT)}"


def chances(report: Report) -> Iterator[str]:
    least, most = found.bound(report, "eta_min"), found.bound(report, "eta_max")
    if least is None or most is None or len(report.dataset.prior) != 2:
        return
    yield (
        f"Given the features, the chance of {plain(report.dataset.positive or '')[:20]} runs from "
        f"{words.said(least.estimate, PER_CENT)} to {words.said(most.estimate, PER_CENT)}; without them it is "
        f"{words.said(report.dataset.prior[1], PER_CENT)}."
    )


def tuned(report: Report) -> Iterator[str]:
    for one in report.findings:
        if one.quantity == found.TUNED:
            yield _tuned(one, report)


def _tuned(one: Finding, report: Report) -> str:
    scale, parameter = plain(str(one.at.get("scale", ""))), str(one.at.get("parameter", ""))
    if MEASURED_BY in report.parameters:
        chosen = f"{plain(one.mechanism)} met" if one.mechanism else f"no strength of {scale} met"
        return words.started(f"{chosen} the policy that it was tuned by, which may be another one.")
    if one.bound.estimate is None:
        return f"No strength of {scale} meets the policy: {plain(one.bound.reason or 'no reason is known')}."
    least = "has the smallest groups" if parameter == "k" else "is the least noise"
    said = f"{plain(one.mechanism or scale)} {least} of {scale} that meets the policy"
    ends = {one.bound.low, one.bound.high} - {one.bound.estimate}
    weaker = next((end for end in ends if end is not None and math.isfinite(end)), None)
    broken = plain(str(one.at.get("binds", ""))) or "it"
    return f"{said}; {parameter} = {short(weaker)} breaks {broken}." if weaker is not None else f"{said}."


_ANSWERS: tuple[Callable[[Report], Iterator[str]], ...] = (tuned, tail, worst, added, features, chances)
BRIEF = {"audit": (tail, added), "tune": (tuned,), "estimate-eta": (features, chances), "nu-max": (worst,)}


def brief(report: Report) -> tuple[str, ...]:
    """What its command was asked, otherwise the main answer."""
    shown = found.planned(report)
    said = [answer for each in BRIEF.get(report.command, ()) for answer in each(shown)]
    return tuple(said[:2]) or answers(report)[:1]


# ---- waivers, in words for every format


def waivers_in_lines(report: Report) -> list[str]:
    judged = report.judgement
    return [] if judged is None else [plain(f"waiver of {_told(one, judged)}") for one in judged.waivers]


def _told(one: Waived, judged: Judgement) -> str:
    known = one.waiver
    return f"{known.quantity} until {known.until.isoformat()} ({state(one, judged)}): {known.reason}"


def state(one: Waived, judged: Judgement) -> str:
    """What a waiver does here."""
    if not one.about_this:
        return f"about another table ({plain(one.waiver.dataset)[:12]}…){', run out' if one.expired else ''}"
    if one.expired:
        return "run out: this is a failure"
    if one.used:
        return "used"
    about = [line.outcome for line in judged.verdicts if line.quantity == one.waiver.quantity]
    return "does not cover what was not measured" if Outcome.NOT_MEASURED in about else "not needed"
