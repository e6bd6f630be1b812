"""audit: every question that the table allows, at one joint confidence, and mechanisms compared on a fixed scale."""

from __future__ import annotations

from dataclasses import replace

from .. import engine
from ..mechanisms import MECHANISMS
from ..mechanisms.contract import Mechanism
from ..model import COMPARED, Finding, Report, Table
from . import advantage, check, contributions, estimate_j, joint, reporting
from .before import read_and_estimate
from .settings import Settings

NAME = "audit"
MOST_TAUS = 5  # at which each column is asked about, where they were typed
LANDSCAPE = (
    "rr:epsilon=0.25|0.5|1|2|3|4|6|8", "llp:k=2|4|8|16|32|64|128|256|512", "laplace-llp:k=8,epsilon=0.5|1|2|4",
)  # fmt: skip


def run(data: str, settings: Settings, progress: engine.Progress) -> Report:
    policy = settings.policy
    if policy is not None:
        check.quantities_of(policy, contributions.QUANTITIES)
    if settings.explain:
        contributions.check(settings)
    spoken, at = estimate_j.checked(settings)
    check.check_losses(policy, spoken)
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    classes = len(table.dataset.classes)
    asked = reporting.mechanisms(settings, classes)
    compared = landscape(table, asked)
    put = joint.Asked(
        table, eta, asked, progress, at=at, more=check.asked_at(policy) if policy else (), compared=compared
    )  # fmt: skip
    questions = joint.questions(classes)
    if settings.explain:
        table = replace(table, warnings=(*table.warnings, *contributions.warnings(table)))
        questions = (*questions, joint.Question(contributions.QUANTITIES, lambda classes: True, _explained))
    findings = list(joint.findings(put, questions, settings))
    more = {COMPARED: [one.spec for one in compared], "mechanism": list(settings.mechanism)}
    return reporting.build(NAME, table, eta, settings, findings, more)


def _explained(put: joint.Asked, settings: Settings) -> list[Finding]:
    """What each column contributes to what the policy asks about."""
    fit = [one for one in put.mechanisms if not advantage.unfit(one, put.table)]
    typed = [] if put.at is None else put.at.tolist()
    taus = put.more or (typed if 0 < len(typed) <= MOST_TAUS else ())
    return contributions.of(put.table, fit, taus, settings, put.progress)


def landscape(table: Table, asked: tuple[Mechanism, ...]) -> tuple[Mechanism, ...]:
    """What could be done with this table, but for what is asked about anyway."""
    known, classes = {one.spec for one in asked}, len(table.dataset.classes)
    every = (one for spec in LANDSCAPE for one in MECHANISMS.parse(spec, classes))
    return tuple(one for one in every if one.spec not in known and not advantage.unfit(one, table))
