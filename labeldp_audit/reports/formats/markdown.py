"""The report as Markdown, for a pull request or a wiki. Tables are GitHub's; everything else is CommonMark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from ...core.report import Report
from .. import document
from ..blocks import Block, Figure, Level, Remark, Sentence, Table, flowing
from .spelling import plain

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
# What makes emphasis, code, a link, a heading, a cell, a mention or an address. Underscores inside words are harmless.
_SPECIAL = re.compile(r"[\\`*|~#&<>@]|\](?=[(\[:]|$)|(?<![^\W_])_|_(?![^\W_])|(?<=://)|(?<=www)\.", re.IGNORECASE)


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    return "\n".join(_lines(report, run_info)) + "\n"


def escaped(text: str) -> str:
    """Other people's words as text: one line, and nothing in it is markup, a mention or a link."""
    return _SPECIAL.sub(_harmless, plain(text))


def _harmless(match: re.Match[str]) -> str:
    found = match.group()
    if found in ("", "."):  # breaks an address that would become a link
        return "<!---->" + found
    return _ENTITIES.get(found, "\\" + found)


def _lines(report: Report, run: Mapping[str, object] | None) -> Iterator[str]:
    """Details of a section are folded together."""
    yield f"# {escaped(report.command)}: {escaped(report.dataset.name)}"
    section, folded = "", False
    for block in document.of(report, run):
        detail = block.level is Level.DETAIL
        if folded and (not detail or block.section != section):
            yield from ("", "</details>")
            folded = False
        if block.section != section and not isinstance(block, Figure):
            section = block.section
            yield from ("", f"## {escaped(section)}")
        if detail and not folded and not isinstance(block, Figure):
            yield from ("", "<details><summary>Details</summary>")
            folded = True
        yield from _block(block)
    if folded:
        yield from ("", "</details>")


def _block(block: Block) -> Iterator[str]:
    match block:
        case Sentence(role="next"):
            return
        case Sentence(text=text, role="verdict"):
            yield from ("", f"**{escaped(text)}**")
        case Sentence(text=text, role="code"):
            yield from ("", f"<pre>{escape(plain(text))}</pre>")
        case Sentence(text=text):
            yield from ("", escaped(text))
        case Remark(text=text):
            yield from ("", f"> {escaped(text)}")
        case Table():
            yield from (("", f"**{escaped(block.caption)}**") if block.caption else ())
            yield from ("", *_table(block))
            yield from (("", escaped(block.note)) if block.note else ())


def _table(table: Table) -> Iterator[str]:
    yield _row(table.header)
    yield _row(["---" if place in table.left else "---:" for place in range(len(table.header))], plainly=True)
    yield from map(_row, table.rows)


def _row(cells: Sequence[str] | Iterable[str], plainly: bool = False) -> str:
    return f"| {' | '.join(cell if plainly else escaped(flowing(cell)) for cell in cells)} |"
