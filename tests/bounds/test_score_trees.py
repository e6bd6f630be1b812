"""Trees of cells: every row in its place, ties together, as even as ties allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.certificates import boxes, score_trees

quick = settings(deadline=None, max_examples=150, derandomize=True)
tables = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=1, max_size=120)


def grown(table, smallest=3):
    score, fold = np.array(table, np.float64).T
    return score, fold.astype(np.int64), score_trees.grown(score, fold.astype(np.int64), smallest)


@quick
@given(tables)
def test_roots_are_the_folds(table):
    _, fold, trees = grown(table)
    assert trees.ends[1] == len(set(fold.tolist()))
    for root in range(trees.ends[1]):
        rows = trees.order[trees.start[root] : trees.stop[root]]
        assert len(set(fold[rows].tolist())) == 1
        assert len(rows) == (fold == fold[rows[0]]).sum()


@quick
@given(tables)
def test_children_share_out_their_parent(table):
    _, _, trees = grown(table)
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
@given(tables, st.integers(1, 6))
def test_ties_stay_together_and_leaves_are_not_too_small(table, smallest):
    score, fold, trees = grown(table, smallest)
    first = trees.child[trees.child >= 0]
    for at in trees.stop[first]:
        before, behind = trees.order[at - 1], trees.order[at]
        assert fold[before] == fold[behind] and score[before] < score[behind]
    assert all(trees.rows[trees.ends[1] :] >= smallest)


@quick
@given(tables)
def test_cuts_are_as_even_as_ties_allow(table):
    score, _, trees = grown(table, 1)
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
    trees = score_trees.grown(score, np.zeros(n, np.int64))
    assert trees.stop[1] == cut


def test_a_group_of_three_in_a_hundred_is_not_diluted():
    """180 people of whom nearly all have the label, at scores of their own, among 6000."""
    rng = np.random.default_rng(1)
    given_away = rng.random(6000) < 0.03
    eta = np.where(given_away, 0.985, 0.1)
    box = boxes.of_labels(eta, rng.random(6000) < eta, rng.integers(0, 5, 6000), 0.001)
    assert box.low.max() > 0.65


@quick
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_file_does_not_matter(table, random):
    shuffled = list(table)
    random.shuffle(shuffled)
    one, other = grown(table)[2], grown(shuffled)[2]
    assert np.array_equal(one.start, other.start) and np.array_equal(one.stop, other.stop)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_where_all_scores_are_alike_there_is_one_cell(n):
    trees = score_trees.grown(np.full(n, 0.3), np.zeros(n, np.int64), 1)
    assert (trees.ends, trees.rows.tolist(), trees.child.tolist()) == ((0, 1), [n], [-1])
