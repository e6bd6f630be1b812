"""A report as blocks, in the order in which they are read. Formats render blocks and know nothing else of a report."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from ..core.report import SCHEMA, TOOL, Report
from . import answers, figures, remarks, tables
from .blocks import Block, Figure, Level, Remark, Sentence, Table, harmless
from .formats import call
from .formats.spelling import count, plain, short

BRIEF, NORMAL, DETAIL = Level
POLICY, NUMBERS, TRUST = "The policy", "The numbers", "How far to trust it"
PICTURES, AGAIN, GLOSSARY = "Pictures", "How to make this report again", "What the quantities are"
Run = Mapping[str, object] | None


def of(report: Report, run: Run = None) -> tuple[Block, ...]:
    """Everything that people are told, each fact once. run: when, where and by whom it was made, where it says so."""
    return tuple(harmless(one) for one in _blocks(report, run) if not _is_empty(one))


def _is_empty(block: Block) -> bool:
    return isinstance(block, Sentence) and not block.text


def title(report: Report) -> str:
    return plain(f"{report.dataset.name}: {report.command}")


def _blocks(report: Report, run: Run) -> Iterator[Block]:
    yield from _first(report)
    yield from (Remark(one) for one in answers.waivers_in_lines(report))
    yield from remarks.warnings(report)
    yield Sentence(next_step(report), BRIEF, role="next")
    yield from _policy(report)
    yield from (Figure(one, _level(one.level), PICTURES) for one in figures.of(report))
    yield from _numbers(report)
    yield from _trust(report)
    yield from _ending(report, run)


def _numbers(report: Report) -> Iterator[Block]:
    yield from _sentences(answers.answers(report), NORMAL, NUMBERS, without=answers.brief(report))
    yield Sentence(remarks.columns_sentence(report), NORMAL, NUMBERS)
    yield Sentence(remarks.promises(report), NORMAL, NUMBERS)
    yield from _details(report)


def _level(name: str) -> Level:
    return Level[name.upper()]


def _first(report: Report) -> Iterator[Block]:
    """The verdict or the answer, and the one table."""
    said = answers.brief(report)
    yield Sentence(answers.verdict(report), BRIEF, role="verdict")
    yield Sentence(remarks.subject(report), BRIEF, role="subject")
    yield from (Sentence(one, BRIEF, role="answer") for one in said)
    made = tables.main(report)
    if made is not None:
        yield replace(made, level=BRIEF)
    yield Sentence(answers.settles(report))
    yield Sentence(remarks.NOT_PROVED)


def next_step(report: Report) -> str:
    """What to try next: commands, the likeliest first."""
    if report.judgement is not None:
        tuned = report.command == "tune"
        return "" if not answers.blocking(report.judgement) else "audit --explain" if tuned else "tune, audit --explain"
    return "check --fail-if LINE, tune" if report.command == "audit" else "tune, audit --explain"


def _sentences(
    said: Iterable[str], level: Level, section: str, role: str = "", without: Iterable[str] = ()
) -> Iterator[Sentence]:
    left_out = tuple(without)
    yield from (Sentence(one, level, section, role) for one in said if one not in left_out)


def _policy(report: Report) -> Iterator[Table]:
    """All lines and all strengths, where the first table has not all of them."""
    main = tables.main(report)
    for level, made in ((NORMAL, tables.lines(report, whole=True)), (DETAIL, tables.tuning(report, whole=True))):
        if made is not None and (main is None or made.rows != main.rows):
            yield replace(made, level=level, section=POLICY)


_TABLES: Mapping[str, Callable[[Report], Table | None]] = {
    "The share of people above each loss": tables.curves,
    "What each release adds": functools.partial(tables.gains, whole=True),
    "The largest loss": functools.partial(tables.losses, whole=True), "What each column adds": tables.columns_add,
    "What the theorems allow": tables.theorems, "The mechanisms in all their parameters": tables.mechanisms,
    "All numbers": tables.numbers, "The columns of the table": tables.schema,
}  # fmt: skip


def _details(report: Report) -> Iterator[Table]:
    """Tables that are folded away, but for the one that stands first."""
    main = tables.main(report)
    for name, make in _TABLES.items():
        made = make(report)
        if made is not None and made != main:
            yield replace(made, level=DETAIL, section=NUMBERS, caption=name)


def _trust(report: Report) -> Iterator[Block]:
    yield from _sentences((remarks.model(report), remarks.sees(report)), NORMAL, TRUST)
    yield from _sentences((remarks.calibration(report), *remarks.basis(report)), NORMAL, TRUST)
    yield Sentence(remarks.simulated(report), DETAIL, TRUST)
    yield Sentence(report.uncertifiable or "", DETAIL, TRUST)
    for name, made in (("What was tried", tables.tried(report)), ("Calibration", tables.calibration(report))):
        if made is not None:
            yield replace(made, level=DETAIL, section=TRUST, caption=name)
    yield from _list("Not computed", remarks.missing(report))
    yield from _list("Assumptions", remarks.assumed(report))


def _list(name: str, lines: Iterable[str]) -> Iterator[Table]:
    rows = [[line] for line in lines]
    if rows:
        yield Table((name,), rows, DETAIL, TRUST)


def _ending(report: Report, run: Run) -> Iterator[Block]:
    known = dict.fromkeys(one.quantity for one in report.findings)
    entries = [report.quantities[name] for name in known if name in report.quantities]
    rows = [[one.name, one.title, one.meaning, one.read] for one in entries]
    if rows:
        header = ("name", "title", "what it is", "how to read it")
        yield Table(header, rows, DETAIL, GLOSSARY, note=_FORMULAS, left=(0, 1, 2, 3))
    yield from _sentences(call.lines(report), DETAIL, AGAIN, role="code")
    yield Sentence(call.unsaid(report), DETAIL, AGAIN)
    yield Table(
        ("what", "value"), [[name, value] for name, value in facts(report, run).items()], DETAIL, AGAIN, left=(0, 1)
    )


_FORMULAS = "labeldp-audit explain NAME shows formula and source of each."


def facts(report: Report, run: Run) -> dict[str, str]:
    """What has to be the same for the same numbers, and when and where it was made if that was asked for."""
    data = report.dataset
    known = {
        "tool": f"{TOOL} {report.version}", "schema": SCHEMA, "table": data.name, "sha256 of the table": data.sha256,
        "rows": f"{count(data.rows_used)} of {count(data.rows)}", "seed": str(report.parameters.get("seed", "")),
        "log loss": short(report.eta.log_loss), **{name: str(value) for name, value in (run or {}).items()},
    }  # fmt: skip
    return {plain(name): value for name, value in known.items() if value}
