"""Limits from an average and a variance hold for every law that has them, and are reached by some."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.measures.eta_law.moments import Averages

shares = st.floats(0.001, 0.999)


def one(mean: float, variance: float) -> Averages:
    return Averages(np.array([mean]), np.array([mean]), np.ones(1), np.array([variance]))


@st.composite
def laws(draw):
    """(chances, eta) of a few places."""
    eta = np.array(draw(st.lists(shares, min_size=1, max_size=5)))
    chance = np.array(draw(st.lists(st.floats(0.01, 1), min_size=len(eta), max_size=len(eta))))
    return chance / chance.sum(), eta


@settings(max_examples=200, deadline=None)
@given(st.lists(laws(), min_size=1, max_size=4), st.tuples(shares, shares).map(sorted), shares)
def test_no_law_goes_beyond(each, ends, kink):
    first, second = (np.array([end]) for end in ends)
    means = np.array([chance @ eta for chance, eta in each])
    variance = np.array([chance @ (eta - mean) ** 2 for (chance, eta), mean in zip(each, means, strict=True)])
    people = Averages(means, means, np.full(len(each), 1 / len(each)), variance)
    beyond, between, away = (
        np.mean([chance @ f(eta) for chance, eta in each])
        for f in (
            lambda eta: (eta <= first) | (eta >= second),
            lambda eta: (eta >= first) & (eta <= second),
            lambda eta: np.abs(eta - kink),
        )
    )
    assert beyond <= people.share_beyond(first, second).item() + 1e-9
    assert between <= people.share_between(first, second).item() + 1e-9
    assert away <= np.abs(means - kink).mean() + people.excess(kink) + 1e-9


@pytest.mark.parametrize(("mean", "away"), [(0.5, 0.3), (0.2, 0.1), (0.9, 0.05)])
def test_two_places_reach_them(mean, away):
    """As many above the average as below it, equally far; between the lam that are tried, little is lost."""
    people = one(mean, away**2)
    ends = np.array([mean - away]), np.array([mean + away])
    assert people.share_beyond(*ends).item() == pytest.approx(1, abs=1e-9)
    assert away <= people.excess(mean) <= 1.03 * away
    beyond = one(mean, (away / 4) ** 2).share_beyond(np.array([mean - away / 2]), np.array([1.0])).item()
    assert 0.2 <= beyond <= 0.23  # Cantelli, two standard deviations below the average


def test_without_variance_people_are_their_averages():
    people = Averages(np.array([0.2, 0.5]), np.array([0.3, 0.6]), np.array([0.25, 0.75]), np.zeros(2))
    first, second = np.array([0.1, 0.25, 0.1]), np.array([0.9, 0.9, 0.55])
    assert people.share_beyond(first, second) == pytest.approx([0, 0.25, 0.75], abs=1e-3)
    assert people.share_between(first, second) == pytest.approx([1, 1, 1], abs=1e-3)
    assert people.excess(0.9) == pytest.approx(0, abs=1e-6)


def test_ends_are_rounded_outward_and_equal_ones_counted_together():
    low, high = np.array([0.0, 0.3, 0.301, 0.9]), np.array([0.1, 0.4, 0.401, 1.0])
    people = Averages.of(low, high, np.array([0.1, 0.2, 0.4, 0.1]))
    assert len(people.weight) == 3 and people.weight.sum() == 1
    assert sorted(people.variance) == pytest.approx([0.1, 0.1, 0.3])
    assert people.low.min() == 0 and people.high.max() == 1
    assert np.all(np.sort(people.low)[:2] <= [0.0, 0.3]) and people.high.min() >= 0.1
