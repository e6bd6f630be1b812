"""The share of rows that have a label, where it rises with a score: isotonic regression (Barlow and Brunk 1972).

At the ends, where losses are decided, it splits off groups that chance alone sets apart. There, each group joins the
next unless their labels speak clearly against it. A run of one label only that stays apart is just as long as the first
label of the other kind takes to come, so the straight line in the log-odds goes on there instead of 0 or 1.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats
from .known_scores import Known

APART = 4.0  # nats of log likelihood that set two groups apart


def rising(known: Known, straight: Floats) -> Floats:
    """At each known score. straight: what the line says of them."""
    from scipy.optimize import isotonic_regression

    rows, hits = known.rows.astype(np.float64), known.positives.astype(np.float64)
    level = np.asarray(isotonic_regression(hits / rows, weights=rows).x)
    level = _beginning(level, rows, hits, straight)
    return 1 - _beginning(1 - level[::-1], rows[::-1], (rows - hits)[::-1], 1 - straight[::-1])[::-1]


def _beginning(level: Floats, rows: Floats, hits: Floats, straight: Floats) -> Floats:
    """With the first groups joined; where none of these rows has the label, along the line."""
    starts = np.append(np.flatnonzero(np.diff(level, prepend=-1.0)), len(level))
    groups, of_hits = np.add.reduceat(rows, starts[:-1]), np.add.reduceat(hits, starts[:-1])
    joined, last = (groups[0], of_hits[0]), 0
    while last + 1 < len(groups) and _apart(joined, (groups[last + 1], of_hits[last + 1])) < APART:
        last += 1
        joined = joined[0] + groups[last], joined[1] + of_hits[last]
    end = int(starts[last + 1])
    if joined[1]:
        return np.concatenate([np.full(end, joined[1] / joined[0]), level[end:]])
    return np.concatenate([np.minimum(straight[:end], level[end] if end < len(level) else 1.0), level[end:]])


def _apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    """What is lost of the log likelihood where two groups of (rows, hits) are taken to be alike."""
    both = one[0] + other[0], one[1] + other[1]
    return float(_likelihood(*one) + _likelihood(*other) - _likelihood(*both))


def _likelihood(rows: float, hits: float) -> float:
    from scipy.special import xlogy

    return float(xlogy(hits, hits / rows) + xlogy(rows - hits, 1 - hits / rows))
