"""The answer of a report in sentences: what the policy says, or how much people lose and an attacker gains."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_FLOOR

from ..core.finding import BASELINE, Bound, Finding, Way
from ..core.policy import Judgement, Outcome, Verdict, Waived
from ..core.quantity import NATS, PER_CENT, POINTS
from ..core.quoting import plain
from ..core.registry import rounded
from ..core.remark import JUDGED_BY_EPSILON
from ..core.report import MEASURED_BY, NUMBERS, OLDER, VERIFY, Report
from . import found, words
from .formats.spelling import count, nats, short

OPEN = "OPEN"
_SURE = 0.99  # RECOVERED of questions/attacked.py
_DIFFER = "single people may differ"
_SIGHT = "; high assumes that the model sees what sets people apart"

# ---- the policy


def verdict(report: Report) -> str:
    """The outcome, and the line that decides it with number, end and threshold; empty where there is no policy."""
    judged = report.judgement
    if judged is not None and report.command == VERIFY and not blocking(judged):
        beside = "" if "original" in report.parameters else ", as far as file and manifest alone show"
        checks = len(judged.verdicts)
        return f"PASS: {plain(report.dataset.name)} departs from its claims in none of {checks} checks{beside}."
    return "" if judged is None else f"{judged.outcome.upper()}: {_because(judged, report)}."


def _because(judged: Judgement, report: Report) -> str:
    for late in run_out(judged):
        one = late.waiver
        return f"the waiver of {plain(one.quantity)} ran out on {one.until.isoformat()}, which fails the policy"
    left = blocking(judged)
    if not left:
        number, waived = len(judged.verdicts), sum(one.waiver is not None for one in judged.verdicts)
        before = sum(one.waiver is not None and one.waiver.baseline for one in judged.verdicts)
        beside = f", {count(waived - before)} by a waiver" if waived > before else ""
        sight = _SIGHT if _judged_by_model(judged, report) else ""
        if before:
            others = f"; {count(number - before)} other{'s hold' if number - before > 1 else ' holds'}"
            broken = f"{count(before)} line{'s' * (before > 1)} still broken, no worse than the baseline"
            return broken + (f"{others}{beside}" if number > before else "") + sight
        hold = "the one line of the policy holds" if number == 1 else f"all {count(number)} lines of the policy hold"
        return f"{hold} for {plain(report.dataset.name)}{beside}{sight}"
    return f"blocked by {plain(left[0].line)}{_and_others(left)}: {_in_words(left[0], report)}"


def _judged_by_model(judged: Judgement, report: Report) -> bool:
    """Return whether a high other than that of J decides, and assumes the model."""
    highs = (one.quantity for one in judged.verdicts if one.field == "high" and one.quantity != found.J)
    return any("high" in found.quantity(report, name).assumes_model for name in highs)


def _and_others(blocked: Sequence[Verdict]) -> str:
    """How many other lines block, by their outcome where that is not the first one's."""
    others = Counter("more" if one.outcome is blocked[0].outcome else str(one.outcome) for one in blocked[1:])
    return f" (and {', '.join(f'{count(number)} {what}' for what, number in others.items())})" if others else ""


def ranked(judged: Judgement) -> list[Verdict]:
    """Lines that keep the policy from holding first, and of these the worst."""
    order = list(Outcome)
    return sorted(judged.verdicts, key=lambda one: (not one.counts, order.index(one.outcome)))


def blocking(judged: Judgement) -> list[Verdict]:
    return [one for one in ranked(judged) if one.counts]


def run_out(judged: Judgement) -> list[Waived]:
    return [one for one in judged.waivers if one.about_this and one.expired]


def _in_words(one: Verdict, report: Report) -> str:
    """What was compared with what."""
    if one.outcome is Outcome.NOT_MEASURED:
        return f"not measured, {plain(one.said)}"
    if one.outcome is Outcome.VACUOUS:
        return plain(one.said)
    if one.worst is None or one.value is None:
        return plain(one.said)
    unit, bound = found.quantity(report, one.quantity).written_in, one.worst.bound
    shown = one.field != "estimate" and bound.estimate is not None
    beside = f" (estimate {words.said(bound.estimate, unit)})" if shown else ""
    if one.outcome is Outcome.UNPROVEN and not shown:
        beside = " for want of rows"
    return (
        f"{about(one.worst, report)}: {one.field} {words.said(one.value, unit, words.outward(one.field))}{beside}, "
        f"allowed at {'most' if one.comparison.startswith('>') else 'least'} {words.said(one.threshold, unit)}"
    )


