"""Which releases are judged, what stands beside them all, and what is said of those that a question does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..core.errors import SpecError
from ..core.finding import BASELINE, CLEAR, FEATURES, Bound, Finding
from ..core.mechanism import Mechanism
from ..core.parameters import of_label
from ..core.registry import rounded
from ..core.settings import Settings
from ..measures.loss import Noise
from ..mechanisms import MECHANISMS

ONE_BY_ONE = "a privacy loss is defined where each label is replaced on its own"
NOWHERE: Mapping[str, float | str] = {}
# What stands beside all mechanisms: no label is published, which leaves the features alone; all labels are.
ALONE: Mapping[str, str] = {BASELINE: FEATURES}
WITHOUT_NOISE: Mapping[str, str] = {BASELINE: CLEAR}
BY_DEFINITION = "labels without noise: by definition"


def wanted(settings: Settings, classes: int = 2) -> tuple[Mechanism, ...]:
    """Each mechanism once, in the order in which they were asked for; what is written alike is one."""
    found: dict[str, Mechanism] = {}
    for asked in settings.mechanism:
        if isinstance(asked, str):
            family = MECHANISMS.parse(asked, classes)
        else:
            family = [MECHANISMS.checked(asked.name, of_label(asked, classes), classes)]
        for one in family:
            found.setdefault(rounded(one.spec), one)
    return tuple(found.values())


def finding(
    quantity: str, bound: Bound, settings: Settings, mechanism: Mechanism | None = None,
    at: Mapping[str, float | str] = NOWHERE,
) -> Finding:  # fmt: skip
    """What is found of a mechanism, or without one; its parameters are coordinates beside `at`. One that is judged as
    another says so: no estimate and no high end is then too low, and its own number may be below the low end."""
    if mechanism is None:
        return Finding(quantity, bound, settings.confidence, at=at)
    if stands_for := mechanism.judged_as:
        bound = replace(bound, assumptions=(*bound.assumptions, stands_for))
    return Finding(quantity, bound, settings.confidence, mechanism.spec, {**at, **mechanism.at()})


def absent(quantity: str, mechanism: Mechanism, reason: str, settings: Settings, n: int) -> Finding:
    """What cannot be computed, and why."""
    return finding(quantity, Bound(None, None, None, n, "not computed", (), reason), settings, mechanism)


def by_definition(quantity: str, value: float, n: int, settings: Settings, tau: float | None = None) -> Finding:
    """What labels without noise come to on any table: no sample behind it, so no low and no high."""
    place = {} if tau is None else {"tau": tau}
    return finding(quantity, Bound(value, None, None, n, BY_DEFINITION), settings, at={**place, **WITHOUT_NOISE})


class OneByOne(NamedTuple):
    """A mechanism whose privacy loss has a form."""

    mechanism: Mechanism
    noise: Noise


Known = Sequence[OneByOne]


def noise_of(mechanism: Mechanism) -> Noise | None:
    """What it lets through of a label of two classes; None where its privacy loss has no form."""
    if mechanism.unfit(2):
        return None
    channel, ratios = mechanism.channel(2), mechanism.log_ratios()
    return None if channel is None or ratios is None else Noise.of(channel, ratios)


def by_loss(
    quantity: str, asked: Iterable[Mechanism], settings: Settings, n: int
) -> tuple[list[OneByOne], list[Finding]]:
    """Mechanisms whose privacy loss has a form, and a finding for each of the others."""
    known, unknown = [], []
    for one in asked:
        noise = noise_of(one)
        if noise is None:
            reason = f"{one.unfit(2) or ONE_BY_ONE}; `labeldp-audit advantage` compares all mechanisms"
            unknown.append(absent(quantity, one, reason, settings, n))
        else:
            known.append(OneByOne(one, noise))
    return known, unknown


def check_losses(asked: Sequence[Mechanism], *about: str) -> None:
    """Where no mechanism has a privacy loss, no search would find one. about: what needs one."""
    if asked and all(noise_of(one) is None for one in asked):
        named = ", ".join(one.spec for one in asked)
        what = f"{ONE_BY_ONE}, as one of two classes, and not for {named}"
        raise SpecError(what, *about, hint="`labeldp-audit advantage` compares all mechanisms")
