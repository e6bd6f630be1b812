"""Exact advantages of small populations, of two Gaussians, and of bags that are drawn."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numeric_populations import wide_gaussians
from scipy.special import expit
from scipy.stats import norm
from small_populations import law_of

from labeldp_audit.core.eta import Law
from labeldp_audit.core.release import Release
from labeldp_audit.measures import advantage
from labeldp_audit.mechanisms import GeometricProportions, LabelProportions, LaplaceProportions, RandomizedResponse

quick = settings(deadline=None, max_examples=100, derandomize=True)
ONES = np.ones(2)


def mean_gain(mechanism, law, payoff=ONES):
    return advantage.exact(mechanism, law, payoff).mean


def stream(seed):
    return lambda block: np.random.default_rng([seed, block])


# ---- two Gaussians with means e_1, e_2 and covariance v I: the log odds are normal, N(+-1/v, 2/v)

PUBLISHED = {(1, 1.0): 0.047782, (10, 0.1): 0.002164, (10, 1.0): 0.143447, (10, 10.0): 0.411486, (100, 1.0): 0.202873}


@pytest.mark.parametrize(("v", "epsilon"), PUBLISHED)
def test_two_gaussians(v, epsilon):
    """Alike from either side: at even quantiles of the positive ones."""
    odds = norm(1 / v, math.sqrt(2 / v)).ppf((np.arange(100_000) + 0.5) / 100_000)
    law = law_of(np.full(100_000, 1e-5), expit(odds))
    assert mean_gain(RandomizedResponse(epsilon), law) == pytest.approx(PUBLISHED[v, epsilon], abs=2e-6)


# ---- the order of mechanisms


def gaussian_laws():
    """Two Gaussians at three distances, and populations of a hundred numbers."""
    for v in (0.2, 1.0, 5.0):
        odds = norm(1 / v, math.sqrt(2 / v)).ppf(np.arange(0.5, 8) / 8)
        yield law_of(np.full(16, 1 / 16), np.concatenate([expit(odds), expit(-odds)]))
    for seed in (1, 2):
        _, eta = wide_gaussians(seed).features(12, np.random.default_rng(seed))
        yield Law(np.full(12, 1 / 12), eta)


def test_order_at_equal_epsilon():
    """Nothing of that epsilon adds more than randomized response. Laplace noise is geometric noise and more on top, and
    the larger a bag, the less a noisy count says of one of its members; bags of one differ in their noise alone."""
    clearly = 0
    for law, epsilon in itertools.product(gaussian_laws(), (0.5, 1.0, 2.0, 4.0)):
        flips = gain_on_average(RandomizedResponse(epsilon), law)
        added = {
            (kind, k): gain_on_average(kind(k, epsilon), law)
            for kind in (GeometricProportions, LaplaceProportions)
            for k in (1, 2, 4, 8)
        }
        assert added[GeometricProportions, 1] == pytest.approx(flips, abs=1e-13)
        for k in (1, 2, 4, 8):
            assert added[LaplaceProportions, k] <= added[GeometricProportions, k] + 1e-13
            clearly += added[LaplaceProportions, k] < 0.9 * added[GeometricProportions, k] - 1e-4
            plain = gain_on_average(LabelProportions(k), law)
            assert added[GeometricProportions, k] <= min(flips, plain) + 1e-13
        for kind in (GeometricProportions, LaplaceProportions):
            falls = [added[kind, k] for k in (1, 2, 4, 8)]
            assert all(after <= before + 1e-13 for before, after in itertools.pairwise(falls))
            clearly += falls[-1] < 0.5 * falls[0]
    assert clearly > 60  # it is not that all add nothing


BAGS_OF_EIGHT = np.random.default_rng(9).random((150, 8))


def gain_on_average(mechanism, law):
    """Over the same people for all: smaller bags are parts of bags of eight, so that each member can only lose."""
    people = np.searchsorted(law.weight.cumsum(), BAGS_OF_EIGHT).clip(max=len(law.weight) - 1)
    eta = law.eta[people.reshape(-1, mechanism.bag)]
    return float(mechanism.gain(eta, ONES).mean())


# ---- what must hold for all

laws = st.lists(
    st.tuples(st.floats(0.01, 1), st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=4
).map(lambda atoms: law_of(np.array([w for w, _ in atoms]) / sum(w for w, _ in atoms), [eta for _, eta in atoms]))


@quick
@given(laws, st.sampled_from([(1.0, 1.0), (0.52, 16.7)]))
def test_more_noise_never_adds_more(law, payoff):
    payoff = np.array(payoff)
    clear = mean_gain(RandomizedResponse(math.inf), law, payoff)
    assert mean_gain(LabelProportions(1), law, payoff) == pytest.approx(clear, abs=1e-15)
    assert clear == pytest.approx(float(law.weight @ (law.eta * payoff).min(axis=1)), abs=1e-12)
    assert mean_gain(RandomizedResponse(0.0), law, payoff) == 0
    rises = [mean_gain(RandomizedResponse(epsilon), law, payoff) for epsilon in (0.1, 1, 3)]
    assert rises == sorted(rises)
    falls = [mean_gain(LabelProportions(k), law, payoff) for k in range(1, 7)]
    assert all(after <= before + 1e-15 for before, after in itertools.pairwise(falls))
    for k in (2, 5):
        noisy = [mean_gain(LaplaceProportions(k, epsilon), law, payoff) for epsilon in (0.3, 2.0)]
        assert 0 <= noisy[0] <= noisy[1] + 1e-15 <= falls[k - 1] + 2e-15


# ---- bags that are drawn


def spread_out(seed, rows=5000):
    eta = np.random.default_rng(seed).beta(0.5, 2, rows)
    return law_of(np.full(rows, 1 / rows), eta)


@pytest.mark.parametrize("k", [2, 5])
def test_drawn_bags_find_what_adding_up_finds(k):
    law = law_of([0.2, 0.3, 0.5], [0.05, 0.5, 0.9])
    for mechanism in (LabelProportions(k), LaplaceProportions(k, 1.0)):
        [found] = advantage.simulated([mechanism], advantage.from_law(law), ONES, stream(1))
        assert abs(found.mean - mean_gain(mechanism, law)) < 4 * found.standard_error
        assert found.standard_error <= max(1e-5, 0.02 * found.mean)


def test_as_many_bags_as_were_asked_for_and_no_more_are_drawn():
    drawn = []

    def members(rng, bags, size):
        drawn.append(bags)
        return advantage.from_law(spread_out(2))(rng, bags, size)

    [found] = advantage.simulated([LabelProportions(8)], members, ONES, stream(2), bags=123)
    assert (found.bags, drawn) == (123, [123])


def test_mechanisms_with_bags_of_one_size_see_the_same_bags():
    """So what is weaker comes out weaker, whatever is drawn."""
    asked = [LabelProportions(8), LaplaceProportions(8, 2.0), LaplaceProportions(8, 0.5)]
    found = advantage.simulated(asked, advantage.from_law(spread_out(3)), ONES, stream(3), bags=7)
    assert found[0].mean > found[1].mean > found[2].mean > 0
    [alone] = advantage.simulated(asked[:1], advantage.from_law(spread_out(3)), ONES, stream(3), bags=7)
    assert alone == found[0]


def test_blocks_may_run_in_any_order():
    def backwards(work, blocks):
        return reversed([work(block) for block in reversed(list(blocks))])

    law = advantage.from_law(spread_out(4))
    one = advantage.simulated([LabelProportions(64)], law, ONES, stream(4))
    assert one == advantage.simulated([LabelProportions(64)], law, ONES, stream(4), each=backwards)


def test_one_in_all_that_were_drawn_may_have_been_overlooked():
    """Nobody who can be guessed about is among those drawn, and the error says that somebody might be."""
    law = law_of([1 - 3e-5, 3e-5], [0.0, 0.5])
    for seed in range(20):
        [found] = advantage.simulated([LabelProportions(2)], advantage.from_law(law), ONES, stream(seed), bags=1000)
        assert abs(found.mean - mean_gain(LabelProportions(2), law)) <= 4 * found.standard_error


def test_bags_of_rows_share_no_row():
    eta = np.arange(12)[:, None] / 12
    drawn = advantage.from_rows(eta)(np.random.default_rng(0), 7, 5)
    assert drawn.shape == (7, 5, 1)
    for first, second in ((0, 1), (2, 3), (4, 5)):
        assert len(np.unique(drawn[[first, second]])) == 10


def test_the_error_of_what_was_tried_is_honest():
    """Members of a published bag depend on each other."""
    law, means, errors = spread_out(8), [], []
    for seed in range(40):
        [found] = advantage.simulated([Tried(16)], advantage.from_law(law), ONES, stream(100 + seed), bags=40)
        means.append(found.mean)
        errors.append(found.standard_error)
    assert 0.6 < np.std(means) / np.mean(errors) < 1.6


class Tried(LabelProportions):
    """Says nothing of its gain."""

    def gain(self, eta, payoff):
        return None


class Liar(Tried):
    """Says that it published something else than it did."""

    def loglik(self, release, eta):
        return super().loglik(Release(release.view // 2, release.bag), eta)


def test_a_mechanism_without_a_formula_is_tried():
    law = spread_out(6)
    assert advantage.exact(Tried(4), law, ONES) is None
    [exact] = advantage.simulated([LabelProportions(4)], advantage.from_law(law), ONES, stream(6))
    [found] = advantage.simulated([Tried(4)], advantage.from_law(law), ONES, stream(7))
    error = math.hypot(found.standard_error, exact.standard_error)
    assert abs(found.mean - exact.mean) < 4 * error
    [lie] = advantage.simulated([Liar(4)], advantage.from_law(law), ONES, stream(7))
    assert abs(lie.mean - exact.mean) > 4 * error