def about(one: Finding, report: Report) -> str:
    """What a number is about, in words."""
    title, tau = found.quantity(report, one.quantity).title, one.place("tau")
    at = "" if tau is None else f" of {nats(tau)}"
    names = ("group", "check", "column", "class", "bound", "of", "attacker")
    others = [plain(str(one.at[key])) for key in names if isinstance(one.at.get(key), str)]
    others += [f"{key} = {short(one.place(key))}" for key in ("alpha", "order") if one.place(key) is not None]
    where = f" ({', '.join(others)})" if others else ""
    alone = f", {words.baseline(str(one.at[BASELINE]))}" if BASELINE in one.at else ""
    under = f" under {words.mechanism(report, one.mechanism)}" if one.mechanism else ""
    return f"{title[:1].lower()}{title[1:]}{at}{where}{under}{alone}"


def settles(report: Report) -> str:
    """What to do about it."""
    judged = report.judgement
    return _verified(judged) if judged is not None and report.command == VERIFY else _settled(report)


def _settled(report: Report) -> str:
    judged = report.judgement
    if judged is None:
        return (
            "No policy was given, so nothing is decided here. Write down what you accept as lines of a policy, and "
            "judge this report by them (labeldp-audit check)."
        )
    if judged.outcome is Outcome.PASS:
        return "The policy allows what was measured."
    return _unreachable(judged, report) or no_noise_helps(report) or _act(judged, report)


def no_noise_helps(report: Report) -> str:
    """What helps where other noise does not, or where it is not known whether it would."""
    return _beyond_noise(report) or _unmeasured(report)


def _unmeasured(report: Report) -> str:
    left = [] if report.judgement is None else blocking(report.judgement)
    if {one.outcome for one in left} != {Outcome.NOT_MEASURED}:
        return ""
    if any(one.worst is not None for one in left):
        return "Do not release as planned: no limit holds for what a line of the policy asks about."
    return (
        "Do not release as planned: a line of the policy asks for what was not measured. Measure it, or name in "
        "the line the mechanism that it is about: j(tau=3, mechanism=rr:epsilon=1).high > 0.05."
    )


def _unreachable(judged: Judgement, report: Report) -> str:
    known = report.quantities
    endless = (one for one in blocking(judged) if one.field == "high" and one.value in (1.0, math.inf))
    if any(one.quantity in known and not known[one.quantity].has_upper for one in endless):
        return "No table can meet a line that asks for an upper limit where none exists: change that line."
    return ""


def _act(judged: Judgement, report: Report) -> str:
    left = blocking(judged)
    outcomes = {one.outcome for one in left}
    if Outcome.FAIL in outcomes:
        return "Do not release as planned. More noise may help: labeldp-audit tune finds the least that does."
    if Outcome.NOT_MEASURED in outcomes:
        return "Do not release as planned: lines of the policy ask for what was not measured, and others are open."
    if judged.outcome is Outcome.FAIL:
        return "Do not release as planned: a waiver has run out. Decide anew whether the risk is accepted."
    if outcomes == {Outcome.VACUOUS}:
        return "Do not release yet: a line that even labels without noise pass shows nothing."
    told = _rows_would_tell(left, report)
    return f"Do not release yet: nothing shows that the policy holds or that it is broken. {told}"


def _verified(judged: Judgement) -> str:
    """What a publisher does with the outcome."""
    if judged.outcome is Outcome.PASS:
        return "No check shows a departure. How far one might still be off, flip_rate and the number of rows say."
    if judged.outcome is Outcome.FAIL:
        return "Do not publish this file, or withdraw it: it gives away something else than it says."
    return "Some checks could not be made, so nothing shows that the file is what it claims."


