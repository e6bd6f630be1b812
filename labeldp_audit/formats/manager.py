"""One sentence at the end of a report for somebody who decides and has read nothing else: no jargon."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING

from ..model import Report
from . import attacker, gains
from .gains import Gain
from .spelling import count, percent, plain, share, short

TITLE = "For a manager"


def sentence(report: Report) -> str:
    """Of several ways to publish, the one that tells least and the one that tells most."""
    found = gains.of(report)
    if not found:
        return ""
    least, most = gains.least(found), gains.most(found)
    many = least is not most
    start = f"of the {count(len(found))} ways to publish that were looked at, " if many else "publishing "
    tell = "tell least: they let" if many else "lets"
    known = attacker.alike(report).replace("with ", ", ").rstrip(", ")
    said = (
        f"{start}{_what(least, report)} {tell} an attacker guess {_more(least)} labels in 100 more than the features "
        f"already do{known}{_like(least, report)}"
    )
    rest = f"; {_what(most, report)} tell most: {_more(most)}" if many else ""
    return plain(f"{said}{rest}{_doubt(report)}.")


def _more(gain: Gain) -> str:
    bound = gain.bound
    said = f"probably {percent(bound.estimate, digits=2)}"
    return said if bound.high is None else f"{said} and at most {percent(bound.high, ROUND_CEILING, 2)}"


def _doubt(report: Report) -> str:
    """What even one sentence must not leave out."""
    if report.eta.counts is None:
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
    return _of_flips(gain.added.place("pi"), len(report.dataset.prior))


def _of_flips(pi: float | None, classes: int) -> str:
    if not pi:
        return "the labels as they are"
    return f"labels of which {share(pi)} are {'flipped' if classes == 2 else 'changed'} at random"


_WHAT: dict[str, Callable[[Gain, Report], str]] = {"llp": _totals, "laplace-llp": _noisy_totals, "rr": _flipped}


def _like(gain: Gain, report: Report) -> str:
    if gain.same is None or gain.same.bound.estimate is None:
        return ""
    value = gain.same.bound.estimate
    if gain.same.quantity == "equivalent_k":
        return f", about as many as with {_of_groups(value)}"
    named = f" (randomized response at epsilon {short(value, digits=2)})" if 0 < value < math.inf else ""
    pi = 0.0 if math.isinf(value) else 1 / (1 + math.exp(min(value, 700.0)))
    return f", about as many as with {_of_flips(pi, 2)}{named}"
