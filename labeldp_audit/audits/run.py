"""From a table to a report: what each command asks, at one joint confidence."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..core.budget import Budget
from ..core.errors import AuditError, SpecError
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.report import COMPARED, Report
from ..core.settings import Settings
from ..core.table import Table
from ..engines.threads import one_blas_thread
from ..estimators import supplied
from ..mechanisms import MECHANISMS
from ..questions import advantage, eta_range, releases, tail, worst_case
from ..questions.contract import Evidence, Question
from ..questions.every import QUANTITIES, QUESTIONS
from ..questions.quantities import OF_COLUMNS, OF_GROUPS
from . import contributions, groups, policy_lines, reporting
from .evidence import read_and_estimate

RESERVE = 0.2  # of what an audit may miss, for questions that were not there first: a new one changes no other
GROUPS = 0.5  # of the reserve
MOST_TAUS = 5  # at which each column is asked about, where they were typed
LANDSCAPE = (
    "rr:epsilon=0.25|0.5|1|2|3|4|6|8", "llp:k=2|4|8|16|32|64|128|256|512", "laplace-llp:k=8,epsilon=0.5|1|2|4",
)  # fmt: skip


@one_blas_thread()
def estimate_eta(data: object, settings: Settings, progress: Progress) -> tuple[Report, supplied.Rows]:
    """The report, and a row for each query."""
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    report = reporting.build(
        "estimate-eta", table, eta, settings, eta_range.findings(table, eta, settings, Budget.of(settings.confidence))
    )
    return report, supplied.Rows(supplied.to_rows(table, eta), supplied.about(table, eta, settings))


@one_blas_thread()
def nu_max(data: object, settings: Settings, progress: Progress) -> Report:
    asked = releases.wanted(settings)
    releases.check_losses(asked)
    table, eta = read_and_estimate(data, settings, progress, halves=settings.certify)
    found = worst_case.findings(table, eta, settings, Budget.of(settings.confidence), asked)
    return reporting.build("nu-max", table, eta, settings, found)


@one_blas_thread()
def estimate_j(data: object, settings: Settings, progress: Progress) -> Report:
    mechanisms, at = tail.checked(settings)
    releases.check_losses(mechanisms)
    table, eta = read_and_estimate(data, settings, progress, halves=settings.certify)
    found = tail.findings(table, eta, settings, Budget.of(settings.confidence), mechanisms, at)
    return reporting.build("estimate-j", table, eta, settings, found)


@one_blas_thread()
def gains(data: object, settings: Settings, progress: Progress) -> Report:
    """advantage: how much better an attacker guesses."""
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True)
    asked = releases.wanted(settings, len(table.dataset.classes))
    found = advantage.findings(table, eta, settings, Budget.of(settings.confidence), asked, progress)
    return reporting.build("advantage", table, eta, settings, found)


@one_blas_thread()
def check(data: object, settings: Settings, progress: Progress) -> Report:
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


@one_blas_thread()
def audit(data: object, settings: Settings, progress: Progress) -> Report:
    """Every question that the table allows, and mechanisms compared on a fixed scale."""
    policy = settings.policy
    if policy is not None:
        policy_lines.quantities_of(policy, coordinates(), (*OF_COLUMNS, *OF_GROUPS))
    if settings.explain:
        contributions.check(settings)
    spoken, at = tail.checked(settings)
    policy_lines.check_losses(policy, spoken)
    table, eta = read_and_estimate(data, settings, progress, halves=True, many=True, columns=True)
    classes = len(table.dataset.classes)
    mechanisms = releases.wanted(settings, classes)
    compared = landscape(table, mechanisms)
    more = policy_lines.asked_at(policy) if policy else ()
    evidence = Evidence(table, eta, mechanisms, progress, at=at, more=more, compared=compared)
    asked = (*questions(classes), Question("groups", OF_GROUPS, lambda classes: True, groups.findings, share=GROUPS))
    table = replace(table, warnings=(*table.warnings, *QUESTIONS.broken().values()))
    if settings.explain:
        table = replace(table, warnings=(*table.warnings, *contributions.warnings(table)))
        asked = (*asked, Question("columns", OF_COLUMNS, lambda classes: True, _explained, share=None))
    findings = list(put(evidence, asked, settings, reserve=RESERVE))
    planned = {COMPARED: [one.spec for one in compared], "mechanism": reporting.plain(settings.mechanism)}
    return reporting.build("audit", table, eta, settings, findings, planned)


def _explained(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    """What each column contributes to what the policy asks about."""
    fit = [one for one in evidence.mechanisms if not advantage.unfit(one, evidence.table)]
    typed = [] if evidence.at is None else evidence.at.tolist()
    taus = evidence.more or (typed if 0 < len(typed) <= MOST_TAUS else ())
    return contributions.measured(evidence.table, fit, taus, settings, evidence.progress)


def landscape(table: Table, asked: tuple[Mechanism, ...]) -> tuple[Mechanism, ...]:
    """What could be done with this table, but for what is asked about anyway."""
    known, classes = {one.spec for one in asked}, len(table.dataset.classes)
    every = (one for spec in LANDSCAPE for one in MECHANISMS.parse(spec, classes))
    return tuple(one for one in every if one.spec not in known and not advantage.unfit(one, table))


# ---- questions put


def coordinates() -> tuple[str, ...]:
    """By which lines of a policy pick findings: what is not among them picks none, however long the audit takes.

    `mechanism` names all parameters of one at once.
    """
    axes = [axis for one in QUANTITIES.values() for axis in one.axes]
    parameters: list[str] = []
    for mechanism in MECHANISMS:
        with contextlib.suppress(SpecError):  # an example of other people's that is none
            parameters += [key for one in MECHANISMS.parse(mechanism.example, 2) for key in one.at()]
    return tuple(dict.fromkeys(("mechanism", *axes, *parameters)))


def questions(classes: int, quantities: Collection[str] | None = None) -> tuple[Question, ...]:
    """Those that can be put; quantities: that are wanted, None for all."""
    return tuple(
        question
        for question in QUESTIONS
        if question.fits(classes) and (quantities is None or any(one.name in quantities for one in question.quantities))
    )


def put(
    evidence: Evidence, asked: Sequence[Question], settings: Settings, *, reserve: float = 0.0
) -> Iterator[Finding]:
    """At the confidence of the settings all together. What a stranger's question cannot say is said with the reason."""
    whole = Budget.of(settings.confidence)
    for question in asked:
        try:
            budget = _part(question, asked, whole, reserve)
            each = replace(settings, confidence=1 - budget.miss)
            found = _checked(question.answer(evidence, each, budget), question, settings.confidence, each.confidence)
        except AuditError:
            raise
        except Exception as error:
            if question.name not in QUESTIONS.of_others():
                raise
            each, found = settings, _unanswered(question, error, evidence, settings)
        for one in found:
            together = one.confidence == each.confidence
            yield replace(one, confidence=settings.confidence) if together else one


