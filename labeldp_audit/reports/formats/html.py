"""The report as one HTML file for people: self-contained, without scripts, for light and dark, phones and paper."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from ...core.quoting import plain
from ...core.report import TOOL, Report
from .. import document, figures
from ..blocks import Block, Figure, Level, Sentence, flowing

if TYPE_CHECKING:
    from jinja2 import Environment

Section = tuple[str, Sequence[Block], Sequence[Block]]  # title, what is open, what is folded away


def render(report: Report, *, run_info: Mapping[str, object] | None = None, **_: object) -> str:
    """Sections in the order of their first block; what is folded away stands below what is open."""
    known: dict[str, tuple[list[Block], list[Block]]] = {}
    for one in document.of(report, run_info):
        if not (isinstance(one, Sentence) and one.role == "next"):
            known.setdefault(one.section, ([], []))[one.level is Level.DETAIL].append(one)
    return _filled("page.html", report, [(name, *found) for name, found in known.items()], run_info)


def excerpt(report: Report) -> str:
    """For a notebook: verdict or answer, the one table, and the first chart."""
    blocks = document.of(report)
    first = [one for one in blocks if not one.section and one.level is Level.BRIEF]
    charts = [one for one in blocks if isinstance(one, Figure)]
    return _filled("excerpt.html", report, [("", [*first, *charts[:1]], [])], None)


def _filled(name: str, report: Report, sections: Sequence[Section], run: Mapping[str, object] | None) -> str:
    about, words = run or {}, [one for one in sections[0][1] if isinstance(one, Sentence)]
    largest = [one.text for role in ("verdict", "answer") for one in words if one.role == role]
    return _templates().get_template(name).render(
        title=document.title(report), kicker=f"{TOOL} {report.version}, {report.command}",
        outcome="open" if report.judgement is None else report.judgement.outcome.value.replace(" ", "-"),
        finding=next(iter(largest), words[0].text), sections=sections, date=about.get("started", ""),
        author=about.get("user", ""), tool=TOOL,
    )  # fmt: skip


@functools.cache
def _templates() -> Environment:
    """Nothing from outside gets into a page unescaped, and no address stands there in one piece."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup, escape

    def finalized(value: object) -> object:
        if isinstance(value, Markup):
            return value
        return Markup(str(escape(plain(str(value)))).replace("//", "/&#47;").replace(" %", "&nbsp;%"))

    made = Environment(
        loader=FunctionLoader(_template), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, finalize=finalized,
    )  # fmt: skip
    made.filters |= {"kind": lambda block: type(block).__name__.lower(), "flowing": flowing}
    made.filters["svg"] = lambda one: Markup(one.chart.svg(standalone=False))
    made.globals["style"] = Markup(_template("style.css") + figures.STYLE)
    return made


def _template(name: str) -> str:
    return files(__package__.rpartition(".")[0]).joinpath("templates", name).read_text(encoding="utf-8")
