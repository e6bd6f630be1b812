"""Trees of cells along a score and the box of their limits: every row in its place, and the level spent in full."""

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


# ---- trees


@quick
@given(tables)
def test_roots_are_the_folds_and_children_share_out_their_parent(table):
    score, fold, _ = split(table)
    trees = score_trees.grown(score, fold, 3)
    assert trees.ends[1] == len(set(fold.tolist()))
    for root in range(trees.ends[1]):
        rows = trees.order[trees.start[root] : trees.stop[root]]
        assert len(set(fold[rows].tolist())) == 1
        assert len(rows) == (fold == fold[rows[0]]).sum()
    assert np.sort(trees.order).tolist() == list(range(len(table)))
    parents = np.flatnonzero(trees.child >= 0)
    first = trees.child[parents]
    assert np.array_equal(trees.start[first], trees.start[parents])
    assert np.array_equal(trees.stop[first], trees.start[first + 1])
    assert np.array_equal(trees.stop[first + 1], trees.stop[parents])
    assert np.array_equal(trees.fold[first], trees.fold[parents])
    assert np.array_equal(trees.level[first], trees.level[parents] + 1)
    assert sorted([*first, *(first + 1)]) == list(range(trees.ends[1], trees.ends[-1]))  # each node but a root, once


@quick
@given(tables, st.integers(1, 6), st.randoms(use_true_random=False))
def test_ties_stay_together_leaves_are_not_too_small_and_the_order_of_the_file_does_not_matter(table, smallest, random):
    score, fold, _ = split(table)
    trees = score_trees.grown(score, fold, smallest)
    first = trees.child[trees.child >= 0]
    for at in trees.stop[first]:
        before, behind = trees.order[at - 1], trees.order[at]
        assert fold[before] == fold[behind] and score[before] < score[behind]
    assert all(trees.rows[trees.ends[1] :] >= smallest)
    shuffled = np.array(random.sample(range(len(table)), len(table)))
    other = score_trees.grown(score[shuffled], fold[shuffled], smallest)
    assert np.array_equal(trees.start, other.start) and np.array_equal(trees.stop, other.stop)


@quick
@given(tables)
def test_cuts_are_as_even_as_ties_allow(table):
    score, fold, _ = split(table)
    trees = score_trees.grown(score, fold, 1)
    for node in range(trees.ends[-1]):
        start, stop = int(trees.start[node]), int(trees.stop[node])
        ordered = score[trees.order[start:stop]]
        places = np.flatnonzero(np.diff(ordered)) + 1
        guessed = int((ordered < score_trees.EVEN).sum())
        if not len(places):
            assert trees.child[node] < 0
        elif node < trees.ends[1] and 0 < guessed < stop - start:
            assert trees.rows[trees.child[node]] == guessed
        else:
            left = trees.rows[trees.child[node]]
            assert min(left, stop - start - left) == np.minimum(places, stop - start - places).max()


@pytest.mark.parametrize(("n", "positive", "cut"), [(127, 60, 67), (127, 16, 111), (127, 15, 63), (128, 60, 64)])
def test_small_folds_are_first_cut_where_the_guess_changes(n, positive, cut):
    """What gives half of the labels away shows in 127 rows too; elsewhere, and with few on one side, in the middle."""
    score = np.repeat([0.1, 0.9], [n - positive, positive]) + np.arange(n) / 10_000
    assert score_trees.grown(score, np.zeros(n, np.int64)).stop[1] == cut


def test_a_group_of_three_in_a_hundred_is_not_diluted():
    """180 people of whom nearly all have the label, at scores of their own, among 6000."""
    rng = np.random.default_rng(1)
    eta = np.where(rng.random(6000) < 0.03, 0.985, 0.1)
    trees = score_trees.grown(eta, rng.integers(0, 5, 6000))
    assert boxes.of_trees(trees, rng.random(6000) < eta, 0.001).low.max() > 0.65


# ---- the box


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
    assert box.n == len(table)
    for node in range(trees.ends[-1]):
        mine = positive[trees.order[trees.start[node] : trees.stop[node]]]
        assert (box.low[node], box.high[node]) == clopper_pearson.limits_of_counts(
            mine.sum(), len(mine), share[node] / 2
        )


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
    box = boxes.of_trees(score_trees.grown(score, fold, 12), positive, 0.1)
    terms = np.array([[random.uniform(-1, 1) for _ in range(3)] for _ in box.rows])
    for found, best in ((box.mean_at_least(terms), max), (box.mean_at_most(terms), min)):
        for t in range(3):
            worth = [
                best(sum(box.rows[j] * terms[j, t] for j in part) for part in antichains(box, root))
                for root in range(box.ends[1])
            ]
            assert found[t] == pytest.approx(sum(worth) / len(table))
    assert box.mean_at_least(terms[:, 0]) == box.mean_at_least(terms)[0]
