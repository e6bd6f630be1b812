"""Kinds of populations whose columns are numbers. Another seed is another population of the same kind."""

from __future__ import annotations

import math

import numpy as np
from population import (
    SAMPLE,
    Category,
    Columns,
    Floats,
    Population,
    by_factors,
    chosen,
    depth_of_effects,
    holes,
    how_often_missing,
    levels,
    link,
    names,
    shape,
    share_of_positives,
    some,
    two,
    zipf,
)


def named(x: Floats, prefix: str = "x") -> Columns:
    return {f"{prefix}{j}": x[:, j] for j in range(x.shape[1])}


# ---- 1. many numbers and an eta that bends along nearly all of them


def curved(seed: int) -> Population:
    """Drawn: columns, how correlated, how many of them tell something, skewed or missing; depth, share, difficulty."""
    make = np.random.default_rng((1, seed))
    many, correlated = some(make, 10, 24), make.uniform(0, 0.7)
    mix = np.eye(many) + correlated * make.normal(size=(many, many)) / math.sqrt(many)
    mix /= np.linalg.norm(mix, axis=0)
    score = shape(round(make.uniform(0.7, 1) * many), depth_of_effects(seed), make)
    skewed, often = make.permutation(many)[: some(make, 0, many // 2)], how_often_missing(many, make)

    def plain(n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        x = rng.normal(size=(n, many)) @ mix
        missing = holes(n, often, rng)
        return np.where(missing, np.nan, x), score(np.where(missing, 0, x))

    p = share_of_positives(seed, make)
    eta_of = link(plain(SAMPLE, make)[1], p, make.uniform(0.55, 0.9))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, told = plain(n, rng)
        x[:, skewed] = np.exp(0.8 * x[:, skewed])
        return named(x), two(eta_of(told))

    return Population("curved", seed, features, chosen(p, score.traits, f"{many} numbers", "gaps" * bool(often.any())))


# ---- 2. labels that have nothing to do with the features


def independent(seed: int) -> Population:
    """Drawn: numbers, levels and their exponents, the mean of the count; share."""
    make = np.random.default_rng((2, seed))
    p, many = share_of_positives(seed, make), some(make, 2, 12)
    mix = make.normal(size=(many, many))
    places, kinds = round(by_factors(make, 30, 2000)), some(make, 3, 12)
    weights, mean = (zipf(places, make.uniform(0.7, 1.3)), zipf(kinds, 0.5)), make.uniform(0.5, 8)

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        columns = named(rng.normal(size=(n, many)) @ mix)
        columns["place"] = Category(levels(n, weights[0], rng), names("p", places))
        columns["kind"] = Category(levels(n, weights[1], rng), names("k", kinds))
        columns["count"] = rng.poisson(mean, n)
        return columns, two(np.full(n, p))

    return Population("independent", seed, features, chosen(p, f"{many} numbers", f"{places} places"))


# ---- 3. two Gaussians in about 100 dimensions, one of each class; with an even seed also a little differently wide


def wide_gaussians(seed: int) -> Population:
    """Drawn: dimensions, distance, scales, how many are differently wide; share."""
    make = np.random.default_rng((3, seed))
    p, many, apart = share_of_positives(seed, make), some(make, 80, 120), make.uniform(1.2, 2.4)
    centre = make.normal(size=many)
    centre *= apart / np.linalg.norm(centre)
    width, wide = np.ones(many), some(make, 5, 15) if seed % 2 == 0 else 0
    width[:wide] = np.exp(make.normal(0, 0.2, wide))
    turn = np.linalg.qr(make.normal(size=(many, many)))[0] * 10 ** make.uniform(-1, 1, many)

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        """The label is drawn from eta afterwards, which has the same law as drawing it first."""
        z = rng.normal(size=(n, many))
        ones = rng.random(n) < p
        z[ones] = centre + width * z[ones]
        return named(z @ turn), two(gaussian_eta(z, p, centre, width))

    return Population("gaussians", seed, features, chosen(p, f"{many} numbers", f"{apart:.1f} apart", f"{wide} wide"))


def gaussian_eta(z: Floats, p: float, centre: Floats, width: Floats) -> Floats:
    """logit eta = logit p + log N(z; centre, width) - log N(z; 0, 1)."""
    far = ((z - centre) / width) ** 2 - z**2
    return 1 / (1 + (1 - p) / p * np.exp(far.sum(axis=1) / 2 + np.log(width).sum()))


# ---- 4. few useful columns among many, on scales from 1e-4 to 1e4


def scales(seed: int) -> Population:
    """Drawn: columns, how many of them tell something, which are skewed; depth, share, difficulty."""
    make = np.random.default_rng((4, seed))
    many, few = some(make, 30, 60), some(make, 3, 8)
    scale = 10 ** make.permutation(np.linspace(-4, 4, many))
    middle, skewed = scale * make.normal(0, 3, many), make.random(many) < make.uniform(0, 0.7)
    useful, told = make.choice(many, few, replace=False), shape(few, depth_of_effects(seed), make)

    p = share_of_positives(seed, make)
    eta_of = link(told(make.normal(size=(SAMPLE, many))[:, useful]), p, make.uniform(0.55, 0.92))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x = rng.normal(size=(n, many))
        return named(np.where(skewed, np.exp(x), x) * scale + middle), two(eta_of(told(x[:, useful])))

    return Population("scales", seed, features, chosen(p, told.traits, f"{few} of {many} numbers"))


# ---- 5. a plane that parts people, found by no model exactly: scores near it mix people of both sides


def half_space(seed: int) -> Population:
    """Drawn: how many columns, and the plane through their middle."""
    make = np.random.default_rng((11, seed))
    many = round(by_factors(make, 10, 100))
    normal = make.normal(size=many)

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x = rng.normal(size=(n, many))
        return named(x), two(np.where(x @ normal > 0, 0.9, 0.1))

    return Population("half-space", seed, features, chosen(0.5, f"{many} numbers"))
