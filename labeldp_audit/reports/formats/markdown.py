"""The report as Markdown, for a pull request or a wiki. Tables are GitHub's; everything else is CommonMark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...core.finding import Finding
from ...core.report import Report
from ...core.table import Column
from . import (  # fmt: skip
    certificates,
    compared,
    contributions,
    curves,
    estimating,
    facts,
    headline,
    how_to_read,
    manager,
    markdown_gains,
    phrases,
    tuning,
    verdict_tables,
)
from .curves import Curve
from .grid import Grid
from .spelling import count, high, limits, low, percent, plain, short

_COLUMNS_SHOWN = 40
_ABOVE = ("loss above", "people, %: at least", "estimate", "at most")
_NOTHING = ("",) * len(_ABOVE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
# What makes emphasis, code, a link, a heading, a cell, a mention or an address. Underscores inside words are harmless.
_SPECIAL = re.compile(r"[\\`*|~#&<>@]|\](?=[(\[:]|$)|(?<![^\W_])_|_(?![^\W_])|(?<=://)|(?<=www)\.", re.IGNORECASE)


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    return "\n".join(_lines(compared.labelled(report))) + "\n"


def escaped(text: str) -> str:
    """Other people's words as text: one line, and nothing in it is markup, a mention or a link."""
    return _SPECIAL.sub(_harmless, plain(text))


def _harmless(match: re.Match[str]) -> str:
    found = match.group()
    if found in ("", "."):  # breaks an address that would become a link
        return "<!---->" + found
    return _ENTITIES.get(found, "\\" + found)


def _lines(report: Report) -> Iterator[str]:
    numbered = {line: str(number) for number, line in enumerate(phrases.assumptions(facts.for_people(report)), 1)}
    yield f"# {escaped(report.command)}: {escaped(report.dataset.name)}"
    yield from ("", escaped(phrases.scope(report)))
    yield from _paragraphs(headline.in_short(report), facts.sampled(report.eta))
    yield from _judged(report)
    yield from _found(tuning.TITLE, tuning.sentence(report), tuning.tables(report))
    yield from _section("What the features tell", list(_paragraphs(*how_to_read.before_tables(report)))[1:])
    yield from _grids(markdown_gains.ADDS, markdown_gains.adds(report))
    yield from _grids(markdown_gains.BOUNDS, markdown_gains.bounds(report))
    yield from _section("What it means", list(_paragraphs(*how_to_read.sentences(report)))[1:])
    yield from _section("What was audited", _audited(report))
    yield from _grids(estimating.TITLE, filter(None, [estimating.tried(report)]))
    yield from _grids(estimating.GROUPS, filter(None, [estimating.groups(report)]))
    yield from _mechanisms(report)
    yield from _shares(report, numbered)
    yield from _certified(report)
    yield from _found(contributions.TITLE, contributions.sentence(report), contributions.tables(report))
    yield from _numbers(report, numbered)
    yield from _section("Not computed", _bullets(facts.missing(report)))
    yield from _section("Warnings", _bullets(report.warnings))
    yield from _section("Assumptions", [f"{number}. {escaped(line)}" for line, number in numbered.items()])
    yield from _section(manager.TITLE, filter(None, [escaped(_started(manager.sentence(report)))]))
    yield from _schema(report.dataset.columns)


def _paragraphs(*sentences: str) -> Iterator[str]:
    for sentence in filter(None, sentences):
        yield from ("", escaped(sentence))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    body = list(lines)
    if body:
        yield from ("", f"## {title}", "", *body)


def _bullets(lines: Iterable[str]) -> list[str]:
    return [f"- {escaped(line)}" for line in lines]


