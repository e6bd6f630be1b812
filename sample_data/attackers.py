"""How much better the best attacker guesses a label once something is published; from draws of eta alone.

One person of each bag is looked at, and how many of the others are positive is written out, number by number.

    rr:epsilon=E               the label, flipped with probability 1 / (1 + e^E)
    llp:k=K                    the number of positive labels among K people
    laplace-llp:k=K,epsilon=E  that number plus Laplace noise of scale 1 / E
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RELEASES = (
    *(f"rr:epsilon={epsilon:g}" for epsilon in (0.5, 1, 2, 4)),
    *(f"llp:k={k}" for k in (2, 8, 64, 512)),
    "laplace-llp:k=8,epsilon=1",
)
BAGS = 100_000
BLOCK = 2_000
STEP = 0.05  # of the grid on which the noise is added up; whole numbers are on it
FAR = 25.0  # noise beyond it has a chance of e^-25


def advantage(eta: Floats, release: str) -> float:
    name, _, rest = release.partition(":")
    fields = {key: float(value) for key, _, value in (part.partition("=") for part in rest.split(","))}
    if name == "rr":
        return float(np.maximum(np.minimum(eta, 1 - eta) - 1 / (1 + np.exp(fields["epsilon"])), 0).mean())
    return float(np.mean([_of_bags(bags, fields) for bags in _bags(eta, int(fields["k"]))]))


def _bags(eta: Floats, k: int) -> list[Floats]:
    """Blocks of bags, in the order in which people were drawn."""
    number = min(BAGS, len(eta) // k) // BLOCK * BLOCK or len(eta) // k
    return np.array_split(eta[: number * k].reshape(number, k), max(1, number // BLOCK))


def _of_bags(bags: Floats, fields: Mapping[str, float]) -> float:
    """For the first person of each bag: what is gained where the rarer label has become the likelier one."""
    mine, others = bags[:, :1], _numbers(bags[:, 1:])
    if "epsilon" in fields:
        return _with_noise(mine, others, fields["epsilon"])
    nobody = np.zeros((len(bags), 1))
    yes, no = np.hstack([nobody, others]) * mine, np.hstack([others, nobody]) * (1 - mine)
    return float(_gained(mine, yes, no).sum(axis=1).mean())


def _numbers(others: Floats) -> Floats:
    """(bags, k): the probabilities of 0 to k - 1 positive labels among k - 1 people."""
    law = np.zeros((len(others), others.shape[1] + 1))
    law[:, 0] = 1
    for eta in others.T:
        law[:, 1:] = law[:, 1:] * (1 - eta[:, None]) + law[:, :-1] * eta[:, None]
        law[:, 0] *= 1 - eta
    return law


def _with_noise(mine: Floats, others: Floats, epsilon: float) -> float:
    k = others.shape[1]
    said = np.arange(round(-FAR / epsilon / STEP), round((k + FAR / epsilon) / STEP)) * STEP
    density = epsilon / 2 * np.exp(-epsilon * np.abs(said - np.arange(k + 1)[:, None]))
    yes, no = mine * (others @ density[1:]), (1 - mine) * (others @ density[:-1])
    return float(_gained(mine, yes, no).sum(axis=1).mean() * STEP)


def _gained(mine: Floats, yes: Floats, no: Floats) -> Floats:
    return np.where(mine < 0.5, np.maximum(yes - no, 0), np.maximum(no - yes, 0))
