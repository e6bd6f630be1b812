"""The share of rows that have a label, where it rises with a score: isotonic regression (Barlow and Brunk 1972).

At either end it leaves a run of rows with one label only, where it would say 0 or 1. That run is just as long as the
first label of the other kind takes to come, so the straight line in the log-odds goes on there instead.
"""

from __future__ import annotations

import numpy as np

from ..model import Floats
from .scores_known import Known


def rising(known: Known, straight: Floats) -> Floats:
    """At each known score. straight: what the line says of them."""
    from scipy.optimize import isotonic_regression

    level = np.asarray(isotonic_regression(known.positives / known.rows, weights=known.rows.astype(np.float64)).x)
    level = _beginning(level, straight)
    return 1 - _beginning(1 - level[::-1], 1 - straight[::-1])[::-1]


def _beginning(level: Floats, straight: Floats) -> Floats:
    """The run of zeros."""
    end = int(np.searchsorted(level, 0.0, side="right"))
    return np.concatenate([np.minimum(straight[:end], level[end] if end < len(level) else 1.0), level[end:]])
