"""Several questions about one table at one joint confidence: each gets an equal part of what may be missed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from .. import engine
from ..errors import SpecError
from ..mechanisms import MECHANISMS
from ..mechanisms.contract import Mechanism
from ..model import Eta, Finding, Floats, Table
from . import advantage, estimate_eta, estimate_j, nu_max
from .settings import Settings

_BUT_RADII = 0.95  # of what may be missed, where nothing but the extremes of eta is asked


@dataclass(frozen=True)
class Asked:
    """All that questions need to be put."""

    table: Table
    eta: Eta
    mechanisms: Sequence[Mechanism]
    progress: engine.Progress
    at: Floats | None = None  # values of tau; None: the whole curve
    more: Sequence[float] = ()  # beside these
    compared: Sequence[Mechanism] = ()  # with the mechanisms, by what an attacker gains
    among: int | None = None  # so many mechanisms share the level, where labels choose which are looked at


@dataclass(frozen=True)
class Question:
    quantities: tuple[str, ...]
    classes: Callable[[int], bool]  # of labels that it can be asked of
    put: Callable[[Asked, Settings], Sequence[Finding]]


def _worst(asked: Asked, settings: Settings) -> Sequence[Finding]:
    return nu_max.findings(asked.table, asked.eta, settings, asked.mechanisms)


def _tail(asked: Asked, settings: Settings) -> Sequence[Finding]:
    return estimate_j.findings(
        asked.table, asked.eta, settings, asked.mechanisms, asked.at, more=asked.more, among=asked.among
    )


def _gain(asked: Asked, settings: Settings) -> Sequence[Finding]:
    known = {one.spec for one in asked.mechanisms}
    every = [*asked.mechanisms, *(one for one in asked.compared if one.spec not in known)]
    return advantage.findings(asked.table, asked.eta, settings, every, asked.progress, among=asked.among)


def _extremes(asked: Asked, settings: Settings) -> Sequence[Finding]:
    miss = _BUT_RADII * (1 - settings.confidence)
    return list(estimate_eta.extremes_of(asked.table, asked.eta, settings, miss))


QUESTIONS = (
    Question(nu_max.QUANTITIES, lambda classes: classes == 2, _worst),
    Question(estimate_j.QUANTITIES, lambda classes: classes == 2, _tail),
    Question(("eta_min", "eta_max"), lambda classes: classes > 2, _extremes),
    Question(advantage.QUANTITIES, lambda classes: True, _gain),
)
QUANTITIES = tuple(dict.fromkeys(name for question in QUESTIONS for name in question.quantities))
# What findings stand at, beside the parameters of their mechanisms: `mechanism` names these all at once.
_COORDINATES = ("mechanism", "tau", "class", "bound", "alpha", "of", "column")


def coordinates() -> tuple[str, ...]:
    """By which lines of a policy pick findings: what is not among them picks none, however long the audit takes."""
    parameters: list[str] = []
    for mechanism in MECHANISMS:
        with contextlib.suppress(SpecError):  # an example of other people's that is none
            parameters += [key for one in MECHANISMS.parse(mechanism.example, 2) for key in one.at()]
    return tuple(dict.fromkeys((*_COORDINATES, *parameters)))


def questions(classes: int, quantities: Collection[str] | None = None) -> tuple[Question, ...]:
    """Those that can be put; quantities: that are wanted, None for all."""
    return tuple(
        question
        for question in QUESTIONS
        if question.classes(classes) and (quantities is None or not {*quantities}.isdisjoint(question.quantities))
    )


def findings(asked: Asked, put: Sequence[Question], settings: Settings) -> Iterator[Finding]:
    """At the confidence of the settings all together."""
    each = replace(settings, confidence=1 - (1 - settings.confidence) / max(1, len(put)))
    for question in put:
        for one in question.put(asked, each):
            together = one.confidence == each.confidence
            yield replace(one, confidence=settings.confidence) if together else one
