"""The truths of populations, found in other ways: closed forms, every labelling of a bag, attackers who play."""

from __future__ import annotations

import itertools
import math
from types import ModuleType

import numpy as np
import pytest
from known_truth import Truth, counting_gains, flipping_gains, losses, people, poisson_binomial, share_above
from numeric_populations import gaussian_eta
from population import Floats, logit, two
from worlds import KINDS

PI = 0.01
H = (1 - 2 * PI) * math.log((1 - PI) / PI)


# ---- two Gaussians: logit eta is normal in each class, of mean logit p -+ D^2 / 2 and variance D^2

P, D = 0.3, 1.7


def gaussian_sample(n: int) -> Floats:
    rng = np.random.default_rng(0)
    centre = np.array([1.2, -1.0, math.sqrt(D * D - 2.44)])
    z = rng.normal(size=(n, 3)) + (rng.random((n, 1)) < P) * centre
    return gaussian_eta(z, P, centre, np.ones(3))


def density() -> tuple[Floats, Floats]:
    """eta on a fine grid of its logit, and weights."""
    at = np.linspace(-14, 14, 400_001)
    middle = logit(np.array(P))
    bell = [np.exp(-((at - middle - side * D * D / 2) ** 2) / (2 * D * D)) for side in (-1, 1)]
    weights = (1 - P) * bell[0] + P * bell[1]
    return 1 / (1 + np.exp(-at)), weights / weights.sum()


def test_gaussians_against_the_law_in_one_dimension() -> None:
    eta, weights = density()
    taus = np.array([4.4, 4.6, 5.0, 6.0, 8.0, 11.0])
    sample = gaussian_sample(200_000)
    truth = Truth.of(two(sample), taus, PI)
    assert truth.prior[1] == pytest.approx(P, abs=5 * sample.std() / math.sqrt(len(sample)))
    for tau, found in zip(taus, truth.j, strict=True):
        share = weights[(2 * eta - 1) * (logit(eta) - math.log(P / (1 - P))) + H > tau].sum()
        assert found == pytest.approx(share, abs=5 * math.sqrt(share / len(sample)) + 1e-3)
    for epsilon in (0.5, 1.0, 3.0):
        least = np.minimum(eta, 1 - eta) - 1 / (1 + math.exp(epsilon))
        advantage = truth.advantages[f"rr:epsilon={epsilon:g}"]
        assert abs(advantage.value - weights @ np.maximum(least, 0)) < 4 * advantage.standard_error


def test_the_hundred_dimensional_ones_are_gaussian() -> None:
    """Where the label is 0, logit eta has variance D^2 and mean logit p - D^2 / 2, whatever D is."""
    eta = people(KINDS["gaussians"](1), many=50_000)[:, 1]
    p, weights, score = eta.mean(), (1 - eta) / (1 - eta).sum(), logit(eta)
    mean = weights @ score
    assert mean == pytest.approx(math.log(p / (1 - p)) - weights @ (score - mean) ** 2 / 2, abs=0.1)


# ---- losses


def test_losses_end_at_twenty_and_shares_above_count_what_is_larger() -> None:
    assert losses(np.array([0.0, 1.0, 1e-12]), 0.3, PI).tolist() == [20, 20, 20]
    assert losses(np.array([0.3]), 0.3, PI)[0] == pytest.approx(H, rel=1e-12)
    assert share_above(np.array([1.0, 2.0, 2.0, 5.0]), np.array([0.0, 1.0, 2.0, 5.0])).tolist() == [1, 0.75, 0.25, 0]


# ---- advantages, by playing


