"""Exact values, computed elsewhere with many digits; `ref` says which statement of which paper each belongs to."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from channels import flipping, nu_bar
from small_populations import largest_probability, law_of, spread_of

from labeldp_audit import neighbors
from labeldp_audit.bounds.certificates import (
    boxes,
    class_boxes,
    divergence_cells,
    feature_loss,
    nubar_cells,
    tail_cells,
)
from labeldp_audit.bounds.intervals import clopper_pearson, measure_smoothness
from labeldp_audit.bounds.published import label_inference as wu
from labeldp_audit.bounds.published import label_proportions as bags
from labeldp_audit.bounds.published import laplace_proportions as laplace
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.release import Release
from labeldp_audit.measures import advantage, guess, heterogeneity, loss, tail, worst_case
from labeldp_audit.mechanisms import (
    LabelProportions,
    LaplaceProportions,
    RandomizedResponse,
    cluster_response,
    peer_to_peer,
)
from labeldp_audit.mechanisms.cluster_response import Plan
from labeldp_audit.mechanisms.exact import WHOLE
from labeldp_audit.mechanisms.per_record import epsilon_of, gain_of_channel
from labeldp_audit.mechanisms.randomized_response import (
    epsilon_from_lambda,
    epsilon_from_pi,
    lambda_from_epsilon,
    pi_from_epsilon,
)

CASES = json.loads((Path(__file__).parent.parent / "oracle" / "cases.json").read_text(encoding="utf-8"))
IN_THEIR_OWN_SIZE = ("llp_advantage", "llp_product", "pi_from_eps")  # some are 1e-50


def flipped(pi):
    return flipping(epsilon_from_pi(pi))


def mean(weights, eta):
    return float(np.dot(weights, eta))


# ---- losses


def share_above(weights, eta, pi, tau, strictly=True):
    """Of a sample in which each atom has exactly its share."""
    each = np.repeat(loss.feature_loss(eta, mean(weights, eta)), np.round(np.multiply(weights, 100)).astype(int))
    h = flipped(pi).loss
    at = np.array([tau - h if strictly else np.nextafter(tau - h, -np.inf)])
    return tail.share_above(tail.Losses.of(each, each, each), at, 0, 0.01)[0][0]


def roots(tau, p, pi):
    first, second = (end[0] for end in feature_loss.passed(tau - flipped(pi).loss, p, p))
    return None if first > second else [first, second]


def expected_loss(weights, eta, pi):
    return mean(weights, nu_bar(eta, mean(weights, eta), flipped(pi)))


def nu_max(low, high, p, pi):
    ratios = worst_case.log_ratio_of_min(low), worst_case.log_ratio_of_max(high)
    return worst_case.nu_max(*ratios, p, flipped(pi))


def markov(weights, eta, pi, tau):
    p = mean(weights, eta)
    least = float(nu_bar(loss.lowest_eta(p), p, flipped(pi)))
    return (expected_loss(weights, eta, pi) - least) / (tau - least)


def outer_thresholds(tau, pi, p):
    """|2 eta - 1| <= 1, so a loss above tau needs |logit eta - logit p| > tau - h."""
    far = tau - flipped(pi).loss
    return [1 / (1 + math.exp(far - loss.logit(p))), 1 / (1 + math.exp(-far - loss.logit(p)))]


def smooth_half_width(n, k, delta, constant, beta):
    """Hoeffding's half-width, which the tool does not use, and the widening, which it does."""
    return math.sqrt(math.log(4 * n / delta) / (2 * k)) + measure_smoothness.widening(k, n, constant, beta)


def j_limits(low, high, tau, p, pi, delta):
    least, most = loss.feature_loss_range(np.array(low), np.array(high), p, p)
    return tail.share_above(tail.Losses.of(least, least, most), np.array([tau - flipped(pi).loss]), 0, delta / 2)


def counts_with_itself(points, labels, k):
    """The tool leaves the row itself out: k - 1 others and its own label."""
    features, classes = np.array(points, np.float32), np.array(labels, np.uint8)
    [near] = neighbors.count_grid(
        features, classes, 2, np.arange(len(labels)), ks=(k - 1,), recall=1.0, seed=0, threads=1, progress=Silent()
    )
    return np.stack([near.counts[:, 1] + classes, near.counts.sum(axis=1) + 1], axis=1).tolist()


# ---- certificates


def box_of(rows, low, high):
    return boxes.of_cells(np.array(rows), np.array(low, np.float64), np.array(high, np.float64))


def renyi_cells(ones, n1, zeros, n0, sign, miss_each, order):
    assert (n1, n0) == (sum(ones), sum(zeros))
    a, b = class_boxes.limits_of_laws(np.array(ones), np.array(zeros), np.array(sign) > 0, miss_each)
    return divergence_cells.positive_from_negative(class_boxes.ClassBox(a[None], b[None], (len(a),)), order)


# ---- advantages


