"""A report as blocks, in the order in which they are read. Formats render blocks and know nothing else of a report."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from ..core.policy import Outcome
from ..core.quoting import plain
from ..core.report import RELEASE, SCHEMA, TOOL, VERIFY, Report
from . import answers, basis, figures, found, sentences, tables
from .blocks import Block, Figure, Level, Notice, Sentence, Table, harmless
from .formats import call
from .formats.spelling import count, short

BRIEF, NORMAL, DETAIL = Level
POLICY, NUMBERS, TRUST = "The policy", "The numbers", "How far to trust it"
PICTURES, AGAIN, GLOSSARY = "Pictures", "How to make this report again", "What the quantities are"
_FORMULAS = "labeldp-audit explain NAME shows formula and source of each."
_TABLES: Mapping[str, Callable[[Report], Table | None]] = {
    "All that changed": functools.partial(tables.changes, whole=True),
    "The share of people above each loss": tables.curves,
    "What each release adds": functools.partial(tables.gains, whole=True),
    "What each release does to the odds": tables.odds,
    "The largest loss": functools.partial(tables.losses, whole=True), "What each column adds": tables.columns_add,
    "What the theorems allow": tables.theorems, "The mechanisms in all their parameters": tables.mechanisms,
    "All numbers": tables.numbers, "The columns of the table": tables.schema,
}  # fmt: skip
Run = Mapping[str, object] | None


def of(report: Report, run: Run = None) -> tuple[Block, ...]:
    """Everything that people are told, each fact once. run: when, where and by whom it was made, where it says so."""
    return (*_of_findings(report), *_shown(_again(report, run)))


@found.once
def _of_findings(report: Report) -> tuple[Block, ...]:
    parts = (_first(report), _policy(report), _numbers(report), _trust(report))
    return tuple(_shown(block for part in parts for block in part))


def _shown(blocks: Iterable[Block]) -> Iterator[Block]:
    return (harmless(one) for one in blocks if not isinstance(one, Sentence) or one.text)


def title(report: Report) -> str:
    return plain(f"{report.dataset.name}: {report.command}")


def _first(report: Report) -> Iterator[Block]:
    """The verdict or the answer, the one table, and warnings."""
    yield Sentence(answers.verdict(report), BRIEF, role="verdict")
    helps = answers.no_noise_helps(report)
    yield Sentence(helps, BRIEF, role="answer")
    yield Sentence(basis.subject(report), BRIEF, role="subject")
    yield from _sentences(answers.brief(report), BRIEF, role="answer")
    undecided = report.judgement is None  # a verdict that columns matter to names them itself
    yield Sentence(basis.columns_sentence(report), BRIEF if undecided else NORMAL, role="answer")
    made = tables.main(report)
    if made is not None and made.rows:
        yield replace(made, level=BRIEF)
    yield from _sentences(("" if helps else answers.settles(report), basis.not_proved(report)), NORMAL)
    yield from map(Notice, (*answers.waivers_in_lines(report), *sentences.for_people(report)))
    yield Sentence(_next_step(report), BRIEF, role="next")


def _next_step(report: Report) -> str:
    """What to try next: commands, the likeliest first. None that was just run, and noise only where it may help."""
    explained = any(one.quantity in found.COLUMNS for one in report.findings)
    explain = "" if explained else "audit --explain"
    if report.command == VERIFY:
        failed = report.judgement is not None and report.judgement.outcome is Outcome.FAIL
        return "" if failed else "attack ORIGINAL RELEASE"
    if report.judgement is None and RELEASE in report.parameters:
        return "verify RELEASE --original DATA"
    if report.command == "diff":
        return "check NEW --baseline OLD"
    if report.judgement is None:
        return "check --fail-if LINE, tune" if report.command == "audit" else f"tune, {explain}"
    if not answers.blocking(report.judgement):
        return ""
    tune = "" if report.command == "tune" or answers.no_noise_helps(report) else "tune"
    return ", ".join(filter(None, (tune, explain)))


def _sentences(said: Iterable[str], level: Level, section: str = "", role: str = "") -> Iterator[Sentence]:
    yield from (Sentence(one, level, section, role) for one in said)


def _policy(report: Report) -> Iterator[Block]:
    """All lines and all strengths, where the first table has not all of them; and pictures."""
    main = tables.main(report)
    judged = tables.checks if report.command == VERIFY else tables.lines
    for level, made in ((NORMAL, judged(report, whole=True)), (DETAIL, tables.tuning(report, whole=True))):
        if made is not None and (main is None or made.rows != main.rows):
            yield replace(made, level=level, section=POLICY)
    yield from (Figure(one, Level[one.level.upper()], PICTURES) for one in figures.of(report))


def _numbers(report: Report) -> Iterator[Block]:
    """Answers, and tables that are folded away, but for what stands first."""
    brief, main = answers.brief(report), tables.main(report)
    said = [one for one in answers.answers(report) if one not in brief]
    yield from _sentences((*said, basis.promises(report)), NORMAL, NUMBERS)
    at_risk = tables.groups(report, whole=True)
    if at_risk is not None:
        yield replace(at_risk, section=NUMBERS, caption="Who is at risk")
    every = tables.everything(report) if report.command == "audit" else None
    if every is not None and every != main:
        yield replace(every, section=NUMBERS, caption="What each release tells")
    for name, make in _TABLES.items():
        made = make(report)
        if made is not None and made.rows and made != main:
            yield replace(made, level=DETAIL, section=NUMBERS, caption=name)


def _trust(report: Report) -> Iterator[Block]:
    said = basis.model(report), basis.sees(report), basis.challenged(report), basis.calibration(report)
    yield from _sentences((*said, *basis.basis(report)), NORMAL, TRUST)
    yield from _sentences((basis.simulated(report), report.uncertifiable or ""), DETAIL, TRUST)
    for name, made in (("What was tried", tables.tried(report)), ("Calibration", tables.calibration(report))):
        if made is not None:
            yield replace(made, level=DETAIL, section=TRUST, caption=name)
    for name, lines in (("Not computed", basis.missing(report)), ("Assumptions", basis.assumed(report))):
        if lines:
            yield Table((name,), [[line] for line in lines], DETAIL, TRUST)


def _again(report: Report, run: Run) -> Iterator[Block]:
    """What the quantities are; what has to be the same for the same numbers, and when and where it was made if that
    was asked for."""
    names = dict.fromkeys(one.quantity for one in report.findings)
    known = [report.quantities[name] for name in names if name in report.quantities]
    if known:
        header = ("name", "title", "what it is", "how to read it")
        rows = [[one.name, one.title, "; by ".join((one.meaning, *one.theorems)), one.read] for one in known]
        yield Table(header, rows, DETAIL, GLOSSARY, note=_FORMULAS, left=(0, 1, 2, 3))
    yield from _sentences(call.lines(report), DETAIL, AGAIN, role="code")
    yield Sentence(call.unsaid(report), DETAIL, AGAIN)
    data = report.dataset
    facts = {
        "tool": f"{TOOL} {report.version}", "schema": SCHEMA, "table": data.name, "sha256 of the table": data.sha256,
        "rows": f"{count(data.rows_used)} of {count(data.rows)}", "seed": str(report.parameters.get("seed", "")),
        "log loss": short(report.eta.log_loss) if report.eta else "",
        **{plain(name): str(value) for name, value in (run or {}).items()},
    }  # fmt: skip
    yield Table(("what", "value"), [[*pair] for pair in facts.items() if pair[1]], DETAIL, AGAIN, left=(0, 1))
