"""Which rows are asked, and how many neighbours each estimate rests on."""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Integers
from ..core.randomness import for_audit
from ..core.settings import Settings
from . import neighbour_numbers

DEFAULT_QUERIES = 200_000


def queries_of(n: int, settings: Settings) -> Integers:
    """A uniform sample where not all; every row stays a possible neighbour in any case."""
    wanted = DEFAULT_QUERIES if settings.queries is None else settings.queries or n
    if wanted >= n:
        return np.arange(n)
    return np.sort(for_audit(settings.seed, "queries").choice(n, wanted, replace=False, shuffle=False))


def default_k(n: int) -> int:
    """About sqrt(n): enough labels to say something, near enough to be about the same people."""
    return min(n - 1, max(30, min(neighbour_numbers.LARGEST, round(math.sqrt(n)))))
