"""What follows from a box: reference cases, definitions by brute force, edges."""

from __future__ import annotations

import json
import math
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.certificates import (
    boxes,
    class_boxes,
    divergence_cells,
    error_cells,
    feature_loss,
    nubar_cells,
    tail_cells,
    unknowable,
)
from labeldp_audit.bounds.intervals import clopper_pearson
from labeldp_audit.measures import loss
from labeldp_audit.mechanisms.randomized_response import epsilon_from_pi

CASES = json.loads((Path(__file__).parent.parent / "oracle" / "cases.json").read_text(encoding="utf-8"))
quick = settings(deadline=None, max_examples=150, derandomize=True)
tilts = st.floats(-6, 6) | st.just(0.0)
inner = st.floats(0.001, 0.999)
limits = st.tuples(inner, inner).map(sorted)
cells = st.lists(st.tuples(st.integers(1, 500), limits), min_size=1, max_size=8)


def box_of(rows, low, high):
    return boxes.of_cells(np.array(rows), np.array(low, np.float64), np.array(high, np.float64))


def boxed(some):
    return box_of([rows for rows, _ in some], [ends[0] for _, ends in some], [ends[1] for _, ends in some])


def noise(pi):
    return loss.noise_loss(epsilon_from_pi(pi))


def j_cells(rows, low, high, tau, p_low, p_high, pi):
    return tail_cells.share_losing_more(box_of(rows, low, high), np.array([tau - noise(pi)]), p_low, p_high)[0]


def renyi_cells(ones, n1, zeros, n0, sign, miss_each, order):
    assert (n1, n0) == (sum(ones), sum(zeros))
    box = class_boxes.of_cells(ones, zeros, np.array(sign) > 0, miss_each)
    return divergence_cells.positive_from_negative(box, order)


ANSWERS = {
    "kl_cells_lower": lambda *given: renyi_cells(*given, 1.0),
    "renyi_cells_lower": renyi_cells,
    "nubar_cells_lower": lambda rows, low, high, p_low, p_high, pi: (
        nubar_cells.mean_loss(box_of(rows, low, high), p_low, p_high) + noise(pi)
    ),
    "J_cells_lower": j_cells,
}


@pytest.mark.parametrize("case", [case for case in CASES if case["fn"] in ANSWERS], ids=lambda case: case["id"])
def test_case(case):
    assert ANSWERS[case["fn"]](*case["args"]) == pytest.approx(case["expected"], rel=1e-9)


def test_no_case_is_left_out():
    assert {case["fn"] for case in CASES} >= ANSWERS.keys()


# ---- the loss, where it is passed


@quick
@given(inner, inner)
def test_the_loss_is_that_of_measures(z, p):
    assert feature_loss.value(z, p) == pytest.approx(float(loss.feature_loss(z, p)), abs=1e-12)
    assert feature_loss.lowest(p) == pytest.approx(loss.lowest_eta(p), abs=1e-12)
    step = 1e-6 * min(z, 1 - z)
    difference = (loss.feature_loss(z + step, p) - loss.feature_loss(z - step, p)) / (2 * step)
    assert feature_loss.slope(z, p) == pytest.approx(float(difference), rel=1e-4, abs=1e-4)


@quick
@given(inner, st.floats(-3, 30), tilts)
def test_roots_are_those_of_measures(p, tau, tilt):
    z0, z1 = feature_loss.passed(tau, p, p, tilt)
    expected = loss.roots(tau, p, loss.Noise(0.0, tilt, 0.0, 0.0, 0.0))
    if expected is None:
        least = float(loss.feature_loss(loss.lowest_eta(p, tilt), p, tilt))
        assert (z0, z1) == (1, 0) or tau == pytest.approx(least, abs=1e-10)  # too near to tell
    else:
        assert z0[0] <= expected[0] * (1 + 1e-9) and z0[0] == pytest.approx(expected[0], rel=1e-6, abs=1e-9)
        assert 1 - z1[0] <= (1 - expected[1]) * (1 + 1e-6) + 5e-16
        assert z1[0] == pytest.approx(expected[1], rel=1e-6, abs=1e-7)