def gain(mechanism, weights, eta, payoff=(1.0, 1.0)):
    return advantage.exact(mechanism, law_of(weights, eta), np.array(payoff)).mean


def rr_attacker(eta, said, pi):
    worth = np.array([1 - eta, eta]) * RandomizedResponse(epsilon_from_pi(pi)).channel(2)[:, said]
    return [c for c in (0, 1) if math.isclose(worth[c], worth.max(), rel_tol=1e-12)]


def laplace_attacker(i, eta, view, epsilon):
    """A* of Theorem 6.3: the likelier label."""
    both = np.stack([1 - np.array(eta), eta], axis=1)
    release = Release(np.array([float(view)]), np.zeros(len(eta), int))
    return int(np.argmax(np.log(both) + LaplaceProportions(len(eta), epsilon).loglik(release, both), axis=1)[i])


def weighted_utility_channel(weights, eta, pi):
    law = law_of(weights, eta)
    payoff = guess.balanced(law.weight @ law.eta)
    before = advantage.uninformed(law, payoff)
    added = gain(RandomizedResponse(epsilon_from_pi(pi)), weights, eta, payoff)
    return [before, before + added, added]


def p2p_delta(size, ones, alpha, theta, epsilon):
    return peer_to_peer.deltas_at(epsilon, size, alpha, theta)[ones]


ANSWERS = {
    "eps_from_pi": epsilon_from_pi,
    "pi_from_eps": pi_from_epsilon,
    "eps_from_lambda": epsilon_from_lambda,
    "lambda_from_eps": lambda_from_epsilon,
    "flip_from_lambda": lambda resampled, c: pi_from_epsilon(epsilon_from_lambda(resampled, c), c),
    "eps_of_channel": lambda rows: epsilon_of(np.array(rows)),
    "nu": lambda y, said, eta, p, pi: (
        (2 * y - 1) * ((2 * said - 1) * epsilon_from_pi(pi) + loss.logit(eta) - loss.logit(p))
    ),
    "nu_bar": lambda eta, p, pi: nu_bar(eta, p, flipped(pi)),
    "H_argmin": loss.lowest_eta,
    "H_roots": roots,
    "J": share_above,
    "jeffreys_I": lambda weights, eta: mean(weights, loss.feature_loss(eta, 0.5)),
    "weighted_jeffreys": lambda weights, eta: mean(weights, loss.feature_loss(eta, mean(weights, eta))),
    "expected_nu_bar": expected_loss,
    "nu_max": lambda weights, eta, pi: nu_max(min(eta), max(eta), mean(weights, eta), pi),
    "nu_max_from_logratios": lambda low, high, p, pi: worst_case.nu_max(low, high, p, flipped(pi)),
    "nu_max_from_extremes": nu_max,
    "nu_max_interval": lambda m_low, m_high, big_low, big_high, p_low, p_high, pi: worst_case.nu_max_interval(
        (m_low, m_high), (big_low, big_high), (p_low, p_high), flipped(pi)
    ),
    "outer_thresholds_valid": outer_thresholds,
    "markov_valid": markov,
    "clopper_pearson": lambda count, n, delta: [
        clopper_pearson.lower(count, n, delta / 2), clopper_pearson.upper(count, n, delta / 2),
    ],
    "c_hoeffding": smooth_half_width,
    "J_lower_from_intervals": lambda *given: j_limits(*given)[1][0],
    "J_upper_from_intervals": lambda *given: j_limits(*given)[2][0],
    "knn_counts": counts_with_itself,
    "kl_cells_lower": lambda *given: renyi_cells(*given, 1.0),
    "renyi_cells_lower": renyi_cells,
    "nubar_cells_lower": lambda rows, low, high, p_low, p_high, pi: (
        nubar_cells.mean_loss(box_of(rows, low, high), p_low, p_high) + flipped(pi).loss
    ),
    "J_cells_lower": lambda rows, low, high, tau, p_low, p_high, pi: tail_cells.share_losing_more(
        box_of(rows, low, high), np.array([tau - flipped(pi).loss]), p_low, p_high
    ),
    "rr_advantage": lambda weights, eta, pi: gain(RandomizedResponse(epsilon_from_pi(pi)), weights, eta),
    "rr_attacker": rr_attacker,
    "channel_advantage": lambda weights, eta, channel: (  # one channel for all, or one for each atom
        mean(weights, gain_of_channel(np.array(eta), np.array(channel), np.ones(len(eta[0]))))
    ),
    "weighted_utility_channel": weighted_utility_channel,
    "llp_advantage": lambda weights, eta, k: gain(LabelProportions(k), weights, eta),
    "llp_product": lambda eta, k: gain(LabelProportions(k), [1.0], [eta]),
    "laplace_llp_advantage": lambda weights, eta, k, epsilon: gain(LaplaceProportions(k, epsilon), weights, eta),
    "laplace_llp_attacker": laplace_attacker,
    "thm34_sqrt": bags.theorem_3_4_sqrt,
    "thm34_bernstein": bags.theorem_3_4_bernstein,
    "thm34_chernoff": lambda p, k: (4 * p * (1 - p)) ** (k / 2),  # ERRATA B4; not in the tool
    "lemmaA1_valid": lambda others, p, spread: bags.lemma_a1(others + 1, p, spread),
    "ck_valid": lambda others, p: bags.deviation(p, others) / math.sqrt(others),
    "llp_unimodal_bound": lambda weights, eta, k: (
        2 * spread_of(law_of(weights, eta)) * largest_probability(law_of(weights, eta), k - 1)
    ),
    "llp_adv_upper_from_brier": bags.unimodal_closed,
    "thm64_bound": lambda weights, eta, epsilon: laplace.theorem_6_4(spread_of(law_of(weights, eta)), epsilon),
    "thm64_sharp": lambda weights, eta, epsilon: laplace.theorem_6_4_sharp(spread_of(law_of(weights, eta)), epsilon),
    "wu_corollary1": lambda epsilon, delta: wu.wu_corollary_1(1.0, epsilon, delta),
    "wu_theorem2": lambda weights, chance, payoff, epsilon: wu.wu_theorem_2(  # payoff[guess][label]
        mean(weights, np.array(chance) @ np.array(payoff).max(axis=0)), epsilon
    ),
    "wu_tight": lambda weights, chance, epsilon: wu.wu_improved(
        mean(weights, 1 - np.array(chance).max(axis=1)), epsilon
    ),
    "adv_upper_from_error": wu.wu_improved,
    "eps_cluster_valid": lambda resampled, floor, sigma: (
        2 / sigma + Plan(Fraction(0), round((1 - resampled) * WHOLE), round(floor * resampled * WHOLE)).of_labels
    ),
    "cluster_renormalise": lambda shares, floor: cluster_response.renormalised(np.array(shares), floor),
    "modified_loss_matrix": lambda law, beta: cluster_response.modified_loss(np.array(law), beta),
    "heterogeneity": lambda weight, eta, cluster: heterogeneity.heterogeneity(
        np.array(weight), np.array(eta), np.array(cluster)
    ),
    "p2p_exact_delta": p2p_delta,
    "dp_binary_optimal": lambda weights, eta, epsilon, delta: wu.best_of_all(law_of(weights, eta), epsilon, delta),
}  # fmt: skip


