"""What follows from a box, from guesses and from equal rows: definitions by brute force, and edges."""

from __future__ import annotations

import math
from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.certificates import (
    boxes,
    class_boxes,
    divergence_cells,
    error_cells,
    feature_loss,
    guessed_cells,
    nubar_cells,
    repeated_rows,
    tail_cells,
)
from labeldp_audit.bounds.certificates.guessed_cells import Guessed
from labeldp_audit.bounds.intervals import clopper_pearson

quick = settings(deadline=None, max_examples=100, derandomize=True)
tilts = st.floats(-6, 6) | st.just(0.0)
inner = st.floats(0.001, 0.999)
limits = st.tuples(inner, inner).map(sorted)
cells = st.lists(st.tuples(st.integers(1, 500), limits), min_size=1, max_size=8)
places = st.lists(inner, min_size=8, max_size=8)
chances = st.floats(1e-6, 1 - 1e-6) | st.sampled_from([0.0, 1.0])


def box_of(rows, low, high):
    return boxes.of_cells(np.array(rows), np.array(low, np.float64), np.array(high, np.float64))


def boxed(some):
    return box_of([rows for rows, _ in some], [ends[0] for _, ends in some], [ends[1] for _, ends in some])


def allowed(some, at):
    """An eta for each cell, within its limits."""
    return np.array([low + part * (high - low) for (_, (low, high)), part in zip(some, at, strict=False)])


# ---- shares above a loss


def least_share(mean, z0, z1):
    """The smallest share of eta outside [z0, z1] that a cell with this mean of eta can have."""
    return max((mean - z1) / (1 - z1) if z1 < 1 else 0, (z0 - mean) / z0 if z0 > 0 else 0, 0)


@quick
@given(cells, st.lists(st.floats(-1, 12), min_size=1, max_size=5), limits, tilts)
def test_shares_are_the_least_that_cells_allow(some, taus, p, tilt):
    box = boxed(some)
    found = tail_cells.share_losing_more(box, np.array(taus), *p, tilt)
    z0, z1 = feature_loss.passed(taus, *p, tilt)
    for t in range(len(taus)):
        if z0[t] > z1[t]:
            assert found[t] == 1
            continue
        least = [min(least_share(mean, z0[t], z1[t]) for mean in np.linspace(*ends, 50)) for _, ends in some]
        middle = [0.0 if low <= z1[t] and high >= z0[t] else 1.0 for _, (low, high) in some]
        assert found[t] == pytest.approx(np.dot(box.rows, np.array(least) * middle) / box.n, abs=1e-9)


@quick
@given(cells, limits)
def test_shares_fall_with_tau(some, p):
    share = tail_cells.share_losing_more(boxed(some), np.linspace(-2, 20, 300), *p)
    assert np.all(np.diff(share) <= 1e-12)
    assert np.all((share >= 0) & (share <= 1))


def test_everybody_loses_more_than_the_least_that_can_be_lost():
    box = box_of([10], [0.0], [1.0])
    least = min(float(feature_loss.value(feature_loss.lowest(p), p)) for p in (0.7, 0.8))
    assert tail_cells.share_losing_more(box, np.array([least - 1e-6, 0.0]), 0.7, 0.8).tolist() == [1, 0]


def test_people_of_each_fold():
    """All 50 rows of one fold lose more, none of another: Clopper-Pearson at half the level, and the larger."""
    box = boxes.Box(np.array([50, 200]), np.array([0.9, 0.4]), np.array([0.99, 0.6]), np.array([-1, -1]), (0, 2))
    losses = np.array([-5.0, 1.0, 50.0])
    share = tail_cells.share_losing_more(box, losses, 0.5, 0.5)
    people = tail_cells.people_losing_more(box, losses, 0.5, 0.5, 0.02)
    assert share[0] == 1 and people[0] == pytest.approx(0.01 ** (1 / 200))
    assert share[2] == people[2] == 0
    count = math.ceil(250 * share[1])
    assert 0 < count < 50
    assert people[1] == pytest.approx(float(clopper_pearson.lower(count, 50, 0.01)))


# ---- means and extremes