@quick
@given(limits, st.floats(-3, 12), inner, tilts)
def test_beyond_the_roots_the_loss_is_above_for_every_p_in_between(ends, tau, part, tilt):
    z0, z1 = (end[0] for end in feature_loss.passed(tau, *ends, tilt))
    p = ends[0] + part * (ends[1] - ends[0])
    part_of = np.linspace(0.01, 1 - 1e-6, 20)
    for z in [*(z0 * part_of), *(1 - (1 - z1) * part_of)]:
        assert loss.feature_loss(z, p, tilt) > tau - 1e-9


def test_roots_at_the_ends():
    z0, z1 = feature_loss.passed([0.0, 700.0, 1e6], 0.3, 0.3)
    assert z0[0] == pytest.approx(0.3) and z1[0] == pytest.approx(0.5)
    assert 0 <= z0[2] <= z0[1] < 1e-300 and z1[1] == z1[2] == 1
    assert feature_loss.passed([1.0], 0.0, 0.4)[0] == 0  # nothing is known of p


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
        expected = np.dot(box.rows, np.array(least) * middle) / box.n
        assert found[t] == pytest.approx(expected, abs=1e-9)


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
@given(cells, limits, st.lists(inner, min_size=8, max_size=8), inner)
def test_no_eta_in_the_cells_loses_less_on_average(some, p, places, part):
    box = boxed(some)
    eta = np.array([low + at * (high - low) for (_, (low, high)), at in zip(some, places, strict=False)])
    true = p[0] + part * (p[1] - p[0])
    mean = float(box.rows @ feature_loss.value(eta, true) / box.n)
    assert nubar_cells.mean_loss(box, *p) <= mean + 1e-9
    far, (for_positive, for_negative) = (
        feature_loss.logit(eta) - feature_loss.logit(true),
        nubar_cells.worst_losses(box, *p),
    )
    assert for_positive <= max(0, *far) + 1e-9 and for_negative <= max(0, *-far) + 1e-9


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


orders = st.sampled_from([1.0, 1.2, 2.0, 50.0, 2000.0, math.inf])
masses = st.lists(st.integers(1, 50), min_size=3, max_size=3).map(lambda m: np.array(m) / sum(m))


@quick
@given(masses, masses, orders)
def test_divergences_of_many_rows_come_near(one, zero, order):
    """Both ways, from cells that are known as well as never."""
    n = 10**15
    ones, zeros = ((n * law).astype(np.int64) for law in (one, zero))
    box = class_boxes.of_cells(ones, zeros, one > zero, 0.01)
    found, expected = divergence_cells.positive_from_negative(box, order), divergence(one, zero, order)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-6) and found <= expected + 1e-9
    found, expected = divergence_cells.negative_from_positive(box, order), divergence(zero, one, order)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-6) and found <= expected + 1e-9


@quick
@given(masses, masses, st.sampled_from([60, 3000]))
def test_divergences_rise_with_their_order(one, zero, n):
    """As the true ones do, once the limits of every cell are taken for laws that leave something over."""
    box = class_boxes.of_cells(*((n * law).astype(np.int64) for law in (one, zero)), one > zero, 0.01)
    found = [divergence_cells.positive_from_negative(box, order) for order in (1, 1.5, 2, 4, 30, 1e4)]
    assert min(found) >= 0 and all(math.isfinite(value) for value in found)
    assert found[-1] <= divergence_cells.positive_from_negative(box, math.inf) + 0.01 or found[-1] < 0.01


def test_orders_near_1_are_near_to_it():
    box = class_boxes.of_cells([60, 30, 10], [20, 30, 150], np.array([True, True, False]), 0.01)
    assert divergence_cells.positive_from_negative(box, 1 + 1e-7) == pytest.approx(
        divergence_cells.positive_from_negative(box, 1.0), rel=1e-5
    )


