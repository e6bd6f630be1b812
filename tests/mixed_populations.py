"""Kinds of populations with categories, missing cells, repeated rows. Another seed is another one of the same kind."""

from __future__ import annotations

import numpy as np
from numeric_populations import named
from population import (
    SAMPLE,
    Category,
    Columns,
    Floats,
    Integers,
    Population,
    bent,
    crossed,
    hardness,
    levels,
    link,
    names,
    root,
    softmax,
    two,
    zipf,
)

# ---- 5. categories, the commonest levels common and most of them rare

LEVELS = (3, 6, 12, 30, 80, 200, 500, 1000)
CROSSED = ((1, 2), (2, 3), (0, 4))  # columns with an effect of each pair of levels


def categorical(seed: int) -> Population:
    make = np.random.default_rng((5, seed))
    weights = [zipf(many, make.uniform(0.8, 1.3)) for many in LEVELS]
    effects = [make.normal(0, 1, many) for many in LEVELS]
    joint = [make.normal(0, 0.6, (LEVELS[a], LEVELS[b])) for a, b in CROSSED]
    habits = [make.integers(0, many, 6) for many in LEVELS]  # what each of six hidden groups tends to

    def coded(n: int, rng: np.random.Generator) -> tuple[list[Integers], Floats]:
        group = rng.integers(0, 6, n)
        codes = [
            np.where(rng.random(n) < 0.2, habit[group], levels(n, weight, rng))
            for habit, weight in zip(habits, weights, strict=True)
        ]
        score = sum((effect[code] for effect, code in zip(effects, codes, strict=True)), np.zeros(n))
        score += sum((table[codes[a], codes[b]] for table, (a, b) in zip(joint, CROSSED, strict=True)), np.zeros(n))
        return codes, score

    eta_of = link(coded(SAMPLE, make)[1], make.uniform(0.05, 0.4), make.uniform(0.65, 0.93))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        codes, score = coded(n, rng)
        columns: Columns = {f"c{j}": Category(code, names("v", LEVELS[j])) for j, code in enumerate(codes)}
        return columns, two(eta_of(score))

    return Population("categorical", seed, features)


# ---- 6. a tenth to a fifth of people whose features give the label away

SURE = (0.0005, 0.999, 1.0)  # eta there, by seed


def give_away(seed: int) -> Population:
    """The region is where two numbers are large, or with an even seed, a number is and a category is one of ten."""
    make = np.random.default_rng((6, seed))
    mass, by_level, sure = make.uniform(0.1, 0.2), seed % 2 == 0, SURE[seed % 3]
    told = make.permutation(40)[:10]
    edge = 1 - mass / 0.25 if by_level else 1 - np.sqrt(mass)
    effects, single, pairs = make.normal(0, 0.7, 6), bent(4, make), crossed(4, 2, 3, make)

    def plain(n: int, rng: np.random.Generator) -> tuple[Floats, Integers, Floats]:
        x, kind = rng.normal(size=(n, 8)), levels(n, zipf(6, 0.7), rng)
        return x, kind, single(x) + pairs(x) + effects[kind]

    eta_of = link(plain(SAMPLE, make)[2], make.uniform(0.05, 0.4), make.uniform(0.75, 0.95))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, kind, score = plain(n, rng)
        rank, code = rng.random((n, 2)), rng.integers(0, 40, n)
        inside = (rank[:, 0] > edge) & (np.isin(code, told) if by_level else rank[:, 1] > edge)
        columns = named(x) | {"r0": 40 * rank[:, 0], "r1": -np.log(1 - rank[:, 1])}
        columns |= {"kind": Category(kind, names("k", 6)), "code": Category(code, names("d", 40))}
        return columns, two(np.where(inside, sure, eta_of(score)))

    return Population("give-away", seed, features)


# ---- 7. one positive in 500, and missing cells


def rare_with_gaps(seed: int) -> Population:
    """eta is a function of the cells that are there and of which ones are missing."""
    make = np.random.default_rng((7, seed))
    single, pairs = bent(7, make), crossed(7, 2, 3, make)
    often = np.concatenate([make.uniform(0.05, 0.3, 10), np.zeros(2)])
    telling = make.normal(0, 0.5, 12) * (often > 0)
    effects = make.normal(0, 0.6, 12)

    def plain(n: int, rng: np.random.Generator) -> tuple[Floats, Integers, Floats]:
        x, group = rng.normal(size=(n, 12)), levels(n, zipf(12, 0.8), rng)
        missing = rng.random((n, 12)) < often * (0.6 + 0.8 * (x[:, [11]] > 0))  # oftener where the last one is high
        seen = np.where(missing, 0, x)
        return np.where(missing, np.nan, x), group, single(seen) + pairs(seen) + missing @ telling + effects[group]

    eta_of = link(plain(5 * SAMPLE, make)[2], 0.002, make.uniform(0.72, 0.9))

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, group, score = plain(n, rng)
        return named(x) | {"group": Category(group, names("g", 12))}, two(eta_of(score))

    return Population("rare", seed, features)


# ---- 8. few distinct rows, each many times, each with an eta of its own


def repeated(seed: int) -> Population:
    make = np.random.default_rng((8, seed))
    many = int(make.integers(300, 3000))
    rows = make.permutation(np.unique(make.integers(0, 9, (4 * many, 6)), axis=0))[:many]
    weights = make.permutation(zipf(many, make.uniform(0.7, 1.1)))
    near = (rows[:, :4] - 4) / 2.5
    score = bent(4, make)(near) + crossed(4, 2, 3, make)(near) + make.normal(0, 0.6, 9)[rows[:, 4]]
    eta_of = link(score[levels(SAMPLE, weights, make)], make.uniform(0.08, 0.5), make.uniform(0.7, 0.93))
    middle, firm = eta_of(score).clip(0.01, 0.99), make.uniform(6, 40)
    etas = make.beta(firm * middle, firm * (1 - middle)).clip(0.002, 0.998)

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        which = levels(n, weights, rng)
        columns: Columns = {f"x{j}": rows[which, j] for j in range(4)}
        columns |= {f"c{j}": Category(rows[which, j], names("v", 9)) for j in (4, 5)}
        return columns, two(etas[which])

    return Population("repeated", seed, features)


# ---- 9. five classes


def five(seed: int) -> Population:
    make = np.random.default_rng((9, seed))
    numbers = int(make.integers(6, 11))
    singles, pairs = [bent(numbers, make) for _ in range(5)], [crossed(numbers, 2, 3, make) for _ in range(5)]
    wards, towns = make.normal(0, 0.8, (8, 5)), make.normal(0, 0.8, (50, 5))
    start, share = make.normal(0, 0.5, 5), make.uniform(0.55, 0.9)

    def plain(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        x, ward, town = rng.normal(size=(n, numbers)), levels(n, zipf(8, 0.5), rng), levels(n, zipf(50, 0.9), rng)
        score = np.stack([single(x) + pair(x) for single, pair in zip(singles, pairs, strict=True)], axis=1)
        columns = {"ward": Category(ward, names("w", 8)), "town": Category(town, names("t", 50))}
        return named(x) | columns, score + wards[ward] + towns[town]

    sample = plain(SAMPLE, make)[1]
    slope = root(lambda slope: share - hardness(softmax(start + slope * sample)), 0, 6)

    def features(n: int, rng: np.random.Generator) -> tuple[Columns, Floats]:
        columns, score = plain(n, rng)
        return columns, softmax(start + slope * score)

    return Population("five", seed, features)