def agree(found, expected, near=1e-9):
    if found is None or expected is None:
        return found is expected
    return np.ravel(np.asarray(found, np.float64)) == pytest.approx(
        np.ravel(np.asarray(expected, np.float64)), 1e-9, near
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    assert agree(ANSWERS[case["fn"]](*case["args"]), case["expected"], 0 if case["fn"] in IN_THEIR_OWN_SIZE else 1e-9)


def test_agreement_has_teeth():
    assert not agree(None, [0.1, 0.2])
    assert not agree((0.1, 0.2), None)
    assert not agree(1 + 1e-8, 1)


def test_outer_thresholds_hold_every_loss_above_tau():
    for tau, pi, p in ((6, 0.01, 0.256), (15, 0.01, 0.256), (2, 0.3, 0.9)):
        low, high = outer_thresholds(tau, pi, p)
        first, second = roots(tau, p, pi)
        assert first <= low
        assert second >= high


def test_shifted_markov_holds():
    """With the mean alone, as printed in 001, it does not: ERRATA A6."""
    weights, eta, pi, tau = [0.9, 0.1], [0.7, 0.999], 0.45, 5.92
    assert share_above(weights, eta, pi, tau) == pytest.approx(0.1)
    assert expected_loss(weights, eta, pi) / tau < 0.1 <= markov(weights, eta, pi, tau)


@pytest.mark.parametrize(
    ("low", "high", "p", "pi", "printed"),
    [
        (5.28, 3.20, 0.256, 0.01, 8.9),
        (5.26, 3.08, 0.256, 0.001, 11.1),
        (27.63, 0.57, 0.044, 0.01, 29.1),
        (27.63, 0.57, 0.044, 0.001, 31.5),
    ],
)
def test_last_columns_of_table_2_of_001(low, high, p, pi, printed):
    """29.1 is 29.149, which the paper rounds correctly, and 31.458 is printed 31.5."""
    assert round(worst_case.nu_max(low, high, p, flipped(pi)), 1) == printed


def test_figures_of_certificates_c():
    """p = 1/2: exact .0497 and .0176, bounds .084 and .0293."""
    for k, exact, bound in ((64, 0.0497, 0.084), (512, 0.0176, 0.0293)):
        assert gain(LabelProportions(k), [1.0], [0.5]) == pytest.approx(exact, abs=6e-5)
        assert bags.unimodal_closed(0.25, k) == pytest.approx(bound, abs=6e-4)
