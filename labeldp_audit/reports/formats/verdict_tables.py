"""What became of the policy, in words and tables. Whoever prints the cells escapes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.policy import Judgement, Outcome, Verdict, Waived
from ...core.report import Report
from .grid import Grid
from .spelling import count, plain

TITLE = "Does the policy hold?"
NO_POLICY = "NO POLICY"
WAIVERS = "Waivers: risks that somebody accepts"
_HEADER = ("must not go out if", "outcome", "found")
_NOTES = {
    Outcome.INCONCLUSIVE: "Inconclusive: the limit does not pass, and nothing shows that the line is broken.",
    Outcome.NOT_MEASURED: "What was not measured does not pass, and no waiver covers it.",
}


def outcome(report: Report) -> str:
    """One word."""
    return NO_POLICY if report.judgement is None else report.judgement.outcome.upper()


def sentence(report: Report) -> str:
    """How the lines came out; empty where there is no policy."""
    judged = report.judgement
    if judged is None:
        return ""
    said = ", ".join(_counted(judged.verdicts))
    late = run_out(judged)
    return f"Policy: {outcome(report)}{f' (lines: {said})' if said else ''}.{f' {_upper(late)}.' if late else ''}"


def assumptions(report: Report) -> tuple[str, ...]:
    """What the verdicts rest on, each once."""
    verdicts = report.judgement.verdicts if report.judgement else ()
    return tuple(dict.fromkeys(plain(line) for one in verdicts for line in rests_on(one)))


def rests_on(verdict: Verdict) -> tuple[str, ...]:
    """What the end of a number that was looked at assumes: the upper one of an advantage needs nothing of eta."""
    said = () if verdict.worst is None else verdict.worst.bound.assumptions
    free = verdict.quantity == "advantage" and verdict.field == "high" and any("upper limit" in line for line in said)
    return tuple(line for line in said if "averages" not in line and "lower limit" not in line) if free else said


def _counted(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Waived lines are counted as that."""
    for kind in Outcome:
        number = sum(one.outcome is kind and one.waiver is None for one in verdicts)
        if number:
            yield f"{count(number)} {kind}"
    waived = sum(one.waiver is not None for one in verdicts)
    if waived:
        yield f"{count(waived)} waived"


def run_out(judged: Judgement) -> str:
    late = [one.waiver for one in judged.waivers if one.about_this and one.expired]
    named = ", ".join(f"{plain(one.quantity)} ({one.until.isoformat()})" for one in late)
    return f"a waiver that has run out is a failure: {named}" if late else ""


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def lines(report: Report) -> Grid | None:
    judged = report.judgement
    if judged is None or not judged.verdicts:
        return None
    there = {one.outcome for one in judged.verdicts}
    note = " ".join(said for outcome, said in _NOTES.items() if outcome in there)
    return Grid(_HEADER, [_row(one) for one in judged.verdicts], (0, 1, 2), note)


def _row(one: Verdict) -> list[str]:
    waived = f", waived until {one.waiver.until.isoformat()}" if one.waiver else ""
    more = f" ({count(one.failing)} of {count(one.judged)} do not pass)" if one.judged > 1 and one.failing else ""
    return [plain(one.line), f"{one.outcome}{waived}", plain(one.said) + more]


def waivers(report: Report) -> Grid | None:
    """All of them, also those that do nothing here."""
    if report.judgement is None or not report.judgement.waivers:
        return None
    rows = [
        [
            plain(one.waiver.quantity),
            one.waiver.until.isoformat(),
            state(one, report.judgement),
            plain(one.waiver.reason),
        ]
        for one in report.judgement.waivers
    ]
    return Grid(("quantity", "until", "state", "reason"), rows, (0, 1, 2, 3), "", WAIVERS)


def waivers_in_lines(report: Report) -> list[str]:
    """The same where there are no tables: each in a line."""
    judged = report.judgement
    return [] if judged is None else [plain(f"waiver of {_told(one, judged)}") for one in judged.waivers]


def _told(one: Waived, judged: Judgement) -> str:
    said = one.waiver
    return f"{said.quantity} until {said.until.isoformat()} ({state(one, judged)}): {said.reason}"


def state(one: Waived, judged: Judgement) -> str:
    """What a waiver does here."""
    if not one.about_this:
        return f"about another table ({plain(one.waiver.dataset)[:12]}…){', run out' if one.expired else ''}"
    if one.expired:
        return "run out: this is a failure"
    if one.used:
        return "used"
    about = [line.outcome for line in judged.verdicts if line.quantity == one.waiver.quantity]
    return "does not cover what was not measured" if Outcome.NOT_MEASURED in about else "not needed"
