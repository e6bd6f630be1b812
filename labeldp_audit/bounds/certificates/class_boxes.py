"""Counts of each class by itself, in cells that are fixed before all of their rows (CERTIFICATES a1).

Given how many rows of each class a fold has, the positive ones in cell j are Bin(n1, a_j) and the negative ones
Bin(n0, b_j), where a and b are the laws of the cell given the class: what divergences are made of. Unlike the cells of
boxes.py these must not follow the features of their rows. So they are cut in half again and again along

    v = u / (2 + |u|),  u = logit score - logit of the share of positives in the other folds,

at places that are always the same: first where the score says that a = b, then ever finer. Above that place a > b is to
be expected, below a < b; in the expected direction one limit of a and one of b do. Where the score is wrong about the
direction, a node says nothing.

Each fold has an even share of the level, each of its levels an even share of that. Assumes independent rows, and scores
that were not shaped by their fold's rows at all, not even by their features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from ..intervals import clopper_pearson
from .feature_loss import logit

HALVINGS = 5  # 32 leaves, the narrowest 0.13 wide in u; 64 were measured to gain nothing
_LEVELS = tuple(2 ** (d + 1) for d in range(HALVINGS))  # nodes of each
_SOFT = 2.0  # where u is that far from the middle, half of the leaves are left for what is beyond
_Choice = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ClassBox:
    """a and b of each node of each fold, as near to each other as they may be; both 1 where they may be equal.

    Level by level, and the nodes of a level in order: the children of node j of one level are 2 j and 2 j + 1 of the
    next.
    """

    a: Floats  # (folds, m)
    b: Floats  # (folds, m)
    levels: tuple[int, ...]  # nodes of each

    def best(self, terms: Floats, add: np.ufunc) -> Floats:
        """(folds,) the sum over whichever nodes give the most; terms (folds, m), added up by `add`."""
        ends = np.cumsum([0, *self.levels])
        value = terms[:, ends[-2] :]
        for begin, end in zip(ends[-3::-1], ends[-2:0:-1], strict=True):
            value = np.maximum(terms[:, begin:end], add(value[:, ::2], value[:, 1::2]))
        return np.asarray(add.reduce(value, axis=1))


def of_scores(score: Floats, positive: _Choice, fold: npt.NDArray[np.integer], miss: float) -> ClassBox:
    """score (n,) in [0, 1], of each fold by a model that saw no row of it. With a single fold u is logit score."""
    folds = np.unique(fold)
    found = [_of_fold(score, positive, fold == one, miss / len(folds)) for one in folds]
    return ClassBox(np.stack([a for a, _ in found]), np.stack([b for _, b in found]), _LEVELS)


def _of_fold(score: Floats, positive: _Choice, mine: _Choice, miss: float) -> tuple[Floats, Floats]:
    others = ~mine
    middle = float(logit((positive[others].sum() + 0.5) / (others.sum() + 1)))
    leaf = _leaves(logit(score[mine]) - middle)
    ones, zeros = (np.bincount(leaf[positive[mine] == label], minlength=2**HALVINGS) for label in (True, False))
    limits = []
    for nodes in _LEVELS:
        one, zero = (leaves.reshape(nodes, -1).sum(axis=1) for leaves in (ones, zeros))
        limits.append(limits_of_laws(one, zero, np.arange(nodes) >= nodes // 2, miss / HALVINGS / (2 * nodes)))
    return np.concatenate([a for a, _ in limits]), np.concatenate([b for _, b in limits])


def _leaves(u: Floats) -> Integers:
    near = np.clip(u, -1e9, 1e9)  # scores may be 0 and 1
    half = 2 ** (HALVINGS - 1)
    place = np.floor(half * near / (_SOFT + np.abs(near)))
    return np.asarray(np.clip(place, -half, half - 1) + half, np.int64)


def limits_of_laws(ones: Integers, zeros: Integers, more_ones: _Choice, miss_each: float) -> tuple[Floats, Floats]:
    """a and b of some cells, from their counts; with m of them `miss_each` is 1 / 2m of what may be missed."""
    n1, n0 = ones.sum(), zeros.sum()
    lower, upper = clopper_pearson.lower, clopper_pearson.upper
    a = np.where(more_ones, lower(ones, n1, miss_each), upper(ones, n1, miss_each))
    b = np.where(more_ones, upper(zeros, n0, miss_each), lower(zeros, n0, miss_each))
    apart = np.where(more_ones, a > b, a < b)
    return np.where(apart, a, 1.0), np.where(apart, b, 1.0)
