"""Exact values, computed elsewhere with many digits; `ref` says which statement of which paper each belongs to."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from channels import flipping

from labeldp_audit import neighbors
from labeldp_audit.bounds.intervals import clopper_pearson, measure_smoothness
from labeldp_audit.core.progress import Silent
from labeldp_audit.measures import divergence, loss, tail, worst_case
from labeldp_audit.mechanisms.randomized_response import (
    epsilon_from_lambda,
    epsilon_from_pi,
    lambda_from_epsilon,
    pi_from_epsilon,
    pi_from_lambda,
)

CASES = json.loads((Path(__file__).parent.parent / "oracle" / "cases.json").read_text(encoding="utf-8"))


def flipped(pi):
    return flipping(epsilon_from_pi(pi))


def mean(weights, eta):
    return float(np.dot(weights, eta))


def losses(weights, eta):
    """A sample in which each atom has exactly its share."""
    each = np.repeat(loss.feature_loss(eta, mean(weights, eta)), np.round(np.multiply(weights, 100)).astype(int))
    return tail.Losses.of(each, each, each)


def share_above(weights, eta, pi, tau, strictly=True):
    h = loss.noise_loss(epsilon_from_pi(pi))
    at = np.array([tau - h if strictly else np.nextafter(tau - h, -np.inf)])
    return tail.share_above(losses(weights, eta), at, 0, 0.01)[0][0]


def share_beyond_roots(weights, eta, pi, tau, strictly=True):
    ends = loss.roots(tau, mean(weights, eta), flipped(pi))
    beyond = [ends is None or z < ends[0] or z > ends[1] for z in eta]
    return mean(weights, beyond)


def expected_loss(weights, eta, pi):
    return mean(weights, loss.nu_bar(eta, mean(weights, eta), flipped(pi)))


def nu_max(low, high, p, pi):
    ratios = worst_case.log_ratio_of_min(low), worst_case.log_ratio_of_max(high)
    return worst_case.nu_max(*ratios, p, flipped(pi))


def markov(weights, eta, pi, tau):
    p = mean(weights, eta)
    least = float(loss.nu_bar(loss.lowest_eta(p), p, flipped(pi)))
    return (expected_loss(weights, eta, pi) - least) / (tau - least)


def outer_thresholds(tau, pi, p):
    """|2 eta - 1| <= 1, so a loss above tau needs |logit eta - logit p| > tau - h."""
    far = tau - loss.noise_loss(epsilon_from_pi(pi))
    return [1 / (1 + math.exp(far - loss.logit(p))), 1 / (1 + math.exp(-far - loss.logit(p)))]


def smooth_half_width(n, k, delta, constant, beta):
    """Hoeffding's half-width, which the tool does not use, and the widening, which it does."""
    return math.sqrt(math.log(4 * n / delta) / (2 * k)) + measure_smoothness.widening(k, n, constant, beta)


def j_limits(low, high, tau, p, pi, delta):
    least, most = loss.feature_loss_range(np.array(low), np.array(high), p, p)
    at = np.array([tau - loss.noise_loss(epsilon_from_pi(pi))])
    return tail.share_above(tail.Losses.of(least, least, most), at, 0, delta / 2)


def both_limits(count, n, delta):
    return [float(clopper_pearson.lower(count, n, delta / 2)), float(clopper_pearson.upper(count, n, delta / 2))]


def counts_with_itself(points, labels, k):
    """The tool leaves the row itself out: k - 1 others and its own label."""
    features, classes = np.array(points, np.float32), np.array(labels, np.uint8)
    [near] = neighbors.count_grid(
        features, classes, 2, np.arange(len(labels)), ks=(k - 1,), recall=1.0, seed=0, threads=1, progress=Silent()
    )
    return np.stack([near.counts[:, 1] + classes, near.counts.sum(axis=1) + 1], axis=1).tolist()


def channel_epsilon(rows):
    logs = np.log(np.array(rows))
    return float((logs.max(axis=0) - logs.min(axis=0)).max())


ANSWERS = {
    "eps_from_pi": epsilon_from_pi,
    "pi_from_eps": pi_from_epsilon,
    "eps_from_lambda": epsilon_from_lambda,
    "lambda_from_eps": lambda_from_epsilon,
    "flip_from_lambda": pi_from_lambda,
    "eps_of_channel": channel_epsilon,
    "nu": lambda y, said, eta, p, pi: loss.nu(y, (2 * said - 1) * epsilon_from_pi(pi), eta, p),
    "nu_bar": lambda eta, p, pi: float(loss.nu_bar(eta, p, flipped(pi))),
    "H_argmin": loss.lowest_eta,
    "H_roots": lambda tau, p, pi: loss.roots(tau, p, flipped(pi)),
    "J": share_above,
    "jeffreys_I": lambda weights, eta: mean(weights, divergence.jeffreys_terms(eta)),
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
    "clopper_pearson": both_limits,
    "c_hoeffding": smooth_half_width,
    "J_lower_from_intervals": lambda *given: float(j_limits(*given)[1][0]),
    "J_upper_from_intervals": lambda *given: float(j_limits(*given)[2][0]),
    "knn_counts": counts_with_itself,
}


def numbers(value):
    if isinstance(value, list | tuple):
        return [numbers(one) for one in value]
    return None if value is None else float(value)


def agree(found, expected):
    found, expected = numbers(found), numbers(expected)
    return expected is found if expected is None else np.ravel(found) == pytest.approx(np.ravel(expected), 1e-9, 1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case["fn"] in ANSWERS], ids=lambda case: case["id"])
def test_case(case):
    assert agree(ANSWERS[case["fn"]](*case["args"]), case["expected"])


def test_each_answer_has_a_case():
    assert set(ANSWERS) <= {case["fn"] for case in CASES}


def test_each_case_is_answered_in_some_file():
    files = (file.read_text(encoding="utf-8") for file in Path(__file__).parent.parent.rglob("test_*.py"))
    written = "".join(files)
    assert [case["fn"] for case in CASES if f'"{case["fn"]}"' not in written] == []


def test_agreement_has_teeth():
    assert not agree(None, [0.1, 0.2])
    assert not agree((0.1, 0.2), None)
    assert not agree(1 + 1e-8, 1)


@pytest.mark.parametrize("case", [case for case in CASES if case["fn"] == "J"], ids=lambda case: case["id"])
def test_j_is_the_share_beyond_the_roots(case):
    assert share_beyond_roots(*case["args"]) == pytest.approx(case["expected"], abs=1e-9)


def test_outer_thresholds_hold_every_loss_above_tau():
    for tau, pi, p in ((6, 0.01, 0.256), (15, 0.01, 0.256), (2, 0.3, 0.9)):
        low, high = outer_thresholds(tau, pi, p)
        first, second = loss.roots(tau, p, flipped(pi))
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
        (5.26, 3.08, 0.256, 0.01, 8.8),
        (5.28, 3.20, 0.256, 0.001, 11.2),
        (5.26, 3.08, 0.256, 0.001, 11.1),
        (27.63, 0.57, 0.044, 0.01, 29.1),
        (27.63, 0.57, 0.044, 0.001, 31.5),
    ],
)
def test_last_columns_of_table_2_of_001(low, high, p, pi, printed):
    """29.1 is 29.149, which the paper rounds correctly, and 31.458 is printed 31.5."""
    assert round(worst_case.nu_max(low, high, p, flipped(pi)), 1) == printed
