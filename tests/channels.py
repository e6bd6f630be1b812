"""Losses of releases that replace labels one by one, by their definition: sums over labels and what is said of them."""

from __future__ import annotations

import numpy as np

from labeldp_audit.measures import loss
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


def nu_bar(eta, p: float, noise: Noise):
    """The mean loss of 001, Definition 3, from its parts."""
    return loss.feature_loss(eta, p, noise.tilt) + noise.loss


def spec_of(rows) -> str:
    return "channel:matrix=" + "/".join(" ".join(f"{cell:g}" for cell in row) for row in rows)


def each_loss(eta, p: float, rows):
    """(chance, loss) of each label and each thing said of it; loss is -inf where it cannot happen to this eta."""
    eta = np.asarray(eta, np.float64)
    rows = np.asarray(rows, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        against = np.log(1 - p) - np.log(p)
        for y, here, there, odds in ((1, eta, 1 - eta, against), (0, 1 - eta, eta, -against)):
            for said in range(rows.shape[1]):
                chance = here * rows[y, said]
                ratio = np.log(rows[y, said]) - np.log(rows[1 - y, said])
                lost = ratio + np.log(here) - np.log(there) + odds
                yield chance, np.where(chance > 0, lost, -np.inf)


def mean_loss(eta, p: float, rows):
    return sum(chance * np.where(chance > 0, loss, 0.0) for chance, loss in each_loss(eta, p, rows))


def largest_loss(etas, p: float, rows) -> float:
    return max(float(np.max(loss)) for _, loss in each_loss(etas, p, rows))


class Atoms:
    """People of a few known eta, and what a release does to them. p: their share of positives, if that is not it."""

    def __init__(self, weight, eta, rows, p: float | None = None) -> None:
        self.weight, self.p = np.array(weight), float(np.dot(weight, eta)) if p is None else p
        losses = np.asarray(mean_loss(eta, self.p, rows))
        self.mean = float(self.weight @ losses)
        order = np.argsort(losses)
        above = np.cumsum(self.weight[order][::-1])[::-1]
        self.losses, self._above = losses[order], np.append(above / above[0], 0.0)
        self.worst = largest_loss(eta, self.p, rows)

    def share_above(self, tau: float) -> float:
        return float(self._above[np.searchsorted(self.losses, tau, side="right")])
