"""The box: its level is shared out in full and no more, and whichever nodes are best are taken."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.certificates import boxes, score_trees
from labeldp_audit.bounds.intervals import clopper_pearson

quick = settings(deadline=None, max_examples=100, derandomize=True)
tables = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.booleans()), min_size=1, max_size=100)


def split(table):
    score, fold, positive = (np.array(column) for column in zip(*table, strict=True))
    return score.astype(np.float64), fold, positive


@quick
@given(tables, st.sampled_from([0.4, 0.05, 1e-6]))
def test_each_fold_gets_an_even_share_and_spends_it(table, miss):
    """That of a fold may depend on the number of folds, on its own tree, and on nothing else."""
    score, fold, _ = split(table)
    trees = score_trees.grown(score, fold, 4)
    spent = np.bincount(trees.fold, weights=boxes.shares(trees, miss))
    assert spent == pytest.approx(miss / len(spent))
    other = score_trees.grown(np.where(fold == fold[0], score, -score % 2), fold, 4)
    number = list(np.unique(fold)).index(fold[0])
    mine, same = trees.fold == number, other.fold == number
    assert np.array_equal(boxes.shares(trees, miss)[mine], boxes.shares(other, miss)[same])


@quick
@given(tables)
def test_limits_are_those_of_each_node(table):
    score, fold, positive = split(table)
    trees = score_trees.grown(score, fold, 4)
    box, share = boxes.of_trees(trees, positive, 0.1), boxes.shares(trees, 0.1)
    for node in range(trees.ends[-1]):
        mine = positive[trees.order[trees.start[node] : trees.stop[node]]]
        low, high = clopper_pearson.limits_of_counts(mine.sum(), len(mine), share[node] / 2)
        assert (box.low[node], box.high[node]) == (low, high)
        assert box.low[node] <= mine.mean() <= box.high[node]


def antichains(box, node):
    """All ways to part a node's rows into nodes."""
    yield [node]
    if box.child[node] >= 0:
        below = (antichains(box, box.child[node] + side) for side in (0, 1))
        yield from (a + b for a, b in itertools.product(*below))


@quick
@given(tables, st.randoms(use_true_random=False))
def test_the_best_nodes_are_taken(table, random):
    score, fold, positive = split(table)
    box = boxes.of_labels(score, positive, fold, 0.1, smallest=12)
    terms = np.array([[random.uniform(-1, 1) for _ in range(3)] for _ in box.rows])
    for found, best in ((box.mean_at_least(terms), max), (box.mean_at_most(terms), min)):
        for t in range(3):
            worth = [
                best(sum(box.rows[j] * terms[j, t] for j in part) for part in antichains(box, root))
                for root in range(box.ends[1])
            ]
            assert found[t] == pytest.approx(sum(worth) / len(table))
    assert box.mean_at_least(terms[:, 0]) == box.mean_at_least(terms)[0]


def test_one_row():
    box = boxes.of_labels(np.zeros(1), np.array([True]), np.zeros(1, np.int64), 0.1)
    assert (box.n, box.high[0]) == (1, 1)
    assert box.low[0] == pytest.approx(1 - np.exp(-0.05))
