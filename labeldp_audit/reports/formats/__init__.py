"""A report as text for people, pages and programs. A format is one file and its name here.

A format has `render(report, *, width, color, run_info, location) -> str`; one that shows no numbers, and only what a
policy says of them, sets VERDICTS. Files of others add theirs by the entry point group `labeldp_audit.formats`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Protocol

from ...core.registry import Named, lacking
from ...core.report import Report


class Format(Protocol):
    def render(
        self, report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None
    ) -> str:
        """`width` and `color` matter to text alone. location: of the table, from the top of its repository and with
        slashes, for programs that point there."""


_OURS = ("text", "json", "csv", "markdown", "html", "sarif", "junit", "github")
_ENDINGS = {"md": "markdown", "txt": "text", "htm": "html", "xml": "junit"}
FORMATS: Named[Format] = Named(
    "format", {name: partial(import_module, f".{name}", __package__) for name in _OURS},
    "formats", lambda name, thing: lacking(thing, "render"),
)  # fmt: skip
names = FORMATS.names


def of_verdicts(name: str) -> bool:
    """Is it about what a policy says, and not about the numbers?"""
    return bool(getattr(FORMATS.get(name), "VERDICTS", False))


def of_ending(ending: str) -> str:
    """The format of a file whose name ends so."""
    return _ENDINGS.get(ending, ending)


def render(
    name: str, report: Report, *, width: int = 100, color: bool = False, run_info: Mapping[str, object] | None = None,
    location: str | None = None,
) -> str:  # fmt: skip
    """The report in the format of that name."""
    return FORMATS.get(name).render(report, width=width, color=color, run_info=run_info, location=location)


def screen(report: Report, *, width: int = 100, color: bool = False, page: str = "", rest: str = "--verbose") -> str:
    """The text that a person reads first, on one screen; `page` is where the rest is, `rest` what shows it."""
    from . import text

    return text.screen(report, width, color, page, rest)


def excerpt(report: Report) -> str:
    """A piece of HTML for a notebook: the verdict or the answer, and the first chart."""
    from . import html

    return html.excerpt(report)


def summary(report: Report, taken: int = 0) -> str:
    """What GitHub shows below a job: the report as Markdown, cut to what it takes; `taken` bytes of that are full."""
    from . import github

    return github.summary(report, github.ROOM - taken)


def picture(report: Report) -> str | None:
    """The first picture, if there is one."""
    return next(iter(pictures(report).values()), None)


def pictures(report: Report) -> dict[str, str]:
    """How its file's name ends, and a self-contained .svg: the first chart of the report, and its advantages."""
    from .. import figures

    charts = figures.of(report)
    gains = next((one for one in charts[1:] if one.key == "advantage"), None)
    named = {".svg": charts[0] if charts else None, "-advantage.svg": gains}
    return {ending: chart.svg(standalone=True) for ending, chart in named.items() if chart}
