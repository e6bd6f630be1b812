"""A report as text for people, pages and programs. A format is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ...core.errors import SpecError
from ...core.report import Report

# name -> module with `render(report, *, width, color, run_info) -> str`; loaded when it is asked for. Those of
# VERDICTS are about what a policy says, not about the numbers; some of them point to the table's `location`.
_FORMATS = {
    "text": ".text",
    "json": ".json",
    "csv": ".csv",
    "markdown": ".markdown",
    "html": ".html",
    "sarif": ".sarif",
    "junit": ".junit",
    "github": ".github",
}
VERDICTS = ("sarif", "junit", "github")
_POINTING = ("sarif", "github")


def names() -> tuple[str, ...]:
    return tuple(_FORMATS)


def render(
    name: str,
    report: Report,
    *,
    width: int = 100,
    color: bool = False,
    run_info: Mapping[str, object] | None = None,
    location: str | None = None,
) -> str:
    """The report in the format of that name. `width` and `color` matter to text alone.

    location: of the table, from the top of its repository and with slashes, for programs that point there.
    """
    if name not in _FORMATS:
        raise SpecError.unknown("format", name, _FORMATS)
    module = import_module(_FORMATS[name], __package__)
    more = {"location": location} if name in _POINTING else {}
    return str(module.render(report, width=width, color=color, run_info=run_info, **more))


def summary(report: Report, taken: int = 0) -> str:
    """What GitHub shows below a job: the report as Markdown, cut to what it takes; `taken` bytes of that are full."""
    from . import github

    return github.summary(report, github.ROOM - taken)


def picture(report: Report) -> str | None:
    """The first picture, if there is one."""
    return next(iter(pictures(report).values()), None)


def pictures(report: Report) -> dict[str, str]:
    """How its file's name ends, and a self-contained .svg: the curves of the report, and its advantages."""
    from . import compared, dots, svg

    shown = compared.labelled(report)
    curves, gains = svg.draw(shown), dots.draw(shown)
    if curves is None:
        return {} if gains is None else {".svg": gains}
    return {".svg": curves} | ({} if gains is None else {"-advantage.svg": gains})
