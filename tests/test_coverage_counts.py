"""benchmarks/coverage.py counts what is false, and nothing else."""

import math

import numpy as np
import pytest

from benchmarks import coverage
from labeldp_audit.model import Bound, Finding

EPSILON = 1.0
NOISE = EPSILON * math.tanh(EPSILON / 2)
ETA = np.array([0.1] * 600 + [0.9] * 400)
P = 0.42


@pytest.fixture(scope="module")
def truth():
    odds = np.log(ETA / (1 - ETA)) - math.log(P / (1 - P))
    losses = np.sort((2 * ETA - 1) * odds)
    return coverage.Truth(
        coverage.Mean(0.9, 0.001), {"rr:epsilon=1": coverage.Mean(0.05, 0.001)}, losses, float(np.abs(odds).max()),
        (odds, np.stack([ETA / P, (1 - ETA) / (1 - P)])),
    )  # fmt: skip


def said(quantity, low, high, **at):
    return Finding(quantity, Bound(None, low, high, 10, "by hand"), 0.99, "rr:epsilon=1", {"epsilon": EPSILON, **at})


SHARE = 0.4  # lose more than 2 nats and the noise: those of 0.9
MEAN = 0.6 * -0.8 * (math.log(1 / 9) - math.log(P / (1 - P))) + 0.4 * 0.8 * (math.log(9) - math.log(P / (1 - P)))
RENYI = math.log((0.06 / P) ** 2 / (0.54 / (1 - P)) + (0.36 / P) ** 2 / (0.04 / (1 - P)))
TRUE = {
    "j": (SHARE, {"tau": 1.95 + NOISE}), "mean_loss": (MEAN + NOISE, {}), "advantage": (0.05, {}),
    "nu_max": (EPSILON + math.log(9) + math.log((1 - P) / P), {}), "uninformed_utility": (0.9, {}),
    "informed_utility": (0.95, {}), "renyi": (RENYI, {"alpha": 2.0, "of": "positive from negative"}),
}  # fmt: skip


@pytest.mark.parametrize("quantity", TRUE)
def test_limits_that_hold_are_not_counted(truth, quantity):
    value, at = TRUE[quantity]
    for name in (quantity, f"certified_{quantity}"):
        assert not list(coverage.false_ends(said(name, value - 1e-6, value + 1e-6, **at), truth))


@pytest.mark.parametrize("quantity", TRUE)
def test_limits_that_do_not_are(truth, quantity):
    value, at = TRUE[quantity]
    off = 0.5 if quantity in ("mean_loss", "renyi") else 0.1
    for ends, name in (((value + off, math.inf), "low"), ((0.0, value - off), "high")):
        assert list(coverage.false_ends(said(quantity, *ends, **at), truth)) == [f"{quantity} {name}"]
        assert list(coverage.false_ends(said(f"certified_{quantity}", *ends, **at), truth)) == [coverage.CERTIFIED]


def test_what_has_no_limits_or_no_known_truth_is_passed_over(truth):
    assert not list(coverage.false_ends(said("j", None, None, tau=1.0), truth))
    assert not list(coverage.false_ends(said("jeffreys", 9.0, math.inf), truth))
