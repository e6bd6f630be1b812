"""A report as text for people, pages and programs. A format is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from ..errors import SpecError
from ..model import Report

# name -> module with `render(report, *, width, color, run_info) -> str`; loaded when it is asked for.
_FORMATS = {
    "text": ".text",
    "json": ".json",
    "csv": ".csv",
    "markdown": ".markdown",
    "html": ".html",
}


def names() -> tuple[str, ...]:
    return tuple(_FORMATS)


def render(
    name: str,
    report: Report,
    *,
    width: int = 100,
    color: bool = False,
    run_info: Mapping[str, object] | None = None,
) -> str:
    """The report in the format of that name. `width` and `color` matter to text alone."""
    if name not in _FORMATS:
        raise SpecError.unknown("format", name, _FORMATS)
    module = import_module(_FORMATS[name], __package__)
    return str(module.render(report, width=width, color=color, run_info=run_info))


def picture(report: Report) -> str | None:
    """The curves of the report, or else its advantages, as a self-contained .svg; None where there are neither."""
    from . import compared, dots, svg

    shown = compared.labelled(report)
    return svg.draw(shown) or dots.draw(shown)
