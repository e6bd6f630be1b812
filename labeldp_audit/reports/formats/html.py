"""The report as one HTML file for people: self-contained, without scripts, for light and dark, phones and paper."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from ...core.report import TOOL, Report
from .. import document, figures
from ..blocks import Block, Figure, Level, Remark, Sentence, Table, flowing
from .spelling import plain

if TYPE_CHECKING:
    from jinja2 import Environment

Section = tuple[str, tuple[Block, ...], tuple[Block, ...]]  # title, what is open, what is folded away


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    blocks = document.of(report, run_info)
    return _filled("page.html", report, _sections(blocks), run_info)


def excerpt(report: Report) -> str:
    """For a notebook: verdict or answer, the one table, and the first chart."""
    blocks = document.of(report)
    first = [one for one in blocks if not one.section and one.level is Level.BRIEF]
    charts = [one for one in blocks if isinstance(one, Figure)]
    return _filled("excerpt.html", report, [("", (*first, *charts[:1]), ())], None)


def _filled(name: str, report: Report, sections: Sequence[Section], run: Mapping[str, object] | None) -> str:
    about = run or {}
    return _templates().get_template(name).render(
        title=document.title(report), kicker=f"{TOOL} {report.version}, {report.command}",
        outcome="open" if report.judgement is None else report.judgement.outcome.value.replace(" ", "-"),
        finding=_finding(sections), sections=sections, date=about.get("started", ""),
        author=about.get("user", ""), tool=TOOL,
    )  # fmt: skip


def _finding(sections: Sequence[Section]) -> str:
    """The verdict, or the answer: the largest words of the page."""
    known = [one for _, shown, _ in sections[:1] for one in shown if isinstance(one, Sentence)]
    ranked = sorted(known, key=lambda one: ("verdict", "answer").index(one.role) if one.role in _LARGE else 2)
    return ranked[0].text if ranked else ""


_LARGE = ("verdict", "answer")


def _sections(blocks: Sequence[Block]) -> list[Section]:
    """In the order of their first block; what is folded away stands below what is open."""
    known: dict[str, list[Block]] = {}
    for one in blocks:
        if not (isinstance(one, Sentence) and one.role == "next"):
            known.setdefault(one.section, []).append(one)
    return [
        (name, tuple(one for one in found if one.level is not Level.DETAIL),
         tuple(one for one in found if one.level is Level.DETAIL))
        for name, found in known.items()
    ]  # fmt: skip


@functools.cache
def _templates() -> Environment:
    """Nothing from outside gets into a page unescaped, and no address stands there in one piece."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup, escape

    def finalized(value: object) -> object:
        if isinstance(value, Markup):
            return value
        return Markup(str(escape(plain(str(value)))).replace("//", "/&#47;").replace(" %", "&nbsp;%"))

    def kind(block: Block) -> str:
        names: dict[type, str] = {Sentence: "sentence", Table: "table", Figure: "figure", Remark: "remark"}
        return names[type(block)]

    made = Environment(
        loader=FunctionLoader(_template), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, finalize=finalized,
    )  # fmt: skip
    made.filters |= {"kind": kind, "flowing": flowing}
    made.filters["svg"] = lambda one: Markup(one.chart.svg(standalone=False))
    made.globals["style"] = Markup(_template("style.css") + figures.STYLE)
    return made


def _template(name: str) -> str:
    return files(__package__.rpartition(".")[0]).joinpath("templates", name).read_text(encoding="utf-8")
