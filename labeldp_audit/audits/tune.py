"""tune: the least noise with which a policy holds, and what each strength of the noise costs.

Every line of the policy is about a number that never falls as noise does, so the values that pass are all on the noisy
side of one place on the scale, which rounds of bracketing find. Each strength is judged as `check` judges it alone, and
the answer is as certain: it breaks a line only if the limit of the first strength that truly does so misses.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..core.errors import DataError, SpecError
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.policy import Judgement, Outcome, Policy
from ..core.progress import Progress
from ..core.quantity import STAYS, UNTUNED
from ..core.remark import Remark
from ..core.report import COMPARED, TUNE, Report
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
METHOD = "bracketing on a fixed scale; each strength judged as `check` judges it alone"
_NOT_BY_NOISE = {
    Outcome.NOT_MEASURED: "not measured", Outcome.VACUOUS: "vacuous, as even labels without noise pass",
}  # fmt: skip
_AT_ONCE = 14  # values looked at in a round: two rounds after that of round values


@one_blas_thread()
def tune(data: object, settings: Settings, progress: Progress) -> Report:
    assert settings.policy is not None
    policy = replace(settings.policy, lines=tuple(map(judging.with_theorem, settings.policy.lines)))
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
    evidence = replace(evidence, at=judging.taus_of(policy, None), alone=True)
    questions = fitting(evidence.classes, quantities)

    def look(mechanisms: Sequence[Mechanism]) -> list[Finding]:
        found = run.put(replace(evidence, mechanisms=mechanisms), questions, settings)
        return doubts.within(doubts.within_certificates(found), table)

    def judge(findings: Iterable[Finding], mechanism: Mechanism) -> Judgement:
        today = datetime.datetime.now(datetime.UTC).date()
        return policies.judge(policy, replace(base, findings=_about(findings, mechanism)), today)

    return _report([Search(scale, judge, look).answer() for scale in scales.values()], base, settings)


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

    @property
    def tried(self) -> list[str]:
        """What the table shows."""
        return list(dict.fromkeys(one.mechanism for one in self.findings if one.mechanism))


class Search:
    """Rounds of bracketing: each looks at several values at once."""

    def __init__(self, scale: Scale, judge: Judge, look: Look) -> None:
        self._scale, self._judge, self._look = scale, judge, look
        self._seen: dict[int, tuple[tuple[Finding, ...], Judgement]] = {}

    def answer(self) -> Answer:
        last = len(self._scale.values) - 1
        self._see(self._scale.landmarks())
        shown = set(self._seen)
        confirmed = set[int]()
        while True:
            place, following = self._bracket()
            unconfirmed = [one for one in (place, following) if one in self._seen.keys() - confirmed]
            if following - place > 1:
                self._see(self._scale.between(max(place, 0), min(following, last), _AT_ONCE))
            elif unconfirmed:
                # Bags are drawn for all strengths of a round together: once more for this one, as `check` draws them.
                [self._seen[unconfirmed[0]]] = self._judged([self._scale.mechanisms[unconfirmed[0]]])
                confirmed.add(unconfirmed[0])
            else:
                break
        shown |= {place, following} & set(self._seen)
        findings = _together(self._seen[one][0] for one in sorted(shown))
        binding = tuple(one.line for one in self._seen[min(following, last)][1].verdicts if one.counts)
        silent = self._scale.silence if place < 0 else None
        silence = None if silent is None else self._judged([silent])[0][1]
        return Answer(self._scale, place, findings, self._seen[max(place, 0)][1], binding, silence)

    def _see(self, places: Iterable[int]) -> None:
        new = [place for place in places if place not in self._seen]
        if new:
            looked = self._judged([self._scale.mechanisms[place] for place in new])
            self._seen.update(zip(new, looked, strict=True))

    def _judged(self, mechanisms: Sequence[Mechanism]) -> list[tuple[tuple[Finding, ...], Judgement]]:
        """What is said of each, and whether it passes."""
        found = self._look(mechanisms)
        return [(_about(found, one), self._judge(found, one)) for one in mechanisms]

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
    parameters = {name: value for name, value in base.parameters.items() if name != "mechanism"}
    parameters |= {TUNE: tried, COMPARED: [spec for specs in tried.values() for spec in specs if spec not in chosen]}
    return replace(
        base, findings=findings, judgement=Judgement(tuple(same), answers[0].judgement.waivers),
        remarks=(*base.remarks, *(line for one in answers for line in (*one.scale.unused, *_remarks(one)))),
        parameters=parameters, uncertifiable=reporting.uncertifiable(findings),
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
    for outcome, why in _NOT_BY_NOISE.items():
        if lines := "; ".join(one.line for one in counting if one.outcome is outcome):
            return f"{why}: {lines}"
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