def _beyond_noise(report: Report) -> str:
    """Where noise on labels does not make a line pass, or may not."""
    if report.command == VERIFY:
        return ""
    if alone := found.broken_by_features(report):
        named = [str(one.worst.at["column"]) for one in alone if one.worst is not None and "column" in one.worst.at]
        columns = words.listed([plain(one)[:40] for one in named or found.telling(report)])
        which = f"drop or coarsen columns, {columns} first" if columns else "drop or coarsen columns (audit --explain)"
        return f"The features alone break {plain(alone[0].line)}, so no noise on labels helps: {which}."
    if unshown := found.unshown_by_features(report):
        return (
            f"More noise may not be enough for {plain(unshown[0].line)}: the limit for the features alone does not "
            "pass either. More rows narrow it; dropping or coarsening columns lowers it."
        )
    return ""


def _rows_would_tell(left: Sequence[Verdict], report: Report) -> str:
    """How many rows would bring the end that decides half way between the estimate and the threshold."""
    needed = []
    for one in left:
        estimate = None if one.worst is None else one.worst.bound.estimate
        if estimate is None or one.value is None or estimate == one.threshold:
            continue
        if math.isfinite(one.value) and math.isfinite(estimate):
            ratio = (one.value - estimate) / (one.threshold - estimate)
            needed.append(report.dataset.rows_used * max(ratio, 1.0) ** 2)
    if not needed:
        return "More rows may."
    return f"If the estimate is right, about {count(int(float(f'{max(needed):.0e}')))} rows would."


# ---- the numbers


@found.once
def answers(report: Report) -> tuple[str, ...]:
    """The main answer first; about what is planned, not about what is shown for comparison."""
    return _said(report, (_changed, _alone, _attacked, _tuned, _tail, _at_risk, _worst, _added, _features, _chances))


@found.once
def brief(report: Report) -> tuple[str, ...]:
    """What its command was asked, otherwise the main answer."""
    most = _MOST if report.judgement is None else _MOST - 1
    return _said(report, _BRIEF.get(report.command, ()))[:most] or answers(report)[:1]


def _said(report: Report, asked: Sequence[Callable[[Report], Iterator[str]]]) -> tuple[str, ...]:
    shown = found.planned(report)
    return tuple(dict.fromkeys(answer for each in asked for answer in each(shown)))


def _changed(report: Report) -> Iterator[str]:
    if OLDER not in report.parameters:
        return
    older = report.parameters.get(OLDER)
    name = plain(str(older[0])) if isinstance(older, list | tuple) and older else ""
    names = f" ({name} and {plain(report.dataset.name)})" if name not in ("", plain(report.dataset.name)) else ""
    shared = count(int(str(report.parameters.get(NUMBERS, 0))))
    number = Counter(one.way for one in report.changes)
    rose = number[Way.CERTAIN]
    certain = f"; {count(rose)} certified low{'s' if rose > 1 else ''} rose, which shows no change" if rose else ""
    if not number[Way.WORSE] + number[Way.BETTER]:
        yield f"Nothing changed beyond the limits of both reports{names}, which share {shared} numbers{certain}."
        return
    first = report.changes[0]
    unit = found.quantity(report, first.new.quantity).written_in
    before, now = (words.ends(one.bound, unit) for one in (first.old, first.new))
    worse, better = count(number[Way.WORSE]), count(number[Way.BETTER])
    yield (
        f"Beyond the limits of both reports{names}, {worse} of {shared} shared numbers got worse and {better} "
        f"better{certain}; first: {about(first.old, report)}, {before} before and {now} now."
    )


def _alone(report: Report) -> Iterator[str]:
    """Columns that are the label under another name."""
    told = found.telling_columns(report)
    if told:
        names = words.listed([plain(name)[:40] for name, _ in told])
        best = max((bound for _, bound in told), key=lambda bound: bound.low or 0.0)
        share = f"{words.said(best.estimate, PER_CENT)} of labels (at least {words.low(best, PER_CENT)} %)"
        if len(told) == 1:
            yield f"The column {names} alone tells {share}: leave it out, no noise on labels helps beside it."
        else:
            yield f"Each of the columns {names} alone tells up to {share}: leave them out, no noise helps beside them."


