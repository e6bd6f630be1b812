"""The worlds tell the truth about themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from worlds import (
    DISTINCT,
    WORLDS,
    Floats,
    Labels,
    Points,
    World,
    atoms,
    nu_bar,
    true_j,
    true_jeffreys,
    true_mean_loss,
    true_p,
    true_uninformed_utility,
)

N = 50_000
every_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)


def sigmas(world: World, n: int = N) -> float:
    """How far the labels are from eta, at worst over five groups of rows with similar eta."""
    _, labels, eta = world.draw(n, np.random.default_rng(1))
    groups = np.array_split(np.argsort(eta, kind="stable"), 5)
    return max(
        abs(labels[group].sum() - eta[group].sum()) / max(np.sqrt((eta[group] * (1 - eta[group])).sum()), 1e-9)
        for group in groups
    )


@dataclass(frozen=True)
class Liar(World):
    """Draws labels from an eta 0.03 above the one it tells."""

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Points, Labels, Floats]:
        points, eta = self.features(n, rng)
        return points, (rng.random(n) < eta + 0.03).astype(np.uint8), eta


@every_world
def test_labels_follow_eta(world: World) -> None:
    assert sigmas(world) < 5


@every_world
def test_and_that_test_has_teeth(world: World) -> None:
    assert sigmas(Liar(world.name, world.features, world.law)) > 5


@every_world
def test_a_draw_is_what_an_audit_reads(world: World) -> None:
    points, labels, eta = world.draw(1000, np.random.default_rng(0))
    assert points.ndim == 2
    assert len(points) == len(labels) == len(eta) == 1000
    assert (points.dtype, labels.dtype, eta.dtype) == (np.float32, np.uint8, np.float64)


@every_world
def test_the_law_describes_the_draws(world: World) -> None:
    weights, law = world.law()
    eta = world.draw(N, np.random.default_rng(2))[2]
    assert weights.sum() == pytest.approx(1, abs=1e-9)
    assert abs(eta.mean() - true_p(world)) <= 5 * eta.std() / np.sqrt(N) + 1e-9
    for at in (0.1, 0.35, 0.65, 0.9):
        share = weights[law > at].sum()
        assert abs((eta > at).mean() - share) <= 5 * np.sqrt(share * (1 - share) / N) + 1e-6


def test_the_promises_in_the_names() -> None:
    rng = np.random.default_rng(0)
    assert np.unique(WORLDS["duplicates"].draw(N, rng)[0], axis=0).shape[0] <= DISTINCT
    assert np.unique(WORLDS["duplicates"].draw(N, rng)[0], axis=0).shape[0] > DISTINCT / 2
    assert true_p(WORLDS["rare"]) == pytest.approx(1 / 500)
    assert WORLDS["sheet"].draw(1, rng)[0].shape == (1, 18)


def test_the_loss_is_the_papers() -> None:
    # 001, Definition 3, computed to 25 digits.
    assert nu_bar(np.array([0.7, 0.732]), 0.3, 0.1)[0] == pytest.approx(2.435617950178738, rel=1e-12)
    assert nu_bar(np.array([0.732]), 0.9, 0.4)[0] == pytest.approx(-0.472194982741362, rel=1e-12)
    assert nu_bar(np.array([0.0, 1.0]), 0.3, 0.1).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize(("tau", "share"), [(1.0, 1.0), (2.5, 0.5), (3.5, 0.5)])
def test_the_truth_of_three_atoms(tau: float, share: float) -> None:
    world = World("three atoms", WORLDS["wave"].features, atoms([0.3, 0.5, 0.2], [0.1, 0.6, 0.95]))
    assert true_j(world, tau, pi=0.1) == pytest.approx(share)
    assert true_jeffreys(world) == pytest.approx(1.0978794256214681, rel=1e-12)
    assert true_mean_loss(world, pi=0.1) == pytest.approx(2.852457379183502, rel=1e-12)
    assert true_uninformed_utility(world) == pytest.approx(0.76)


def test_features_that_tell_nothing_lose_what_the_mechanism_loses() -> None:
    h_of_pi = 0.8 * np.log(9)
    assert true_j(WORLDS["no signal"], h_of_pi - 1e-9, pi=0.1) == 1
    assert true_j(WORLDS["no signal"], h_of_pi + 1e-9, pi=0.1) == 0


def test_features_that_tell_everything_lose_everything() -> None:
    assert true_j(WORLDS["determined"], 1e6, pi=0.1) == 1
    assert true_mean_loss(WORLDS["determined"], pi=0.1) == np.inf


def test_the_wave_in_closed_form() -> None:
    """p = 1/2, so with the root z of H the share beyond is 1 - 2 asin((z - 1/2) / 0.45) / pi."""
    root = 0.9
    tau = float(nu_bar(np.array([root]), 0.5, 0.1)[0])
    assert true_p(WORLDS["wave"]) == pytest.approx(0.5, abs=1e-9)
    assert true_j(WORLDS["wave"], tau, pi=0.1) == pytest.approx(1 - 2 * np.arcsin(0.4 / 0.45) / np.pi, abs=1e-5)
