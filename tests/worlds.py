"""Populations whose truth is known: what the features tell, and so what an audit of them should find.

    points, labels, eta = WORLDS["wave"].draw(1000, rng)
    true_p(WORLDS["wave"])
    table, labels, eta = KINDS["curved"](seed=1).draw(1000, rng)

WORLDS are small. KINDS are like tables that people have: every seed makes another population of a kind, and
known_truth.py says what an audit of it should find.

The truth of a world comes from the law of eta: a few atoms where eta takes few values, otherwise a fine grid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from mixed_populations import categorical, five, give_away, level_effects, rare_with_gaps, repeated
from numeric_populations import curved, half_space, independent, scales, wide_gaussians
from population import Floats, Population, logit

Points = npt.NDArray[np.float32]
Labels = npt.NDArray[np.uint8]
Law = tuple[Floats, Floats]  # weights that sum to one, and the eta of each


@dataclass(frozen=True)
class World:
    """`features` draws n points and their eta; `law` is the distribution of eta."""

    name: str
    features: Callable[[int, np.random.Generator], tuple[Points, Floats]]
    law: Callable[[], Law]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Points, Labels, Floats]:
        points, eta = self.features(n, rng)
        return points, (rng.random(n) < eta).astype(np.uint8), eta


# ---- the truth


def true_p(world: World) -> float:
    weights, eta = world.law()
    return float(weights @ eta)


def true_jeffreys(world: World) -> float:
    """E (2 eta - 1) logit eta. 001, section 4."""
    weights, eta = world.law()
    return float(weights @ ((2 * eta - 1) * logit(eta)))


def true_uninformed_utility(world: World) -> float:
    """E max(eta, 1 - eta): how often the best guess from the features alone is right."""
    weights, eta = world.law()
    return float(weights @ np.maximum(eta, 1 - eta))


def atoms(weights: object, eta: object) -> Callable[[], Law]:
    return lambda: (np.asarray(weights, np.float64), np.asarray(eta, np.float64))


def midpoints(cells: int) -> Floats:
    return (np.arange(cells) + 0.5) / cells


def evenly(eta: Floats) -> Law:
    return np.full(eta.size, 1 / eta.size), eta.ravel()


# ---- 1. labels that have nothing to do with the features


def no_signal(n: int, rng: np.random.Generator) -> tuple[Points, Floats]:
    return rng.normal(size=(n, 4)).astype(np.float32), np.full(n, 0.3)


# ---- 2. one smooth dimension


def wave_eta(x: Floats) -> Floats:
    return 0.5 + 0.45 * np.sin(2 * np.pi * x)


def wave(n: int, rng: np.random.Generator) -> tuple[Points, Floats]:
    points = rng.random((n, 1), dtype=np.float32)
    return points, wave_eta(points[:, 0].astype(np.float64))


# ---- 3. few distinct rows, each many times; the last ones hardly ever

DISTINCT = 300
_MADE = np.random.default_rng(3)
ROWS = _MADE.permutation(np.unique(_MADE.integers(0, 9, (2000, 5)), axis=0))[:DISTINCT].astype(np.float32)
ROW_WEIGHTS = 1 / np.arange(1, DISTINCT + 1) / np.sum(1 / np.arange(1, DISTINCT + 1))
ROW_ETAS = _MADE.beta(0.4, 1.2, DISTINCT).clip(0.001, 0.999)


def duplicates(n: int, rng: np.random.Generator) -> tuple[Points, Floats]:
    which = rng.choice(DISTINCT, n, p=ROW_WEIGHTS)
    return ROWS[which], ROW_ETAS[which]


# ---- 4. three far islands

PLATEAU_WEIGHTS = (0.2, 0.5, 0.3)
PLATEAU_ETAS = (0.99, 0.01, 0.5)


def plateaus(n: int, rng: np.random.Generator) -> tuple[Points, Floats]:
    island = rng.choice(3, n, p=PLATEAU_WEIGHTS)
    points = rng.random((n, 2)) + 10.0 * island[:, None]
    return points.astype(np.float32), np.array(PLATEAU_ETAS)[island]


# ---- 5. a curved sheet of two dimensions in eighteen

TURNS = np.random.default_rng(5).normal(0, 2.5, (2, 18))
PHASES = np.random.default_rng(6).uniform(0, 2 * np.pi, 18)


def sheet_eta(u: Floats, v: Floats) -> Floats:
    return 0.02 + 0.96 / (1 + np.exp(2.0 - 3.0 * np.sin(2 * np.pi * u) - 2.0 * v))


def sheet(n: int, rng: np.random.Generator) -> tuple[Points, Floats]:
    uv = rng.random((n, 2))
    return np.cos(uv @ TURNS + PHASES).astype(np.float32), sheet_eta(uv[:, 0], uv[:, 1])


def sheet_law() -> Law:
    u, v = np.meshgrid(midpoints(1000), midpoints(1000))
    return evenly(sheet_eta(u, v))


# ---- 6. one positive in five hundred

RARE_SHARE, RARE_ETAS = 0.2, (0.0004, 0.0084)


def rare(n: int, rng: np.random.Generator) -> tuple[Points, Floats]:
    points = rng.random((n, 2), dtype=np.float32)
    return points, np.where(points[:, 0] < RARE_SHARE, RARE_ETAS[1], RARE_ETAS[0])


WORLDS = {
    world.name: world
    for world in (
        World("no signal", no_signal, atoms([1.0], [0.3])),
        World("wave", wave, lambda: evenly(wave_eta(midpoints(1_000_000)))),
        World("duplicates", duplicates, atoms(ROW_WEIGHTS, ROW_ETAS)),
        World("plateaus", plateaus, atoms(PLATEAU_WEIGHTS, PLATEAU_ETAS)),
        World("sheet", sheet, sheet_law),
        World("rare", rare, atoms([1 - RARE_SHARE, RARE_SHARE], RARE_ETAS)),
    )
}

KINDS: dict[str, Callable[[int], Population]] = {
    "curved": curved,
    "categorical": categorical,
    "levels": level_effects,
    "give-away": give_away,
    "independent": independent,
    "gaussians": wide_gaussians,
    "scales": scales,
    "half-space": half_space,
    "rare": rare_with_gaps,
    "repeated": repeated,
    "five": five,
}
