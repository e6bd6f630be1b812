"""One table of counts, from which much can be said at once (CERTIFICATES 0). Two classes.

Cells that are fixed before their labels are looked at have N rows and S positives. Given the features, the labels are
independent, so Clopper-Pearson limits hold for the mean of eta over the rows of a cell (clopper_pearson.py).
With the level shared out among all nodes of all trees (score_trees.py)

    G:  low_j <= mean of eta over the rows of node j <= high_j, for every j,   has P(G) >= 1 - miss.

Whatever is concluded from G holds at once: for every threshold, mechanism and order, and for whichever nodes suit it
best. A level of a fold's tree gets an even share, and each of its nodes an even share of that: how a tree is cut is
known before the labels of its own fold. (Shares must not depend on how other folds' trees came out: those may have been
drawn from this fold's labels.)

Assumes that labels are independent given the features; nothing on eta, and not that rows are alike. "The rows" below
are those asked, [U] of CERTIFICATES; "people" are the population that rows are drawn from independently, [P].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from ..intervals import clopper_pearson
from .score_trees import Trees


@dataclass(frozen=True)
class Box:
    """Limits for the mean of eta, the probability of the positive class, over the rows of each node."""

    rows: Integers  # (m,)
    low: Floats  # (m,)
    high: Floats  # (m,)
    child: Integers  # (m,) as in Trees
    ends: tuple[int, ...]

    @property
    def of_fold(self) -> Integers:
        """(folds,) rows of each."""
        return self.rows[: self.ends[1]]

    @property
    def n(self) -> int:
        return int(self.of_fold.sum())

    def mean_at_least(self, terms: Floats) -> Floats:
        """Lower limit of a mean over the rows, from limits of its mean over each node, (m,) or (m, t): for each of t
        whichever nodes give the most."""
        return np.asarray(self.sums(terms, np.maximum).sum(axis=0) / self.n)

    def mean_at_most(self, terms: Floats) -> Floats:
        return np.asarray(self.sums(terms, np.minimum).sum(axis=0) / self.n)

    def sums(self, terms: Floats, better: Callable[[Floats, Floats], Floats]) -> Floats:
        """The same over the rows of each fold, (folds,) or (folds, t): a node is worth its own or its children's."""
        value = self.rows.reshape(-1, *[1] * (terms.ndim - 1)) * terms
        for begin, end in reversed(list(zip(self.ends[:-2], self.ends[1:-1], strict=True))):
            node = begin + np.flatnonzero(self.child[begin:end] >= 0)
            first = self.child[node]
            value[node] = better(value[node], value[first] + value[first + 1])
        return np.asarray(value[: self.ends[1]])


def of_trees(trees: Trees, positive: npt.NDArray[np.bool_], miss: float) -> Box:
    """The box for the rows of these trees, of which those marked have the positive label."""
    total = np.concatenate([[0], np.cumsum(positive[trees.order], dtype=np.int64)])
    counts = total[trees.stop] - total[trees.start]
    each = shares(trees, miss) / 2
    low, high = np.empty(len(each)), np.empty(len(each))
    for one in np.unique(each):
        mine = each == one
        low[mine], high[mine] = clopper_pearson.limits_of_counts(counts[mine], trees.rows[mine], float(one))
    return Box(trees.rows, low, high, trees.child, trees.ends)


def of_cells(rows: Integers, low: Floats, high: Floats) -> Box:
    """The box of cells that are not cut any further."""
    return Box(rows, low, high, np.full(len(rows), -1), (0, len(rows)))


def shares(trees: Trees, miss: float) -> Floats:
    """(m,) of the probability `miss`, for both limits of a node together."""
    level, folds = trees.level, int(trees.fold.max()) + 1
    at = trees.fold * (len(trees.ends) - 1) + level
    alike = np.bincount(at)[at]  # nodes of the same level of the same tree
    depth = np.zeros(folds, np.int64)
    np.maximum.at(depth, trees.fold, level + 1)
    return np.asarray(miss / folds / depth[trees.fold] / alike)
