"""Populations of known eta, and scores that another fold's model may have for it: right, noisy, coarse, blind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Population:
    name: str
    weight: np.ndarray
    eta: np.ndarray
    score: Callable[[np.ndarray, np.random.Generator], np.ndarray]  # of one fold

    @property
    def p(self):
        return float(self.weight @ self.eta)


def exact(eta, rng):
    return eta


def noisy(eta, rng):
    """Each fold's model is wrong in its own way, and about each row."""
    u = rng.normal(0, 0.3) + np.log(eta / (1 - eta)) * rng.uniform(0.7, 1.3) + rng.normal(0, 0.5, len(eta))
    return 1 / (1 + np.exp(-u))


def coarse(eta, rng):
    """Of few values, and the wrong way round at one end."""
    return np.where(eta > 0.95, 0.05, np.round(eta * 3) / 3).clip(0.01, 0.99)


def blind(eta, rng):
    return rng.random(len(eta))


def spread_out(a, b, steps=500):
    """A fine grid instead of the density, so that the truth is exact."""
    from scipy.stats import beta

    return np.full(steps, 1 / steps), beta(a, b).ppf((np.arange(steps) + 0.5) / steps).clip(1e-6, 1 - 1e-6)


PLATEAUS = Population("plateaus", np.array([0.15, 0.15, 0.7]), np.array([0.99, 0.01, 0.45]), exact)
NOISY = Population("noisy plateaus", np.array([0.35, 0.15, 0.2, 0.3]), np.array([0.005, 0.3, 0.6, 0.97]), noisy)
U_SHAPED = Population("beta", *spread_out(0.3, 0.5), coarse)
RARE = Population("rare", *spread_out(0.5, 12.0), noisy)
COIN = Population("labels are chance", np.ones(1), np.array([0.3]), blind)
ONE_SIDED = Population("given away on one side", np.array([0.6, 0.4]), np.array([0.8, 0.005]), exact)
POPULATIONS = (PLATEAUS, NOISY, U_SHAPED, RARE, COIN)
