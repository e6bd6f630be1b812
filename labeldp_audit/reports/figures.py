"""The pictures of a report, each made once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..core.report import Report


@dataclass(frozen=True)
class Chart:
    title: str
    alt: str
    level: str
    draw: Callable[[], str]

    def svg(self, standalone: bool) -> str:
        return self.draw()


def of(report: Report) -> tuple[Chart, ...]:
    from .formats import compared, dots, svg

    shown = compared.labelled(report)
    made = (("People above each loss", svg.draw(shown)), ("What each release adds", dots.draw(shown)))
    return tuple(Chart(title, title, "normal", lambda one=one: one) for title, one in made if one)
