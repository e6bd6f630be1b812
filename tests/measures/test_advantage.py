"""Exact advantages of small populations, of two Gaussians, and of bags that are drawn."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from labeldp_audit.core.eta import Law
from labeldp_audit.core.mechanism import Mechanism
from labeldp_audit.core.release import Release
from labeldp_audit.measures import advantage, guess
from labeldp_audit.mechanisms.channel import Channel
from labeldp_audit.mechanisms.label_proportions import LabelProportions
from labeldp_audit.mechanisms.laplace_proportions import LaplaceProportions
from labeldp_audit.mechanisms.per_record import epsilon_of, gain_of_channel
from labeldp_audit.mechanisms.randomized_response import RandomizedResponse, epsilon_from_pi

CASES = json.loads((Path(__file__).parent.parent / "oracle" / "cases.json").read_text(encoding="utf-8"))
quick = settings(deadline=None, max_examples=100, derandomize=True)
ONES = np.ones(2)


def law_of(weights, eta):
    eta = np.array(eta, np.float64)
    return Law(np.array(weights, np.float64), np.stack([1 - eta, eta], axis=1) if eta.ndim == 1 else eta)


def mean_gain(mechanism, law, payoff=ONES):
    return advantage.exact(mechanism, law, payoff).mean


def stream(seed):
    return lambda block: np.random.default_rng([seed, block])


# ---- exact values


def rr_advantage(weights, eta, pi):
    return mean_gain(RandomizedResponse(epsilon_from_pi(pi)), law_of(weights, eta))


def rr_attacker(eta, said, pi):
    channel = RandomizedResponse(epsilon_from_pi(pi)).channel(2)
    worth = np.array([1 - eta, eta]) * channel[:, said]
    return [c for c in (0, 1) if math.isclose(worth[c], worth.max(), rel_tol=1e-12)]


def channel_advantage(weights, eta, channel):
    """One channel for all, or one for each atom."""
    return float(np.array(weights) @ gain_of_channel(np.array(eta), np.array(channel), np.ones(len(eta[0]))))


def weighted_utility_channel(weights, eta, pi):
    law = law_of(weights, eta)
    payoff = guess.balanced(law.weight @ law.eta)
    before = advantage.uninformed(law, payoff)
    added = mean_gain(RandomizedResponse(epsilon_from_pi(pi)), law, payoff)
    return [before, before + added, added]


def llp_advantage(weights, eta, k):
    return mean_gain(LabelProportions(k), law_of(weights, eta))


def laplace_llp_advantage(weights, eta, k, epsilon):
    return mean_gain(LaplaceProportions(k, epsilon), law_of(weights, eta))


def llp_product(eta, k):
    return llp_advantage([1.0], [eta], k)


def eps_of_channel(channel):
    return epsilon_of(np.array(channel))


ANSWERS = {
    "rr_advantage": rr_advantage,
    "rr_attacker": rr_attacker,
    "channel_advantage": channel_advantage,
    "weighted_utility_channel": weighted_utility_channel,
    "llp_advantage": llp_advantage,
    "laplace_llp_advantage": laplace_llp_advantage,
    "llp_product": llp_product,
    "eps_of_channel": eps_of_channel,
}


@pytest.mark.parametrize("case", [case for case in CASES if case["fn"] in ANSWERS], ids=lambda case: case["id"])
def test_exact_cases(case):
    assert ANSWERS[case["fn"]](*case["args"]) == pytest.approx(case["expected"], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", ANSWERS)
def test_there_are_cases_of_each(name):
    assert any(case["fn"] == name for case in CASES)


# ---- two Gaussians with means e_1, e_2 and covariance v I: the log odds are normal, N(+-1/v, 2/v)

PUBLISHED = {(1, 1.0): 0.047782, (10, 0.1): 0.002164, (10, 1.0): 0.143447, (10, 10.0): 0.411486, (100, 1.0): 0.202873}


def two_gaussians(v, rows, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=rows)
    odds = rng.normal(np.where(labels == 1, 1 / v, -1 / v), math.sqrt(2 / v))
    return 1 / (1 + np.exp(-odds))


@pytest.mark.parametrize(("v", "epsilon"), PUBLISHED)
def test_two_gaussians(v, epsilon):
    eta = two_gaussians(v, 200_000, 7)
    gain = RandomizedResponse(epsilon).gain(np.stack([1 - eta, eta], axis=1)[:, None], ONES)[:, 0]
    assert abs(gain.mean() - PUBLISHED[v, epsilon]) < 4 * gain.std() / math.sqrt(len(eta))
    pi = 1 / (1 + math.exp(epsilon))

    def density(odds):
        mean, sd = 1 / v, math.sqrt(2 / v)
        return sum(math.exp(-(((odds - side) / sd) ** 2) / 2) for side in (mean, -mean)) / (2 * sd * math.tau**0.5)

    true = quad(lambda odds: density(odds) * (1 / (1 + math.exp(abs(odds))) - pi), -epsilon, epsilon, limit=200)[0]
    assert true == pytest.approx(PUBLISHED[v, epsilon], abs=6e-7)


# ---- what must hold for all

laws = st.lists(
    st.tuples(st.floats(0.01, 1), st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=4
)


def drawn(atoms):
    weights = np.array([weight for weight, _ in atoms])
    return law_of(weights / weights.sum(), [eta for _, eta in atoms])


@quick
@given(laws, st.sampled_from([(1.0, 1.0), (0.52, 16.7)]))
def test_more_noise_never_adds_more(atoms, payoff):
    law, payoff = drawn(atoms), np.array(payoff)
    clear = mean_gain(RandomizedResponse(math.inf), law, payoff)
    assert mean_gain(LabelProportions(1), law, payoff) == pytest.approx(clear, abs=1e-15)
    assert clear == pytest.approx(float(law.weight @ (law.eta * payoff).min(axis=1)), abs=1e-12)
    assert mean_gain(RandomizedResponse(0.0), law, payoff) == 0
    for weaker, stronger in ((0.1, 1), (1, 3)):
        assert mean_gain(RandomizedResponse(weaker), law, payoff) <= mean_gain(
            RandomizedResponse(stronger), law, payoff
        )
    for k in (2, 3, 5):
        plain = mean_gain(LabelProportions(k), law, payoff)
        noisy = [mean_gain(LaplaceProportions(k, epsilon), law, payoff) for epsilon in (0.3, 2.0)]
        assert 0 <= noisy[0] <= noisy[1] + 1e-15 <= plain + 2e-15 <= clear + 3e-15
    falls = [mean_gain(LabelProportions(k), law, payoff) for k in range(1, 7)]
    assert all(after <= before + 1e-15 for before, after in itertools.pairwise(falls))


@quick
@given(laws)
def test_a_channel_that_is_randomized_response_adds_as_much(atoms):
    law = drawn(atoms)
    same = Channel(tuple(map(tuple, RandomizedResponse(1.3).channel(2).tolist())))
    assert mean_gain(same, law) == pytest.approx(mean_gain(RandomizedResponse(1.3), law), abs=1e-12)


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
        blocks = list(blocks)
        done = {block.number: work(block) for block in reversed(blocks)}
        return [done[block.number] for block in blocks]

    law = advantage.from_law(spread_out(4))
    one = advantage.simulated([LabelProportions(64)], law, ONES, stream(4))
    assert one == advantage.simulated([LabelProportions(64)], law, ONES, stream(4), each=backwards)


def test_rare_people_are_not_overlooked():
    """One in a thousand can be guessed about; small first looks would find nobody and stop."""
    law = law_of([0.999, 0.001], [0.0, 0.5])
    [found] = advantage.simulated([LabelProportions(2)], advantage.from_law(law), ONES, stream(5))
    assert abs(found.mean - mean_gain(LabelProportions(2), law)) < max(4 * found.standard_error, 5e-5)
    assert found.mean > 0


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
        [found] = advantage.simulated([Tried(32)], advantage.from_law(law), ONES, stream(100 + seed), bags=60)
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


def test_it_is_a_mechanism():
    assert isinstance(Tried(4), Mechanism)
