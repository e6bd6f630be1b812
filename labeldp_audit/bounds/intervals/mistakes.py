"""Many intervals at once, cheaply: allow a few of them to be wrong, and count those out (CERTIFICATES b).

If each of q intervals misses with probability at most miss_each, the expected number of wrong ones is at most
q miss_each, and by Markov P(at least m are wrong) <= q miss_each / m. With miss_each = miss m / q, at most m - 1 of
the q are wrong, except with probability `miss`. m = 1 is the union bound. Assumes nothing on how the intervals
depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass

SHARE = 0.001  # of the intervals that may be wrong: this much is taken off every share that is reported


@dataclass(frozen=True)
class Mistakes:
    allowed: int  # intervals that may be wrong
    miss_each: float  # level of each interval, both ends together


def simultaneous(q: int, miss: float) -> Mistakes:
    """None may be wrong: for statements about the most extreme of the q."""
    return Mistakes(0, miss / q)


def tolerated(q: int, miss: float) -> Mistakes:
    """Few may be wrong: for statements about shares of the q."""
    allowed = int(SHARE * q)
    return Mistakes(allowed, miss * (allowed + 1) / q)
