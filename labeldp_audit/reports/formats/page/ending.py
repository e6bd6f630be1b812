"""The end of the page: what each quantity is, and how to make the report again."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.quantity import Term
from ....core.report import SCHEMA, TOOL, Report
from .. import call, facts
from ..spelling import count, plain, short
from .markup import NOTHING, Html, joined, paragraphs, section, tag, text

_LONG = 2_000


def glossary(report: Report) -> Html:
    """In the order in which quantities appear; those that nobody has explained by what they are called."""
    known = dict.fromkeys(one.quantity for one in facts.for_people(report))
    return section("glossary", "What the quantities are", *(_entry(name, report) for name in known))


def _entry(name: str, report: Report) -> Html:
    found = report.quantities.get(name)
    return NOTHING if found is None else _explained(found)


def _explained(entry: Term) -> Html:
    """What it is called and what it is can be seen; how it is made and read, and where it comes from, on a click."""
    name = (tag("b", text(entry.title)), Html(" "), tag("code", text(entry.name)))
    formula = tag("p", tag("code", text(entry.formula, _LONG)), class_="formula") if entry.formula else NOTHING
    source = f"Source: {entry.source}" if entry.source else ""
    summary = tag("summary", *name, tag("span", text(entry.meaning), class_="meaning"))
    return tag("details", summary, formula, paragraphs(entry.read), paragraphs(source, class_="note"), class_="entry")


def _run(run_info: Mapping[str, object] | None) -> dict[str, str]:
    """When and where it was made, where that was asked for."""
    return {name: str(value) for name, value in (run_info or {}).items()}


def again(report: Report, run_info: Mapping[str, object] | None) -> Html:
    """The call, and what has to be the same for the same numbers."""
    typed = (tag("pre", tag("code", text(line, 20_000))) for line in call.lines(report))
    data = report.dataset
    facts_ = {
        "tool": f"{TOOL} {report.version}", "schema": SCHEMA, "table": data.name, "sha256 of the table": data.sha256,
        "rows": f"{count(data.rows_used)} of {count(data.rows)}", "seed": str(report.parameters.get("seed", "")),
        "log loss": short(report.eta.log_loss), **_run(run_info),
    }  # fmt: skip
    listed = joined(
        joined([tag("dt", text(plain(name))), tag("dd", tag("code", text(value, 1_000)))])
        for name, value in facts_.items()
        if value
    )
    note = "The same table, call and version give the same numbers. Where the table lies is not in a report."
    return section(
        "again",
        "How to make this report again",
        *typed,
        paragraphs(call.unsaid(report), note, class_="note"),
        tag("dl", listed, class_="facts"),
    )
