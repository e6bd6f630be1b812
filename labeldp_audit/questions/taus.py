"""The losses at which J is asked."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats
from ..core.errors import SpecError
from ..core.registry import number
from ..measures.loss import Noise

STEP = 0.1
_MOST = 100_000
_UNKNOWN_END = 10.0  # labels in the clear: everybody's loss is infinite and the curve has no end


def parse(text: str | None) -> Floats | None:
    """`1,2,6` or `START:STOP:STEP`, the stop included; None: decide from the curve."""
    if text is None:
        return None
    if ":" not in text:
        values = np.unique([number(part, "--tau") for part in text.split(",")])
        if not np.all(np.isfinite(values)):
            raise SpecError(f"--tau wants finite numbers, not {text!r}")
        return values
    parts = [number(part, "--tau") for part in text.split(":")]
    if len(parts) != 3 or not all(map(math.isfinite, parts)):
        raise SpecError(f"--tau wants VALUES or START:STOP:STEP, not {text!r}")
    start, stop, step = parts
    if step <= 0 or stop < start:
        raise SpecError(f"--tau wants START <= STOP and STEP > 0, not {text!r}")
    return _grid(start, stop, step)


def _grid(start: float, stop: float, step: float) -> Floats:
    """Multiples of the step, without the dust of repeated addition."""
    steps = (stop - start) / step
    if steps >= _MOST:
        what = f"{start:g} to {stop:g} by {step:g} is more than {_MOST} values of tau"
        raise SpecError(what, hint="--tau START:STOP:STEP with a larger step")
    count = math.floor(steps + 1e-9) + 1
    return np.unique(np.round(start + step * np.arange(count), 12))


def asked(
    losses: Sequence[Floats], noise: Sequence[Noise], typed: Floats | None, more: Sequence[float], n: int
) -> tuple[Floats, int]:
    """Where J is asked, and at how many places for each mechanism it might be, whatever the labels. typed: None for
    the whole curve; more: beside these."""
    if typed is not None or not noise:
        at = np.union1d([] if typed is None else typed, more)
        return at, len(at)
    possible, at = at_most(noise, n), curves(losses, noise)
    return np.union1d(at[at <= possible[-1]], more), len(possible) + len(more)


def curves(feature_losses: Sequence[Floats], noise: Sequence[Noise]) -> Floats:
    """From 0 to where the last of the curves ends: beyond the largest finite loss each stays where it is.

    One grid for all of them, because a curve that stops would read as if no one were left. feature_losses: of people,
    at the tilt of each.
    """
    finite = [one[np.isfinite(one)] for one in feature_losses]
    return _until([float(one.max()) if len(one) else 0.0 for one in finite], noise)


def at_most(noise: Sequence[Noise], n: int) -> Floats:
    """A grid that holds every possible `curves`, whatever the labels: the level of the limits must not depend on them.

    A count of 1 to k - 1 among at most n neighbours has |logit eta| < log n, and |logit p| < log n.
    """
    return _until([2 * math.log(n) + abs(one.tilt) for one in noise], noise)


def _until(largest: Sequence[float], noise: Sequence[Noise]) -> Floats:
    ends = [
        _UNKNOWN_END if math.isinf(one.loss) else max(one.loss + most, 0.0) + STEP
        for most, one in zip(largest, noise, strict=True)
    ]
    return _grid(0.0, max(ends), STEP)
