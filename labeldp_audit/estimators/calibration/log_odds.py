"""A straight line in the log-odds: logistic regression on one score (Platt 1999)."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats, Integers

_STEPS = 50  # of Newton's method; about eight are needed


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
    if beta[1] > 0:
        return beta
    share = hits.sum() / tries.sum()
    return np.array([float(log_odds(np.array(share))), 0.0])
