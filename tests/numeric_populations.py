"""Kinds of populations whose columns are numbers. Another seed is another population of the same kind."""

from __future__ import annotations

import math

import numpy as np
from population import SAMPLE, Category, Columns, Floats, Population, bent, crossed, levels, link, names, two, zipf


def named(x: Floats, prefix: str = "x") -> Columns:
    return {f"{prefix}{j}": x[:, j] for j in range(x.shape[1])}


# ---- 1. eighteen numbers and an eta that bends along nearly all of them


def curved(seed: int) -> Population:
    make = np.random.default_rng((1, seed))
    mix = np.eye(18) + 0.3 * make.normal(size=(18, 18)) / math.sqrt(18)
    mix /= np.linalg.norm(mix, axis=0)
    single, pairs, triples = bent(15, make), crossed(18, 2, 7, make), crossed(18, 3, 3, make)
    skewed = make.permutation(18)[:6]

    def plain(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        x = rng.normal(size=(n, 18)) @ mix
        return x, single(x) + pairs(x) + triples(x)

    eta_of = link(plain(SAMPLE, make)[1], make.uniform(0.1, 0.5), make.uniform(0.55, 0.9))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, score = plain(n, rng)
        x[:, skewed] = np.exp(0.8 * x[:, skewed])
        return named(x), two(eta_of(score))

    return Population("curved", seed, features)


# ---- 2. labels that have nothing to do with the features


def independent(seed: int) -> Population:
    make = np.random.default_rng((2, seed))
    p = make.uniform(0.05, 0.5)
    mix = make.normal(size=(6, 6))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        columns = named(rng.normal(size=(n, 6)) @ mix)
        columns["place"] = Category(levels(n, zipf(300, 1.0), rng), names("p", 300))
        columns["kind"] = Category(levels(n, zipf(7, 0.5), rng), names("k", 7))
        columns["count"] = rng.poisson(2.0, n)
        return columns, two(np.full(n, p))

    return Population("independent", seed, features)


# ---- 3. two Gaussians in 100 dimensions, one of each class; with an even seed also a little differently wide


def wide_gaussians(seed: int) -> Population:
    make = np.random.default_rng((3, seed))
    p = make.uniform(0.1, 0.5)
    centre = make.normal(size=100)
    centre *= make.uniform(1.2, 2.4) / np.linalg.norm(centre)
    width = np.ones(100)
    if seed % 2 == 0:
        width[:10] = np.exp(make.normal(0, 0.2, 10))
    turn = np.linalg.qr(make.normal(size=(100, 100)))[0] * 10 ** make.uniform(-1, 1, 100)

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        """The label is drawn from eta afterwards, which has the same law as drawing it first."""
        z = rng.normal(size=(n, 100))
        ones = rng.random(n) < p
        z[ones] = centre + width * z[ones]
        return named(z @ turn), two(gaussian_eta(z, p, centre, width))

    return Population("gaussians", seed, features)


def gaussian_eta(z: Floats, p: float, centre: Floats, width: Floats) -> Floats:
    """logit eta = logit p + log N(z; centre, width) - log N(z; 0, 1)."""
    far = ((z - centre) / width) ** 2 - z**2
    return 1 / (1 + (1 - p) / p * np.exp(far.sum(axis=1) / 2 + np.log(width).sum()))


# ---- 4. five useful columns among fifty, on scales from 1e-4 to 1e4


def scales(seed: int) -> Population:
    make = np.random.default_rng((4, seed))
    scale = 10 ** make.permutation(np.linspace(-4, 4, 50))
    middle = scale * make.normal(0, 3, 50)
    skewed = make.random(50) < 0.4
    useful = make.choice(50, 5, replace=False)
    single, pairs = bent(5, make), crossed(5, 2, 3, make)

    def score(x: Floats) -> Floats:
        return single(x[:, useful]) + pairs(x[:, useful])

    eta_of = link(score(make.normal(size=(SAMPLE, 50))), make.uniform(0.05, 0.5), make.uniform(0.55, 0.92))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x = rng.normal(size=(n, 50))
        return named(np.where(skewed, np.exp(x), x) * scale + middle), two(eta_of(score(x)))

    return Population("scales", seed, features)
