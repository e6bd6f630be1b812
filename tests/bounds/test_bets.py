"""Bets against a mean, and what they say of losses: exact coverage, definitions by brute force, edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.bounds import bets, feature_loss, nubar_tangents, tail_bets

quick = settings(deadline=None, max_examples=60, derandomize=True)
inner = st.floats(0.001, 0.999)


def coins(count, n, low, high):
    return bets.Terms(np.array([low, high]), np.array([n - count, count], np.float64), low)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-100.0, 4.0)])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("n", [1, 30, 400])
def test_limits_miss_no_more_often_than_promised(low, high, share, n):
    """Exactly, over all counts; the other bet is a copy whose expectation is smaller."""
    count, mean = np.arange(n + 1), low + share * (high - low)
    limits = [bets.mean_lower([coins(s, n, low, high), coins(s, n, low - 1, high - 1)], 0.1) for s in count]
    assert float(binom.pmf(count, n, share)[np.array(limits) > mean].sum()) <= 0.1


def test_and_that_test_has_teeth():
    """A floor that is the smallest value seen, not the smallest that may be: for one row all is certain."""
    limits = [bets.mean_lower([bets.Terms(np.array([v]), np.ones(1), v)], 0.1) for v in (0.0, 1.0)]
    assert limits == [0, 1]


def test_limits_come_near():
    limit = bets.mean_lower([coins(3 * 10**6, 4 * 10**6, -1.0, 1.0)], 0.01)
    assert 0.5 - 0.01 < limit < 0.5
    assert bets.mean_lower([coins(0, 10, -1.0, 1.0)], 0.01) == pytest.approx(-1)


def test_the_mean_wealth_by_hand():
    one, other = coins(1, 1, 0.0, 1.0), coins(0, 1, 0.0, 1.0)
    wealth = np.mean([*(1 - bets.STAKES + bets.STAKES / 0.4), *(1 - bets.STAKES)])
    assert bets._log_mean_wealth([one, other], 0.4) == pytest.approx(math.log(wealth))


# ---- the mean loss


@quick
@given(st.integers(0, 320), inner, st.sampled_from(nubar_tangents.BENDS), inner, inner)
def test_what_is_bet_on_is_below_the_loss(place, p0, bend, eta, p):
    """For every eta and g: phi's tangent, less what p makes of it."""
    g = np.array([nubar_tangents._points()[place]])
    both = [nubar_tangents._terms(g, np.array([label]), p0, bend, (p, p)) for label in (False, True)]
    expected = (1 - eta) * both[0].value[0] + eta * both[1].value[0]
    phi = feature_loss.value(eta, 0.5)
    c = float(feature_loss.logit(p0))
    true = phi - c * (2 * eta - 1) - (2 * p - 1) * (float(feature_loss.logit(p)) - c)
    assert expected <= true + 1e-9 * (1 + abs(true))
    if bend < g[0] < 1 - bend:
        at = g[0] * both[1].value[0] + (1 - g[0]) * both[0].value[0]
        phi_g = feature_loss.value(g[0], 0.5)
        assert at == pytest.approx(phi_g - c * (2 * g[0] - 1) - feature_loss.value(p, p0), abs=1e-8)
    assert both[0].floor == both[1].floor <= min(both[0].value[0], both[1].value[0])


def test_mean_losses():
    rng = np.random.default_rng(0)
    eta = rng.choice([0.05, 0.5, 0.9], 20_000)
    positive, fold, p = rng.random(20_000) < eta, np.arange(20_000) % 4, 29 / 60
    truth = float(feature_loss.value(np.array([0.05, 0.5, 0.9]), p).mean())
    found = nubar_tangents.mean_loss_of_people(eta, positive, fold, p - 0.005, p + 0.005, 0.01)
    assert 0.75 * truth < found < truth
    assert nubar_tangents.mean_loss_of_people(1 - eta, positive, fold, p - 0.005, p + 0.005, 0.01) == 0
    assert nubar_tangents.mean_loss_of_people(eta, positive, fold, 0.0, 0.5, 0.01) == 0
    ends = nubar_tangents.mean_loss_of_people(
        np.array([0.0, 1.0]), np.array([False, True]), np.zeros(2, int), 0.4, 0.6, 0.1
    )
    assert ends >= 0


