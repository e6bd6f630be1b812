"""The frame of a chart of J(tau): its ranges and its round marks. The picture and the terminal share it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .curves import Curve
from .rounds import round_step

_FEW = 6
_TOPS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


@dataclass(frozen=True)
class Frame:
    left: float  # tau
    right: float
    top: float  # share; the bottom is 0

    def across(self, tau: float) -> float:
        """0 at the left end, 1 at the right end."""
        return (tau - self.left) / (self.right - self.left)

    def up(self, share: float) -> float:
        """0 at the bottom, 1 at the top."""
        return min(max(share / self.top, 0.0), 1.0)

    def taus(self, most: int) -> tuple[float, ...]:
        return _marks(self.left, self.right, most)

    def shares(self, most: int) -> tuple[float, ...]:
        return _marks(0.0, self.top, most)


def drawable(curves: Sequence[Curve]) -> tuple[Curve, ...]:
    """A single point is no curve."""
    return tuple(curve for curve in curves if len(curve.taus) > 1)


def legible(curves: Sequence[Curve]) -> tuple[Curve, ...]:
    """Between a few values of tau, characters would draw steps that nobody computed."""
    return tuple(curve for curve in curves if len(curve.taus) >= _FEW)


def frame(curves: Sequence[Curve]) -> Frame:
    highest = max(max(bound.high or 0.0, bound.estimate or 0.0) for curve in curves for bound in curve.bounds)
    return Frame(
        left=min(curve.taus[0] for curve in curves),
        right=max(curve.taus[-1] for curve in curves),
        top=_top(highest),
    )


def _top(highest: float) -> float:
    """A round share that leaves little room above; 1 from a half on, so that most charts can be compared."""
    if highest > 0.5:
        return 1.0
    power = 10.0 ** math.floor(math.log10(max(highest, 1e-6)))
    return next(round(top * power, 9) for top in _TOPS if top * power >= highest)


def _marks(start: float, end: float, most: int) -> tuple[float, ...]:
    step = round_step((end - start) / most)
    first, last = math.ceil(start / step - 1e-9), math.floor(end / step + 1e-9)
    # Rounding removes what binary fractions add: 3 * 0.1 is 0.30000000000000004.
    return tuple(round(index * step, 12) for index in range(first, last + 1))
