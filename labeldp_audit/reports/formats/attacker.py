"""What an attacker guesses before and after a release, in sentences.

The headline names the mechanism of each kind that adds least; the sentences say what its numbers rest on.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING

from ...core.eta import EtaSummary
from ...core.finding import Bound
from ...core.report import Report
from . import gains, phrases
from .gains import Gain
from .spelling import confidence, high, low, points, share

_FEW = 4  # mechanisms that a sentence names
BEFORE, TRIED, CERTAIN = "uninformed_utility", "leave_one_out_utility", "plug_in_utility"


def balanced(report: Report) -> bool:
    return report.parameters.get("utility") == "balanced"


def alike(report: Report) -> str:
    return "with classes counted alike, " if balanced(report) else ""


def baseline(report: Report) -> str:
    """What whoever always says the same class gets."""
    classes = len(report.dataset.prior)
    if balanced(report):
        return f"always saying one class is right for {share(1 / classes)}"
    return f"always saying the {'commoner' if classes == 2 else 'commonest'} class is right for {_commonest(report)}"


def _commonest(report: Report) -> str:
    return share(max(report.dataset.prior))


def bound(report: Report, quantity: str) -> Bound | None:
    found = (one.bound for one in report.findings if one.quantity == quantity and one.mechanism is None)
    return next((one for one in found if one.estimate is not None), None)


def headline(report: Report) -> tuple[str, ...]:
    found = gains.gains_of(report)
    if not found:
        return ()
    kinds, size = gains.by_kind(found), functools.partial(gains.size, report=report)
    first, *rest = sorted((min(group, key=size) for group in kinds.values()), key=size)
    chosen = (
        "" if len(found) == len(kinds) else "of each kind the one that adds least: " if rest else "what adds least: "
    )
    said = ", ".join([_adds(first, "an estimated ", " percentage points"), *map(_adds, rest)])
    return f"{_before(report)}{chosen}{said}.", _sure(report, [first, *rest])


def _before(report: Report) -> str:
    before = bound(report, BEFORE)
    if before is None:
        return alike(report)
    return (
        f"{alike(report)}from the features alone an attacker guesses an estimated {share(before.estimate)} of the "
        f"labels; "
    )


def _adds(gain: Gain, about: str = "", unit: str = "") -> str:
    """Without the lower limit that rests on neighbourhood averages and may be far above the truth."""
    top = "no limits" if gain.bound.high is None else f"at most {gains.highest(gain.bound)}"
    least = f"at least {gain.surely}, " if gain.surely else ""
    return f"{gain.mechanism} adds {about}{points(gain.bound.estimate)}{unit} ({least}{top})"


def _sure(report: Report, found: Sequence[Gain]) -> str:
    """Probabilities from elsewhere may have been fitted to the very labels that judge them."""
    level, least = confidence(found[0].added.confidence), any(gain.surely for gain in found)
    if not least and all(gain.bound.high is None for gain in found):
        return ""
    said = '"At least" and "at most" have' if least else '"At most" has'
    if report.eta.given:
        return f"{said} {level} confidence if the given probabilities were made without these labels."
    return f"{said} {level} confidence and assume{'' if least else 's'} nothing about what the features tell."


def before(report: Report) -> str:
    """What the guess from the features is worth, where a release is judged by what it adds to it."""
    found = bound(report, BEFORE)
    if found is None or not gains.gains_of(report):
        return ""
    about = phrases.rests_on(report)
    upper = f", the upper one {about}" if about else ""
    ends = "" if found.high is None else f" (limits: {low(found, True)} % and {high(found, True)} %{upper})"
    said = f"From the features alone the best guess is right for an estimated {share(found.estimate)} of the labels"
    return " ".join(filter(None, (f"{said}{ends}; {baseline(report)}.", bracket(report))))


def bracket(report: Report) -> str:
    """The two estimates that err to either side, on average and not in every table: no interval."""
    tried, certain = bound(report, TRIED), bound(report, CERTAIN)
    if tried is None or certain is None:
        return ""
    seen, believed = share(tried.estimate), share(certain.estimate)
    if report.eta.given:
        return (
            f"Judged by the labels, guesses by the given probabilities are right for {seen}; the probabilities "
            f"themselves promise {believed}. Both are the same on average if the probabilities are right."
        )
    said = (
        f"Guesses tried on labels that they were made without are right for {seen}; they think themselves right for "
        f"{believed}. On average over many tables the first is too low"
    )
    if phrases.scored(report):
        return f"{said}; the second is as right as eta is."
    return f"{said} and the second too high, where eta is even among neighbours."


def classes_alike(report: Report) -> str:
    if not balanced(report):
        return ""
    return (
        "Classes count alike: a right guess is worth 1 / (number of classes × the share of its class in this table), "
        "so that always saying one class is right for as much, whichever it is."
    )


def no_guarantee(report: Report) -> str:
    """All that claim none together, and why totals cannot."""
    bare = [gain for gain in gains.gains_of(report) if gain.epsilon is None]
    if not bare:
        return ""
    verb = "claims" if len(bare) == 1 else "claim"
    said = f"{_named([gain.mechanism for gain in bare])} {verb} no label differential privacy"
    totals = [gain for gain in bare if gain.kind == "llp"]
    if not totals:
        return f"{said}."
    start = f"{said}: " if len(totals) == len(bare) else f"{said}. From totals without noise, "
    return f"{start}whoever knows all other labels of a bag learns the last one, however large the bag is."


def what_limits_rest_on(report: Report) -> str:
    found = gains.gains_of(report)
    if not any(gain.bound.high is not None for gain in found):
        return ""
    return (
        f'"At most" {_assumes(report.eta)}: the best guess misses no more than the guesses that were tried, and a '
        f"release adds no more than its noise lets through of what is missed. {_at_least(report, found)}"
    )


def _assumes(eta: EtaSummary) -> str:
    if eta.given:
        return (
            "does not need the given probabilities to be right, only to be made without these labels, whose rows are "
            "independent draws"
        )
    return (
        "assumes nothing about eta, only that rows are independent draws; guesses were tried on labels that they were "
        "made without"
    )


def _at_least(report: Report, found: Sequence[Gain]) -> str:
    """Not the certified lower limits, where there are some."""
    eta, which = report.eta, f" {gains.least_if(report)}" if any(gain.surely for gain in found) else ""
    rest = f'Estimates and "at least{which}" rest on eta as it was {"given" if eta.given else "estimated"}'
    if eta.given or not any(gain.bag > 1 for gain in found):
        return f"{rest}."
    return f"{rest}; for bags no lower limit is known where eta is estimated, and 0 stands there."


def what_same_means(report: Report) -> str:
    if not any(gain.same for gain in gains.gains_of(report)):
        return ""
    return (
        '"Protects like" names the strength of randomized response, or the smallest bag, that adds as little on this '
        "table: on another table it is another one, and the guarantee of the one does not pass to the other. It "
        f"is an estimate without limits, as {_unsure(report)}."
    )


def _unsure(report: Report) -> str:
    """What chance does that no simulation knows of."""
    return "the table is a sample" if report.eta.given else "eta is estimated"


def simulated(report: Report) -> str:
    errors = {gain.mechanism: gain.bound.standard_error for gain in gains.gains_of(report)}
    drawn = {name: error for name, error in errors.items() if error is not None}
    if not drawn:
        return ""
    worst = max(drawn.values())
    return (
        f"Bags were drawn at random for {_named(drawn)}, which adds a standard error of at most "
        f"{points(worst, ROUND_CEILING, 2)} percentage points to these estimates; that {_unsure(report)} adds more."
    )


def _named(names: Iterable[str]) -> str:
    """All of a few; of many how many of each kind."""
    found = list(names)
    if len(found) <= _FEW:
        return listed(found)
    kinds = Counter(name.partition(":")[0] for name in found)
    return listed(f"{number} strengths of {kind}" if number > 1 else kind for kind, number in kinds.items())


def listed(names: Iterable[str]) -> str:
    """a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


AFTER_TABLES = (what_limits_rest_on, what_same_means, no_guarantee, simulated)