# ---- shares above a loss


@quick
@given(inner, inner, st.floats(-1, 12), inner)
def test_what_is_bet_on_is_below_the_share(p_low, p_high, loss, eta):
    """A row that is bet on, below z0 or above z1, is worth at most 1 where the loss is above, and nothing elsewhere."""
    z0, z1 = feature_loss.passed(np.array([loss]), *sorted((p_low, p_high)))
    if z0[0] > z1[0]:
        return
    fits, below, above, none = tail_bets._values(z0, z1)[:, 0]
    assert (fits, none) == (1, 0)
    assert eta * below + (1 - eta) <= (1 if eta < z0[0] else 1e-9) + 1e-9 or z0[0] < 1e-9
    assert (1 - eta) * above + eta <= (1 if eta > z1[0] else 1e-9) + 1e-9 or 1 - z1[0] < 1e-9


def test_what_is_seen_is_counted():
    fold = tail_bets._Fold(np.array([-5.0, 1.0, 3.0]), np.array([-4.0, -3.0, 0.0, 4.0]))
    seen = tail_bets._bets(fold, np.array([0.1]), np.array([0.7]))  # logits -2.2 and 0.85
    assert seen.shape == (4, 1, len(tail_bets.BEYOND), 3)
    assert seen[:, 0, 0].T.tolist() == [[4, 1, 1, 1], [2, 1, 0, 4], [2, 0, 1, 4]]
    assert seen[:, 0, 3].T.tolist() == [[1, 1, 1, 4], [0, 1, 0, 6], [1, 0, 1, 5]]  # beyond -4.2 and 2.85
    assert np.all(seen.sum(axis=0) == 7)


def test_parts_cover_p_and_follow_n_alone():
    parts = tail_bets._parts(0.31, 0.35, 1000)
    assert parts[0][0] <= 0.31 and parts[-1][1] >= 0.35
    assert [end for _, end in parts[:-1]] == [start for start, _ in parts[1:]]
    assert set(parts) <= set(tail_bets._parts(0.2, 0.5, 1000))


def test_shares():
    rng = np.random.default_rng(1)
    eta = rng.choice([0.02, 0.5, 0.98], 20_000)
    positive, fold = rng.random(20_000) < eta, np.arange(20_000) % 4
    losses = np.array([-9.0, 0.5, 2.0, 3.0, 4.0, 1e3])
    found = tail_bets.people_losing_more(eta, positive, fold, losses, 0.495, 0.505, 0.01)
    truth = np.array([np.mean(feature_loss.value(eta, 0.5) > loss) for loss in losses])
    assert found[0] == 1 and found[-1] == 0
    z1 = feature_loss.passed(losses[:3], 0.5, 0.5)[1]
    known = 2 / 3 * (0.98 - z1) / (1 - z1)  # what is left where the mean of eta is all that is known
    assert np.all(found <= truth) and np.all(found[1:3] > 0.8 * known[1:])
    assert np.all(tail_bets.people_losing_more(1 - eta, positive, fold, losses, 0.495, 0.505, 0.01)[1:] < 1e-6)
    assert tail_bets.people_losing_more(eta, positive, fold, losses, 0.0, 0.5, 0.01).tolist() == [0] * 6
    assert len(tail_bets.people_losing_more(eta, positive, fold, np.empty(0), 0.4, 0.5, 0.01)) == 0
    one = tail_bets.people_losing_more(eta[:1], positive[:1], fold[:1], losses, 0.4, 0.6, 0.01)
    assert np.all((one[1:] >= 0) & (one[1:] < 0.1))