@quick
@given(cells, limits, places, inner)
def test_no_eta_in_the_cells_loses_less_or_is_harder_to_guess(some, p, at, part):
    box, eta, true = boxed(some), allowed(some, at), p[0] + part * (p[1] - p[0])
    assert nubar_cells.mean_loss(box, *p) <= float(box.rows @ feature_loss.value(eta, true) / box.n) + 1e-9
    far, worst = feature_loss.logit(eta) - feature_loss.logit(true), nubar_cells.worst_losses(box, *p)
    assert worst[0] <= max(0, *far) + 1e-9 and worst[1] <= max(0, *-far) + 1e-9
    assert error_cells.error(box) >= box.rows @ np.minimum(eta, 1 - eta) / box.n - 1e-12
    assert error_cells.spread(box) >= box.rows @ (eta * (1 - eta)) / box.n - 1e-12


@quick
@given(inner, st.sampled_from(nubar_cells.BENDS), st.tuples(inner, inner, inner))
def test_bent_losses_are_convex_and_below(p, bend, points):
    bent = nubar_cells._Bent(p, bend)
    low, middle, high = sorted(points)
    assert bent(middle) <= feature_loss.value(middle, p) + 1e-9
    if low < high:
        at = (middle - low) / (high - low)
        assert bent(middle) <= (1 - at) * bent(low) + at * bent(high) + 1e-9
    assert bent(bent.lowest) <= min(bent(np.linspace(0, 1, 101))) + 1e-9


def test_means_of_people():
    """Below the mean of the rows, and near to it where there are many."""
    few, many = (box_of([n, n], [0.01, 0.89], [0.02, 0.9]) for n in (500, 5_000_000))
    rows = nubar_cells.mean_loss(many, 0.45, 0.46)
    assert nubar_cells.mean_loss_of_people(few, 0.45, 0.46, 0.01) < rows - 0.05
    assert rows - 0.02 < nubar_cells.mean_loss_of_people(many, 0.45, 0.46, 0.01) < rows
    assert nubar_cells.mean_loss_of_people(box_of([9], [0.0], [1.0]), 0.4, 0.5, 0.01) == 0


def test_where_p_is_unknown_nothing_is_said():
    box = box_of([10], [0.9], [0.99])
    assert nubar_cells.mean_loss(box, 0.0, 0.3) == -math.inf
    assert nubar_cells.mean_loss_of_people(box, 0.0, 0.3, 0.01) == 0
    assert nubar_cells.worst_losses(box, 0.0, 1.0) == (0, 0)


# ---- divergences


def divergence(one, zero, order):
    """D_order(P1 || P0), from the laws of the cells."""
    if math.isinf(order):
        return float(np.log(one / zero).max())
    if order == 1:
        return float(one @ np.log(one / zero))
    return float(np.logaddexp.reduce(order * np.log(one) + (1 - order) * np.log(zero))) / (order - 1)


def class_box(ones, zeros, more_ones):
    a, b = class_boxes.limits_of_laws(np.array(ones), np.array(zeros), np.array(more_ones), 0.01)
    return class_boxes.ClassBox(a[None], b[None], (len(a),))


# From 10^12 trials on the inverse beta function of an older scipy may give no number.
TRIALS, NEAR = (10**15, 1e-4) if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17) else (10**11, 1e-3)
masses = st.lists(st.integers(1, 50), min_size=3, max_size=3).map(lambda m: np.array(m) / sum(m))


@quick
@given(masses, masses, st.sampled_from([1.0, 1.2, 2.0, 50.0, 2000.0, math.inf]))
def test_divergences_of_many_rows_come_near(one, zero, order):
    """Both ways, from cells that are known as well as never."""
    box = class_box(*((TRIALS * law).astype(np.int64) for law in (one, zero)), one > zero)
    for found, expected in (
        (divergence_cells.positive_from_negative(box, order), divergence(one, zero, order)),
        (divergence_cells.negative_from_positive(box, order), divergence(zero, one, order)),
    ):
        assert found == pytest.approx(expected, rel=NEAR, abs=NEAR / 100) and found <= expected + 1e-9


def test_orders_near_1_are_near_to_it():
    box = class_box([60, 30, 10], [20, 30, 150], [True, True, False])
    near, at = (divergence_cells.positive_from_negative(box, order) for order in (1 + 1e-7, 1.0))
    assert near == pytest.approx(at, rel=1e-5)


