"""How much labels hang on features inside clusters (004, Definition 1): phi = E sum_y |p(y | X) - p(y | cluster of X)|.

It is twice the mean total variation, from 0 to 2 (ERRATA E5). No table has an upper limit of it but one: labels that
the features decide. Two rows of a cluster are two independent draws of it, so that, whatever the population is,

    phi <= 2 P(their labels differ), as |p(y | X) - p(y)| <= E |1{Y = y} - p(y)| given X, and
    phi >= E [s(X, Y) - s(X, Y')] for any signs s, with X, Y of one and Y' of the other: signs that other rows choose.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels


def heterogeneity(weight: Floats, eta: Floats, cluster: Integers) -> float:
    """Of atoms: weight (a,), eta (a, C), cluster (a,)."""
    share = np.bincount(cluster, weight)
    law = np.stack([np.bincount(cluster, weight * one) for one in eta.T], axis=1) / np.maximum(share, 1e-300)[:, None]
    return float(weight @ np.abs(eta - law[cluster]).sum(axis=1))


def limits(
    labels: Labels, cluster: Integers, cell: Integers | None, classes: int, miss: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Low and high, each missed with probability at most miss / 2 (Hoeffding). cell (n,): parts of the clusters that
    features tell apart, without which the low is 0. Assumes independent rows."""
    order = rng.permutation(len(labels))
    first, second, weight, alone = _pairs(cluster, order)
    differ = labels[first] != labels[second]
    high = 2 * (float(weight @ differ) + _slack(weight, miss / 2)) + 2 * alone
    return (0.0 if cell is None else _low(labels, cluster, cell, classes, miss / 2, order)), min(2.0, high)


def _low(labels: Labels, cluster: Integers, cell: Integers, classes: int, miss: float, order: Integers) -> float:
    """One half of the rows chooses the signs, and the other half judges them."""
    chooses, judges = np.array_split(order, 2)
    cells, clusters = (_shares(labels[chooses], kind, chooses, classes) for kind in (cell, cluster))
    parent = np.zeros(len(cells), np.int64)
    parent[cell] = cluster
    signs = np.where(cells > clusters[parent], 1.0, -1.0)
    first, second, weight, _ = _pairs(cluster, judges)
    gains = [
        signs[cell[one], labels[one]] - signs[cell[one], labels[other]]
        for one, other in ((first, second), (second, first))
    ]
    return max(0.0, float(weight @ (gains[0] + gains[1])) / 2 - 4 * _slack(weight, miss))


def _shares(labels: Labels, kind: Integers, rows: Integers, classes: int) -> Floats:
    """(kinds, C) of these rows; 0 where there are none."""
    kinds = int(kind.max()) + 1
    counts = np.bincount(kind[rows] * classes + labels, minlength=kinds * classes).reshape(kinds, classes)
    return np.asarray(counts / np.maximum(counts.sum(axis=1), 1)[:, None])


def _pairs(cluster: Integers, rows: Integers) -> tuple[Integers, Integers, Floats, float]:
    """Disjoint pairs of rows of one cluster, the weight of each, and the share of rows in clusters without a pair. The
    pairs of a cluster have its share of the rows."""
    mine = rows[np.argsort(cluster[rows], kind="stable")]
    sizes = np.bincount(cluster[mine])
    place = np.arange(len(mine)) - (np.cumsum(sizes) - sizes)[cluster[mine]]
    opens = np.flatnonzero((place % 2 == 0) & (place + 1 < sizes[cluster[mine]]))
    of = cluster[mine[opens]]
    weight = sizes[of] / (sizes[of] // 2) / max(1, len(mine))
    return mine[opens], mine[opens + 1], weight, float(sizes[sizes == 1].sum() / max(1, len(mine)))


def _slack(weight: Floats, miss: float) -> float:
    """Of a weighted sum of independent terms with a range of 1."""
    return math.sqrt(math.log(1 / miss) / 2 * float(weight @ weight))
