"""Which releases are judged, and what is said of those that a question does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..core.errors import SpecError
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.parameters import of_label
from ..core.settings import Settings
from ..measures.loss import Noise
from ..mechanisms import MECHANISMS

ONE_BY_ONE = "a privacy loss is defined where each label is replaced on its own"


def wanted(settings: Settings, classes: int = 2) -> tuple[Mechanism, ...]:
    """Each mechanism once, in the order in which they were asked for; what is written alike is one."""
    found: dict[str, Mechanism] = {}
    for asked in settings.mechanism:
        for one in MECHANISMS.parse(asked, classes) if isinstance(asked, str) else (_handed_in(asked, classes),):
            found.setdefault(one.spec, one)
    return tuple(found.values())


def _handed_in(mechanism: Mechanism, classes: int) -> Mechanism:
    return MECHANISMS.checked(mechanism.name, of_label(mechanism, classes))


def absent(quantity: str, mechanism: Mechanism, reason: str, settings: Settings, n: int) -> Finding:
    """What cannot be computed, and why."""
    bound = Bound(None, None, None, n, "not computed", (), reason)
    return Finding(quantity, bound, settings.confidence, mechanism.spec, mechanism.at())


class OneByOne(NamedTuple):
    """A mechanism whose privacy loss has a form."""

    mechanism: Mechanism
    noise: Noise


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