def test_wrong_directions_and_empty_cells_count_nothing():
    wrong = class_box([90, 10], [10, 90], [False, True])
    for order in (1.0, 2.0, math.inf):
        assert divergence_cells.positive_from_negative(wrong, order) == 0
        assert divergence_cells.negative_from_positive(wrong, order) == 0
    right = class_box([900, 100, 0], [100, 900, 0], [True, False, True])
    assert divergence_cells.positive_from_negative(right, 1e5) == pytest.approx(math.log(9), rel=0.2)
    assert divergence_cells.mean_loss(class_box([0, 0], [5, 5], [False, True]), 0.1, 0.2) == 0


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=200), st.sampled_from([1, 3]), st.randoms(use_true_random=False))
def test_every_row_is_in_one_node_of_each_level(scores, folds, random):
    """With limits that are the counts themselves."""
    score, fold = np.array(scores), np.arange(len(scores)) % folds
    positive = np.array([random.random() < 0.5 for _ in scores])
    shares = lambda count, n, miss: np.asarray(count) / max(n, 1)  # noqa: E731
    with patch.multiple(class_boxes.clopper_pearson, lower=shares, upper=shares):
        box = class_boxes.of_scores(score, positive, fold, 0.1)
    assert box.a.shape == (len(np.unique(fold)), sum(box.levels))
    for number, one in enumerate(np.unique(fold)):
        mine = fold == one
        if 0 < positive[mine].sum() < mine.sum():
            apart = box.a[number] != box.b[number]
            for d, begin in enumerate(np.cumsum([0, *box.levels])[:-1]):
                at = slice(begin, begin + box.levels[d])
                assert box.a[number, at][apart[at]].sum() <= 1 + 1e-9


def test_nodes_follow_the_score_and_spend_the_level():
    """Above the middle, which is the share of the other folds, more positive rows are to be expected."""
    seen = []

    def told(count, n, miss):
        seen.append((len(count), miss))
        return np.asarray(count) / n

    score, fold = np.array([0.05, 0.3, 0.97] + [0.1] * 99), np.array([0] * 3 + [1] * 99)
    positive = np.array([False, True, True] + [True] * 9 + [False] * 90)
    with patch.multiple(class_boxes.clopper_pearson, lower=told, upper=told):
        box = class_boxes.of_scores(score, positive, fold, 0.1)
    assert box.levels == (2, 4, 8, 16, 32)
    assert box.a[0, :2].tolist() == [0, 1] and box.b[0, :2].tolist() == [1, 0]
    spent = sum(nodes * miss for nodes, miss in seen) / 2  # lower and upper limits are both made, and one is taken
    assert spent == pytest.approx(0.1)
    assert class_boxes._leaves(np.array([-np.inf, np.inf, -1e-9, 0.0])).tolist() == [0, 31, 15, 16]


def test_the_best_nodes_of_the_halvings_are_taken():
    box = class_boxes.ClassBox(np.ones((1, 6)), np.ones((1, 6)), (2, 4))
    assert box.best(np.array([[5.0, 1, 1, 2, 3, 4]]), np.add).tolist() == [12]
    assert box.best(np.log([[5.0, 1, 1, 2, 3, 4]]), np.logaddexp) == pytest.approx(math.log(12))


# ---- what guesses miss


def test_errors_and_spreads_reach_their_limits():
    assert error_cells.error(box_of([5, 15], [0.1, 0.6], [0.2, 0.7])) == pytest.approx((5 * 0.2 + 15 * 0.4) / 20)
    assert error_cells.spread(box_of([5, 15], [0.1, 0.4], [0.2, 0.7])) == pytest.approx((5 * 0.16 + 15 * 0.25) / 20)
    assert error_cells.of_people(0.5, 0.5, 100, 0.01) == 0.5
    assert 0 < error_cells.of_people(0.0, 0.25, 100, 0.01) < 0.02
    fold = np.repeat([4, 7], [10, 30])
    assert error_cells.spread_of_rows(np.zeros(40), fold, 0.1) == pytest.approx(1 - 0.1 ** (1 / 10), abs=1e-9)


LOSSES = np.linspace(-0.5, 6, 40)


@quick
@given(st.lists(st.lists(chances, min_size=1, max_size=6), min_size=1, max_size=3), st.floats(0.05, 0.95), tilts)
def test_no_eta_that_is_guessed_as_well_loses_less(parts, p, tilt):
    """The limits are the very means, so whatever is said of such rows must be true of these."""
    eta = [np.array(part) for part in parts]
    sure = [np.maximum(part, 1 - part) for part in eta]
    guessed = Guessed(np.array([len(part) for part in eta]), np.array([part.mean() for part in sure]))
    every = np.concatenate(eta)
    true = (feature_loss.value(every, p, tilt)[:, None] > LOSSES - 1e-9).mean(axis=0)
    assert np.all(guessed_cells.share_losing_more(guessed, LOSSES, p, p, tilt) <= true + 1e-12)
    far = feature_loss.logit(every) - feature_loss.logit(p)
    for_positive, for_negative = guessed_cells.worst_losses(guessed, p, p)
    assert for_positive <= far.max() + 1e-9 or for_negative <= -far.min() + 1e-9


