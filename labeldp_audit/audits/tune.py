"""tune: the least noise with which a policy holds, and what each strength of the noise costs.

Every line of the policy is about a number that never falls as noise does, so the values that pass are all on the noisy
side of one place on the scale, which rounds of bracketing find. Labels decide where a round looks: limits hold at every
value of the scale at once (strengths.py), so those that are looked at are as good as any.
"""

from __future__ import annotations

import datetime
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..core.errors import DataError, SpecError
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.policy import Judgement, Outcome, Policy
from ..core.progress import Progress
from ..core.quantity import STAYS, UNTUNED
from ..core.remark import Remark
from ..core.report import ALONE, COMPARED, TUNE, Report
from ..core.settings import Settings
from ..engines.threads import one_blas_thread
from ..policy import judge as policies
from ..policy.judge import PARAMETERS
from ..questions import advantage, certificates, releases
from ..questions.every import QUANTITIES, fitting
from . import doubts, judging, reporting, run, strengths
from .evidence import gather
from .strengths import Scale

Look = Callable[[Sequence[Mechanism]], list[Finding]]
Judge = Callable[[Iterable[Finding], Mechanism], Judgement]  # by what is said of that mechanism and of the features

NAME = "tune"
TUNED, BINDS = "tuned", "binds"
METHOD = "bracketing on a fixed scale; limits hold at every value of it at once"
_AT_ONCE = 14  # values looked at in a round: two rounds after that of round values


@one_blas_thread()
def tune(data: object, settings: Settings, progress: Progress) -> Report:
    policy = settings.policy
    assert policy is not None
    # An object that was handed in stands for its kind; its strength is left aside.
    specs = [one if isinstance(one, str) else one.spec for one in settings.mechanism]
    quantities = judging.quantities_of(policy)
    _check_lines(policy, [strengths.scale_of(spec) for spec in specs])  # refused before the table is read
    certificates.orders(settings)
    evidence = gather(data, replace(settings, mechanism=()), progress, many=True)
    table, scales = evidence.table, {}
    for spec in specs:
        scale = strengths.scale_of(spec, table.dataset.rows_used, evidence.classes)
        if reason := advantage.unfit(scale.mechanisms[-1], table):
            raise DataError(f"{spec} does not fit this table", reason)
        scales[scale.mechanisms[0].spec] = scale
    base = reporting.build(NAME, evidence, settings, ())
    among = sum(len(scale.values) for scale in scales.values()) + len(scales)
    evidence = replace(evidence, at=judging.taus_of(policy, None))
    questions = fitting(evidence.classes, quantities)

    def look(mechanisms: Sequence[Mechanism], among: int = among) -> list[Finding]:
        asked = replace(evidence, mechanisms=mechanisms, among=among)
        found = doubts.within(doubts.within_certificates(run.put(asked, questions, settings)), table)
        judging.check_can_fail(policy.lines, found, settings.utility == "balanced")
        return found

    def judge(findings: Iterable[Finding], mechanism: Mechanism) -> Judgement:
        today = datetime.datetime.now(datetime.UTC).date()
        return policies.judge(policy, replace(base, findings=_about(findings, mechanism)), today)

    # What is shown at least is less where all strengths share the level: it must not pass for that.
    alone = functools.partial(look, among=1) if any(line.field == "low" for line in policy.lines) else None
    return _report([Search(scale, judge, look, alone).answer() for scale in scales.values()], base, settings)


def _check_lines(policy: Policy, scales: Sequence[Scale]) -> None:
    for line in policy.lines:
        named = [key for key in line.at if key in ("mechanism", *PARAMETERS)]
        if named:
            raise SpecError(f"tune chooses the mechanism: leave out {named[0]}", line.text)
        known = QUANTITIES[line.quantity]
        if known.low_by_trial and line.field == "low":
            what = "an attacker who is tried may do worse with less noise: noise cannot be tuned by that"
            raise SpecError(what, line.text)
        if known.with_noise == UNTUNED:
            raise SpecError(f"{line.quantity} is not what noise is tuned by", line.text)
        tau = line.at.get("tau")
        if "tau" in known.axes and not (isinstance(tau, float) and math.isfinite(tau)):
            raise SpecError("which loss? tune wants tau", line.text, hint=f"{line.quantity}(tau=3)")
        if not line.upward and known.with_noise != STAYS:
            what = "more noise makes that number smaller, so noise cannot be tuned by what must not be small"
            raise SpecError(what, line.text)
        if known.of_losses and any(releases.noise_of(one.mechanisms[-1]) is None for one in scales):
            what = "losses are defined where each label is replaced on its own: tune others by advantage"
            raise SpecError(what, line.text, hint="--fail-if 'advantage.high > 0.05'")


