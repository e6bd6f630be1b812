"""From a table to a report: what each command asks, at one joint confidence."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..core.errors import SpecError
from ..core.finding import Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.report import COMPARED, Report
from ..core.settings import Settings
from ..core.table import Table
from ..estimators import supplied
from ..mechanisms import MECHANISMS
from ..questions import advantage, eta_range, releases, tail, worst_case
from ..questions.contract import Evidence, Question
from ..questions.every import QUESTIONS
from ..questions.quantities import OF_COLUMNS
from . import contributions, policy_lines, reporting
from .evidence import read_and_estimate

MOST_TAUS = 5  # at which each column is asked about, where they were typed
LANDSCAPE = (
    "rr:epsilon=0.25|0.5|1|2|3|4|6|8", "llp:k=2|4|8|16|32|64|128|256|512", "laplace-llp:k=8,epsilon=0.5|1|2|4",
)  # fmt: skip


def estimate_eta(data: str, settings: Settings, progress: Progress) -> tuple[Report, supplied.Rows]:
    """The report, and a row for each query."""
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    report = reporting.build("estimate-eta", table, eta, settings, eta_range.findings(table, eta, settings))
    return report, supplied.Rows(supplied.to_rows(table, eta), supplied.about(table, eta, settings))


def nu_max(data: str, settings: Settings, progress: Progress) -> Report:
    asked = releases.wanted(settings)
    releases.check_losses(asked)
    table, eta = read_and_estimate(data, settings, progress, halves=settings.certify)
    return reporting.build("nu-max", table, eta, settings, worst_case.findings(table, eta, settings, asked))


def estimate_j(data: str, settings: Settings, progress: Progress) -> Report:
    mechanisms, at = tail.checked(settings)
    releases.check_losses(mechanisms)
    table, eta = read_and_estimate(data, settings, progress, halves=settings.certify)
    return reporting.build("estimate-j", table, eta, settings, tail.findings(table, eta, settings, mechanisms, at))


def gains(data: str, settings: Settings, progress: Progress) -> Report:
    """advantage: how much better an attacker guesses."""
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    asked = releases.wanted(settings, len(table.dataset.classes))
    found = advantage.findings(table, eta, settings, asked, progress)
    return reporting.build("advantage", table, eta, settings, found)


def check(data: str, settings: Settings, progress: Progress) -> Report:
    """What a policy asks about, and nothing else. Stored reports never come here."""
    assert settings.policy is not None
    quantities = policy_lines.quantities_of(settings.policy, coordinates())
    spoken, at = tail.checked(settings)
    policy_lines.check_losses(settings.policy, spoken)
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    classes = len(table.dataset.classes)
    mechanisms = releases.wanted(settings, classes)
    evidence = Evidence(table, eta, mechanisms, progress, at=policy_lines.taus_of(settings.policy, at))
    return reporting.build("check", table, eta, settings, put(evidence, questions(classes, quantities), settings))


def audit(data: str, settings: Settings, progress: Progress) -> Report:
    """Every question that the table allows, and mechanisms compared on a fixed scale."""
    policy = settings.policy
    if policy is not None:
        policy_lines.quantities_of(policy, coordinates(), OF_COLUMNS)
    if settings.explain:
        contributions.check(settings)
    spoken, at = tail.checked(settings)
    policy_lines.check_losses(policy, spoken)
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    classes = len(table.dataset.classes)
    mechanisms = releases.wanted(settings, classes)
    compared = landscape(table, mechanisms)
    more = policy_lines.asked_at(policy) if policy else ()
    evidence = Evidence(table, eta, mechanisms, progress, at=at, more=more, compared=compared)
    asked = questions(classes)
    if settings.explain:
        table = replace(table, warnings=(*table.warnings, *contributions.warnings(table)))
        asked = (*asked, Question(OF_COLUMNS, lambda classes: True, _explained))
    findings = list(put(evidence, asked, settings))
    planned = {COMPARED: [one.spec for one in compared], "mechanism": list(settings.mechanism)}
    return reporting.build("audit", table, eta, settings, findings, planned)


def _explained(evidence: Evidence, settings: Settings) -> list[Finding]:
    """What each column contributes to what the policy asks about."""
    fit = [one for one in evidence.mechanisms if not advantage.unfit(one, evidence.table)]
    typed = [] if evidence.at is None else evidence.at.tolist()
    taus = evidence.more or (typed if 0 < len(typed) <= MOST_TAUS else ())
    return contributions.of(evidence.table, fit, taus, settings, evidence.progress)


def landscape(table: Table, asked: tuple[Mechanism, ...]) -> tuple[Mechanism, ...]:
    """What could be done with this table, but for what is asked about anyway."""
    known, classes = {one.spec for one in asked}, len(table.dataset.classes)
    every = (one for spec in LANDSCAPE for one in MECHANISMS.parse(spec, classes))
    return tuple(one for one in every if one.spec not in known and not advantage.unfit(one, table))


# ---- questions put

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
        if question.fits(classes) and (quantities is None or any(one.name in quantities for one in question.quantities))
    )


def put(evidence: Evidence, asked: Sequence[Question], settings: Settings) -> Iterator[Finding]:
    """At the confidence of the settings all together."""
    each = replace(settings, confidence=1 - (1 - settings.confidence) / max(1, len(asked)))
    for question in asked:
        for one in question.answer(evidence, each):
            together = one.confidence == each.confidence
            yield replace(one, confidence=settings.confidence) if together else one
