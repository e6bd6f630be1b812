"""Losses of releases that replace labels one by one, by their definition: sums over labels and what is said of them."""

from __future__ import annotations

import math

import numpy as np

from labeldp_audit.measures.loss import Noise
from labeldp_audit.mechanisms.channel import Channel
from labeldp_audit.mechanisms.randomized_response import RandomizedResponse
from labeldp_audit.questions import releases

_noise_of = releases.noise_of  # whatever tests put in its place


def noise_of(mechanism) -> Noise:
    noise = _noise_of(mechanism)
    assert noise is not None
    return noise


def flipping(epsilon: float) -> Noise:
    return noise_of(RandomizedResponse(epsilon))


def of_rows(rows) -> Noise:
    return noise_of(Channel(tuple(map(tuple, rows))))


def spec_of(rows) -> str:
    return "channel:matrix=" + "/".join(" ".join(f"{cell:g}" for cell in row) for row in rows)


def log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def each_loss(eta: float, p: float, rows):
    """(chance, loss) of each label and each thing said of it that can happen to somebody with this eta."""
    for y, of_label, other in ((1, eta, 1 - eta), (0, 1 - eta, eta)):
        for said in range(len(rows[0])):
            chance = of_label * rows[y][said]
            if chance > 0:
                loss = log(rows[y][said]) - log(rows[1 - y][said])
                yield chance, loss + log(of_label) - log(other) - log(p if y else 1 - p) + log(1 - p if y else p)


def mean_loss(eta: float, p: float, rows) -> float:
    return sum(chance * loss for chance, loss in each_loss(eta, p, rows))


def largest_loss(etas, p: float, rows) -> float:
    return max(loss for eta in etas for _, loss in each_loss(eta, p, rows))


class Atoms:
    """People of a few known eta, and what a release does to them. p: their share of positives, if that is not it."""

    def __init__(self, weight, eta, rows, p: float | None = None) -> None:
        self.weight, self.p = np.array(weight), float(np.dot(weight, eta)) if p is None else p
        self.losses = np.array([mean_loss(one, self.p, rows) for one in eta])
        self.worst = largest_loss(eta, self.p, rows)

    def share_above(self, tau: float) -> float:
        return min(1.0, float(self.weight[self.losses > tau].sum()))

    @property
    def mean(self) -> float:
        return float(self.weight @ self.losses)