@dataclass(frozen=True)
class Answer:
    """What bracketing found on one scale."""

    scale: Scale
    place: int  # the last that passes; -1: none
    findings: tuple[Finding, ...]  # of all that was looked at in the first round, and on either side of that place
    judgement: Judgement  # there, or where there is most noise
    binding: tuple[str, ...]  # lines that keep the next one from passing
    silence: Judgement | None  # where none passes: of a release that tells nothing
    vetoes: Mapping[str, Sequence[str]]  # lines, and the mechanisms that only limits of their own keep from passing

    @property
    def tried(self) -> list[str]:
        """What the table shows."""
        return list(dict.fromkeys(one.mechanism for one in self.findings if one.mechanism))


class Search:
    """Rounds of bracketing: each looks at several values at once."""

    def __init__(self, scale: Scale, judge: Judge, look: Look, alone: Look | None = None) -> None:
        """alone: with the whole level for each, as `check` of one of them would look."""
        self._scale, self._judge, self._look, self._alone = scale, judge, look, alone
        self._seen: dict[int, tuple[tuple[Finding, ...], Judgement]] = {}
        self._vetoes: dict[str, list[str]] = {}

    def answer(self) -> Answer:
        last = len(self._scale.values) - 1
        self._see(self._scale.landmarks())
        shown = set(self._seen)
        while (bracket := self._bracket())[1] - bracket[0] > 1:
            self._see(self._scale.between(max(bracket[0], 0), min(bracket[1], last), _AT_ONCE))
        place, following = bracket
        shown |= {place, following} & set(self._seen)
        findings = _together(self._seen[one][0] for one in sorted(shown))
        binding = tuple(one.line for one in self._seen[min(following, last)][1].verdicts if one.counts)
        silence = None
        if place < 0 and self._scale.silence is not None:
            silence = self._judged([self._scale.silence])[0][1]
        there = self._seen[max(place, 0)][1]
        return Answer(self._scale, place, findings, there, binding, silence, self._vetoes)

    def _see(self, places: Iterable[int]) -> None:
        new = [place for place in places if place not in self._seen]
        if new:
            looked = self._judged([self._scale.mechanisms[place] for place in new])
            self._seen.update(zip(new, looked, strict=True))

    def _judged(self, mechanisms: Sequence[Mechanism]) -> list[tuple[tuple[Finding, ...], Judgement]]:
        """What is said of each, and whether it passes."""
        shared, alone = self._look(mechanisms), self._alone(mechanisms) if self._alone else None
        return [(_about(shared, one), self._both(shared, alone, one)) for one in mechanisms]

    def _both(self, shared: Iterable[Finding], alone: Iterable[Finding] | None, mechanism: Mechanism) -> Judgement:
        """Limits that hold at every strength at once are what is said; those of one strength alone can only veto."""
        judgement = self._judge(_about(shared, mechanism), mechanism)
        if alone is None:
            return judgement
        by_itself = self._judge(_about(alone, mechanism), mechanism)
        verdicts, order = [], [*Outcome]
        for one, other in zip(judgement.verdicts, by_itself.verdicts, strict=True):
            vetoed = one.field == "low" and order.index(other.outcome) < order.index(one.outcome)
            if vetoed:
                self._vetoes.setdefault(one.line, []).append(mechanism.spec)
            said = f"{other.said}: the limit of this strength alone, as `check` has it"
            verdicts.append(replace(one, outcome=other.outcome, said=said, waiver=other.waiver) if vetoed else one)
        return replace(judgement, verdicts=tuple(verdicts))

    def _bracket(self) -> tuple[int, int]:
        """The last place before the first that does not pass, and that one; the next to look at lies between."""
        passing = -1
        for place in sorted(self._seen):
            if self._seen[place][1].outcome is not Outcome.PASS:
                return passing, place
            passing = place
        return passing, passing + 1


def _about(findings: Iterable[Finding], mechanism: Mechanism) -> tuple[Finding, ...]:
    """And about the features."""
    return tuple(one for one in findings if one.mechanism in (None, mechanism.spec))


def _together(parts: Iterable[Iterable[Finding]]) -> tuple[Finding, ...]:
    """What is about the features alone is in every part, and said once."""
    found: dict[tuple[object, ...], Finding] = {}
    for part in parts:
        for one in part:
            found.setdefault((one.quantity, one.mechanism, *sorted(one.at.items(), key=str)), one)
    return tuple(found.values())


# ---- the report


