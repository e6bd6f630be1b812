"""From a table to a report: what each command asks, at one joint confidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..core.arrays import Floats
from ..core.budget import Budget
from ..core.errors import AuditError
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.remark import Remark
from ..core.report import COMPARED, Report
from ..core.settings import Settings
from ..engines.threads import one_blas_thread
from ..estimators import supplied
from ..questions import advantage, certificates, eta_range, neighborhoods, releases, tail, taus, worst_case
from ..questions.contract import Answer, Evidence, Question
from ..questions.every import QUESTIONS, checked, fitting
from ..questions.quantities import OF_COLUMNS, OF_GROUPS
from . import contributions, groups, judging, reporting, strengths
from .evidence import gather

RESERVE = 0.2  # of what an audit may miss, for questions that were not there first: a new one changes no other
GROUPS = 0.5  # of the reserve


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
    found = list(put(evidence, (*fitting(evidence.classes), *more), settings, reserve=RESERVE))
    broken = (Remark("question-broken", text=fault) for fault in QUESTIONS.broken().values())
    said = (*broken, *(contributions.remarks(evidence.table) if settings.explain else ()))
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


def put(
    evidence: Evidence, asked: Sequence[Question], settings: Settings, *, reserve: float = 0.0
) -> Iterator[Finding]:
    """At the confidence of the settings all together. What a stranger's question cannot say is said with the reason."""
    whole = Budget.of(settings.confidence)
    for question in asked:
        each = settings
        try:
            budget = _part(question, asked, whole, reserve)
            each = replace(settings, confidence=1 - budget.miss)
            found = checked(question.answer(evidence, each, budget), question, settings.confidence, each.confidence)
        except AuditError:
            raise
        except Exception as error:
            if question.name not in QUESTIONS.of_others():
                raise
            reason = f"the question {question.name!r} of another package fails: {error!r}"
            bound = Bound(None, None, None, evidence.eta.queries, "not computed", (), reason)
            found = [Finding(one.name, bound, each.confidence) for one in question.quantities]
        for one in found:
            together = one.confidence == each.confidence
            yield replace(one, confidence=settings.confidence) if together else one


def _part(question: Question, asked: Sequence[Question], whole: Budget, reserve: float) -> Budget:
    """Equal ones. Beside a question with a share of its own, which that takes from the reserve, of all but this."""
    first = [one for one in asked if one.share is None or not reserve]
    if question not in first:
        others = QUESTIONS.of_others()  # which have what ours leave of it
        ours = sum(one.share or 0.0 for one in asked if one not in first and one.name not in others)
        left = 1 - ours if question.name in others else 1.0
        return whole.part("reserve", reserve).part(question.name, left * (question.share or 0.0))
    rest = whole if len(first) == len(asked) else whole.part("all but the reserve", 1 - reserve)
    return rest.equal_part(question.name, len(first))