def _started(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _grids(title: str, grids: Iterable[Grid]) -> Iterator[str]:
    """Tables under one title, and under the last one what their cells are."""
    found = list(grids)
    if not found:
        return
    yield from ("", f"## {title}")
    for grid in found:
        yield from _grid(grid)
    yield from ("", escaped(found[-1].note))


def _grid(grid: Grid) -> Iterator[str]:
    rows = ([escaped(cell) for cell in row] for row in grid.rows)
    yield from _paragraphs(grid.caption)
    if grid.rows:
        yield from ("", *_table([escaped(cell) for cell in grid.header], rows, left=grid.left))


def _judged(report: Report) -> Iterator[str]:
    yield from _found(
        verdict_tables.TITLE, verdict_tables.sentence(report), tuple(filter(None, [verdict_tables.lines(report)]))
    )
    if waivers := verdict_tables.waivers(report):
        yield from _grid(waivers)


def _found(title: str, said: str, grids: Sequence[Grid]) -> Iterator[str]:
    """A sentence, and the tables behind it."""
    if not said and not grids:
        return
    yield from ("", f"## {title}")
    yield from _paragraphs(said)
    for grid in grids:
        yield from _grid(grid)
        yield from _paragraphs(grid.note)


def _audited(report: Report) -> Iterator[str]:
    yield from _bullets((facts.audited(report.dataset), facts.estimated(report)))


def _mechanisms(report: Report) -> Iterator[str]:
    noises = facts.mechanisms(report)
    above = any(noise.above for noise in noises)
    header = ("mechanism", "epsilon", "pi, flipped", "lambda, drawn anew", *(_ABOVE if above else ()))
    rows = (
        [
            escaped(noise.mechanism),
            noise.epsilon,
            noise.pi,
            noise.resampled,
            *(noise.above or (_NOTHING if above else ())),
        ]
        for noise in noises
    )
    yield from _section("Mechanisms", _table(header, rows, left=(0,)) if noises else ())


def _shares(report: Report, numbered: Mapping[str, str]) -> Iterator[str]:
    found = curves.curves_of(report)
    taus = curves.table_taus(found)
    rows = ([short(tau), *(_share(curve, tau) for curve in found)] for tau in taus)
    header = ["tau", *(escaped(curve.mechanism) for curve in found)]
    on_curves = [finding for finding in report.findings if curves.on_curve(finding)]
    if found:
        yield from _section("Share of people whose loss is above tau, in per cent", _table(header, rows))
        note = f"Cells: {facts.thinned(found, len(taus))}. At {facts.level(report)}. {_assumed(on_curves, numbered)}"
        yield from ("", note.rstrip())


def _share(curve: Curve, tau: float) -> str:
    bound = curve.at(tau)
    return "" if bound is None else f"{percent(bound.estimate)} {limits(bound, share=True)}"


def _assumed(findings: Sequence[Finding], numbered: Mapping[str, str]) -> str:
    numbers = [numbered[line] for line in phrases.assumptions(findings)]
    return f"Assumes {', '.join(numbers)}." if numbers else ""


def _certified(report: Report) -> Iterator[str]:
    found = curves.certified(report)
    shares, nobody = certificates.shares(found), certificates.nobody_can(report)
    if certificates.certified_findings(report):
        yield from ("", f"## {certificates.title(report)}")
    yield from _paragraphs(certificates.needs(report))
    yield from _grid(shares) if shares.rows else ()
    yield from _paragraphs(certificates.end_of_shares(found))
    for grid in certificates.others(report):
        yield from _grid(grid)
    yield from _paragraphs(*certificates.also_needed(report), nobody)


def _numbers(report: Report, numbered: Mapping[str, str]) -> Iterator[str]:
    findings = facts.valued(report)
    header = ("quantity", "mechanism", "estimate", "low", "high", "what it is", "assumes")
    rows = (_number(finding, report, numbered) for finding in findings)
    if findings:
        yield from _section("Numbers", _table(header, rows, left=(0, 1, 5)))
        yield from ("", f"At {facts.level(report)}.")


def _number(finding: Finding, report: Report, numbered: Mapping[str, str]) -> list[str]:
    bound = finding.bound
    return [
        escaped(phrases.named(finding)),
        escaped(finding.mechanism or ""),
        *(short(bound.estimate), low(bound), high(bound)),
        escaped(phrases.meaning(finding, report)),
        ", ".join(numbered[line] for line in phrases.assumptions([finding])),
    ]


def _schema(columns: Sequence[Column]) -> Iterator[str]:
    header = ("column", "role", "type", "missing", "levels", "encoded width")
    rest = len(columns) - _COLUMNS_SHOWN
    rows = map(_column, columns[:_COLUMNS_SHOWN])
    yield from _section("Columns", _table(header, rows, left=(0, 1, 2)) if columns else ())
    if rest > 0:
        yield from ("", f"And {count(rest)} more.")


def _column(column: Column) -> list[str]:
    names = (escaped(column.name), escaped(column.role), escaped(column.type))
    return [*names, count(column.missing), facts.levels(column), count(column.width)]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = ()) -> Iterator[str]:
    yield _row(header)
    yield _row(["---" if place in left else "---:" for place in range(len(header))])
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
