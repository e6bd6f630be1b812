"""Limits of p and of eta."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit
from simulated import table_of, with_columns

from labeldp_audit.audits import reporting
from labeldp_audit.bounds.intervals import score_band
from labeldp_audit.bounds.intervals.mistakes import simultaneous, tolerated
from labeldp_audit.core.budget import Budget
from labeldp_audit.core.eta import Tried
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.estimators import score_windows
from labeldp_audit.estimators.score_windows import Pool
from labeldp_audit.measures import loss, tail
from labeldp_audit.measures.eta_law import estimated
from labeldp_audit.questions import advantage, intervals, releases
from labeldp_audit.questions.contract import Evidence


def prior(positives, rows, miss):
    dataset = SimpleNamespace(rows_used=rows, class_counts=(rows - positives, positives))
    return intervals.of_prior(SimpleNamespace(dataset=dataset), miss)


@pytest.mark.parametrize(("positives", "rows"), [(1, 2), (1, 10**9), (10**9 - 1, 10**9), (5, 10)])
@pytest.mark.parametrize("miss", [0.5, 1e-3, 1e-12])
def test_a_class_that_was_seen_is_possible(positives, rows, miss):
    """Else logit p would be infinite, and every loss with it."""
    found = prior(positives, rows, miss)
    assert 0 < found.low <= found.p == positives / rows <= found.high < 1
    assert math.isfinite(math.log(found.high / (1 - found.high)))


# ---- of eta


def crowd(n=4000, seed=1, falls=False):
    """People in order of their score, or half of them in the opposite one."""
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    eta = np.abs(2 * score - 1) * 0.8 + 0.1 if falls else 0.1 + 0.8 * score
    labels = (rng.random(n) < eta).astype(np.uint8)
    points = score[:, None].astype(np.float32)
    table = table_of(labels, points)
    pool = Pool(np.arange(n), np.arange(n) % 5, np.arange(n))
    by = Tried("made up", 0.5, 0.01, None)
    told = score_windows.eta_of(table, np.column_stack([1 - score, score]), pool, by, Settings(), Silent())
    return table, told, eta


def codes(table, told):
    return {one.code for one in reporting.remarks("nu-max", table.dataset, told, ())}


def test_a_band_holds_and_is_narrower_than_windows():
    table, told, truth = crowd()
    assert told.ordered
    band = intervals.for_shares(table, told, 0.01, 0.0)
    windows = intervals.of_windows(told, 1, tolerated(told.queries, 0.01), 0.0)
    assert np.all((band.low <= truth) & (truth <= band.high))
    assert np.mean(band.high - band.low) < 0.6 * np.mean(windows.high - windows.low)


def test_labels_that_fall_as_scores_rise_leave_windows_alone():
    table, told, _ = crowd(falls=True)
    assert told.order_p < 1e-6
    assert not told.ordered
    found = intervals.for_shares(table, told, 0.01, 0.0)
    same = intervals.of_windows(told, 1, tolerated(told.queries, intervals.WINDOWS * 0.01), 0.0)
    assert np.array_equal(found.low, same.low) and np.array_equal(found.high, same.high)
    assert "scores-in-wrong-order" in codes(table, told)


@pytest.mark.parametrize(("behind", "error", "said"), [(0.01, 0.003, True), (0.01, 0.004, False), (0.002, 0.0, False)])
def test_a_mixture_that_is_clearly_better_than_the_best_of_what_it_mixes_is_told(behind, error, said):
    table, told, _ = crowd()
    tried = (Tried("stack", 0.5, 0.01, None), Tried("linear", 0.5 + behind, 0.01, None, behind, error))
    told = replace(told, log_loss=0.5, tried=tried)
    assert ("more-to-know" in codes(table, told)) is said
    assert "more-to-know" not in codes(table, replace(told, tried=tried[::-1]))


def test_choices_pay_and_doubt_the_order_less():
    table, told, _ = crowd()
    band, dearer = (intervals.for_shares(table, replace(told, choices=choices), 0.01, 0.0) for choices in (1, 7))
    assert np.all(dearer.low <= band.low) and np.all(dearer.high >= band.high)
    assert not replace(told, order_p=0.002).ordered
    assert replace(told, order_p=0.002, choices=7).ordered


def test_extremes_take_whichever_end_is_sharper():
    table, told, truth = crowd()
    found = intervals.for_extremes(table, told, 1, 0.01, 0.0)
    windows = intervals.of_windows(told, 1, simultaneous(told.queries, 0.005), 0.0)
    assert windows.low.max() <= found.most[0] <= truth.max() < found.most[1] == 1
    assert 0 == found.least[0] < truth.min() <= found.least[1] <= windows.high.min()


def test_many_people_with_the_top_score_limit_the_largest_eta():
    table, told, _ = crowd()
    top = np.minimum(told.unseen[:, 1], 0.7)
    tied = replace(told, unseen=np.column_stack([1 - top, top]))
    same = np.where(top == top.max(), 0, np.arange(len(top))).astype(np.uint64)
    alike = replace(table, fingerprints=same)
    assert 0.8 < intervals.for_extremes(alike, tied, 1, 0.01, 0.0).most[1] < 0.9
    different = replace(table, fingerprints=np.arange(len(top), dtype=np.uint64))
    assert intervals.for_extremes(different, tied, 1, 0.01, 0.0).most[1] == 1  # the model told nobody apart


def test_a_liar_who_lets_each_window_stand_alone_is_caught(monkeypatch):
    """And the band at its own level misses far more seldom than it says, in 40 tables."""

    def missed(tables):
        found = 0
        for seed in range(tables):
            table, told, truth = crowd(600, seed)
            box = intervals.for_shares(table, told, 0.2, 0.0)
            found += bool(np.any(box.low > truth) or np.any(box.high < truth))
        return found

    assert missed(40) <= 8
    monkeypatch.setattr(score_band.Windows, "share_each", 1.0)
    assert missed(40) > 15


def rare_levels(seed=2, n=6000, base=0.2):
    """Six people of each level, whose effect no model knows: all have about the same score."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, n // 6, n)
    eta = expit(logit(base) + rng.normal(size=n // 6))[level]
    score, labels = base + 0.001 * rng.random(n), (rng.random(n) < eta).astype(np.uint8)
    table = with_columns(table_of(labels), level[:, None], categorical=(0,))
    table = replace(table, fingerprints=np.arange(n, dtype=np.uint64))
    pool, by = Pool(np.arange(n), np.arange(n) % 5, np.arange(n)), Tried("made up", 0.5, 0.01, None)
    return table, score_windows.eta_of(table, np.column_stack([1 - score, score]), pool, by, Settings(), Silent()), eta


def shares(box, law, prior, tau, miss):
    """Of people above each loss: at least, and at most."""
    losses = intervals.losses_of(box, law, prior)
    of_people = None if losses.people is None else losses.people(np.asarray(tau))
    return tail.share_above(losses.rows, np.asarray(tau), 0, miss, of_people)[1:]


def test_people_whom_scores_do_not_tell_apart_are_spread_as_far_as_their_levels_tell():
    """J from above holds for people, not for averages alone; a liar who leaves it out is caught."""
    table, told, eta = rare_levels()
    box, prior = intervals.for_shares(table, told, 0.01, 0.0), intervals.of_prior(table, 0.01)
    losses = loss.feature_loss(eta, eta.mean())
    for tau in (1.5, 2.0, 3.0):
        truth = float((losses > tau).mean())
        high, lying = (
            shares(one, estimated.of_losses(told), prior, [tau], 1e-3)[1].item()
            for one in (box, replace(box, variance=None))
        )
        assert truth <= high
        assert tau != 2 or lying < truth


def test_a_law_of_eta_is_spread_too():
    _, told, eta = rare_levels()
    law = estimated.of_losses(told).law
    plain = estimated.of_losses(replace(told, unresolved=None)).law
    spread = [float(np.sqrt(one.weight @ (one.eta[:, 1] - one.weight @ one.eta[:, 1]) ** 2)) for one in (law, plain)]
    assert spread[0] == pytest.approx(eta.std(), rel=0.25)
    assert spread[1] < 0.2 * eta.std()
    assert law.weight @ law.eta[:, 1] == pytest.approx(plain.weight @ plain.eta[:, 1], rel=2e-3)


@pytest.mark.parametrize("eta", [(0.02, 0.98), (0.1, 0.95), (0.01, 0.4, 0.99)], ids=str)
def test_whatever_the_law_of_people_about_one_average(eta):
    """Neither end of J takes them for normal, or for alike; who takes them for alike is caught."""
    eta = np.repeat(eta, 400)
    mean = np.full(len(eta), eta.mean())
    box = intervals.Intervals(mean, mean, 0, mean, variance=np.full(len(eta), eta.var()))
    prior = intervals.Prior(eta.mean(), eta.mean(), eta.mean())
    law = estimated.Belief(estimated.observed(np.stack([1 - mean, mean], axis=1)), "", ())
    tau = np.linspace(-0.2, 5, 60)
    low, high = shares(box, law, prior, tau, 0.01)
    truth = (loss.feature_loss(eta, prior.p)[:, None] > tau).mean(axis=0)
    assert np.all(low <= truth) and np.all(truth <= high)
    lying = shares(replace(box, variance=None), law, prior, tau, 0.01)
    assert np.any(lying[1] < truth)


def test_utilities_allow_for_people_whom_scores_do_not_tell_apart():
    """E max(eta, 1 - eta) of people is more than that of averages, and what noise adds is less."""
    table, told, eta = rare_levels(n=30_000, base=0.4)
    settings, plain = Settings(mechanism=("rr:epsilon=1",), certify=False), replace(told, unresolved=None)
    found = {
        told_apart: {one.quantity: one.bound for one in reversed(advantage.answer(
            Evidence(table, told if told_apart else plain, releases.wanted(settings), Silent()),
            settings, Budget.of(settings.confidence)))}
        for told_apart in (True, False)
    }  # fmt: skip
    right, pi = float(np.maximum(eta, 1 - eta).mean()), 1 / (1 + math.e)
    gain = float(np.maximum(np.minimum(eta, 1 - eta) - pi, 0).mean())
    assert right <= found[True]["uninformed_utility"].high and right + gain <= found[True]["informed_utility"].high
    assert found[True]["advantage"].low <= gain
    assert found[False]["uninformed_utility"].high < right or found[False]["advantage"].low > gain