def _part(question: Question, asked: Sequence[Question], whole: Budget, reserve: float) -> Budget:
    """Equal ones. Beside a question with a share of its own, which that takes from the reserve, of all but this."""
    first = [one for one in asked if one.share is None or not reserve]
    if question not in first:
        return whole.part("reserve", reserve).part(question.name, question.share or 0.0)
    rest = whole if len(first) == len(asked) else whole.part("all but the reserve", 1 - reserve)
    return rest.equal_part(question.name, len(first))


def _checked(found: Sequence[Finding], question: Question, whole: float, part: float) -> Sequence[Finding]:
    """A stranger's numbers stand beside ours in every report, and replace none. They hold with the confidence of their
    part, as all together do with the whole, or claim no more than that."""
    known = {one.name for one in question.quantities}
    for one in found:
        if one.quantity not in known:
            raise ValueError(f"it answers {one.quantity}, which it does not declare")
        for value in (one.bound.estimate, one.bound.low, one.bound.high):
            if value is not None and (not isinstance(value, float | int) or math.isnan(value)):
                raise ValueError(f"{one.quantity} is {value!r}")
        if one.confidence != part and not 0 <= one.confidence <= whole:
            raise ValueError(f"{one.quantity} claims a confidence of {one.confidence!r}, and the report has {whole}")
    return found


def _unanswered(question: Question, error: Exception, evidence: Evidence, settings: Settings) -> list[Finding]:
    reason = f"the question {question.name!r} of another package fails: {error!r}"
    bound = Bound(None, None, None, evidence.eta.queries, "not computed", (), reason)
    return [Finding(one.name, bound, settings.confidence) for one in question.quantities]
