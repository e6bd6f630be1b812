"""Kinds of populations: what they promise, and that their labels follow the eta that they tell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from known_truth import people
from population import Floats, Integers, Population, hardness, link, two
from worlds import KINDS

N = 20_000
every_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def population(kind: str, seed: int = 1) -> Population:
    return KINDS[kind](seed)


def sigmas(honest: Population) -> float:
    """How far the labels of each class are from eta, at worst over five groups of rows with similar eta."""
    _, labels, eta = honest.draw(N, np.random.default_rng(1))
    worst = 0.0
    for c in range(eta.shape[1]):
        for group in np.array_split(np.argsort(eta[:, c], kind="stable"), 5):
            chance = eta[group, c]
            spread = max(np.sqrt((chance * (1 - chance)).sum()), 1e-9)
            worst = max(worst, abs((labels[group] == c).sum() - chance.sum()) / spread)
    return worst


@dataclass(frozen=True)
class Liar(Population):
    """Tells an eta that is nearer to the first class than the one its labels follow."""

    def draw(self, n: int, rng: np.random.Generator) -> tuple[pa.Table, Integers, Floats]:
        table, labels, eta = super().draw(n, rng)
        told = eta * np.where(np.arange(eta.shape[1]) == 0, 1.0, 0.15)
        return table, labels, told / told.sum(axis=1, keepdims=True)


@every_kind
def test_labels_follow_eta(kind: str) -> None:
    assert sigmas(population(kind)) < 5


@every_kind
def test_and_that_test_has_teeth(kind: str) -> None:
    honest = population(kind)
    assert sigmas(Liar(honest.kind, 1, honest.features)) > 5


@every_kind
def test_draws_can_be_repeated_and_seeds_differ(kind: str) -> None:
    table, labels, eta = population(kind).draw(100, np.random.default_rng(0))
    again = population(kind).draw(100, np.random.default_rng(0))
    assert table.equals(again[0])
    assert (labels == again[1]).all()
    assert (eta == again[2]).all()
    assert table.num_rows == len(labels) == len(eta)
    assert eta.sum(axis=1) == pytest.approx(1)
    assert (eta != population(kind, 2).eta(100, np.random.default_rng(0))).any()


@every_kind
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_difficulty_is_moderate(kind: str, seed: int) -> None:
    eta = people(population(kind, seed), many=N)
    if kind == "independent":
        assert hardness(eta) == pytest.approx(1, abs=1e-12)
    else:
        assert 0.3 < hardness(eta) < 0.95


@every_kind
def test_the_prior_of_other_people_is_that_of_the_table(kind: str) -> None:
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


def test_shapes_and_types() -> None:
    assert drawn("curved")[0].num_columns == 18
    assert drawn("gaussians", n=10)[0].num_columns == 100
    assert set(drawn("categorical")[0].schema.types) == {pa.string()}
    five, labels, _ = drawn("five")
    assert five.schema.types.count(pa.string()) == 2
    assert 8 <= five.num_columns <= 12
    assert set(labels.tolist()) == set(range(5))


def test_levels_follow_a_power_law() -> None:
    column = drawn("categorical")[0]["c7"]
    counts = np.sort(pc.value_counts(column).field("counts").to_numpy())[::-1]
    assert len(counts) > 500
    assert counts[0] > 20 * np.median(counts)


@pytest.mark.parametrize(("seed", "sure"), [(1, 0.999), (2, 1.0), (3, 0.0005)])
def test_a_tenth_to_a_fifth_is_given_away(seed: int, sure: float) -> None:
    table, _, eta = drawn("give-away", seed)
    inside = eta[:, 1] == sure
    assert 0.09 < inside.mean() < 0.21
    assert table["r0"].to_numpy()[inside].min() > 40 * 0.2  # where a number is large


def test_scales_go_from_small_to_large() -> None:
    spread = [float(np.std(column.to_numpy())) for column in drawn("scales")[0].columns]
    assert min(spread) < 4e-4
    assert max(spread) > 0.7e4


def test_the_rare_are_one_in_five_hundred_and_cells_are_missing() -> None:
    table, _, eta = drawn("rare")
    assert eta[:, 1].mean() == pytest.approx(0.002, rel=0.1)
    missing = [column.null_count / len(column) for column in table.columns]
    assert sum(0.03 < share < 0.4 for share in missing) >= 9
    assert missing[10:] == [0, 0, 0]


def test_few_distinct_rows() -> None:
    table, _, eta = drawn("repeated")
    distinct = table.group_by(table.column_names).aggregate([]).num_rows
    assert distinct <= 3000
    assert len(np.unique(eta[:, 1])) == pytest.approx(distinct, abs=distinct / 5)  # some etas are at the ends
