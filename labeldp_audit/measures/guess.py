"""E max_c P(Y = c | x): how often the best guess from the features alone is right (003, Definition 3.1)."""

from __future__ import annotations

import numpy as np

from ..model import Floats


def certainty(eta: Floats) -> Floats:
    """max_c eta at each query; eta (q, C)."""
    return np.asarray(eta.max(axis=1))


def certainty_range(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Two classes: the smallest and largest max(eta, 1 - eta) over eta in [low, high]."""
    nearest = np.clip(0.5, low, high)
    return np.maximum(nearest, 1 - nearest), np.maximum(high, 1 - low)
