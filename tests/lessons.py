"""Small tables to learn from, whose eta is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from labeldp_audit.core.table import Columns
from labeldp_audit.estimators.contract import Lesson


def lesson(values, labels, categorical=(), classes=2, threads=1, cut=0.9):
    """Learns from the first rows but for a part that judges; the last fifth are others."""
    values = np.asfortranarray(values, np.float32)
    n, f = values.shape
    columns = Columns(values, np.isin(np.arange(f), categorical), tuple(f"c{j}" for j in range(f)))
    mine = np.arange(round(0.8 * n))
    learn, judge = mine[: round(cut * len(mine))], mine[round(cut * len(mine)) :]
    return Lesson(columns, np.asarray(labels, np.uint8), classes, learn, judge, 5, threads)


def excess(eta, said):
    return float((eta * (np.log(eta) - np.log(said))).sum(axis=1).mean())


def both(logit):
    eta = 1 / (1 + np.exp(-logit))
    return np.stack([1 - eta, eta], axis=1)


def drawn(eta, rng):
    return (rng.random(len(eta))[:, None] > eta.cumsum(axis=1)[:, :-1]).sum(axis=1)


def others(one):
    return np.arange(len(one.judge) + len(one.learn), len(one.labels))


def said_by(learner, one, rows):
    """By one that has not answered anything yet."""
    return learner.scores(replace(one, asked=rows, _known={})).asked
