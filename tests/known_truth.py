"""What an audit should find, from etas drawn from a population: the definitions, and nothing of the package.

truth = Truth.of(etas, taus, pi=0.01)
truth.j, truth.advantages["rr:epsilon=1"].value
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from population import Floats, Population, entropy, nu_bar

PEOPLE, BLOCK = 2_000_000, 100_000
EPSILONS = (0.5, 1.0, 3.0)
BAG = 8
LARGEST_LOSS = 20.0  # nats; what is above counts as this much


class Mean(NamedTuple):
    value: float
    standard_error: float


@dataclass(frozen=True)
class Truth:
    prior: Floats
    best_log_loss: float
    blind_log_loss: float
    j: Floats  # P(nu_bar > tau) at each tau; empty where there are more classes than two
    advantages: dict[str, Mean]

    @staticmethod
    def of(eta: Floats, taus: Floats, pi: float) -> Truth:
        prior = eta.mean(axis=0)
        gains = {f"rr:epsilon={epsilon:g}": flipping_gains(eta, epsilon) for epsilon in EPSILONS}
        j = np.empty(0)
        if eta.shape[1] == 2:
            gains[f"llp:k={BAG}"] = counting_gains(eta[:, 1], BAG)
            j = share_above(losses(eta[:, 1], float(prior[1]), pi), taus)
        means = {name: Mean(float(g.mean()), float(g.std() / math.sqrt(len(g)))) for name, g in gains.items()}
        return Truth(prior, float(entropy(eta).mean()), float(entropy(prior)), j, means)


def people(population: Population, seed: int = 0, many: int = PEOPLE) -> Floats:
    """The eta of so many people, none of them in any table that is audited."""
    rng = np.random.default_rng((population.seed, seed, 77))
    return np.concatenate([population.eta(min(BLOCK, many - start), rng) for start in range(0, many, BLOCK)])


def losses(eta: Floats, p: float, pi: float) -> Floats:
    return np.minimum(nu_bar(eta, p, pi), LARGEST_LOSS)


def share_above(values: Floats, taus: Floats) -> Floats:
    return 1 - np.searchsorted(np.sort(values), taus, side="right") / len(values)


def flipping_gains(eta: Floats, epsilon: float) -> Floats:
    """What a label that is kept with probability e^epsilon / (e^epsilon + C - 1), and is otherwise any of the others
    alike, adds to the best guess: sum over s of max_c eta_c P(s | c), less max_c eta_c. One number a row."""
    classes = eta.shape[1]
    other = 1 / (math.exp(epsilon) + classes - 1)
    informed = np.zeros(len(eta))
    for said in range(classes):
        chance = np.full(classes, other)
        chance[said] = math.exp(epsilon) * other
        informed += (eta * chance).max(axis=1)
    return informed - eta.max(axis=1)


def counting_gains(eta: Floats, k: int) -> Floats:
    """What the features of k people and how many of them are positive add to the best guess about one of them, on
    average over the k: sum over s of max(eta P(s - 1), (1 - eta) P(s)), less max(eta, 1 - eta), where P is the law of
    the count among the others. One number a bag; the bags are the rows in random order, k at a time."""
    bags = np.random.default_rng(8).permutation(eta)[: len(eta) // k * k].reshape(-1, k)
    gains = np.zeros(len(bags))
    for one in range(k):
        mine, others = bags[:, [one]], poisson_binomial(np.delete(bags, one, axis=1))
        positive = mine * np.pad(others, ((0, 0), (1, 0)))
        negative = (1 - mine) * np.pad(others, ((0, 0), (0, 1)))
        gains += np.maximum(positive, negative).sum(axis=1) - np.maximum(mine, 1 - mine)[:, 0]
    return gains / k


def poisson_binomial(chances: Floats) -> Floats:
    """(bags, m) -> (bags, m + 1): the law of the number of successes, one trial after the other."""
    law = np.zeros((len(chances), chances.shape[1] + 1))
    law[:, 0] = 1
    for chance in chances.T[:, :, None]:
        law[:, 1:] = law[:, 1:] * (1 - chance) + law[:, :-1] * chance
        law[:, [0]] *= 1 - chance
    return law