def _at_risk(report: Report) -> Iterator[str]:
    """The group with the largest loss of which something is certain."""
    for name, known in found.groups(report):
        loss, share, right = (known.get(one) for one in (found.GROUP_LOSS, found.GROUP_SHARE, found.GROUP_GUESSED))
        of = "" if share is None else f" ({words.said(share.estimate, PER_CENT)} of people)"
        if loss is not None and loss.low is not None and loss.low > 0:
            lost, least = words.said(loss.estimate, NATS), words.low(loss, NATS)
            yield f"Most at risk by the features alone: {plain(name)}{of}; mean loss {lost}, at least {least}."
            return
        if loss is None and right is not None and right.low is not None:
            least = words.low(right, PER_CENT)
            yield f"Best guessed from the features alone: {plain(name)}{of}; at least {least} % of their labels."
            return


def _under(report: Report, name: str | None, quantity: str) -> str:
    number = len(found.mechanisms(report, quantity))
    most = f", the noisiest of {count(number)} mechanisms" if number > 1 else ""
    return f" under {words.mechanism(report, name)}{most}" if name else ""


def _tail(report: Report) -> Iterator[str]:
    name = found.strongest(report, found.J)
    tau = found.tau_of_answer(report, name or "")
    bound = None if tau is None else found.bound(report, found.J, name, tau)
    if bound is None or tau is None:
        return
    what, estimate = f"lose more than {nats(tau)}{_under(report, name, found.J)}", words.said(bound.estimate, PER_CENT)
    known = bound if bound.low is not None and bound.high is not None else words.near(bound)
    if known is None:
        yield f"An estimated {estimate} of people {what}; there are no limits."
        return
    between = f"between {words.low(known, PER_CENT)} % and {words.high(known, PER_CENT)} %"
    if known is not bound:
        yield f"{_averages(report)}: {between} {what} (estimate {estimate}); {_DIFFER}."
    elif found.is_open(bound):
        yield f"{OPEN}: {between} {what} (estimate {estimate}); {_would_tell(bound, report)}."
    else:
        yield f"{words.started(between)} of people {what} (estimate {estimate}){_sight(report, found.J)}."


def _averages(report: Report) -> str:
    k = None if report.eta is None else report.eta.k
    return f"Averages over {count(k)} neighbours" if k else "Averages over neighbours"


def _would_tell(bound: Bound, report: Report) -> str:
    """No number of rows helps a model that tells nobody apart."""
    if not report.sees:
        return "the model tells nobody apart, so a better one or more rows are needed"
    return f"at least {count(found.rows_to_decide(bound, report.dataset.rows_used))} rows are needed to tell"


def _sight(report: Report, quantity: str) -> str:
    """Return what highs assume, for the first answer that has one, unless the verdict says it already."""
    known = {one.quantity for one in report.findings if one.bound.high is not None and math.isfinite(one.bound.high)}
    first = next((name for name in (found.J, found.WORST, found.FEATURES) if name in known), "")
    judged = report.judgement is not None and _judged_by_model(report.judgement, report)
    return _SIGHT if quantity == first and not judged else ""


def _worst(report: Report) -> Iterator[str]:
    name = found.strongest(report, found.WORST)
    bound = found.bound(report, found.WORST, name)
    if bound is None:
        return
    under, estimate = _under(report, name, found.WORST), words.said(bound.estimate, NATS)
    if bound.low is None and (near := words.near(bound)) is not None:
        most = f"the largest loss{under} is {words.ends(near, NATS)} nats"
        yield f"{_averages(report)}: {most} (estimate {estimate}); {_DIFFER}."
    elif bound.low is None:
        yield f"The largest loss of a person{under} is an estimated {estimate}; there are no limits."
    elif bound.low == math.inf:
        yield f"The largest loss of a person{under} is infinite."
    elif bound.high is None or bound.high == math.inf:
        least = words.said(bound.low, NATS, ROUND_FLOOR)
        yield f"{OPEN}: somebody loses at least {least}{under}; estimate {estimate}, no upper limit."
    else:
        ends = f"between {words.low(bound, NATS)} and {words.high(bound, NATS)} nats"
        yield f"The largest loss of a person{under} is {ends} (estimate {estimate}){_sight(report, found.WORST)}."


