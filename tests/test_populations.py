"""Worlds and kinds of populations: what they promise, and that their labels follow the eta that they tell."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from known_truth import people
from population import (
    DEPTHS,
    SHARES,
    Floats,
    Integers,
    Population,
    depth_of_effects,
    hardness,
    link,
    nu_bar,
    shape,
    share_of_positives,
    two,
)
from worlds import DISTINCT, KINDS, WORLDS, World, atoms, true_jeffreys, true_p, true_uninformed_utility

N = 10_000
every_kind = pytest.mark.parametrize("kind", KINDS)
every_world = pytest.mark.parametrize("name", WORLDS)


@cache
def population(kind: str, seed: int = 1) -> Population:
    return KINDS[kind](seed)


def sigmas(labels: Integers, eta: Floats) -> float:
    """How far the labels of each class are from eta, at worst over five groups of rows with similar eta."""
    worst = 0.0
    for c in range(eta.shape[1]):
        for group in np.array_split(np.argsort(eta[:, c], kind="stable"), 5):
            chance = eta[group, c]
            spread = max(np.sqrt((chance * (1 - chance)).sum()), 1e-9)
            worst = max(worst, abs((labels[group] == c).sum() - chance.sum()) / spread)
    return worst


@every_kind
def test_labels_follow_eta_and_no_other(kind: str) -> None:
    """Of a population; told an eta that is nearer to the first class the test would fail."""
    _, labels, eta = population(kind).draw(N, np.random.default_rng(1))
    assert sigmas(labels, eta) < 5
    told = eta * np.where(np.arange(eta.shape[1]) == 0, 1.0, 0.15)
    assert sigmas(labels, told / told.sum(axis=1, keepdims=True)) > 5


@every_world
def test_labels_of_a_world_follow_eta_and_no_other(name: str) -> None:
    """And its law describes the draws."""
    points, labels, eta = WORLDS[name].draw(5 * N, np.random.default_rng(1))
    assert sigmas(labels, two(eta)) < 5 < sigmas(labels, two(np.clip(eta - 0.03, 0, 1)))
    assert (points.dtype, labels.dtype, eta.dtype) == (np.float32, np.uint8, np.float64)
    assert points.ndim == 2 and len(points) == len(labels) == len(eta) == 5 * N
    weights, law = WORLDS[name].law()
    assert weights.sum() == pytest.approx(1, abs=1e-9)
    assert abs(eta.mean() - true_p(WORLDS[name])) <= 5 * eta.std() / np.sqrt(len(eta)) + 1e-9
    for at in (0.1, 0.35, 0.65, 0.9):
        share = weights[law > at].sum()
        assert abs((eta > at).mean() - share) <= 5 * np.sqrt(share * (1 - share) / len(eta)) + 1e-6


def test_the_truth_of_worlds() -> None:
    """The loss is 001, Definition 3, computed to 25 digits."""
    assert nu_bar(np.array([0.7, 0.732]), 0.3, 0.1)[0] == pytest.approx(2.435617950178738, rel=1e-12)
    assert nu_bar(np.array([0.732]), 0.9, 0.4)[0] == pytest.approx(-0.472194982741362, rel=1e-12)
    assert nu_bar(np.array([0.0, 1.0]), 0.3, 0.1).tolist() == [np.inf, np.inf]
    three = World("three atoms", WORLDS["wave"].features, atoms([0.3, 0.5, 0.2], [0.1, 0.6, 0.95]))
    assert true_jeffreys(three) == pytest.approx(1.0978794256214681, rel=1e-12)
    assert true_uninformed_utility(three) == pytest.approx(0.76)
    assert true_p(WORLDS["wave"]) == pytest.approx(0.5, abs=1e-9)
    assert true_p(WORLDS["rare"]) == pytest.approx(1 / 500)
    rows = WORLDS["duplicates"].draw(5 * N, np.random.default_rng(0))[0]
    assert DISTINCT / 2 < np.unique(rows, axis=0).shape[0] <= DISTINCT


@every_kind
def test_draws_can_be_repeated_and_seeds_differ(kind: str) -> None:
    (table, labels, eta), again = (population(kind).draw(100, np.random.default_rng(0)) for _ in range(2))
    assert table.equals(again[0]) and (labels == again[1]).all() and (eta == again[2]).all()
    assert table.num_rows == len(labels) == len(eta)
    assert eta.sum(axis=1) == pytest.approx(1)
    assert (eta != population(kind, 2).eta(100, np.random.default_rng(0))).any()
    assert len({population(kind, seed).traits for seed in (1, 2, 3)}) == 3


@every_kind
def test_difficulty_is_moderate_and_the_prior_of_other_people_is_that_of_the_table(kind: str) -> None:
    for seed in (1, 2, 3):
        hard = hardness(people(population(kind, seed), many=N))
        assert hard == pytest.approx(1, abs=1e-12) if kind == "independent" else 0.3 < hard < 0.95
    prior = people(population(kind), many=2 * N).mean(axis=0)
    labels = population(kind).draw(N, np.random.default_rng(5))[1]
    for c, share in enumerate(prior):
        assert abs((labels == c).mean() - share) < 5 * np.sqrt(1.5 * share * (1 - share) / N)


def test_a_link_has_the_mean_and_the_difficulty_asked_for() -> None:
    score = np.random.default_rng(0).normal(size=5000)
    eta = link(score, 0.1, 0.7)(score)
    assert eta.mean() == pytest.approx(0.1, rel=1e-6)
    assert hardness(two(eta)) == pytest.approx(0.7, rel=1e-6)


# ---- what the names promise


def drawn(kind: str, seed: int = 1, n: int = N) -> tuple[pa.Table, Integers, Floats]:
    return population(kind, seed).draw(n, np.random.default_rng(4))


a_few = pytest.mark.parametrize("seed", [1, 2, 4])


@a_few
def test_shapes_and_types(seed: int) -> None:
    assert 10 <= drawn("curved", seed)[0].num_columns <= 24
    assert 80 <= drawn("gaussians", seed, n=10)[0].num_columns <= 120
    assert set(drawn("categorical", seed)[0].schema.types) == {pa.string()}
    assert set(drawn("levels", seed)[0].schema.types) == {pa.string(), pa.int64()}
    five, labels, _ = drawn("five", seed)
    assert five.schema.types.count(pa.string()) == 2
    assert 6 <= five.num_columns <= 14
    assert set(labels.tolist()) == set(range(5))


@a_few
def test_main_effects_add_up(seed: int) -> None:
    """Moving from one level to another changes the log-odds by as much whatever the other columns say."""
    table, _, eta = drawn("levels", seed)
    odds = np.log(eta[:, 1] / eta[:, 0])
    assert residue(table, odds) < 1e-6 < residue(table, eta[:, 1])


def residue(table: pa.Table, score: Floats) -> float:
    """What a sum of one function of each column leaves of a score, found by smoothing its parts in turn."""
    codes = [column.combine_chunks().dictionary_encode("encode").indices.to_numpy() for column in table.columns]
    left = score - score.mean()
    for _ in range(200):
        for code in codes:
            sums, rows = np.bincount(code, left), np.bincount(code)
            left = left - (sums / np.maximum(rows, 1))[code]
    return float(left.std() / score.std())


def test_few_seeds_in_a_row_see_common_and_rare_positives_and_every_depth() -> None:
    for first in (1, 4, 1000):
        seeds = range(first, first + 5)
        shares = sorted(share_of_positives(seed, np.random.default_rng(seed)) for seed in seeds)
        assert shares == pytest.approx(sorted(SHARES), rel=0.11)
        assert {depth_of_effects(seed) for seed in seeds} == set(DEPTHS)


@pytest.mark.parametrize(("seed", "sure"), [(1, 0.999), (2, 1.0), (3, 0.0005), (4, 0.999)])
def test_a_tenth_to_a_fifth_is_given_away(seed: int, sure: float) -> None:
    table, _, eta = drawn("give-away", seed)
    inside = eta[:, 1] == sure
    assert 0.09 < inside.mean() < 0.21
    assert table["r0"].to_numpy()[inside].min() > 40 * 0.2  # where a number is large


@a_few
def test_the_rare_are_one_in_100_to_1000_and_cells_are_missing(seed: int) -> None:
    table, _, eta = drawn("rare", seed)
    assert 0.0008 < eta[:, 1].mean() < 0.012
    missing = [column.null_count / len(column) for column in table.columns]
    assert sum(0.02 < share < 0.4 for share in missing) >= (len(missing) - 1) / 2
    assert missing[-2:] == [0, 0]


@a_few
def test_few_distinct_rows(seed: int) -> None:
    table, _, eta = drawn("repeated", seed)
    distinct = table.group_by(table.column_names).aggregate([]).num_rows
    assert distinct <= 3000
    # The rarer positives, the more at an end.
    assert len(np.unique(eta[:, 1])) == pytest.approx(distinct, abs=distinct / 3)


@pytest.mark.parametrize("depth", DEPTHS)
def test_only_main_effects_are_main_effects(depth: str) -> None:
    """f(a, b) - f(a, 0) - f(0, b) + f(0, 0) is 0 for all a and b exactly where columns only add."""
    score, x = shape(4, depth, np.random.default_rng(3)), np.random.default_rng(0).normal(size=(500, 4))
    left, right = x * [1, 1, 0, 0], x * [0, 0, 1, 1]
    crossed = np.abs(score(x) - score(left) - score(right) + score(0 * x)).max()
    assert (crossed < 1e-9) == (depth == "main effects")
