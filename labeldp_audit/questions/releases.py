"""Which releases are judged, and what is said of those that a question does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.errors import SpecError
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..mechanisms import MECHANISMS


def wanted(settings: Settings, classes: int = 2) -> tuple[Mechanism, ...]:
    """Each mechanism once, in the order in which they were asked for; what is written alike is one."""
    found: dict[str, Mechanism] = {}
    for spec in settings.mechanism:
        for one in MECHANISMS.parse(spec, classes):
            found.setdefault(one.spec, one)
    return tuple(found.values())


def absent(quantity: str, mechanism: Mechanism, reason: str, settings: Settings, n: int) -> Finding:
    """What cannot be computed, and why."""
    bound = Bound(None, None, None, n, "not computed", (), reason)
    return Finding(quantity, bound, settings.confidence, mechanism.spec, mechanism.at())


def by_loss(
    quantity: str, asked: Iterable[Mechanism], settings: Settings, n: int
) -> tuple[list[tuple[Mechanism, float]], list[Finding]]:
    """Mechanisms whose privacy loss has a form, with their epsilon, and a finding for each of the others."""
    known = [(one, one.flips) for one in asked if one.flips is not None]
    others = [one for one in asked if one.flips is None]
    reason = "this loss is defined for randomized response; `labeldp-audit advantage` compares all mechanisms"
    return known, [absent(quantity, one, reason, settings, n) for one in others]


def check_losses(asked: Sequence[Mechanism], *about: str) -> None:
    """Where no mechanism has a privacy loss, no search would find one. about: what needs one."""
    if asked and all(one.flips is None for one in asked):
        named = ", ".join(one.spec for one in asked)
        what = f"a privacy loss is defined for randomized response alone, and not for {named}"
        raise SpecError(what, *about, hint="`labeldp-audit advantage` compares all mechanisms")
