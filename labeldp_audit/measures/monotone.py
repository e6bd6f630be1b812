"""From scores to probabilities: what share of the rows with a score like this has the label?

The share rises with the score, so the answer is isotonic regression (Barlow and Brunk 1972), which needs no width of
bins. It is fitted without the row that asks: the rows are parted by lot, and each part asks the others.

At either end it leaves a run of rows with one label only, where it would say 0 or 1. It may, if the scores themselves
had expected labels of the other kind there and none came: that is a region which gives the label away. Otherwise the
run is just as long as the first such label takes to come, and a straight line in the log-odds goes on instead.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..model import Floats, Integers

PARTS = 20
EXPECTED = 10.0  # labels of the other kind that did not come: by chance once in e^10
_STEPS = 50  # of Newton's method; about eight are needed


def calibrated(score: Floats, is_class: npt.NDArray[np.bool_], people: Integers, rng: np.random.Generator) -> Floats:
    """(n,) scores inside (0, 1) and whether each row has the label: P(label | score), its person's labels unseen.

    people (n,): the same number, from 0, for rows of one person.
    """
    n, number = len(score), int(people.max()) + 1
    parts = min(PARTS, number)
    part = rng.permutation(np.arange(number) % parts)[people]
    order = np.argsort(score, kind="stable")
    found = np.empty(n)
    for each in range(parts):
        others = order[part[order] != each]
        mine = part == each
        found[mine] = _said(score[others], is_class[others], score[mine]) if len(others) else score[mine]
    return found


def _said(score: Floats, is_class: npt.NDArray[np.bool_], asked: Floats) -> Floats:
    """`score` is sorted. Equal scores are one."""
    place, first, rows = np.unique(score, return_index=True, return_counts=True)
    positives = np.add.reduceat(is_class.astype(np.int64), first)
    return _fitted(place, rows, positives)[_nearest(_log_odds(place), _log_odds(asked))]


def _fitted(score: Floats, rows: Integers, positives: Integers) -> Floats:
    from scipy.optimize import isotonic_regression

    level = np.asarray(isotonic_regression(positives / rows, weights=rows.astype(np.float64)).x)
    line = _line(_log_odds(score), rows, positives)
    level = _lowest(level, line, score * rows)
    return 1 - _lowest(1 - level[::-1], 1 - line[::-1], ((1 - score) * rows)[::-1])[::-1]


def _lowest(level: Floats, line: Floats, expected: Floats) -> Floats:
    """The run of zeros, at the beginning."""
    end = int(np.searchsorted(level, 0.0, side="right"))
    if end == 0 or expected[:end].sum() >= EXPECTED:
        return level
    return np.concatenate([np.minimum(line[:end], level[end] if end < len(level) else 1.0), level[end:]])


def _line(log_odds: Floats, rows: Integers, positives: Integers) -> Floats:
    """Platt scaling: logistic regression on the log-odds, by Newton's method; half a row of either kind added."""
    design = np.column_stack([np.ones_like(log_odds), log_odds])
    design = np.vstack([design, [1.0, log_odds.mean()]])
    tries, hits = np.append(rows, 1.0), np.append(positives, 0.5)
    beta = np.array([0.0, 1.0])
    for _ in range(_STEPS):
        chance = _logistic(design @ beta)
        slope = design.T @ (hits - tries * chance)
        bend = (design * (tries * chance * (1 - chance))[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        beta = beta + step * min(1.0, 2 / max(1e-300, float(np.abs(step).max())))
        if np.abs(step).max() < 1e-9:
            break
    beta[1] = max(0.0, beta[1])
    return _logistic(design[:-1] @ beta)


def _nearest(known: Floats, asked: Floats) -> Integers:
    right = np.searchsorted(known, asked).clip(0, len(known) - 1)
    left = (right - 1).clip(0)
    return np.asarray(np.where(asked - known[left] <= known[right] - asked, left, right))


def _log_odds(chance: Floats) -> Floats:
    return np.asarray(np.log(chance) - np.log1p(-chance))


def _logistic(z: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -500, 500))))
