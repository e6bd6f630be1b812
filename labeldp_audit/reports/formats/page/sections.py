"""The sections of the page, in the order in which they are read; each is empty where the report has nothing for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ....core.finding import Finding
from ....core.report import Report
from ....core.table import Column
from .. import (
    card,
    contributions,
    curves,
    estimating,
    facts,
    how_to_read,
    markdown_gains,
    phrases,
    plain_answers,
    tuning,
    verdict_tables,
)
from ..curves import Curve
from ..grid import Grid
from ..spelling import count, high, limits, low, percent, plain, short
from . import trust
from .markup import Html, folded, joined, paragraphs, part, section, table, tag, text
from .trust import BESIDE

_COLUMNS_SHOWN, _NUMBERS_SHOWN = 120, 200
_SHARES = "Share of people whose loss is above tau, in per cent"
_ABOVE = ("loss above", "people, %: at least", "estimate", "at most")


def verdict(report: Report) -> Html:
    word = verdict_tables.outcome(report)
    badge = tag("p", tag("strong", text(word)), class_=f"badge {word.lower().replace(' ', '-')}")
    return section(
        "verdict",
        "Verdict",
        badge,
        paragraphs(verdict_tables.sentence(report)),
        _answers((title, (said,)) for title, said in card.sentences(report)),
        folded("More exactly", _answers(plain_answers.paragraphs(report))),
        paragraphs(facts.sampled(report.eta), class_="note"),
    )


def _answers(said: Iterable[tuple[str, Sequence[str]]]) -> Html:
    found = (tag("div", tag("h3", text(title)), paragraphs(*lines), class_="answer") for title, lines in said)
    return tag("div", *found, class_="answers")


def policy(report: Report) -> Html:
    return section(
        "policy",
        verdict_tables.TITLE,
        table(verdict_tables.lines(report), "Each line of the policy", "stack"),
        table(verdict_tables.waivers(report), class_="stack"),
    )


def losses(report: Report) -> Html:
    found = curves.curves_of(report)
    tables = (table(one, place_caption) for one, place_caption in _shares(found))
    note = f"{facts.thinned(found, len(curves.table_taus(found)))}. At {facts.level(report)}." if found else ""
    return section(
        "losses",
        "How many people lose how much",
        _read(how_to_read.of_losses(report)),
        joined(tables),
        paragraphs(f"Cells: {note}" if note else "", class_="note"),
    )


def _read(sentences: Sequence[str]) -> Html:
    return paragraphs(*sentences, class_="read")


def _shares(found: Sequence[Curve]) -> Iterator[tuple[Grid, str]]:
    taus = curves.table_taus(found)
    for start in range(0, len(found), BESIDE):
        some = found[start : start + BESIDE]
        rows = [[short(tau), *(_share(curve, tau) for curve in some)] for tau in taus]
        header = ("tau", *(plain(curve.mechanism) or "no mechanism" for curve in some))
        yield Grid(header, rows, (), ""), _SHARES


def _share(curve: Curve, tau: float) -> str:
    bound = curve.at(tau)
    return "" if bound is None else f"{percent(bound.estimate)} {limits(bound, share=True)}"


def worst(report: Report) -> Html:
    return section("worst", "The largest loss of a person", _read(how_to_read.of_the_worst(report)))


def added(report: Report) -> Html:
    return section(
        "added",
        markdown_gains.ADDS,
        _read(how_to_read.before_tables(report)),
        joined(table(grid, "What each mechanism adds, in percentage points") for grid in markdown_gains.adds(report)),
        _read(how_to_read.of_gains(report)),
        folded(markdown_gains.BOUNDS, *_bounds(report)),
    )


def _bounds(report: Report) -> Iterator[Html]:
    """What the names stand for is said once."""
    every = [one for grid in markdown_gains.bounds(report) for one in grid.split(BESIDE + 1)]
    yield from (table(replace(one, note=one.note if one is every[-1] else "")) for one in every)


def tuned(report: Report) -> Html:
    return section(
        "tuned",
        tuning.TITLE,
        paragraphs(tuning.sentence(report)),
        *(table(one, "Some of the strengths that were tried") for one in tuning.tables(report)),
    )


def columns_add(report: Report) -> Html:
    grid = contributions.table(report)
    split = grid.split(BESIDE + 1) if grid is not None else ()
    return section(
        "columns-add",
        contributions.TITLE,
        paragraphs(contributions.sentence(report)),
        folded("The same in a table", *(table(one, "What each column adds") for one in split)),
    )


def estimated(report: Report) -> Html:
    return section(
        "estimated",
        estimating.TITLE,
        paragraphs(facts.estimated(report)),
        table(estimating.tried(report), "Log losses, with standard errors"),
        _read(how_to_read.of_features(report)),
        _fits(report),
    )


def _fits(report: Report) -> Html:
    grid = estimating.groups(report)
    if grid is None:
        return Html("")
    rows = replace(grid, note="")
    return part(
        estimating.GROUPS,
        paragraphs(grid.note, class_="note"),
        folded("The same in a table", table(rows, "Groups of rows with estimates alike")),
    )


def numbers(report: Report) -> Html:
    findings = facts.valued(report)
    rows = [_number(one, report) for one in findings[:_NUMBERS_SHOWN]]
    rest = len(findings) - len(rows)
    more = f" {count(rest)} more are in json and csv." if rest else ""
    header = ("quantity", "mechanism", "estimate", "low", "high", "what it is")
    return section(
        "numbers",
        "Numbers",
        table(Grid(header, rows, (0, 1, 5), f"At {facts.level(report)}.{more}"), "All other numbers"),
    )


def _number(one: Finding, report: Report) -> list[str]:
    bound = one.bound
    ends = (short(bound.estimate), low(bound), high(bound))
    return [phrases.named(one), plain(one.mechanism or ""), *ends, phrases.meaning(one, report)]


def audited(report: Report) -> Html:
    return section(
        "audited",
        "What was audited",
        paragraphs(facts.audited(report.dataset)),
        _mechanisms(report),
        _schema(report.dataset.columns),
    )


def _mechanisms(report: Report) -> Html:
    noises = facts.mechanisms(report)
    above = any(noise.above for noise in noises)
    header = ("mechanism", "epsilon", "pi, flipped", "lambda, drawn anew", *(_ABOVE if above else ()))
    rows = [
        [one.mechanism, one.epsilon, one.pi, one.resampled, *(one.above or (("",) * len(_ABOVE) if above else ()))]
        for one in noises
    ]
    return table(Grid(header, rows, (0,), ""), "Mechanisms")


def _schema(columns: Sequence[Column]) -> Html:
    header = ("column", "role", "type", "missing", "levels", "encoded width")
    rest = len(columns) - _COLUMNS_SHOWN
    rows = [_column(one) for one in columns[:_COLUMNS_SHOWN]]
    grid = Grid(header, rows, (0, 1, 2), f"And {count(rest)} more." if rest > 0 else "")
    return folded(f"Columns of the table: {count(len(columns))}", table(grid, "Columns of the table"))


def _column(one: Column) -> list[str]:
    names = (plain(one.name), plain(one.role), plain(one.type))
    return [*names, count(one.missing), facts.levels(one), count(one.width)]


SECTIONS = (verdict, policy, losses, worst, added, tuned, columns_add, estimated, trust.sections, numbers, audited)