def _added(report: Report) -> Iterator[str]:
    name = found.strongest(report, found.ADDED)
    bound, before = found.bound(report, found.ADDED, name), found.bound(report, found.FEATURES)
    if name is None or bound is None:
        return
    number = len(found.mechanisms(report, found.ADDED))
    adds = f"{words.mechanism(report, name)} adds{f' the least of {count(number)} mechanisms:' if number > 1 else ''}"
    right = "" if before is None else f"{words.said(before.estimate, PER_CENT)} guessed right"
    known = f" to the {right} from features alone" if right else ""
    estimate = words.said(bound.estimate, POINTS)
    if bound.high is None:
        yield f"{adds} an estimated {estimate}{known}; there are no limits."
        return
    ends, clear = words.low_high(bound, POINTS), 1.0 - (before.low or 0.0) if before is not None else 1.0
    scaled = Bound(None, (bound.low or 0.0) / clear, bound.high / clear, 0, "") if clear > 0 else None
    if scaled is not None and found.is_open(scaled):
        yield f"{OPEN}: {adds} {estimate} ({ends}: as much as no noise){known}; {_would_tell(scaled, report)}."
    else:
        yield f"{adds} {estimate} ({ends}){known}."


def _features(report: Report) -> Iterator[str]:
    bound, data = found.bound(report, found.FEATURES), report.dataset
    if bound is None:
        return
    ends, alike = "no limits" if bound.high is None else words.low_high(bound, PER_CENT), ""
    place = max(range(len(data.prior)), key=data.prior.__getitem__)
    blind = f"saying {plain(data.classes[place])[:20]} is right for {words.said(data.prior[place], PER_CENT)}"
    if report.parameters.get("utility") == "balanced":
        alike = ", classes counted alike"
        blind = f"naming one class is right for {words.said(1 / len(data.prior), PER_CENT)}"
    estimate = words.said(bound.estimate, PER_CENT)
    said = f"From the features alone an attacker guesses {estimate} of labels right ({ends}{alike})"
    yield f"{said}; always {blind}{_sight(report, found.FEATURES)}."


def _chances(report: Report) -> Iterator[str]:
    least, most = found.bound(report, "eta_min"), found.bound(report, "eta_max")
    if least is None or most is None or len(report.dataset.prior) != 2:
        return
    yield (
        f"Given the features, the chance of {plain(report.dataset.positive or '')[:20]} is estimated from "
        f"{words.said(least.estimate, PER_CENT)} to {words.said(most.estimate, PER_CENT)}; without them it is "
        f"{words.said(report.dataset.prior[1], PER_CENT)}."
    )


def _attacked(report: Report) -> Iterator[str]:
    """The best of those who know no label, beside the features alone and what was predicted."""
    played = found.attackers(report)
    some = [one[found.GUESSED] for one in played.values() if found.GUESSED in one]
    some = [one for one in some if not found.knows_labels(one) and one.bound.estimate is not None]
    if not some:
        return
    best = max(some, key=lambda one: one.bound.estimate or 0.0)
    known = played[str(best.at["attacker"])]
    alike = " (classes counted alike)" if report.parameters.get("utility") == "balanced" else ""
    said = f"The best attacker, {plain(str(best.at['attacker']))}, guesses {words.said(best.bound.estimate, PER_CENT)}"
    gained, predicted = known.get(found.GAINED), found.bound(report, found.ADDED, best.mechanism)
    if gained is None:
        yield f"{said} of labels right{alike}: the release tells nobody who was played more than the features do."
    else:
        points = f"{words.said(gained.bound.estimate, POINTS)} more{_limits(gained.bound, POINTS)}"
        most = "at most " if _by_epsilon(report) else ""
        told = "" if predicted is None else f"; predicted {most}{words.amount(predicted.estimate, POINTS)}"
        yield f"{said} of labels right{alike}, {points} than from the features alone{told}."
    yield from (_agreement(one, _by_epsilon(report)) for one in report.findings if _has_limits(one, found.EXCESS))
    if told := _surely(played, known.get(found.SURE)):
        yield told


