"""Which k are tried where nobody said one: by factors of about two, and the labels choose between them.

Too few neighbours know little, too many are not alike; where the least of both lies depends on the table.
"""

from __future__ import annotations

import math

import numpy as np

LARGEST = 10_000
MOST_COUNTS = 1 << 28  # kept while k is chosen, four bytes each
_USUAL = 30  # fewer say little about anybody


def ks(n: int) -> tuple[int, ...]:
    """From about 30, or sqrt(n) where that is less, to about 4 sqrt(n)."""
    root = math.sqrt(n)
    least, most = min(n - 1, _USUAL, round(root)), min(n - 1, LARGEST, round(4 * root))
    steps = max(1, round(math.log2(most / least)))
    return tuple(np.unique(np.round(np.geomspace(least, most, steps + 1)).astype(int)).tolist())
