"""The end of the page: what each quantity is, and how to make the report again."""

from __future__ import annotations

from collections.abc import Mapping

from ...glossary import ENTRIES, Entry
from ...model import SCHEMA, TOOL, Report
from .. import call, facts, words
from ..spelling import count, plain, short
from .markup import NOTHING, Html, joined, paragraphs, section, tag, text

_LONG = 2_000


def glossary(report: Report) -> Html:
    """In the order in which quantities appear; those that nobody has explained by what they are called."""
    known = dict.fromkeys(one.quantity for one in facts.for_people(report))
    entries = joined(_entry(name, report) for name in known)
    return section("glossary", "What the quantities are", tag("dl", entries) if entries else NOTHING)


def _entry(name: str, report: Report) -> Html:
    found = ENTRIES.get(name)
    if found is not None:
        return joined(
            [tag("dt", tag("b", text(found.title)), Html(" "), tag("code", text(name))), tag("dd", *_explained(found))]
        )
    finding = next(one for one in report.findings if one.quantity == name)
    meaning = words.meaning(finding)
    return joined([tag("dt", tag("code", text(name))), tag("dd", paragraphs(meaning))]) if meaning else NOTHING


def _explained(entry: Entry) -> list[Html]:
    formula = tag("p", tag("code", text(entry.formula, _LONG)), class_="formula") if entry.formula else NOTHING
    source = f"Source: {entry.source}" if entry.source else ""
    return [paragraphs(entry.meaning), formula, paragraphs(entry.read), paragraphs(source, class_="note")]


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
        paragraphs(note, class_="note"),
        tag("dl", listed, class_="facts"),
    )
