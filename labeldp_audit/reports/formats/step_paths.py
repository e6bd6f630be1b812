"""Step curves as paths of a drawing, in whole units of its grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from . import steps
from .curves import Curve

Scale = Callable[[float], float]
Corner = tuple[int, int]


def least(curve: Curve) -> list[float]:
    """Lower limits, as far as a falling curve allows."""
    return steps.reached([bound.low or 0.0 for bound in curve.bounds])


def most(curve: Curve) -> list[float]:
    return steps.held([1.0 if bound.high is None else bound.high for bound in curve.bounds])


def estimates(curve: Curve) -> list[float]:
    return steps.held([bound.estimate or 0.0 for bound in curve.bounds])


def corners(curve: Curve, heights: Sequence[float], x: Scale, y: Scale, grain: float = 1.0) -> list[Corner]:
    """heights[i] holds from tau i to the next. Values of tau nearer to each other than a grain are one."""
    taus = steps.thinned([x(tau) for tau in curve.taus], grain)
    found: list[Corner] = []
    for index, following in zip(taus, [*taus[1:], taus[-1]], strict=True):
        height = round(y(heights[index]))
        found += [(round(x(curve.taus[index])), height), (round(x(curve.taus[following])), height)]
    return found


def outline(curve: Curve, x: Scale, y: Scale, grain: float = 1.0) -> list[Corner]:
    """Corners of the band between the limits."""
    return [*corners(curve, most(curve), x, y, grain), *reversed(corners(curve, least(curve), x, y, grain))]


def path(found: Iterable[Corner], unit: int = 1) -> str:
    """unit: so many of the grid are one of the drawing."""
    first, *rest = found
    pieces, (x, y) = [f"M{first[0] / unit:g} {first[1] / unit:g}"], first
    for to_x, to_y in rest:
        if (to_x, to_y) != (x, y):
            pieces.append(_move((to_x - x) / unit, (to_y - y) / unit))
        x, y = to_x, to_y
    return "".join(pieces)


def _move(right: float, down: float) -> str:
    if right and down:
        return f"l{right:g} {down:g}"
    return f"h{right:g}" if right else f"v{down:g}"
