"""Bounds on an attacker's advantage: exact values, and populations small enough to add up all that can happen."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from scipy.stats import binom

from labeldp_audit.bounds import label_inference as wu
from labeldp_audit.bounds import label_proportions as bags
from labeldp_audit.bounds import laplace_proportions as laplace
from labeldp_audit.model import Law

CASES = json.loads((Path(__file__).parent.parent / "data" / "cases.json").read_text(encoding="utf-8"))
NEVER_BELOW = 1e-12  # rounding

quick = settings(deadline=None, max_examples=60, derandomize=True)
chances = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1e-9, 0.5, 1.0]))
epsilons = st.one_of(st.floats(0, 12), st.sampled_from([0.0, 1e-9, 800.0, math.inf]))
deltas = st.sampled_from([0.0, 1e-6, 0.05, 1.0])
payoffs = st.sampled_from([(1.0, 1.0), (0.6, 3.0), (0.0, 1.0)])


def law_of(weights, eta):
    eta = np.array(eta, np.float64)
    return Law(np.array(weights, np.float64), np.stack([1 - eta, eta], axis=1))


laws = st.integers(1, 3).flatmap(
    lambda atoms: st.builds(
        lambda weights, eta: law_of(np.array(weights) / sum(weights), eta),
        st.lists(st.floats(0.01, 1), min_size=atoms, max_size=atoms),
        st.lists(chances, min_size=atoms, max_size=atoms),
    )
)


# ---- the truth, by adding up


def spread_of(law):
    return float(law.weight @ (law.eta[:, 0] * law.eta[:, 1], strict=True))


def missed(law, payoff=(1.0, 1.0)):
    """Payoff that the best guess from the features misses."""
    return float(law.weight @ (law.eta * payoff).min(axis=1))


def numbers_of(etas):
    """P(s of these labels are positive)."""
    chance = np.ones(1)
    for eta in etas:
        chance = np.convolve(chance, [1 - eta, eta])
    return chance


def crowds(law, others):
    """Each draw of so many people, with its probability, and the law of how many of them are positive."""
    for who in itertools.product(range(len(law.weight)), repeat=others):
        yield math.prod(law.weight[i] for i in who), numbers_of(law.eta[list(who), 1])


def gain(eta, if_positive, if_negative, payoff):
    """What an outcome adds to the best guess; the last arguments are its probabilities under the two labels."""
    told = np.stack([payoff[0] * (1 - eta) * if_negative, payoff[1] * eta * if_positive])
    return told.max(axis=0).sum() - max(payoff[0] * (1 - eta), payoff[1] * eta)


def bag_advantage(law, k, payoff=(1.0, 1.0)):
    total = 0.0
    for chance, numbers in crowds(law, k - 1):
        shifted, same = np.append(0.0, numbers), np.append(numbers, 0.0)
        total += chance * sum(w * gain(eta, shifted, same, payoff) for w, eta in zip(law.weight, law.eta[:, 1], strict=True))
    return total


def largest_probability(law, others):
    """E max_s P(s of the others are positive), as in ERRATA B5."""
    return sum(chance * numbers.max() for chance, numbers in crowds(law, others))


def noisy_bag_advantage(law, k, epsilon):
    """Laplace noise of scale 1 / epsilon on the number: between whole numbers both densities are a e^x + b e^-x."""
    x = np.linspace(-40 / epsilon, k + 40 / epsilon, 200_001)
    total = 0.0
    for chance, numbers in crowds(law, k - 1):
        spots = np.arange(len(numbers))[:, None]
        same = numbers @ np.exp(-epsilon * abs(x - spots)) * (epsilon / 2 * (x[1] - x[0]))
        shifted = numbers @ np.exp(-epsilon * abs(x - 1 - spots)) * (epsilon / 2 * (x[1] - x[0]))
        for weight, eta in zip(law.weight, law.eta[:, 1], strict=True):
            total += chance * weight * max(0.0, gain(eta, shifted / shifted.sum(), same / same.sum(), (1.0, 1.0)))
    return total


def channel_advantage(law, channel, payoff=(1.0, 1.0)):
    """channel[y] is the law of the outcome under label y."""
    return sum(w * gain(eta, channel[1], channel[0], payoff) for w, eta in zip(law.weight, law.eta[:, 1], strict=True))


def private_channel(epsilon, delta):
    """Kairouz, Oh and Viswanath: with probability delta the label itself, otherwise randomized response."""
    keep = (1 - delta) / (1 + math.exp(-epsilon))
    return np.array([[delta, keep, 1 - delta - keep, 0.0], [0.0, 1 - delta - keep, keep, delta]])


def one_eta(eta, k):
    """Advantage for a bag whose members all have the same eta: (1/2) sum over the others, without cancellation."""
    s = np.arange(k + 1)
    told = np.stack([eta * binom.pmf(s - 1, k - 1, eta), (1 - eta) * binom.pmf(s, k - 1, eta)])
    return float(np.maximum(0.0, told[0] - told[1] if eta <= 0.5 else told[1] - told[0]).sum())


# ---- exact values


def wu_theorem_2(weights, chance, payoff, epsilon):
    """payoff[guess][label]"""
    return wu.wu_theorem_2(float(np.dot(weights, np.array(chance) @ np.array(payoff).max(axis=0))), epsilon)


def wu_tight(weights, chance, epsilon):
    return wu.wu_improved(float(np.dot(weights, 1 - np.array(chance).max(axis=1))), epsilon)


def unimodal(weights, eta, k):
    law = law_of(weights, eta)
    return 2 * spread_of(law) * largest_probability(law, k - 1)


ANSWERS = {
    "thm34_sqrt": bags.theorem_3_4_sqrt,
    "thm34_bernstein": bags.theorem_3_4_bernstein,
    "thm34_chernoff": bags.theorem_3_4_chernoff,
    "lemmaA1_valid": lambda others, p, spread: bags.lemma_a1(others + 1, p, spread),
    "ck_valid": lambda others, p: bags.deviation(p, others) / math.sqrt(others),
    "llp_unimodal_bound": unimodal,
    "llp_adv_upper_from_brier": bags.unimodal_closed,
    "thm64_bound": lambda weights, eta, epsilon: laplace.theorem_6_4(spread_of(law_of(weights, eta)), epsilon),
    "thm64_sharp": lambda weights, eta, epsilon: laplace.theorem_6_4_sharp(spread_of(law_of(weights, eta)), epsilon),
    "wu_corollary1": lambda epsilon, delta: wu.wu_corollary_1(1.0, epsilon, delta),
    "wu_theorem2": wu_theorem_2,
    "wu_tight": wu_tight,
    "adv_upper_from_error": wu.wu_improved,
    "dp_binary_optimal": lambda weights, eta, epsilon, delta: wu.best_of_all(law_of(weights, eta), epsilon, delta),
}


@pytest.mark.parametrize("case", [case for case in CASES if case["fn"] in ANSWERS], ids=lambda case: case["id"])
def test_case(case):
    assert ANSWERS[case["fn"]](*case["args"]) == pytest.approx(case["expected"], rel=1e-9, abs=1e-9)


def test_each_answer_has_a_case():
    assert set(ANSWERS) <= {case["fn"] for case in CASES}
