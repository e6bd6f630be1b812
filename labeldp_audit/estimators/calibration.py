"""From scores to probabilities: what share of the rows with a score like this has the label?

The simplest of three answers that labels do not speak against: the score itself; a straight line in its log-odds; and,
where they speak clearly, whatever rises with it. Finer answers fit better where a region stands out, and elsewhere
take chance for knowledge, most of all at the ends, where losses are decided. Each is fitted without the rows that ask:
people are parted by lot, and each part asks the others.

Where many labels of the other kind were to be expected at one end and none came, features give the label away there:
only 0 or 1 will do, whatever a smooth curve says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from . import reliability

PARTS = 20
CLEARLY = (0.0, 2.0)  # standard errors: a line's two numbers take little chance for knowledge
GROUPS, FEWEST, DOUBT = 20, 50, 0.01  # groups of at least so many rows; that chances are called unfit by chance
EXPECTED = 10.0  # labels of the other kind that did not come: by chance once in e^10
APART = 4.0  # nats of log likelihood that set two groups apart
_SURE = 1e-6  # for log losses
_STEPS = 50  # of Newton's method; about eight are needed

Marks = npt.NDArray[np.bool_]


def calibrated(score: Floats, is_class: Marks, people: Integers, rng: np.random.Generator) -> Floats:
    """(n,) scores inside (0, 1) and whether each row has the label: P(label | score), its person's labels unseen.

    people (n,): the same number, from 0, for rows of one person.
    """
    number, most = int(people.max()) + 1, int(np.bincount(people).max())
    parts = min(PARTS, number)
    part = rng.permutation(np.arange(number) % parts)[people]
    order = np.argsort(score, kind="stable")
    answers = np.tile(score, (3, 1))
    for each in range(parts):
        others, mine = order[part[order] != each], part == each
        if len(others):
            answers[:, mine] = _answers(score[others], is_class[others], score[mine], most)
    best: Floats = answers[0]
    for finer, errors in zip(answers[1:], CLEARLY, strict=True):
        gain = _losses(best, is_class) - _losses(finer, is_class)
        better = gain.mean() > errors * gain.std() / np.sqrt(len(gain))
        if better or (not _fits(best, is_class) and _fits(finer, is_class)):
            best = finer
    return best


def _losses(chance: Floats, is_class: Marks) -> Floats:
    kept = np.clip(chance, _SURE, 1 - _SURE)
    return np.asarray(-np.log(np.where(is_class, kept, 1 - kept)))


def _fits(chance: Floats, is_class: Marks) -> bool:
    """In every group of rows with like chances, and in all groups together."""
    groups = max(1, min(GROUPS, len(chance) // FEWEST))
    both = np.column_stack([1 - chance, chance])
    table = reliability.table(both, is_class.astype(np.int64), ("0", "1"), groups, DOUBT / 2)
    return reliability.wonder(chance, is_class, groups) >= DOUBT / 2 and all(one.fits for one in table)


def _answers(in_order: Floats, is_class: Marks, asked: Floats, alike: int) -> Floats:
    """(3, asked), the simplest first. alike: the most rows of one person."""
    known = Known.of(in_order, is_class)
    constant, slope = line(log_odds(known.score), known.rows, known.positives)
    straight = logistic(constant + slope * log_odds(known.score))
    place = known.nearest(asked)
    found = np.stack([asked, logistic(constant + slope * log_odds(asked)), rising(known, straight)[place]])
    without, all_of = known.given_away(straight, alike)
    found[:, place < without] = 0.0
    found[:, place >= all_of] = 1.0
    return found


@dataclass(frozen=True)
class Known:
    """Different scores in order, and how many rows and positives each has."""

    score: Floats
    rows: Integers
    positives: Integers

    @classmethod
    def of(cls, in_order: Floats, is_class: Marks) -> Known:
        score, first, rows = np.unique(in_order, return_index=True, return_counts=True)
        return cls(score, rows, np.add.reduceat(is_class.astype(np.int64), first))

    def nearest(self, asked: Floats) -> Integers:
        """Which known score is nearest, in log-odds."""
        known, there = log_odds(self.score), log_odds(asked)
        right = np.searchsorted(known, there).clip(0, len(known) - 1)
        left = (right - 1).clip(0)
        return np.asarray(np.where(there - known[left] <= known[right] - there, left, right))

    def given_away(self, straight: Floats, alike: int) -> tuple[int, int]:
        """How many scores at the beginning are surely without the label, and from which on all have it.

        Expected are the fewer of what the scores and their straight line say. alike: the most rows of one person, whose
        labels may be one and the same.
        """

        def run(counts: Integers, expected: Floats) -> int:
            """How many are 0 before the first that is not, if so many were to be expected there."""
            length = int(np.argmax(counts > 0)) if np.any(counts > 0) else len(counts)
            return length if expected[:length].sum() >= EXPECTED else 0

        without = run(self.positives, np.minimum(self.score, straight) * self.rows / alike)
        missed = np.minimum(1 - self.score, 1 - straight) * self.rows / alike
        return without, len(self.rows) - run((self.rows - self.positives)[::-1], missed[::-1])


# ---- a straight line in the log-odds: logistic regression on one score (Platt 1999)


def log_odds(chance: Floats) -> Floats:
    return np.asarray(np.log(chance) - np.log1p(-chance))


def logistic(z: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -500, 500))))


def line(at: Floats, rows: Integers, positives: Integers) -> Floats:
    """(2,) constant and slope, at least 0, by Newton's method; half a row of either kind added in the middle."""
    design = np.ones((len(at) + 1, 2))
    design[:-1, 1], design[-1, 1] = at, at.mean()
    tries, hits = np.append(rows, 1.0), np.append(positives, 0.5)
    beta = np.array([0.0, 1.0])
    for _ in range(_STEPS):
        chance = logistic(design @ beta)
        slope = design.T @ (hits - tries * chance)
        bend = (design * (tries * chance * (1 - chance))[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        beta = beta + step * min(1.0, 2 / max(1e-300, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-9:
            break
    return beta if beta[1] > 0 else np.array([float(log_odds(hits.sum() / tries.sum())), 0.0])


# ---- whatever rises with the score


def rising(known: Known, straight: Floats) -> Floats:
    """Isotonic regression (Barlow and Brunk 1972), at each known score. straight: what the line says of them.

    At the ends it splits off groups that chance alone sets apart. There, each group joins the next unless their labels
    speak clearly against it. A run of one label only that stays apart is just as long as the first label of the other
    kind takes to come, so the straight line in the log-odds goes on there instead of 0 or 1.
    """
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
    from scipy.special import xlogy

    def likelihood(rows: float, hits: float) -> float:
        return float(xlogy(hits, hits / rows) + xlogy(rows - hits, 1 - hits / rows))

    return likelihood(*one) + likelihood(*other) - likelihood(one[0] + other[0], one[1] + other[1])
