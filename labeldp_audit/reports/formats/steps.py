"""J is a step function: right-continuous and never rising. So limits reach between the values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .spelling import short


def held(values: Sequence[float]) -> list[float]:
    """From tau i to the next: values[i]. J falls, so an upper limit at tau i holds until the next one too."""
    return list(values)


def reached(values: Sequence[float]) -> list[float]:
    """From tau i to the next: values[i + 1]. J is still at least what it is at the next tau."""
    return [*values[1:], values[-1]]


def thinned(places: Sequence[float], grain: float) -> list[int]:
    """Indices of the places that differ by at least a grain; the first and the last always among them."""
    kept = [0]
    for index, place in enumerate(places):
        if place - places[kept[-1]] >= grain:
            kept.append(index)
    last = len(places) - 1
    return kept if kept[-1] == last else [*kept, last]


def factor(tau: float, down: bool = False) -> str:
    """e^tau in two or three digits; down: no more than it is."""
    value = math.exp(tau) if tau < 700 else math.inf
    if down and 0 < value < math.inf:
        value = _down(value, 2 if value < 100 or value >= 1e5 else 3)
    if 1000 <= value < 1e5:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.1e}".replace("e+0", "e").replace("e+", "e") if value < math.inf and value >= 1e5 else _small(value)


def _down(value: float, digits: int) -> float:
    grain = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return math.floor(value / grain * (1 + 1e-12)) * grain


def _small(value: float) -> str:
    return short(value, digits=2 if value < 100 else 3)