def wins(guess: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    right = guess == labels
    return float(right.mean()), float(right.std() / math.sqrt(len(labels)))


@pytest.mark.parametrize("kind", ["curved", "five"])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_flipped_labels_against_an_attacker_who_plays(kind: str, epsilon: float) -> None:
    _, labels, eta = KINDS[kind](1).draw(100_000, np.random.default_rng(6))
    rng, classes = np.random.default_rng(7), eta.shape[1]
    kept = rng.random(len(labels)) < math.exp(epsilon) / (math.exp(epsilon) + classes - 1)
    said = np.where(kept, labels, (labels + rng.integers(1, classes, len(labels))) % classes)
    likely = np.where(said[:, None] == np.arange(classes), math.exp(epsilon), 1)
    found, error = wins((eta * likely).argmax(axis=1), labels)
    told = flipping_gains(eta, epsilon) + eta.max(axis=1)
    assert abs(found - told.mean()) < 4 * error
    assert abs(found - (flipping_gains(eta, epsilon + 1.5) + eta.max(axis=1)).mean()) > 4 * error


def test_two_classes_are_the_theorem() -> None:
    eta, pi = np.linspace(0, 1, 101), 1 / (1 + math.exp(1.3))
    assert flipping_gains(two(eta), 1.3) == pytest.approx(np.maximum(np.minimum(eta, 1 - eta) - pi, 0), abs=1e-12)


def by_enumeration(etas: tuple[float, ...]) -> float:
    """The mean over members of the gain, from all 2^k labellings of one bag."""
    gain = 0.0
    for i, eta in enumerate(etas):
        joint = np.zeros((len(etas) + 1, 2))
        for labels in itertools.product((0, 1), repeat=len(etas)):
            chance = math.prod(e if label else 1 - e for e, label in zip(etas, labels, strict=True))
            joint[sum(labels), labels[i]] += chance
        gain += joint.max(axis=1).sum() - max(eta, 1 - eta)
    return gain / len(etas)


@pytest.mark.parametrize(
    "etas", [(0.3,), (0.5, 0.5), (0.2, 0.7, 0.4), (0.0, 1.0, 0.3, 0.6), (0.01, 0.9, 0.45, 0.5, 0.2)]
)
def test_one_bag_against_all_its_labellings(etas: tuple[float, ...]) -> None:
    assert counting_gains(np.array(etas), len(etas)) == pytest.approx(by_enumeration(etas), abs=1e-12)


def test_people_who_are_all_alike() -> None:
    """The count s says s / k about each: E max(S / k, 1 - S / k) - max(p, 1 - p), S binomial."""
    p, k = 0.35, 8
    law = np.array([math.comb(k, s) * p**s * (1 - p) ** (k - s) for s in range(k + 1)])
    share = np.arange(k + 1) / k
    assert counting_gains(np.full(80, p), k) == pytest.approx(law @ np.maximum(share, 1 - share) - 0.65, abs=1e-12)
    assert poisson_binomial(np.full((1, k), p))[0] == pytest.approx(law, abs=1e-14)


def test_counts_against_an_attacker_who_plays() -> None:
    k = 8
    _, labels, eta = KINDS["curved"](2).draw(80_000, np.random.default_rng(8))
    mine, labels = eta[:, 1].reshape(-1, k), labels.reshape(-1, k)
    others = poisson_binomial(mine[:, 1:])
    total, rows = labels.sum(axis=1), np.arange(len(labels))
    positive = mine[:, 0] * np.where(total > 0, others[rows, total - 1], 0)
    negative = (1 - mine[:, 0]) * np.where(total < k, others[rows, np.minimum(total, k - 1)], 0)
    found, error = wins(positive > negative, labels[:, 0])
    baseline = np.maximum(mine, 1 - mine)
    told = counting_gains(eta[:, 1], k).mean()
    assert abs(found - baseline[:, 0].mean() - told) < 4 * error
    assert told > 4 * error  # an attacker who ignores counts would be caught


# ---- the comparison


@pytest.fixture
def comparison(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> ModuleType:
    monkeypatch.syspath_prepend(str(request.config.rootpath))
    from benchmarks import truth

    return truth


def test_a_curve_is_no_distance_from_itself_and_a_shift_away_from_a_shifted_one(comparison: ModuleType) -> None:
    assert tuple(KINDS) == comparison.KINDS and set(comparison.AIMS) <= set(KINDS)
    sample = losses(gaussian_sample(20_000), P, PI)
    one, moved = (share_above(sample + by, np.array(comparison.TAUS)) for by in (0, 0.5))
    assert comparison.distance(one, one) == 0
    assert comparison.distance(one, moved) == pytest.approx(0.5, abs=1e-3)
    assert comparison.distance([1.0] * 1001, [0.0] * 1001) == pytest.approx(20, abs=comparison.STEP)


@pytest.mark.parametrize(("estimate", "missed"), [(0.01049, False), (0.0106, True), (0.0094, True), (0.0, True)])
def test_what_misses_is_marked(comparison: ModuleType, estimate: float, missed: bool) -> None:
    assert comparison.off(estimate, 0.01).endswith("!") is missed
    assert comparison.off(None, 0.01).endswith("!")
    assert comparison.off(0.0005, 0.0) == "0.00000 +0.00050"
    assert comparison.off(1.06, 1.0) == "1.00000 +0.06000 +6.0%!"


def curve(comparison: ModuleType, up_to: float) -> list[dict[str, object]]:
    return [{"at": {"tau": tau}, "estimate": float(tau < up_to)} for tau in comparison.TAUS]


def compared(comparison: ModuleType, kind: str, seed: int = 1, *, up_to: float = H, rr: float = 0.02) -> object:
    """What is said of a population whose losses are all H, up to another loss, and of an advantage of 0.02."""
    j, few = [float(tau < H) for tau in comparison.TAUS], [float(tau < 1) for tau in comparison.FEW_TAUS]
    said = [{"at": {"tau": 1.0}, "estimate": 0.5, "low": 0.0, "high": 0.4, "quantity": "j"}] * len(few)
    inside = [{**one, "quantity": "j", "low": 0, "high": 1} for one in curve(comparison, up_to)]
    gain = {"quantity": "advantage", "mechanism": "rr:epsilon=1", "estimate": rr, "low": 0.0, "high": 1.0}
    known = {"j": j, "few": few, "best": 0.1, "blind": 0.2, "prior": [0.9, 0.1], "traits": "", "advantages": {}}
    found = ({"findings": one} for one in (inside, said, [gain]))
    answer = comparison.Answer({"eta": {"log_loss": 0.1}}, *found, comparison.child.Cost(1, 1))
    return comparison.Compared.of(kind, seed, "auto", 10_000, {**known, "advantages": {"rr:epsilon=1": 0.02}}, answer)


def test_losses_that_nobody_has_are_a_false_alarm_where_labels_are_independent(comparison: ModuleType) -> None:
    w1, up_to = comparison.HEAD.index("W1"), comparison.HEAD.index("up to")
    for kind, far, expected in (
        ("independent", H, ("0.0000", "4.50")),
        ("independent", H + 1, ("1.0000!", "5.50!")),
        ("rare", H + 0.1, ("0.1000", "4.60")),
    ):
        cells = comparison.row(compared(comparison, kind, up_to=far))
        assert (cells[w1], cells[up_to]) == expected


def test_the_share_of_positives_in_the_sample_excuses_but_is_told(comparison: ModuleType) -> None:
    """Three standard errors of a share of 0.1 in 10 000 rows are 0.009; one twentieth of 0.02 is 0.001."""
    for rr, expected, strictly in ((0.0205, "", True), (0.0285, "~", False), (0.0295, "!", False)):
        one = compared(comparison, "rare", rr=rr)
        assert comparison.row(one)[comparison.HEAD.index("rr 1")].endswith(expected or "%")
        assert comparison.within(one) is (expected != "!")
        assert comparison.within(one, 0.0) is strictly
    assert comparison.class_share_chance([0.9, 0.1], 10_000) == pytest.approx(0.009)


def test_the_worst_and_the_median_of_draws(comparison: ModuleType) -> None:
    draws = [
        compared(comparison, "rare", seed, up_to=H + off, rr=0.02 + off / 200)
        for seed, off in ((7, 0.1), (8, 0.5), (9, 0.0))
    ]
    cells = dict(zip(comparison.SUMMARY_HEAD, next(comparison.summary(draws)), strict=True))
    assert (cells["W1"], cells["seed"]) == ("0.5000 | 0.1000!", "8")
    assert cells["rr 1"] == "12.5% | 2.5%~"
    assert cells["within"] == "2/3 (2)"
    assert (cells["width"], cells["outside"]) == ("0.4000 | 0.4000", "3/3!")  # j(0.5) is 1, said to be at most 0.4
    assert cells["llp 8"] == ""


@pytest.mark.parametrize("options", [["--draws", "3"], ["--draws", "3", "--seed", "5"], ["--seeds", "4", "2"], []])
def test_seeds_can_be_named_or_drawn(
    comparison: ModuleType, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr(comparison.sys, "argv", ["truth", *options])
    asked = comparison.arguments()
    assert asked.draws == (3 if "--draws" in options else 1)
    assert asked.seeds == ([4, 2] if "--seeds" in options else None)
    assert asked.seed == 5 if "--seed" in options else asked.seed >= 1


def test_limits_hold_what_lies_between_them_and_without_limits_anything_may_be(comparison: ModuleType) -> None:
    assert comparison.width({"low": None, "high": None}) == 1
    assert comparison.width({"low": 0.25, "high": None}) == 0.75
    assert not comparison.contradicts({"low": None, "high": None}, 0.5)
    assert comparison.contradicts({"low": 0.6, "high": None}, 0.5)
    assert comparison.holds({"low": 0.1, "high": 0.2}, 0.1)
    assert not comparison.holds({"low": 0.1, "high": 0.2}, 0.2001)
    assert not comparison.holds({"low": None, "high": None}, 0.1)
