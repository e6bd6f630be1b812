"""Bags small enough to add up every way in which their labels can fall."""

from __future__ import annotations

import itertools

import numpy as np

PAYOFFS = ((1.0, 1.0), (1.0, 3.0), (4.0, 1.0), (0.0, 1.0), (1.0, 0.0))


def both(hit):
    hit = np.asarray(hit, dtype=float)
    return np.stack([1 - hit, hit], axis=-1)


def joint(hit):
    """(k, 2, k + 1): P(y_i = c, count = s), term by term."""
    k = len(hit)
    law = np.zeros((k, 2, k + 1))
    for labels in itertools.product((0, 1), repeat=k):
        probability = np.prod(np.where(labels, hit, 1 - np.asarray(hit)))
        law[np.arange(k), list(labels), sum(labels)] += probability
    return law


def gain(hit, payoff):
    """What the best answer to each count is worth beyond the best answer without it; (k,)."""
    worth = joint(hit) * np.asarray(payoff)[:, None]
    return worth.max(axis=1).sum(axis=1) - worth.sum(axis=2).max(axis=1)


BAGS = {
    "one": [0.3],
    "halves": [0.5] * 6,
    "alike": [0.9] * 5,
    "mixed": [0.1, 0.45, 0.5, 0.77, 0.93, 0.02, 0.6],
    "certain ones": [0.0, 1.0, 0.2, 0.9, 0.5, 1.0],
    "all certain": [0.0, 1.0, 1.0],
    "one uncertain": [0.0, 0.4, 1.0],
    "nearly certain": [1e-15, 1 - 1e-12, 1e-4, 0.5, 0.999],
    "rare": [1e-3, 2e-3, 1e-6, 5e-4],
}
