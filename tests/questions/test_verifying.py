"""Exact tests of a release: honest noise passes, and each liar is caught by the check that is there for it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from labeldp_audit.bounds import departures
from labeldp_audit.core.budget import Budget
from labeldp_audit.questions import verifying
from labeldp_audit.questions.verifying import Bagged, Trials

N, PI = 20_000, 0.27
LAW = np.array([[1 - PI, PI], [PI, 1 - PI]])


def labels(n=N, seed=0):
    return (np.random.default_rng(seed).random(n) < 0.3).astype(np.int64)


def said(truth, pi, seed=1):
    """pi: P(flip), of all rows or of each."""
    return truth ^ (np.random.default_rng(seed).random(len(truth)) < pi)


def trials(truth, told, law=LAW):
    return Trials(truth, told, law, law, len(law), np.arange(len(truth)))


def checks(one):
    return {each.check: each.p for each in verifying.of_trials(one)}


def test_honest_noise_passes():
    assert min(checks(trials(labels(), said(labels(), PI))).values()) > 0.001


def _every_64th(truth):
    return np.where(np.arange(len(truth)) % 64 == 63, 0.0, PI)


def _late(truth):
    return np.where(np.arange(len(truth)) > 0.97 * len(truth), 0.0, PI)


@pytest.mark.parametrize(
    ("check", "pi"),
    [
        ("channel", lambda truth: 0.9 * PI),
        ("channel", lambda truth: 1.1 * PI),
        ("channel", lambda truth: np.where(truth == 1, 0.0, PI)),
        ("position", _every_64th),
        ("along", _late),
    ],
)
def test_a_liar_is_caught(check, pi):
    truth = labels()
    assert checks(trials(truth, said(truth, pi(truth))))[check] < 0.001


@pytest.mark.parametrize("period", [1, 2500, 4096])
def test_noise_that_is_used_twice_is_caught(period):
    truth, drawn = labels(), said(np.zeros(N, np.int64), PI)
    again = np.resize(drawn[:period], N) if period > 1 else np.repeat(drawn[: N // 2], 2)
    assert checks(trials(truth, truth ^ again))["repeats"] < 1e-6


def test_noise_that_depends_on_a_feature_is_caught():
    truth, x = labels(), np.random.default_rng(3).integers(0, 4, N)
    for pi, caught in ((np.full(N, PI), False), (np.where(x == 2, 0.2, PI + 0.07 / 3), True)):
        one = trials(truth, said(truth, pi))
        tally = np.bincount(x * 4 + one.outcome, minlength=16).reshape(4, 4)
        tested = verifying.of_features(one, {"x": tally, "constant": tally.sum(axis=0)[None]})
        assert (tested.p < 0.001) == caught and (tested.column == "x") == caught


def test_without_the_original_labels_that_no_noise_leaves_are_seen():
    """Under noise no group of labels is more uniform than 1 - pi."""
    low, high = LAW.min(axis=0)[None], LAW.max(axis=0)[None]
    kind, row = np.zeros(N, np.int64), np.arange(N)
    honest = said(labels(), PI)
    assert (
        min(one.p for one in verifying.of_trials(Trials(kind, honest, low, high, 0, row)) if one.p is not None) > 0.001
    )
    clear = np.where(row % 64 == 5, 0, honest)
    found = {one.check: one.p for one in verifying.of_trials(Trials(kind, clear, low, high, 0, row))}
    assert found["position"] < 0.001 and found["repeats"] is None


def test_what_is_observed_is_held_against_the_claim():
    truth = labels()
    claim = math.log((1 - PI) / PI)
    for pi, holds in ((PI, True), (0.8 * PI, False)):
        pairs = verifying.limits_of_labels(trials(truth, said(truth, pi)), claim, "rr", Budget.of(0.99), ("0", "1"))
        bound, verdict = pairs[-1][0].bound, pairs[-1][1]
        assert bound.low < math.log((1 - pi) / pi) and bound.high is None
        assert (verdict.outcome == "pass") == holds
        rates = [one for one, _ in pairs if one.quantity == "flip_rate"]
        assert [one.at for one in rates] == [{}, {"class": "0"}, {"class": "1"}]
        assert all(one.bound.low < pi < one.bound.high for one in rates)


def test_shuffled_rows_keep_no_order():
    rng = np.random.default_rng(0)
    assert verifying.of_order(rng.permutation(N), N).p > 0.001
    assert verifying.of_order(np.arange(N), N).p < 1e-9
    assert verifying.of_order(np.roll(np.arange(N), 100), N).p < 1e-9


def test_no_order_tells_labels():
    rng = np.random.default_rng(0)
    row, code = rng.permutation(N), rng.integers(0, 3, N)
    code[::5] = -1  # which nobody knows
    assert verifying.of_order(row, N, code).p > 0.001
    place, first = np.arange(N), np.where(np.arange(N) % verifying.BLOCK == 0, 0, 1 + code % 2)
    for told in (np.sort(code), code[np.lexsort((code, place // 10))], np.where(place % 7 == 0, -1, first)):
        assert verifying.of_order(row, N, told).p < 1e-6


# ---- bags


def bagged(k=8, n=8000, seed=0, order=None):
    rng = np.random.default_rng(seed)
    bag = np.empty(n, np.int64)
    bag[rng.permutation(n) if order is None else order] = np.arange(n) // k
    truth = labels(n)
    positives = np.bincount(bag[truth == 1], minlength=n // k)
    return truth, Bagged(bag, np.full(n // k, k), positives.astype(float), positives)


def geometric(epsilon=1.0):
    """P(noise <= z), noise whole with P proportional to e^-epsilon |z|."""
    a = math.exp(-epsilon)

    def at_most(z):
        z = np.floor(np.asarray(z, float))
        return np.where(z >= 0, 1 - a ** (np.maximum(z, 0) + 1) / (1 + a), a ** (-np.minimum(z, 0)) / (1 + a))

    return at_most


def laplace(z):
    z = np.asarray(z, float)
    return np.where(z < 0, np.exp(np.minimum(z, 0)) / 2, 1 - np.exp(-np.maximum(z, 0)) / 2)


def test_honest_bags_pass():
    _, bags = bagged()
    assert all(one.p > 0.001 for one in verifying.of_bags(bags, None))


def test_bags_by_label_or_by_place_are_caught():
    truth, _ = bagged()
    _, by_label = bagged(order=np.argsort(truth, kind="stable"))
    _, by_place = bagged(order=np.arange(8000))
    found = {one.check: one.p for one in verifying.of_bags(by_label, None)}
    assert found["composition"] < 1e-9
    found = {one.check: one.p for one in verifying.of_bags(by_place, None)}
    assert found["places"] < 1e-9 and found["composition"] > 0.001


def test_some_bags_with_labels_of_one_kind_are_caught():
    truth, _ = bagged()
    positive = np.flatnonzero(truth == 1)[:80]
    rest = np.random.default_rng(0).permutation(np.setdiff1d(np.arange(8000), positive))
    _, bags = bagged(order=np.concatenate([positive, rest]))
    assert {one.check: one.p for one in verifying.of_bags(bags, None)}["composition"] < 0.001


@pytest.mark.parametrize("fault", ["", "weaker", "rounded", "none at every 64th", "none late"])
def test_the_law_of_noise(fault):
    rng = np.random.default_rng(5)
    _, bags = bagged(n=64_000)
    m = len(bags.size)
    law = geometric() if fault != "rounded" else laplace
    noise = (rng.geometric(1 - math.exp(-1), m) - rng.geometric(1 - math.exp(-1), m)).astype(float)
    if fault == "weaker":
        noise = (rng.geometric(1 - math.exp(-1.2), m) - rng.geometric(1 - math.exp(-1.2), m)).astype(float)
    elif fault == "rounded":
        noise = np.round(rng.laplace(size=m))
    elif fault == "none at every 64th":
        noise[np.arange(m) % 64 == 0] = 0
    elif fault == "none late":
        noise[-200:] = 0
    one = Bagged(bags.bag, bags.size, bags.positives + noise, bags.positives)
    found = {each.check: each.p for each in verifying.of_bags(one, law)}
    assert (found["noise"] < 0.001) == bool(fault)


def test_the_epsilon_of_noise_that_was_observed():
    _, bags = bagged(n=64_000)
    rng, q = np.random.default_rng(5), 1 - math.exp(-2)
    noise = rng.geometric(q, len(bags.size)) - rng.geometric(q, len(bags.size))
    one = Bagged(bags.bag, bags.size, bags.positives + noise.astype(float), bags.positives)
    [(honest, verdict)] = verifying.limits_of_noise(one, 2.0, "geometric", Budget.of(0.99))
    assert 1 < honest.bound.low < 2 and verdict.outcome == "pass"
    [(_, verdict)] = verifying.limits_of_noise(one, 1.0, "geometric", Budget.of(0.99))
    assert verdict.outcome == "fail"


# ---- the tests themselves


def test_alarms_of_honest_releases_are_as_rare_as_they_should_be():
    """Small releases: each check alarms at most as often as its share, here 5 %."""
    truth = labels(300)
    alarms = dict.fromkeys(("channel", "position", "along", "repeats"), 0)
    runs = 400
    for seed in range(runs):
        for name, p in checks(trials(truth, said(truth, PI, seed))).items():
            alarms[name] += p < 0.05
    assert max(alarms.values()) <= 0.05 * runs + 3 * math.sqrt(0.05 * runs)


def test_tails_of_bags_hold_by_simulation():
    truth = labels(400)
    p = []
    for seed in range(400):
        bag = np.random.default_rng(seed).permutation(400) // 8
        p.append(departures.of_bags(np.bincount(bag[truth == 1], minlength=50), np.full(50, 8), 400, int(truth.sum())))
    assert np.mean(np.array(p) < 0.1) < 0.1


def test_a_binomial_tail_is_the_sum_of_its_terms():
    n, p = 12, 0.3
    law = np.array([math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])
    for k in range(n + 1):
        by_hand = min(1.0, 2 * min(law[k:].sum(), law[: k + 1].sum()))
        assert float(departures.of_counts(k, n, p, p)) == pytest.approx(by_hand)
    assert float(departures.of_counts(3, n, p, p, alike=False)) == 1
    assert departures.hypergeometric(10, 4, 3) == pytest.approx([1 / 6, 1 / 2, 3 / 10, 1 / 30])
