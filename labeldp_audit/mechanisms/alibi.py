"""Soft labels by Laplace noise and Bayes (ALIBI: Malek Esmaeili, Mironov, Prasad, Shilov and Tramer 2021,
arXiv:2106.03408).

A label becomes a number for each class, 1 for its own and 0 for the others, and each gets noise. Another label moves
two of them by 1, so Laplace noise of scale 2 / epsilon spends epsilon. Published is what Bayes' rule makes of the noisy
numbers where each class is as likely beforehand, which is post-processing and loses nothing: with a prior, the
posterior is proportional to prior times soft label.

The noise is exact. Numbers are multiples of 1 / m, and noise is so many m-ths: whole z, P(z) proportional to r^|z| with
r = e^(-epsilon / (2 m)). What a noisy number v says of its class depends on u = min(max(v, 0), 1) m alone, as

    P(v | own class) / P(v | another class) = e^(epsilon (2 u - m) / (2 m)),

so the soft label of a class is proportional to e^(epsilon u / m).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels, Mechanism, Published
from ..core.parameters import parameter
from ..core.randomness import Chance, for_audit
from ..core.release import Guide, Outcomes, Release
from . import exact
from .prior_response import Kept, distinct

STEPS = 16  # m
_MOST = 20.0  # epsilon: beyond it hardly one label in 10,000 is mistaken
_LEAST = 1e-6  # below it noise is larger than a table
_CELLS = 1 << 21
_ROWS = 1 << 14  # at a time
_CLOSE = 1e-9  # a step of the smallest epsilon changes soft labels by more


@dataclass(frozen=True)
class Alibi(Mechanism):
    name: ClassVar[str] = "alibi"
    example: ClassVar[str] = "alibi:epsilon=1"
    summary: ClassVar[str] = "soft labels: Laplace noise on a number for each class, and Bayes"
    theorem: ClassVar[str] = "discrete Laplace noise, for numbers that one label moves by 2 in all (ALIBI, 2021)"
    publishes: ClassVar[Published] = Published.VECTORS

    epsilon: float = parameter(least=_LEAST, most=_MOST, noise=-1)

    def claim(self, classes: int) -> float:
        return self.epsilon

    @property
    def each(self) -> Fraction:
        """The epsilon of a step."""
        return Fraction(self.epsilon) / (2 * STEPS)

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        view = np.empty((len(labels), guide.classes))
        for start in range(0, len(labels), _ROWS):
            some = labels[start : start + _ROWS]
            view[start : start + _ROWS] = soft(self._seen(some, guide.classes, rng), self.epsilon).T
        return Release(view, np.arange(len(labels)))

    def _seen(self, labels: Labels, classes: int, rng: Chance) -> Integers:
        """(C, n) u of each class. Noise is the same on both sides of 0: u is m less what it were around 0."""
        own = np.arange(len(labels))
        seen = exact.noise_within(self.each, STEPS, classes * len(labels), rng).reshape(classes, -1)
        seen[labels, own] = STEPS - seen[labels, own]
        return seen

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        return {
            "steps": STEPS, "noise": "P(z) proportional to exp(-inverse_scale |z|), z whole, in units of 1 / steps",
            "inverse_scale": str(self.each),
            "posterior": "proportional to prior times soft label; the soft labels are those of equally likely classes",
        }  # fmt: skip

    def impossible(self, release: Release) -> int:
        """Of how many records the soft label is on no step, or has other digits than another one on the same steps:
        these could tell what is below the noise."""
        view = release.view.astype(np.float64)
        steps = self._steps(view)
        again = soft(steps.T, self.epsilon).T
        if np.array_equal(again, view):
            return 0
        first, kind = distinct((-steps).astype(np.uint8))
        wrong = ~np.isclose(again, view, rtol=_CLOSE, atol=0) | (view != view[first[kind]])
        return int(np.sum(wrong.any(axis=1)))

    def _steps(self, view: Floats) -> Integers:
        """(n, C) u of each class less the largest one, which is all that soft labels tell."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(view)
            steps = np.rint((logs - logs.max(axis=1, initial=-np.inf, keepdims=True)) * (STEPS / self.epsilon))
        return np.asarray(np.nan_to_num(steps, nan=0, neginf=-STEPS).clip(-STEPS, 0), np.int64)

    def outcomes(self, release: Release, classes: int, labels: Labels | None) -> Outcomes:
        """Which class has the most of u, or that none has it alone. With the labels y and two classes j and k drawn for
        each record: by how many steps u_y is above u_j, on which side of u_j is u_k, and whether u_y is above all."""
        steps, n = self._steps(release.view.astype(np.float64)), len(release.view)
        kind, channel = np.zeros(n, np.int64), self.channel(classes)
        if channel is not None:
            above = np.arange(-STEPS, STEPS + 1) > 0
            return Outcomes(kind, steps[:, 1] - steps[:, 0] + STEPS, channel[None], np.stack([above[::-1], above]))
        alone = np.sum(steps == 0, axis=1) == 1
        if labels is None:
            return Outcomes(kind, np.where(alone, steps.argmax(axis=1), classes), self._most(classes)[None])
        rng, rows = for_audit(0, "classes that are compared"), np.arange(n)
        first, second = rng.integers(1, classes, n), rng.integers(1, classes - 1, n)
        others = (first, second + (second >= first))
        own, j, k = (steps[rows, (labels + one) % classes] for one in (0, *others))
        law, places, stays = self._compared(classes)
        code = _code(own, j, k) * 2 + (alone & (own == 0))
        return Outcomes(
            kind,
            places[code],
            np.broadcast_to(law, (1, classes, len(law))),
            np.broadcast_to(stays, (classes, len(law))),
        )

    def _most(self, classes: int) -> Floats:
        """(C, C + 1) P(s has the most of u, and alone; or none has | y)."""
        other = self._law()
        own, below, own_below = other[::-1], _before(other), _before(other[::-1])
        mine = float(own @ below ** (classes - 1))
        another = float(other @ (own_below * below ** (classes - 2)))
        found = np.full((classes, classes + 1), another)
        np.fill_diagonal(found, mine)
        found[:, -1] = max(0.0, 1 - mine - (classes - 1) * another)
        return found

    def _compared(self, classes: int) -> tuple[Floats, Integers, Kept]:
        """(S,) the law of what is said of y, j and k; the place in it of each code; and where u_y is above all."""
        other = self._law()
        own, j, k = np.indices([STEPS + 1] * 3, np.int64)
        likely = other[STEPS - own] * other[j] * other[k]
        above = np.where(own > np.maximum(j, k), _before(other)[own] ** (classes - 3), 0.0)
        codes = np.stack([_code(own, j, k) * 2, _code(own, j, k) * 2 + 1])
        law = np.asarray(
            np.bincount(codes.ravel(), np.stack([likely * (1 - above), likely * above]).ravel()), np.float64
        )
        possible = law > 0
        places: Integers = np.cumsum(possible) - 1
        return law[possible], places, np.flatnonzero(possible) % 2 == 1

    def loglik(self, release: Release, eta: Floats) -> Floats:
        return np.asarray(np.log(release.view.astype(np.float64)))

    def channel(self, classes: int) -> Floats | None:
        """Of two classes: which of them has more of u, and by how much."""
        if classes != 2:
            return None
        other = self._law()
        positive = np.convolve(other[::-1], other[::-1])  # u_1 - u_0 + m, with u_1 around m and u_0 around 0
        return np.stack([positive[::-1], positive])

    def log_ratios(self) -> Floats:
        return self.epsilon * np.arange(-STEPS, STEPS + 1) / STEPS

    def _law(self) -> Floats:
        """(m + 1,) P(u) of a class that the label is not."""
        each = float(self.each)
        law = -math.expm1(-each) * np.exp(-each * np.arange(STEPS + 1))
        law[0], law[-1] = 1.0, math.exp(-each * STEPS)
        return np.asarray(law / (1 + math.exp(-each)))

    def gain(self, eta: Floats, payoff: Floats) -> Floats:
        """E[(max_{c != b} X_c - X_b)_+], X_c = payoff_c eta_c P(u_c | own) / P(u_c | another), over u of a record that
        is of no class, whose u are independent; b: the best guess beforehand, and E X_c = payoff_c eta_c. As the
        integral over t of P(X_b <= t) P(some other X_c > t), which is a sum: X takes m + 1 values."""
        worth = (payoff * eta).reshape(-1, eta.shape[-1])
        step = max(1, _CELLS // (worth.shape[1] * (STEPS + 1)))
        parts = [self._gain(worth[start : start + step]) for start in range(0, len(worth), step)]
        return np.concatenate([np.empty(0), *parts]).reshape(eta.shape[:-1])

    def _gain(self, worth: Floats) -> Floats:
        law, each = self._law(), float(self.each)
        tails = np.cumsum(law[::-1])[::-1]
        above = np.concatenate([[1.0], tails[1:], [0.0]])  # [j + 1]: P(u > j), from j = -1 on
        heights = np.maximum(worth, 1e-300)
        values = np.exp(each * (2 * np.arange(STEPS + 1) - STEPS))
        points = np.sort((heights[:, :, None] * values).reshape(len(worth), -1), axis=1)
        widths, middles = np.diff(points, axis=1), np.log((points[:, 1:] + points[:, :-1]) / 2)
        best = heights.argmax(axis=1)
        none = np.zeros(middles.shape)  # log P(no other is above)
        for c in range(worth.shape[1]):
            last = np.floor((middles - np.log(heights[:, c, None])) / (2 * each) + STEPS / 2).clip(-1, STEPS)
            beyond = above[last.astype(np.int64) + 1]  # P(X_c > t)
            mine = (best == c)[:, None]
            widths = np.where(mine, widths * (1 - beyond), widths)
            with np.errstate(divide="ignore"):
                none += np.where(mine, 0.0, np.log1p(-beyond))
        return np.asarray((widths * -np.expm1(none)).sum(axis=1))


def _code(own: Integers, j: Integers, k: Integers) -> Integers:
    return np.asarray((own - j + STEPS) * 3 + np.sign(k - j) + 1)


def _before(law: Floats) -> Floats:
    """P(u < v) of each v."""
    return np.append(0.0, np.cumsum(law)[:-1])


def soft(seen: Integers, epsilon: float) -> Floats:
    """(C, n) the posterior of equally likely classes, from the u of each."""
    likely = np.exp(-epsilon / STEPS * np.arange(STEPS + 1))[seen.max(axis=0) - seen]
    return np.asarray(likely / likely.sum(axis=0))
