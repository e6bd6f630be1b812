"""What the lines of a policy ask a table about."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats
from ..core.errors import SpecError
from ..core.mechanism import Mechanism
from ..core.policy import Line, Policy
from ..core.quantity import Quantity
from ..questions import releases
from ..questions.every import QUESTIONS
from .judging import about_losses, along_tau

ASKED = tuple(dict.fromkeys(one.name for question in QUESTIONS for one in question.quantities))


def quantities_of(policy: Policy, coordinates: Sequence[str], also: Sequence[Quantity] = ()) -> set[str]:
    """What no audit measures is met before the audit, which may be long."""
    quantities = (*ASKED, *(one.name for one in also))
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
        if about_losses(line):
            releases.check_losses(asked, line.text)


def _check_known(kind: str, name: str, known: Sequence[str], line: Line) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        hint = "; ".join([*(QUESTIONS.broken().values() if kind == "quantity" else ()), hint])
        raise SpecError(f"unknown {kind} {name!r}", line.text, hint=hint)


def asked_at(policy: Policy) -> list[float]:
    """The losses that lines name."""
    named = {line.at.get("tau") for line in policy.lines if along_tau(line)}
    return sorted(tau for tau in named if isinstance(tau, float) and np.isfinite(tau))


def taus_of(policy: Policy, typed: Floats | None) -> Floats | None:
    """Those of the policy and those typed; where a line is about the whole curve, the whole curve."""
    everywhere = any(along_tau(line) and "tau" not in line.at for line in policy.lines)
    if typed is None and everywhere:
        return None
    return np.union1d(asked_at(policy), [] if typed is None else typed)