def _report(answers: Sequence[Answer], base: Report, settings: Settings) -> Report:
    findings = _together([*([_tuned(one, base, settings)] for one in answers), *(one.findings for one in answers)])
    # About the findings of the report, which are said once for all scales.
    same = (
        replace(verdict, worst=next((finding for finding in findings if finding == verdict.worst), None))
        for one in answers
        for verdict in one.judgement.verdicts
    )
    tried = {one.scale.spec: one.tried for one in answers}
    chosen = {one.scale.mechanisms[one.place].spec for one in answers if one.place >= 0}
    vetoes: dict[str, list[str]] = {}  # lines that refuse each strength the tables show
    for one in answers:
        for line, specs in one.vetoes.items():
            vetoes.setdefault(line, []).extend(spec for spec in specs if spec in one.tried)
    vetoes = {line: specs for line, specs in vetoes.items() if specs}
    parameters = {name: value for name, value in base.parameters.items() if name != "mechanism"}
    parameters |= {TUNE: tried, COMPARED: [spec for specs in tried.values() for spec in specs if spec not in chosen]}
    return replace(
        base, findings=findings, judgement=Judgement(tuple(same), answers[0].judgement.waivers),
        remarks=(*base.remarks, *(line for one in answers for line in (*one.scale.unused, *_remarks(one)))),
        parameters=parameters | ({ALONE: vetoes} if vetoes else {}), uncertifiable=reporting.uncertifiable(findings),
    )  # fmt: skip


def _tuned(answer: Answer, base: Report, settings: Settings) -> Finding:
    assert base.eta is not None
    scale, place, n = answer.scale, answer.place, base.eta.queries
    about: dict[str, float | str] = {"scale": scale.spec, "parameter": scale.parameter}
    binds: dict[str, float | str] = {BINDS: "; ".join(answer.binding)} if answer.binding else {}
    if place < 0:
        bound = Bound(None, None, None, n, METHOD, (), _why_none(answer))
        return Finding(TUNED, bound, settings.confidence, None, {**about, **binds})
    value, following = scale.values[place], (*scale.values, scale.clearest)[place + 1]
    worst = (one.worst for one in answer.judgement.verdicts if one.worst is not None)
    said = tuple(dict.fromkeys(line for one in worst for line in one.bound.assumptions))  # all that verdicts rest on
    bound = Bound(value, min(value, following), max(value, following), n, METHOD, said)
    mechanism = scale.mechanisms[place]
    at = {**about, **mechanism.at(), **binds}
    return Finding(
        TUNED, bound, settings.confidence, mechanism.spec, at, mechanism.claim(len(base.dataset.classes)), mechanism.bag
    )


def _why_none(answer: Answer) -> str:
    said, late = _what_fails(answer), any(one.about_this and one.expired for one in answer.judgement.waivers)
    return "; and ".join(filter(None, (said, "a waiver has run out" if late else "")))


def _what_fails(answer: Answer) -> str:
    """What a release that tells nothing would not pass either is about the features."""
    noisiest = f"{answer.scale.parameter} = {answer.scale.values[0]:g}"
    left = answer.judgement if answer.silence is None else answer.silence
    counting = [one for one in left.verdicts if one.counts]
    missing = [one.line for one in counting if one.outcome is Outcome.NOT_MEASURED]
    if missing:
        return f"not measured: {'; '.join(missing)}"
    if not counting:
        binding = "; ".join(answer.binding)
        return f"not even {noisiest}, the most noise tried, passes: {binding}" if binding else ""
    lines, worst = "; ".join(one.line for one in counting), [(one, one.worst) for one in counting]
    if answer.silence is None and any(finding is not None and finding.mechanism for _, finding in worst):
        return f"not even {noisiest} passes: {lines}"
    if all(finding and finding.mechanism and not QUANTITIES[one.quantity].of_losses for one, finding in worst):
        return f"not even a release that tells nothing passes: {lines}"
    if all(one.outcome in (Outcome.INCONCLUSIVE, Outcome.UNPROVEN) for one in counting):
        return f"no amount of noise is shown to be enough, as the limits for the features alone do not pass: {lines}"
    return f"no amount of noise is enough, as the features alone do not pass: {lines}"


def _remarks(answer: Answer) -> Iterator[Remark]:
    scale = answer.scale
    if answer.place == len(scale.values) - 1:
        yield Remark("least-noise-passes", scale=scale.spec, parameter=scale.parameter, value=scale.values[-1])
    elif answer.place < 0:
        yield Remark("no-strength-passes", scale=scale.spec, reason=_why_none(answer))
