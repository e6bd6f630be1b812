"""What programs that let a release pass or not are told of a judgement, the worst first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from ...core.policy import Judgement, Outcome, Verdict, Waived
from ...core.report import TOOL, Report
from .spelling import count, plain

WAIVER = "waiver"  # rule of those that have run out
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")
_LEVELS = {Outcome.INCONCLUSIVE: "warning", Outcome.UNPROVEN: "warning"}
_TITLES = {
    Outcome.FAIL: "does not pass", Outcome.NOT_MEASURED: "not measured", Outcome.INCONCLUSIVE: "inconclusive",
    Outcome.UNPROVEN: "unproven",
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
    """Those that count before those that are waived; the model lists outcomes from the worst on."""
    judged = report.judgement
    if judged is None:
        return []
    wrong = [one for one in judged.verdicts if one.outcome is not Outcome.PASS]
    wrong.sort(key=lambda one: (not one.counts, [*Outcome].index(one.outcome)))
    failing = [_of_verdict(one) for one in wrong]
    errors = [one for one in failing if one.level == "error"]
    return [*errors, *map(of_waiver, run_out(judged)), *failing[len(errors) :]]


def _of_verdict(one: Verdict) -> Fault:
    if one.waiver is not None:
        said = f"{one.said}; accepted until {one.waiver.until.isoformat()}: {one.waiver.reason}"
        return Fault(one.quantity, "note", f"{one.quantity}: waived", one.line, said, one)
    level, title = _LEVELS.get(one.outcome, "error"), f"{one.quantity}: {_TITLES[one.outcome]}"
    return Fault(one.quantity, level, title, one.line, one.said, one)


def run_out(judged: Judgement) -> list[Waived]:
    return [one for one in judged.waivers if one.about_this and one.expired]


def of_waiver(one: Waived) -> Fault:
    waiver = one.waiver
    said = f"ran out, {waiver.until.isoformat()} was its last day: {waiver.reason}"
    return Fault(WAIVER, "error", f"waiver of {waiver.quantity}: has run out", f"waiver of {waiver.quantity}", said)


def sentence(report: Report) -> str:
    """Does the policy hold, and if not, how many lines keep it from holding?"""
    judged = report.judgement
    if judged is None:
        return f"{TOOL}: no policy was judged"
    shown = dict.fromkeys((Outcome.INCONCLUSIVE, Outcome.UNPROVEN), "is not shown to hold")
    holds = {Outcome.PASS: "holds", **shown}.get(judged.outcome, "does not hold")
    return f"{TOOL}: the policy {holds} for {plain(report.dataset.name)}: {', '.join(_counts(judged))}"


def _counts(judged: Judgement) -> Iterator[str]:
    """How many lines came out how."""
    waived = sum(one.waiver is not None for one in judged.verdicts)
    for outcome in Outcome:
        number = sum(one.outcome is outcome and one.waiver is None for one in judged.verdicts)
        if number or outcome is Outcome.PASS:
            yield f"{count(number)} {outcome}"
    if waived:
        yield f"{count(waived)} waived"
    if expired := len(run_out(judged)):
        yield f"{count(expired)} {'waiver' if expired == 1 else 'waivers'} run out"


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