def test_guesses_are_as_sharp_as_can_be():
    """Half of the rows at 1, half where the loss is passed: no more can be said."""
    z = float(feature_loss.passed(np.array([1.0]), 0.5, 0.5)[1][0])
    guessed = Guessed(np.array([10]), np.array([(1 + z) / 2]))
    assert guessed_cells.share_losing_more(guessed, np.array([1.0]), 0.5, 0.5)[0] == pytest.approx(0.5)


def test_where_nothing_is_guessed_nothing_is_said_and_a_longer_range_of_p_says_less():
    guessed = Guessed(np.array([5]), np.array([0.99]))
    wide, narrow = (guessed_cells.worst_losses(guessed, *p) for p in ((0.4, 0.6), (0.5, 0.5)))
    assert wide[0] < narrow[0] and wide[1] < narrow[1]
    nothing = Guessed(np.array([3, 4]), np.array([0.0, 0.0]))
    assert not guessed_cells.share_losing_more(nothing, np.array([0.5, 3.0]), 0.3, 0.3).any()
    assert max(guessed_cells.worst_losses(nothing, 0.3, 0.3)) == -np.inf
    assert guessed_cells.worst_losses(nothing, 0.0, 1.0) == (0, 0)


# ---- pairs of equal rows, and what their labels prove


@quick
@given(st.lists(st.integers(-3, 6), min_size=1, max_size=60), st.integers(0, 5))
def test_pairs_are_disjoint_equal_and_as_many_as_can_be(group, seed):
    values = np.array(group, np.int64)
    pairs = repeated_rows.drawn(values, np.random.default_rng(seed))
    used = [*pairs.first.tolist(), *pairs.second.tolist()]
    assert len(set(used)) == len(used)
    assert np.array_equal(values[pairs.first], values[pairs.second])
    assert len(pairs.first) == sum(times // 2 for times in Counter(group).values())


def test_pairs_are_drawn_by_lot():
    """In a file sorted by label, neighbours agree; pairs by lot do not."""
    labels = np.repeat([0, 1], 500)
    pairs = repeated_rows.drawn(np.zeros(1000, np.int64), np.random.default_rng(0))
    assert 0.4 * 500 < pairs.differ(labels) < 0.6 * 500


def test_one_pair_of_two_differs():
    low = repeated_rows.rarely_differ(1, 2, 0.2)
    assert low == pytest.approx(float(clopper_pearson.lower(1, 2, 1 - math.exp(-0.2))))
    missed = (1 - math.sqrt(1 - 2 * low)) / 2
    assert repeated_rows.error_of_pairs(low) == pytest.approx(missed)
    assert repeated_rows.error_of_pairs(low, 0.02) == pytest.approx(missed - 0.02)
    assert repeated_rows.error_of_pairs(low, 0.4) == 0
    assert repeated_rows.rarely_differ(0, 0, 0.1) == repeated_rows.error_of_pairs(0.0) == 0
    assert repeated_rows.rarely_differ(5, 5, 0.9) == 0.5


@quick
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 0.5))
def test_the_mean_of_the_missed_is_at_least_that_at_the_mean(etas, pi):
    eta = np.array(etas)
    at_mean = repeated_rows.error_of_pairs(min(0.5, float(np.mean(2 * eta * (1 - eta)))), pi)
    assert at_mean <= np.mean(np.maximum(0, np.minimum(eta, 1 - eta) - pi)) + 1e-9
    assert at_mean >= max(0.0, float(np.mean(eta * (1 - eta))) - pi) - 1e-9  # the paper's, L / 2 for g(L)


def test_from_pairs_to_people():
    assert repeated_rows.of_people(0.0, 0.1, 50, 0.01) == repeated_rows.of_people(0.0, 0.5, 50, 0.01) == 0
    assert repeated_rows.of_people(0.4, 0.1, 256, 0.01) == pytest.approx(0.4 * 0.01 ** (1 / 256))
    assert 0.19 < repeated_rows.of_people(0.2, 0.1, 10**6, 0.01) < 0.2
