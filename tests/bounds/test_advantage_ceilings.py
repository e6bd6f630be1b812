"""Upper limits of an advantage: above exact ones, sharp where they can be, and rising with what they are made of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.published import advantage_ceilings as ceilings
from labeldp_audit.bounds.published import label_proportions
from labeldp_audit.mechanisms.label_proportions import LabelProportions
from labeldp_audit.mechanisms.laplace_proportions import LaplaceProportions
from labeldp_audit.mechanisms.randomized_response import RandomizedResponse

quick = settings(deadline=None, max_examples=60, derandomize=True)
shares = st.floats(0, 1)
epsilons = st.sampled_from([0.1, 1.0, 4.0, 12.0])


def gain(mechanism, eta):
    """Mean advantage over the members of bags that all have this eta, or over single records."""
    both = np.stack([1 - eta, eta], axis=-1)
    return float(mechanism.gain(both, np.ones(2)).mean())


def made_of(eta):
    return float(np.minimum(eta, 1 - eta).mean()), float((eta * (1 - eta)).mean())


@quick
@given(st.lists(shares, min_size=1, max_size=20).map(np.array), epsilons)
def test_randomized_response_gains_no_more(eta, epsilon):
    assert gain(RandomizedResponse(epsilon), eta[:, None]) <= ceilings.of_private(*made_of(eta), epsilon) + 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_and_gains_as_much_where_labels_are_sure_or_coins(epsilon):
    eta = np.array([0.0, 0.5, 1.0, 0.5])
    assert gain(RandomizedResponse(epsilon), eta[:, None]) == pytest.approx(ceilings.of_private(*made_of(eta), epsilon))


@quick
@given(shares, st.integers(1, 60), epsilons)
def test_bags_gain_no_more(eta, k, epsilon):
    bag = np.full((1, k), eta)
    assert gain(LabelProportions(k), bag) <= ceilings.of_counts(*made_of(bag), k) + 1e-12
    noisy = ceilings.of_noisy_counts(*made_of(bag), k, epsilon)
    assert gain(LaplaceProportions(k, epsilon), bag) <= noisy + 1e-12


@quick
@given(st.floats(0, 0.5), st.floats(0, 0.25), st.floats(0, 0.1), st.integers(1, 500), epsilons)
def test_they_rise_with_both_limits(missed, spread, more, k, epsilon):
    for bound in (
        lambda m, s: ceilings.of_private(m, s, epsilon),
        lambda m, s: ceilings.of_counts(m, s, k),
        lambda m, s: ceilings.of_noisy_counts(m, s, k, epsilon),
    ):
        assert 0 <= bound(missed, spread) <= bound(missed + more, spread) + 1e-12
        assert bound(missed, spread) <= bound(missed, spread + more) + 1e-12


@quick
@given(st.floats(0, 0.5), st.floats(0, 0.25), st.integers(1, 500))
def test_the_spread_itself_adds_nothing_to_counts(missed, spread, k):
    """CERTIFICATES c3 takes both; what is taken here is never more."""
    assert ceilings.of_counts(missed, spread, k) <= min(missed, label_proportions.unimodal_closed(spread, k)) + 1e-12


def test_theorem_6_4_adds_something():
    """Labels are coins, alone in their bag, and the noise is weak."""
    assert ceilings.of_noisy_counts(0.5, 0.25, 1, 2.0) == pytest.approx(0.5 * (1 - math.exp(-1)))
    assert ceilings.of_noisy_counts(0.5, 0.25, 1, 2.0) < ceilings.of_private(0.5, 0.25, 2.0)
