"""From a table to a report: what each command asks, at one joint confidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..core.arrays import Floats
from ..core.budget import Budget
from ..core.finding import Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.report import COMPARED, Report
from ..core.settings import Settings
from ..engines.threads import one_blas_thread
from ..estimators import supplied
from ..questions import advantage, certificates, eta_range, neighborhoods, releases, tail, taus, worst_case
from ..questions.contract import Answer, Evidence, Question
from ..questions.every import fitting
from ..questions.quantities import OF_COLUMNS, OF_GROUPS
from . import contributions, groups, judging, reporting, strengths
from .evidence import gather

# Of what an audit may miss. Groups have half of it; the rest is not spent.
RESERVE, GROUPS = 0.2, 0.5


@one_blas_thread()
def estimate_eta(data: object, settings: Settings, progress: Progress) -> tuple[Report, supplied.Rows]:
    """The report, and a row for each query."""
    evidence = gather(data, settings, progress, many=True)
    table, eta = evidence.table, evidence.eta
    columns = {**supplied.to_rows(table, eta), **neighborhoods.columns_of(evidence, settings)}
    rows = supplied.Rows(columns, supplied.about(table, eta, settings))
    return _report("estimate-eta", eta_range.everything, evidence, settings), rows


@one_blas_thread()
def nu_max(data: object, settings: Settings, progress: Progress) -> Report:
    releases.check_losses(releases.wanted(settings))
    evidence = gather(data, settings, progress, halves=settings.certify)
    return _report("nu-max", worst_case.answer, evidence, settings)


@one_blas_thread()
def estimate_j(data: object, settings: Settings, progress: Progress) -> Report:
    mechanisms, at = _asked(settings)
    releases.check_losses(mechanisms)
    evidence = gather(data, settings, progress, halves=settings.certify)
    return _report("estimate-j", tail.answer, replace(evidence, at=at), settings)


@one_blas_thread()
def gains(data: object, settings: Settings, progress: Progress) -> Report:
    """advantage: how much better an attacker guesses."""
    return _report("advantage", advantage.answer, gather(data, settings, progress, many=True), settings)


@one_blas_thread()
def check(data: object, settings: Settings, progress: Progress) -> Report:
    """What a policy asks about, and nothing else. Stored reports never come here."""
    assert settings.policy is not None
    quantities = judging.quantities_of(settings.policy)
    mechanisms, at = _asked(settings)
    judging.check_losses(settings.policy, mechanisms)
    evidence = replace(gather(data, settings, progress, many=True), at=judging.taus_of(settings.policy, at))
    found = put(evidence, fitting(evidence.classes, quantities), settings)
    return reporting.build("check", evidence, settings, found)


@one_blas_thread()
def audit(data: object, settings: Settings, progress: Progress) -> Report:
    """Every question that the table allows, and mechanisms compared on a fixed scale."""
    policy = settings.policy
    if policy is not None:
        judging.quantities_of(policy, (*OF_COLUMNS, *OF_GROUPS))
    more = [Question("groups", OF_GROUPS, lambda classes: True, groups.findings, share=GROUPS)]
    if settings.explain:
        more.append(contributions.question(settings))
    mechanisms, at = _asked(settings)
    judging.check_losses(policy, mechanisms)
    evidence = gather(data, settings, progress, many=True)
    compared = strengths.landscape(evidence.table, evidence.mechanisms)
    evidence = replace(evidence, at=at, more=judging.asked_at(policy), compared=compared)
    found = list(put(evidence, (*fitting(evidence.classes), *more), settings))
    said = contributions.remarks(evidence.table) if settings.explain else ()
    table = replace(evidence.table, remarks=(*evidence.table.remarks, *said))
    planned = {COMPARED: [one.spec for one in compared], "mechanism": reporting.plain(settings.mechanism)}
    return reporting.build("audit", replace(evidence, table=table), settings, found, planned)


def _asked(settings: Settings) -> tuple[tuple[Mechanism, ...], Floats | None]:
    """Mechanisms and tau; what makes no sense is refused before anything is searched or learnt."""
    asked = releases.wanted(settings), taus.parse(settings.tau)
    certificates.orders(settings)
    return asked


def _report(command: str, answer: Answer, evidence: Evidence, settings: Settings) -> Report:
    """Of a command with one question, which has the whole confidence."""
    found = answer(evidence, settings, Budget.of(settings.confidence))
    return reporting.build(command, evidence, settings, found)


# ---- questions put


def put(evidence: Evidence, asked: Sequence[Question], settings: Settings) -> Iterator[Finding]:
    """Answer the questions, at the confidence of the settings all together."""
    whole = Budget.of(settings.confidence)
    for question in asked:
        budget = _part(question, asked, whole)
        each = replace(settings, confidence=1 - budget.miss)
        for one in question.answer(evidence, each, budget):
            together = one.confidence == each.confidence
            yield replace(one, confidence=settings.confidence) if together else one


def _part(question: Question, asked: Sequence[Question], whole: Budget) -> Budget:
    """Return its share of the reserve or, without one, an equal part of all else."""
    if question.share is not None:
        return whole.part("reserve", RESERVE).part(question.name, question.share)
    equal = sum(one.share is None for one in asked)
    rest = whole if equal == len(asked) else whole.part("all but the reserve", 1 - RESERVE)
    return rest.equal_part(question.name, equal)
