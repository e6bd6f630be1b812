"""The report as Markdown, for a pull request or a wiki. Tables are GitHub's; everything else is CommonMark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from ...core.quoting import plain
from ...core.report import Report
from .. import document
from ..blocks import Block, Figure, Level, Notice, Sentence, Table, flowing

# A comment breaks an address that would become a link.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "": "<!---->", ".": "<!---->."}
# What makes emphasis, code, a link, a heading, a cell, a mention or an address. Underscores inside words are harmless.
_SPECIAL = re.compile(r"[\\`*|~#&<>@]|\](?=[(\[:]|$)|(?<![^\W_])_|_(?![^\W_])|(?<=://)|(?<=www)\.", re.IGNORECASE)


def render(report: Report, *, run_info: Mapping[str, object] | None = None, **_: object) -> str:
    return "\n".join(_lines(report, run_info)) + "\n"


def escaped(text: str) -> str:
    """Other people's words as text: one line, and nothing in it is markup, a mention or a link."""
    return _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), plain(text))


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
        case Notice(text=text):
            yield from ("", f"> {escaped(text)}")
        case Table():
            yield from (("", f"**{escaped(block.caption)}**") if block.caption else ())
            sides = ["---" if place in block.left else "---:" for place in range(len(block.header))]
            yield from ("", _row(block.header), f"| {' | '.join(sides)} |", *map(_row, block.rows))
            yield from (("", escaped(block.note)) if block.note else ())


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escaped(flowing(cell)) for cell in cells)} |"
