"""Kinds of populations with categories, missing cells, repeated rows. Another seed is another one of the same kind."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numeric_populations import named
from population import (
    MISSING,
    SAMPLE,
    Category,
    Columns,
    Floats,
    Integers,
    Population,
    by_factors,
    chosen,
    depth_of_effects,
    hardness,
    holes,
    how_often_missing,
    levels,
    link,
    names,
    root,
    shape,
    share_of_positives,
    sizes,
    softmax,
    some,
    two,
    zipf,
)


@dataclass(frozen=True)
class Categories:
    """Columns of categories, the commonest levels common and most of them rare, and what each level tells."""

    weights: tuple[Floats, ...]
    effects: tuple[Floats, ...]  # of the levels of each column; the last number is that of an empty cell, code -1
    habits: tuple[Integers, ...]  # what each of six hidden groups tends to
    habitual: float  # share of cells that follow the group: how correlated columns are
    often: Floats  # how often cells are missing

    @staticmethod
    def of(many: Sequence[int], exponents: tuple[float, float], make: np.random.Generator) -> Categories:
        """Two columns of three to all of them tell something."""
        strength = make.uniform(0.3, 1.2, len(many)) * (make.permutation(len(many)) < some(make, 3, len(many)))
        return Categories(
            tuple(zipf(size, make.uniform(*exponents)) for size in many),
            tuple(
                make.normal(0, s, size + 1) if s else np.zeros(size + 1) for size, s in zip(many, strength, strict=True)
            ),
            tuple(make.integers(0, size, 6) for size in many),
            float(make.uniform(0, 0.4)),
            how_often_missing(len(many), make),
        )

    def draw(self, n: int, rng: np.random.Generator) -> tuple[list[Integers], Floats]:
        """Codes of each column, and the sum of the effects."""
        group, empty = rng.integers(0, 6, n), holes(n, self.often, rng)
        codes = [
            np.where(rng.random(n) < self.habitual, habit[group], levels(n, weight, rng))
            for habit, weight in zip(self.habits, self.weights, strict=True)
        ]
        codes = [np.where(missing, MISSING, code) for missing, code in zip(empty.T, codes, strict=True)]
        return codes, sum((effect[code] for effect, code in zip(self.effects, codes, strict=True)), np.zeros(n))

    def columns(self, codes: Sequence[Integers]) -> Columns:
        known = (names("v", len(weight)) for weight in self.weights)
        return {f"c{j}": Category(code, name) for j, (code, name) in enumerate(zip(codes, known, strict=True))}

    @property
    def traits(self) -> str:
        many = [len(weight) for weight in self.weights]
        telling = sum(bool(effect.any()) for effect in self.effects)
        gaps = " gaps" * bool(self.often.any())
        return f"{telling} of {len(many)} categories, {many[0]}-{many[-1]} levels, {self.habitual:.1f} alike{gaps}"


class Joint:
    """Effects of combinations of levels of several columns, for the combinations with fewest cells."""

    def __init__(self, many: Sequence[int], order: int, often: int, make: np.random.Generator) -> None:
        small = sorted(
            itertools.combinations(range(len(many)), order), key=lambda sets: math.prod(many[j] for j in sets)
        )
        few = small[: 2 * often]
        self.sets = [few[i] for i in make.permutation(len(few))[:often]]
        strength = make.uniform(0.4, 0.8, len(self.sets))
        self.tables = [
            make.normal(0, s, [many[j] + 1 for j in sets]) for s, sets in zip(strength, self.sets, strict=True)
        ]

    def __call__(self, codes: Sequence[Integers]) -> Floats:
        told = (table[tuple(codes[j] for j in sets)] for table, sets in zip(self.tables, self.sets, strict=True))
        return sum(told, np.zeros(len(codes[0])))


# ---- 5. categories, and pairs of them


def categorical(seed: int) -> Population:
    """Drawn: columns, levels, exponents, strengths, correlation, gaps; pairs and triples of columns; share,
    difficulty."""
    make = np.random.default_rng((5, seed))
    many = sizes(some(make, 5, 9), some(make, 3, 6), round(by_factors(make, 600, 2000)), make)
    plain, depth = Categories.of(many, (0.8, 1.3), make), depth_of_effects(seed)
    pairs = Joint(many, 2, 0 if depth == "main effects" else some(make, 1, 5), make)
    triples = Joint(many, 3, some(make, 1, 2) if depth == "deep" else 0, make)

    def coded(n: int, rng: np.random.Generator) -> tuple[list[Integers], Floats]:
        codes, score = plain.draw(n, rng)
        return codes, score + pairs(codes) + triples(codes)

    p = share_of_positives(seed, make)
    eta_of = link(coded(SAMPLE, make)[1], p, make.uniform(0.65, 0.93))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        codes, score = coded(n, rng)
        return plain.columns(codes), two(eta_of(score))

    crossings = f"{depth} ({len(pairs.sets)}+{len(triples.sets)})" if pairs.sets else depth
    return Population("categorical", seed, features, chosen(p, crossings, plain.traits))


# ---- 6. main effects of categories with up to thousands of levels, and of counts


def level_effects(seed: int) -> Population:
    """Drawn: columns, levels, exponents, strengths, correlation, gaps; counts, how widely they scatter; share,
    difficulty. Negative binomial counts are Poisson counts whose means are gamma distributed."""
    make = np.random.default_rng((10, seed))
    plain = Categories.of(
        sizes(some(make, 4, 8), some(make, 3, 6), round(by_factors(make, 800, 4000)), make), (0.7, 1.4), make
    )
    many = some(make, 1, 3)
    mean, narrow = make.uniform(0.7, 8, many), make.choice([0.7, 2.0, math.inf], many)  # inf: Poisson
    slope = make.normal(0, 0.5, many)

    def coded(n: int, rng: np.random.Generator) -> tuple[list[Integers], Integers, Floats]:
        codes, score = plain.draw(n, rng)
        spread = np.where(
            np.isinf(narrow), 1.0, rng.gamma(np.minimum(narrow, 99), 1 / np.minimum(narrow, 99), (n, many))
        )
        counts = rng.poisson(mean * spread)
        return codes, counts, score + np.log1p(counts) @ slope

    p = share_of_positives(seed, make)
    eta_of = link(coded(SAMPLE, make)[2], p, make.uniform(0.65, 0.93))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        codes, counts, score = coded(n, rng)
        return plain.columns(codes) | {f"n{j}": counts[:, j] for j in range(many)}, two(eta_of(score))

    return Population("levels", seed, features, chosen(p, "main effects", plain.traits, f"{many} counts"))


# ---- 7. a tenth to a fifth of people whose features give the label away

SURE = (0.0005, 0.999, 1.0)  # eta there, by seed


def give_away(seed: int) -> Population:
    """The region is where two numbers are large, or with an even seed, a number is and a category is one of a fourth.
    Drawn: its size, columns, levels; depth, share and difficulty outside."""
    make = np.random.default_rng((6, seed))
    mass, by_level, sure = make.uniform(0.1, 0.2), seed % 2 == 0, SURE[seed % 3]
    many, groups, codes = some(make, 5, 12), some(make, 4, 12), 4 * some(make, 5, 50)
    told = make.permutation(codes)[: codes // 4]
    edge = 1 - mass / 0.25 if by_level else 1 - np.sqrt(mass)
    effects, score = make.normal(0, 0.7, groups), shape(some(make, 3, many), depth_of_effects(seed), make)

    def plain(n: int, rng: np.random.Generator) -> tuple[Floats, Integers, Floats]:
        x, kind = rng.normal(size=(n, many)), levels(n, zipf(groups, 0.7), rng)
        return x, kind, score(x) + effects[kind]

    p = share_of_positives(seed, make)
    eta_of = link(plain(SAMPLE, make)[2], p, make.uniform(0.75, 0.95))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, kind, told_outside = plain(n, rng)
        rank, code = rng.random((n, 2)), rng.integers(0, codes, n)
        inside = (rank[:, 0] > edge) & (np.isin(code, told) if by_level else rank[:, 1] > edge)
        columns = named(x) | {"r0": 40 * rank[:, 0], "r1": -np.log(1 - rank[:, 1])}
        columns |= {"kind": Category(kind, names("k", groups)), "code": Category(code, names("d", codes))}
        return columns, two(np.where(inside, sure, eta_of(told_outside)))

    where = f"{100 * mass:.0f} % of people at {sure:g} by {'level' if by_level else 'numbers'}, elsewhere "
    return Population("give-away", seed, features, where + chosen(p, score.traits, f"{many + 4} columns"))


# ---- 8. one positive in 100 to 1000, and missing cells

RAREST, LEAST_RARE = 0.001, 0.01


def rare_with_gaps(seed: int) -> Population:
    """eta is a function of the cells that are there and of which ones are missing.
    Drawn: columns, how many are whole, how often cells are missing and what that tells; depth, share, difficulty."""
    make = np.random.default_rng((7, seed))
    many, groups = some(make, 8, 16), some(make, 4, 30)
    whole = some(make, 1, many // 4)  # columns at the end
    score = shape(some(make, 4, many - whole), depth_of_effects(seed), make)
    often = np.concatenate([make.uniform(0.05, 0.3, many - whole), np.zeros(whole)])
    telling = make.normal(0, make.uniform(0, 0.7), many) * (often > 0)
    effects = make.normal(0, 0.6, groups)

    def plain(n: int, rng: np.random.Generator) -> tuple[Floats, Integers, Floats]:
        x, group = rng.normal(size=(n, many)), levels(n, zipf(groups, 0.8), rng)
        missing = rng.random((n, many)) < often * (0.6 + 0.8 * (x[:, [-1]] > 0))  # oftener where the last one is high
        told = score(np.where(missing, 0, x)) + missing @ telling + effects[group]
        return np.where(missing, np.nan, x), group, told

    p = by_factors(make, RAREST, LEAST_RARE)
    eta_of = link(plain(5 * SAMPLE, make)[2], p, make.uniform(0.72, 0.9))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, group, told = plain(n, rng)
        return named(x) | {"group": Category(group, names("g", groups))}, two(eta_of(told))

    return Population("rare", seed, features, chosen(p, score.traits, f"{many - whole} of {many} with gaps"))


# ---- 9. few distinct rows, each many times, each with an eta of its own


def repeated(seed: int) -> Population:
    """Drawn: rows, how unlike their numbers are, columns, levels; how far each eta is from what the columns say; depth,
    share, difficulty."""
    make = np.random.default_rng((8, seed))
    many, numbers, steps = round(by_factors(make, 300, 3000)), some(make, 3, 6), some(make, 6, 12)
    rows = make.permutation(np.unique(make.integers(0, steps, (4 * many, numbers + 2)), axis=0))[:many]
    exponent = make.uniform(0.5, 1.2)
    weights = make.permutation(zipf(len(rows), exponent))
    near = (rows[:, :numbers] - (steps - 1) / 2) / (steps / 3.6)
    told = shape(numbers, depth_of_effects(seed), make)
    score = told(near) + make.normal(0, 0.6, steps)[rows[:, numbers]]

    p = share_of_positives(seed, make)
    eta_of = link(score[levels(SAMPLE, weights, make)], p, make.uniform(0.7, 0.93))
    middle, firm = eta_of(score).clip(0.01, 0.99), make.uniform(6, 40)
    etas = make.beta(firm * middle, firm * (1 - middle)).clip(0.002, 0.998)

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        which = levels(n, weights, rng)
        columns: Columns = {f"x{j}": rows[which, j] for j in range(numbers)}
        columns |= {f"c{j}": Category(rows[which, j], names("v", steps)) for j in (numbers, numbers + 1)}
        return columns, two(etas[which])

    common = f"{len(rows)} rows^-{exponent:.1f}, firm {firm:.0f}"
    return Population("repeated", seed, features, chosen(float(weights @ etas), told.traits, common))


# ---- 10. five classes


def five(seed: int) -> Population:
    """Drawn: numbers, levels, strengths, how common classes are; depth, difficulty."""
    make = np.random.default_rng((9, seed))
    numbers, wards, towns = some(make, 4, 12), some(make, 4, 12), round(by_factors(make, 20, 300))
    scores = [shape(numbers, depth_of_effects(seed), make) for _ in range(5)]
    ward_told, town_told = make.normal(0, 0.8, (wards, 5)), make.normal(0, make.uniform(0.3, 0.8), (towns, 5))
    start, share = make.normal(0, make.uniform(0.2, 1), 5), make.uniform(0.55, 0.9)

    def plain(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, ward = rng.normal(size=(n, numbers)), levels(n, zipf(wards, 0.5), rng)
        town = levels(n, zipf(towns, 0.9), rng)
        columns = {"ward": Category(ward, names("w", wards)), "town": Category(town, names("t", towns))}
        return named(x) | columns, np.stack([score(x) for score in scores], axis=1) + ward_told[ward] + town_told[town]

    sample = plain(SAMPLE, make)[1]
    slope = root(lambda slope: share - hardness(softmax(start + slope * sample)), 0, 6)
    rarest = float(softmax(start + slope * sample).mean(axis=0).min())

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        columns, score = plain(n, rng)
        return columns, softmax(start + slope * score)

    traits = chosen(rarest, depth_of_effects(seed), f"{numbers} numbers", f"{towns} towns")
    return Population("five", seed, features, f"rarest class {traits}")