def _surely(played: Mapping[str, Mapping[str, Finding]], best: Finding | None) -> str:
    """How many confident guesses are right: of the best attacker, and of the one whom they mislead the most."""
    every = [one[found.SURE] for one in played.values() if found.SURE in one]
    misled = [one for one in every if (one.bound.estimate or 0.0) < _SURE and not found.knows_labels(one)]
    worst = min(misled, key=lambda one: one.bound.high or 0.0, default=None)
    told = {str(one.at["attacker"]): one.bound for one in (best, worst) if one is not None}
    said = [
        f"{plain(name)} {'of' if i else f'is sure (above {_SURE:g}) of'} {bound.n:,} labels and "
        f"{'' if i else 'right about '}{words.said(bound.estimate, PER_CENT)}{_limits(bound, PER_CENT)}"
        for i, (name, bound) in enumerate(told.items())
    ]
    return words.started("; ".join(said) + ".") if said else ""


def _limits(bound: Bound, unit: str) -> str:
    return "" if bound.low is None else f" ({words.low_high(bound, unit)})"


def _has_limits(one: Finding, quantity: str) -> bool:
    """Where limits are in doubt, nothing agrees within them."""
    return one.quantity == quantity and not (one.bound.low is None and one.bound.high is None)


def _by_epsilon(report: Report) -> bool:
    """Is what was predicted the most that any mechanism of that epsilon adds?"""
    return any(one.code == JUDGED_BY_EPSILON for one in report.remarks)


def _agreement(one: Finding, at_most: bool) -> str:
    bound, who = one.bound, f"the {plain(str(one.at.get('attacker')))} attacker"
    between = f"({words.low_high(bound, POINTS)} points apart)"
    if bound.low is not None and bound.low > 0:
        return f"DISAGREES: {who} gained more than was predicted, beyond the limits of both {between}."
    if at_most:
        return f"{who.capitalize()} gained no more than a mechanism of that epsilon may give away {between}."
    if bound.high is not None and bound.high < 0:
        return f"DISAGREES: {who} gained less than was predicted, beyond the limits of both {between}."
    return f"What {who} gained agrees with the prediction, within the limits of both {between}."


def _tuned(report: Report) -> Iterator[str]:
    yield from (_search(one, report) for one in report.findings if one.quantity == found.TUNED)


def _search(one: Finding, report: Report) -> str:
    scale, parameter = plain(str(one.at.get("scale", ""))), str(one.at.get("parameter", ""))
    if MEASURED_BY in report.parameters:
        chosen = f"{plain(rounded(one.mechanism))} met" if one.mechanism else f"no strength of {scale} met"
        return words.started(f"{chosen} the policy that it was tuned by, which may be another one.")
    if one.bound.estimate is None:
        return f"No strength of {scale} meets the policy: {plain(one.bound.reason or 'no reason is known')}."
    least = "has the smallest groups" if parameter == "k" else "is the least noise"
    said = f"{plain(rounded(one.mechanism or scale))} {least} of {scale} that meets the policy"
    ends = {one.bound.low, one.bound.high} - {one.bound.estimate}
    weaker = next((end for end in ends if end is not None and math.isfinite(end)), None)
    broken = plain(str(one.at.get("binds", ""))) or "it"
    return f"{said}; {parameter} = {short(weaker)} is blocked by {broken}." if weaker is not None else f"{said}."


_MOST = 3  # sentences on a screen
_BRIEF = {
    "audit": (_alone, _tail, _added, _at_risk), "tune": (_tuned,), "estimate-eta": (_features, _chances),
    "nu-max": (_worst,), "diff": (_changed,), "attack": (_attacked,),
}  # fmt: skip

# ---- waivers, in words for every format


def waivers_in_lines(report: Report) -> list[str]:
    judged = report.judgement
    return [] if judged is None else [
        plain(f"waiver of {one.waiver.quantity} until {one.waiver.until.isoformat()} ({state(one, judged)}): "
              f"{one.waiver.reason}")
        for one in judged.waivers
    ]  # fmt: skip


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
