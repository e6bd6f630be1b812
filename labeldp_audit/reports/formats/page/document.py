"""The page around the sections."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files

from ....core.report import TOOL, Report
from ... import figures
from .. import compared, phrases
from ..spelling import plain
from . import ending, sections
from .markup import NOTHING, Html, joined, tag, text, void

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def whole(report: Report, run_info: Mapping[str, object] | None) -> str:
    charts = figures.of(report)
    report = compared.labelled(report)
    first, *others = (one(report) for one in sections.SECTIONS)
    rest = _with_charts(joined([*others, ending.glossary(report), ending.again(report, run_info)]), charts)
    name = text(report.dataset.name, 120)
    start = tag(
        "header", tag("p", text(f"{TOOL} {report.version}, {report.command}"), class_="kicker"), tag("h1", name),
        tag("p", text(phrases.scope(report)), class_="scope"),
    )  # fmt: skip
    page = tag(
        "html",
        _head(f"{plain(report.dataset.name)}: {report.command}"),
        tag("body", start, tag("main", first, _contents(rest), rest)),
        lang="en",
    )
    return f"<!DOCTYPE html>\n{_lined(page)}\n"


def excerpt(report: Report) -> Html:
    """For a notebook: the verdict and the first chart, in a style that touches nothing around it."""
    first = next(map(_drawn, figures.of(report)), NOTHING)
    sheet = re.sub(r":root|\bbody(?= \{)", ":scope", style())
    scoped = Html(f"@scope (.{TOOL}) {{\n{sheet}\n:scope {{ padding: 0; }} section {{ border: 0; padding: 0; }}\n}}")
    return tag("div", tag("style", scoped), sections.verdict(compared.labelled(report)), first, class_=TOOL)


_CHARTS = {
    "losses": "j", "worst": "nu_max", "added": "advantage", "tuned": "tuned", "columns-add": "columns",
    "estimated": "calibration",
}  # fmt: skip


def _with_charts(page: Html, charts: Sequence[figures.Chart]) -> Html:
    """Each below the title of its section, if there is one."""
    for section, key in _CHARTS.items():
        drawn = joined(_drawn(chart) for chart in charts if chart.key.partition("-")[0] == key)
        start = re.search(rf'<section id="{section}"><h2>.*?</h2>', page)
        place = start.end() if start else 0
        page = Html(page[:place] + drawn + page[place:])
    return page


def _drawn(chart: figures.Chart) -> Html:
    return tag("figure", tag("figcaption", tag("b", text(chart.title))), Html(chart.svg()))


def _head(title: str) -> Html:
    return tag(
        "head", void("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"), void("meta", name="referrer", content="no-referrer"),
        tag("title", text(title, 120)), tag("style", style()),
    )  # fmt: skip


def style() -> Html:
    """Ours, so nothing in it has to be escaped."""
    sheet = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    return Html(re.sub(r"/\*.*?\*/\s*", "", sheet, flags=re.DOTALL) + figures.STYLE)


def _contents(body: Html) -> Html:
    found = re.findall(r'<section id="([a-z-]+)"><h2>(.*?)</h2>', body)
    links = joined(tag("li", Html(f'<a href="#{key}">{title}</a>')) for key, title in found)
    return tag("nav", tag("ul", links), aria_label="Contents") if len(found) > 1 else Html("")


def _lined(page: Html) -> str:
    """Lines that a person can compare: each section, row and figure begins one."""
    return re.sub(r"(?=<(?:section|details|tr|figure|li|h[1-6]|body|dt|header|main)[ >])", "\n", page)
