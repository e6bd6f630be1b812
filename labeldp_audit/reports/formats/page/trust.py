"""What is certified and what is assumed, what nobody can certify, and what was not computed."""

from __future__ import annotations

from ....core.report import Report
from .. import certificates, curves, facts, phrases
from ..spelling import plain
from .markup import Html, bullets, joined, paragraphs, part, section, table, tag, text

BESIDE = 4  # mechanisms in one table; more tables follow


def sections(report: Report) -> Html:
    return joined([_certified(report), _assumed(report), _warned(report)])


def _certified(report: Report) -> Html:
    if not certificates.certified_findings(report):
        return section("certified", "What nobody can certify", paragraphs(_nobody(report)))
    found = curves.certified(report)
    split = (certificates.shares(found[start : start + BESIDE + 1]) for start in range(0, len(found), BESIDE + 1))
    return section(
        "certified",
        certificates.title(report),
        paragraphs(certificates.needs(report)),
        joined(map(table, split)),
        paragraphs(certificates.end_of_shares(found)),
        joined(map(table, certificates.others(report))),
        paragraphs(*certificates.also_needed(report)),
        part("What nobody can certify", paragraphs(_nobody(report))),
    )


def _nobody(report: Report) -> str:
    return plain(report.uncertifiable or "")


def _assumed(report: Report) -> Html:
    said = phrases.assumptions(facts.for_people(report))
    items = joined(tag("li", text(line, 2_000)) for line in said)
    return section("assumed", "What is assumed", tag("ol", items) if said else Html(""))


def _warned(report: Report) -> Html:
    return joined(
        [
            section("warnings", "Warnings", bullets(report.warnings)),
            section("missing", "Not computed", bullets(facts.missing(report))),
        ]
    )
