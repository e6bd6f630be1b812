"""One sentence at the end of a report for somebody who decides and has read nothing else: no jargon."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from ...core.report import Report
from . import attacker, certificates, compared, curves, gains
from .gains import Gain
from .spelling import count, low, plain, points, share, short

TITLE = "For a manager"


def sentence(report: Report) -> str:
    """What a manager needs: of several ways to publish, the one that tells least and the one that tells most."""
    report = compared.planned(report)
    found = gains.gains_of(report)
    if not found:
        return _of_losses(report)
    ordered = sorted(found, key=functools.partial(gains.size, report=report))
    least, most = ordered[0], ordered[-1]
    ways, differ = f"the {count(len(found))} ways to publish that were looked at", _more(least) != _more(most)
    if differ:
        start = f"of {ways}, {_what(least, report)} tell least: they let"
    else:
        start = f"publishing {_what(least, report)} lets" if least is most else f"each of {ways} lets"
    known = attacker.alike(report).replace("with ", ", ").rstrip(", ")
    like = _like(least, report) if differ or least is most else ""
    said = f"{start} an attacker guess {_more(least)} labels in 100 more than the features already do{known}{like}"
    rest = f"; {_what(most, report)} tell most: {_more(most)}" if differ else ""
    return plain(f"{said}{rest}{_doubt(report)}{_no_promise(found if not differ else (least, most))}.")


def _of_losses(report: Report) -> str:
    """Only what is certified: estimates need more words than one sentence has."""
    found = curves.curves_of(report)
    if not found:
        return ""
    curve = curves.strongest(found)
    bound = certificates.above_promise(report, curve)
    if bound is None or not curve.pi:
        return ""
    what, even = flipped(curve.pi, len(report.dataset.prior)), "even with the strongest noise that was looked at, "
    return (
        f"{even if len(found) > 1 else ''}{what}, together with the features, tell more about at least "
        f"{low(bound, True)} % of people than they could tell about anybody on their own; this is certified "
        f"{certificates.sure(report, curve.confidence)}."
    )


def _more(gain: Gain) -> str:
    """Estimates tend to be low: neighbours see less than an attacker may."""
    said = f"an estimated {points(gain.bound.estimate, digits=2)}{f', at least {gain.surely}' if gain.surely else ''}"
    return said if gain.bound.high is None else f"{said} and at most {gains.highest(gain.bound, 2)}"


def _no_promise(shown: Sequence[Gain]) -> str:
    """A number in 100 says nothing of the one person whom an attacker has in mind."""
    if not any(gain.kind == "llp" and gain.bag > 1 for gain in shown):
        return ""
    return "; totals promise nothing against whoever knows the other labels of a group"


def _doubt(report: Report) -> str:
    """What even one sentence must not leave out."""
    if report.eta.given:
        return "; all this if the probabilities that were given are right"
    if report.eta.sees(report.dataset):
        return ""
    return '; only "at most" counts, as next to nothing was found that the features tell'


def _what(gain: Gain, report: Report) -> str:
    describe = _WHAT.get(gain.kind)
    return describe(gain, report) if describe else f"releases by {gain.mechanism}"


def _totals(gain: Gain, report: Report) -> str:
    return _of_groups(gain.bag)


def _of_groups(people: float) -> str:
    return "the labels as they are" if people == 1 else f"totals over random groups of {people:,.0f} people"


def _noisy_totals(gain: Gain, report: Report) -> str:
    return f"totals over random groups of {gain.bag:,} people, with noise (epsilon {gains.claim(gain)}),"


def _flipped(gain: Gain, report: Report) -> str:
    return flipped(gain.added.place("pi"), len(report.dataset.prior))


def flipped(pi: float | None, classes: int) -> str:
    """Randomized response, described."""
    if not pi:
        return "the labels as they are"
    return f"labels of which {share(pi)} are {'flipped' if classes == 2 else 'changed'} at random"


_WHAT: dict[str, Callable[[Gain, Report], str]] = {"llp": _totals, "laplace-llp": _noisy_totals, "rr": _flipped}


def _like(gain: Gain, report: Report) -> str:
    if gain.same is None or gain.same.bound.estimate is None:
        return ""
    value = gain.same.bound.estimate
    if value == 0 or not report.eta.sees(report.dataset):  # there is nothing to compare, or nobody can tell
        return ""
    if gain.same.quantity == "equivalent_k":
        return f", about as many as with {_of_groups(value)}"
    named = f" (randomized response at epsilon {short(value, digits=2)})" if value < math.inf else ""
    pi = 0.0 if math.isinf(value) else 1 / (1 + math.exp(min(value, 700.0)))
    return f", about as many as with {flipped(pi, 2)}{named}"