def test_wrong_directions_and_empty_cells_count_nothing():
    wrong = class_boxes.of_cells([90, 10], [10, 90], np.array([False, True]), 0.01)
    for order in (1.0, 2.0, math.inf):
        assert divergence_cells.positive_from_negative(wrong, order) == 0
        assert divergence_cells.negative_from_positive(wrong, order) == 0
    right = class_boxes.of_cells([900, 100, 0], [100, 900, 0], np.array([True, False, True]), 0.01)
    assert divergence_cells.positive_from_negative(right, 1e5) == pytest.approx(math.log(9), rel=0.2)
    empty = class_boxes.of_cells([0, 0], [5, 5], np.array([False, True]), 0.01)
    assert divergence_cells.mean_loss(empty, 0.1, 0.2) == 0


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
            assert np.all((box.a[number] <= 1) & (box.b[number] <= 1))
            for d, begin in enumerate(np.cumsum([0, *box.levels])[:-1]):
                at = slice(begin, begin + box.levels[d])
                assert box.a[number, at][apart[at]].sum() <= 1 + 1e-9


def test_nodes_follow_the_score_and_the_share_of_the_other_folds():
    """A tenth is positive elsewhere, so the middle is at a score of 0.1."""
    score = np.array([0.05, 0.3, 0.97] + [0.1] * 99)
    fold = np.array([0, 0, 0] + [1] * 99)
    positive = np.array([False, True, True] + [True] * 9 + [False] * 90)
    leaf = class_boxes._leaves(feature_loss.logit(score[:3]) - feature_loss.logit((9 + 0.5) / (99 + 1)))
    assert leaf[0] < 16 <= leaf[1] < leaf[2]
    assert class_boxes._leaves(np.array([-np.inf, np.inf, -1e-9, 0.0])).tolist() == [0, 31, 15, 16]
    assert class_boxes.of_scores(score, positive, fold, 0.1).levels == (2, 4, 8, 16, 32)


def test_the_best_nodes_of_the_halvings_are_taken():
    box = class_boxes.ClassBox(np.ones((1, 6)), np.ones((1, 6)), (2, 4))
    assert box.best(np.array([[5.0, 1, 1, 2, 3, 4]]), np.add).tolist() == [12]
    assert box.best(np.log([[5.0, 1, 1, 2, 3, 4]]), np.logaddexp) == pytest.approx(math.log(12))


# ---- what guesses miss


@quick
@given(cells, st.lists(inner, min_size=8, max_size=8))
def test_no_eta_in_the_cells_is_harder_to_guess(some, places):
    box = boxed(some)
    eta = np.array([low + at * (high - low) for (_, (low, high)), at in zip(some, places, strict=False)])
    assert error_cells.error(box) >= box.rows @ np.minimum(eta, 1 - eta) / box.n - 1e-12
    assert error_cells.spread(box) >= box.rows @ (eta * (1 - eta)) / box.n - 1e-12


def test_errors_and_spreads_reach_their_limits():
    assert error_cells.error(box_of([5, 15], [0.1, 0.6], [0.2, 0.7])) == pytest.approx((5 * 0.2 + 15 * 0.4) / 20)
    assert error_cells.spread(box_of([5, 15], [0.1, 0.4], [0.2, 0.7])) == pytest.approx((5 * 0.16 + 15 * 0.25) / 20)
    assert error_cells.of_people(0.5, 0.5, 100, 0.01) == 0.5
    assert 0 < error_cells.of_people(0.0, 0.25, 100, 0.01) < 0.02


def test_guesses_of_folds():
    """Wrong 2 of 10 and 1 of 30: an average for the rows, the smaller for people."""
    wrong = np.zeros(40, bool)
    wrong[[0, 1, 10]] = True
    fold = np.repeat([4, 7], [10, 30])
    rows, people = error_cells.error_of_guesses(wrong, fold, 0.1)
    assert 3 / 40 < people < rows < 0.5
    squares = wrong.astype(np.float64)
    assert error_cells.spread_of_people(squares[:10] / 50, fold[:10], 0.1) < 0.25
    assert error_cells.spread_of_rows(squares * 0, fold, 0.1) == pytest.approx(1 - 0.1 ** (1 / 10), abs=1e-9)
    assert error_cells.spread_of_people(squares * 0, fold, 0.1) == pytest.approx(1 - 0.05 ** (1 / 30), abs=1e-9)


def test_what_nobody_can_certify_is_said_shortly():
    assert "upper limit" in unknowable.NOBODY_CAN_CERTIFY and len(unknowable.NOBODY_CAN_CERTIFY.split()) < 120
