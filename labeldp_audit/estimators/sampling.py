"""Which rows are asked, and among how many neighbours: by default about the square root of the rows.

Where nobody said a k, several are tried, by factors of about two, and the labels choose between them: too few
neighbours know little, too many are not alike, and where the least of both lies depends on the table.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Integers
from ..core.randomness import for_audit
from ..core.settings import Settings

DEFAULT_QUERIES = 200_000
LARGEST = 10_000
MOST_COUNTS = 1 << 28  # kept while k is chosen, four bytes each
_USUAL = 30  # fewer say little about anybody


def queries_of(n: int, settings: Settings) -> Integers:
    """A uniform sample where not all; every row stays a possible neighbour in any case."""
    wanted = DEFAULT_QUERIES if settings.queries is None else settings.queries or n
    if wanted >= n:
        return np.arange(n)
    return np.sort(for_audit(settings.seed, "queries").choice(n, wanted, replace=False, shuffle=False))


def default_k(n: int) -> int:
    """About sqrt(n): enough labels to say something, near enough to be about the same people."""
    return min(n - 1, max(_USUAL, min(LARGEST, round(math.sqrt(n)))))


def ks(n: int) -> tuple[int, ...]:
    """Those that are tried: from about 30, or sqrt(n) where that is less, to about 4 sqrt(n)."""
    root = math.sqrt(n)
    least, most = min(n - 1, _USUAL, round(root)), min(n - 1, LARGEST, round(4 * root))
    steps = max(1, round(math.log2(most / least)))
    return tuple(np.unique(np.round(np.geomspace(least, most, steps + 1)).astype(int)).tolist())
