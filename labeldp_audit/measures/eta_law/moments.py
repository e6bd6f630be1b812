"""What may be true of people who differ from known averages, when all that is known is their variance about them.

People with average m have some law of eta on [0, 1] with a variance of at most V. For a function f and every lam >= 0,

    E f(eta) <= sup { E f - lam Var } + lam V,

the supremum over all laws with that average, which is the concave envelope of f(x) - lam x^2 at m, plus lam m^2. Every
lam gives a limit; the least of some is taken. No shape of the law is assumed: a normal one would hide that few people
may be far away, or that all are at two places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core.arrays import Floats
from ..loss import logit

ROOTS = np.geomspace(0.5, 2000.0, 27)  # of lam
GRID = 0.05  # of log-odds, to which ends of averages are rounded outward
_FAR = 40.0  # log-odds
_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Averages:
    """People about averages of which the ends are known, and at most so much variance about each."""

    low: Floats  # (u,)
    high: Floats
    weight: Floats  # sums to 1
    variance: Floats  # (u,) of the people about each; where ends are the same, in the mean

    @classmethod
    def of(cls, low: Floats, high: Floats, variance: Floats) -> Averages:
        ends = np.stack([np.floor(_steps(low)), np.ceil(_steps(high))])
        kept, place, count = np.unique(ends, axis=1, return_inverse=True, return_counts=True)
        variance = np.bincount(place.reshape(-1), variance) / count
        least, most = 1 / (1 + np.exp(-GRID * kept))
        return cls(np.where(kept[0] <= -_FAR / GRID, 0.0, least), np.where(kept[1] >= _FAR / GRID, 1.0, most),
                   count / len(low), variance)  # fmt: skip

    def share_beyond(self, first: Floats, second: Floats) -> Floats:
        """(t,) at most this share has eta <= first or eta >= second."""

        def beyond(mean: Floats, root: float, first: Floats, second: Floats) -> Floats:
            """All of a row whose average is beyond. A share of (1 - distance root)^2 reaches one side; where the sides
            are near each other, both are reached along their chord."""
            below, above = np.maximum(mean[:, None] - first, 0.0), np.maximum(second - mean[:, None], 0.0)
            sides = np.maximum(1 - below * root, 0.0) ** 2 + np.maximum(1 - above * root, 0.0) ** 2
            return np.where((second - first) * root < 2, 1 - root**2 * below * above, np.minimum(sides, 1.0))

        def of_either(root: float, first: Floats, second: Floats) -> Floats:
            """Convex in the average, so largest at an end."""
            return np.maximum(beyond(self.low, root, first, second), beyond(self.high, root, first, second))

        return self._most(of_either, first, second)

    def share_between(self, first: Floats, second: Floats) -> Floats:
        """(t,) at most this share has first <= eta <= second."""

        def within(root: float, first: Floats, second: Floats) -> Floats:
            below = _reaching(root, self.high[:, None], first)
            above = _reaching(root, 1 - self.low[:, None], 1 - second)
            found = np.where(self.high[:, None] < first, below, np.where(self.low[:, None] > second, above, 1.0))
            return np.where(first > second, 0.0, found)

        return self._most(within, first, second)

    def _most(self, of_root: Callable[[float, Floats, Floats], Floats], first: Floats, second: Floats) -> Floats:
        """of_root(root of lam, places (t,), places (t,)) (u, t)."""
        found = np.empty(len(first))
        size = max(1, _AT_ONCE // len(self.weight))
        for start in range(0, len(first), size):
            part = slice(start, start + size)
            each = np.ones((len(self.weight), len(first[part])))
            for root in ROOTS.tolist():
                np.minimum(each, of_root(root, first[part], second[part]) + root**2 * self.variance[:, None], out=each)
            found[part] = self.weight @ each
        return found

    def excess(self, kink: float) -> float:
        """By how much the mean of |eta - kink| may exceed that of averages: E |eta - c| <= sqrt(Var + (m - c)^2)."""
        near = np.where((self.low <= kink) & (kink <= self.high), 0.0,
                        np.minimum(np.abs(self.low - kink), np.abs(self.high - kink)))  # fmt: skip
        rates = ROOTS[:, None] ** 2
        each = rates * np.maximum(1 / (2 * rates) - near, 0.0) ** 2
        return float((each + rates * self.variance).min(axis=0) @ self.weight)

    def excess_worth(self, positive: float, negative: float) -> float:
        """The same of max(positive eta, negative (1 - eta)), what the best of two guesses is worth."""
        both = positive + negative
        return both / 2 * self.excess(negative / both) if both else 0.0


def _reaching(root: float, mean: Floats, place: Floats) -> Floats:
    """Where mean < place: two places, that one and one of at least 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share, free = mean / place, 1 - (place - mean) * root
        found = np.where(free <= share, np.maximum(free, 0.0) ** 2, share - root**2 * mean * (place - mean))
    return np.asarray(found)


def _steps(probability: Floats) -> Floats:
    return np.asarray(np.clip(logit(probability), -_FAR, _FAR) / GRID)
