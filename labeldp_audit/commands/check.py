"""check: what a policy asks about, and nothing else, at one joint confidence. Stored reports never come here."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

import numpy as np

from .. import engine
from ..errors import SpecError
from ..glossary import LOSSES_OF_FLIPS
from ..mechanisms.contract import Mechanism
from ..model import Floats, Report
from ..policy import Line, Policy
from . import estimate_j, joint, reporting
from .before import read_and_estimate
from .settings import Settings

NAME = "check"


def run(data: str, settings: Settings, progress: engine.Progress) -> Report:
    assert settings.policy is not None
    quantities = quantities_of(settings.policy)
    spoken, at = estimate_j.checked(settings)
    check_losses(settings.policy, spoken)
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    classes = len(table.dataset.classes)
    asked = joint.Asked(
        table, eta, reporting.mechanisms(settings, classes), progress, at=taus_of(settings.policy, at)
    )  # fmt: skip
    findings = joint.findings(asked, joint.questions(classes, quantities), settings)
    return reporting.build(NAME, table, eta, settings, findings)


def quantities_of(policy: Policy, also: Collection[str] = ()) -> set[str]:
    """What no audit measures is met before the audit, which may be long."""
    quantities, coordinates = (*joint.QUANTITIES, *also), joint.coordinates()
    for line in policy.lines:
        _check_known("quantity", line.quantity, quantities, line)
        for name in line.at:
            _check_known("coordinate", name, coordinates, line)
        tau = line.at.get("tau", 0.0)
        if not isinstance(tau, float) or not np.isfinite(tau):
            raise SpecError(f"tau is a finite number, not {tau}", line.text, hint="a loss in nats, such as tau=3")
    return {line.quantity for line in policy.lines}


def check_losses(policy: Policy | None, asked: Sequence[Mechanism]) -> None:
    """asked: mechanisms that lines are about."""
    for line in policy.lines if policy else ():
        if line.quantity in LOSSES_OF_FLIPS:
            reporting.check_losses(asked, line.text)


def _check_known(kind: str, name: str, known: Sequence[str], line: Line) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        raise SpecError(f"unknown {kind} {name!r}", line.text, hint=hint)


def asked_at(policy: Policy) -> list[float]:
    """The losses that lines name."""
    named = {line.at.get("tau") for line in policy.lines if line.quantity in estimate_j.ALONG_TAU}
    return sorted(tau for tau in named if isinstance(tau, float) and np.isfinite(tau))


def taus_of(policy: Policy, typed: Floats | None) -> Floats | None:
    """Those of the policy and those typed; where a line is about the whole curve, the whole curve."""
    everywhere = any(line.quantity in estimate_j.ALONG_TAU and "tau" not in line.at for line in policy.lines)
    if typed is None and everywhere:
        return None
    return np.union1d(asked_at(policy), [] if typed is None else typed)
