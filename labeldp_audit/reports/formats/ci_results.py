"""What programs that let a release pass or not are told of a judgement, the worst first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from ...core.policy import UNDECIDED, Outcome, Verdict, Waived
from ...core.quoting import plain
from ...core.report import TOOL, Report
from .. import answers
from .spelling import count

WAIVER = "waiver"  # rule of those that have run out
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")
_TITLES = {
    Outcome.FAIL: "does not pass", Outcome.NOT_MEASURED: "not measured", Outcome.INCONCLUSIVE: "inconclusive",
    Outcome.UNPROVEN: "unproven", Outcome.VACUOUS: "vacuous",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A line of the policy that does not pass, or a waiver that has run out. Words are as they came, not escaped."""

    rule: str  # the quantity
    level: str  # error, warning, note
    title: str
    line: str
    said: str
    verdict: Verdict | None = None  # None for a waiver

    @property
    def message(self) -> str:
        """All of it in one line."""
        return plain(f"{self.line}: {self.said}")


def all_of(report: Report) -> list[Fault]:
    """Errors, waivers that have run out, what is not shown, and last what is waived."""
    judged = report.judgement
    if judged is None:
        return []
    failing = [_of_verdict(one) for one in answers.ranked(judged) if one.outcome is not Outcome.PASS]
    errors = sum(one.level == "error" for one in failing)
    return [*failing[:errors], *map(of_waiver, answers.run_out(judged)), *failing[errors:]]


def _of_verdict(one: Verdict) -> Fault:
    if one.waiver is not None:
        said = f"{one.said}; accepted until {one.waiver.until.isoformat()}: {one.waiver.reason}"
        return Fault(one.quantity, "note", f"{one.quantity}: waived", one.line, said, one)
    level = "warning" if one.outcome in UNDECIDED else "error"
    return Fault(one.quantity, level, f"{one.quantity}: {_TITLES[one.outcome]}", one.line, one.said, one)


def of_waiver(one: Waived) -> Fault:
    waiver = one.waiver
    said = f"ran out, {waiver.until.isoformat()} was its last day: {waiver.reason}"
    return Fault(WAIVER, "error", f"waiver of {waiver.quantity}: has run out", f"waiver of {waiver.quantity}", said)


def sentence(report: Report) -> str:
    """Does the policy hold, and how many of its lines came out how?"""
    judged = report.judgement
    if judged is None:
        return f"{TOOL}: no policy was judged"
    shown = dict.fromkeys(UNDECIDED, "is not shown to hold")
    holds = {Outcome.PASS: "holds", **shown}.get(judged.outcome, "does not hold")
    counted = [one.outcome for one in judged.verdicts if one.waiver is None]
    known = {f"{outcome}": counted.count(outcome) for outcome in Outcome}
    known["waived"] = len(judged.verdicts) - len(counted)
    expired = len(answers.run_out(judged))
    known["waiver run out" if expired == 1 else "waivers run out"] = expired
    said = (f"{count(number)} {name}" for name, number in known.items() if number or name == Outcome.PASS)
    return f"{TOOL}: the policy {holds} for {plain(report.dataset.name)}: {', '.join(said)}"


def place(report: Report, location: str | None) -> tuple[str, bool]:
    """Path of the table, relative and with slashes, and whether that is from the top of the repository.

    What leads out of the repository would name folders of a machine: the file's name alone stands there then.
    """
    parts = [] if location is None or _ABSOLUTE.match(location) else location.split("/")
    parts = [part for part in parts if part not in ("", ".")]
    if parts and ".." not in parts:
        return "/".join(parts), True
    return report.dataset.name.rpartition("/")[2] or "table", False


def uri(path: str) -> str:
    """A relative reference (RFC 3986), percent-encoded; bytes of a file's name that are no UTF-8 stay what they are."""
    try:
        return quote(path.encode(errors="surrogateescape"))
    except UnicodeEncodeError:
        return quote(path.encode(errors="surrogatepass"))
