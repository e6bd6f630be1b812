"""Mechanisms that replace each label on its own: the channel says all about them."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod

import numpy as np

from ..core.arrays import Floats
from ..core.mechanism import Labels, Mechanism
from ..core.release import Release


class PerRecord(Mechanism):
    """Each label is replaced on its own. The channel says it all."""

    @abstractmethod
    def channel(self, classes: int) -> Floats:
        """P(say s | y), (C, S): a row for each true class."""

    def claim(self, classes: int) -> float | None:
        return epsilon_of(self.channel(classes))

    def total_variation(self, classes: int) -> float:
        rows = self.channel(classes)
        return float(np.abs(rows[:, None] - rows).sum(axis=2).max() / 2)

    def release(self, labels: Labels, eta: Floats, *, rng: np.random.Generator) -> Release:
        upto = self.channel(eta.shape[1]).cumsum(axis=1)[labels]
        said = np.sum(rng.random(len(labels))[:, None] * upto[:, -1:] >= upto[:, :-1], axis=1)
        return Release(said, np.arange(len(labels)))

    def loglik(self, release: Release, eta: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.channel(eta.shape[1]).T[release.view]))

    def gain(self, eta: Floats, payoff: Floats) -> Floats | None:
        return gain_of_channel(eta, self.channel(eta.shape[-1]), payoff)


def epsilon_of(channel: Floats) -> float:
    """The largest log ratio of the probabilities of one output under two labels (001, Definition 1)."""
    said = channel[:, channel.max(axis=0) > 0]
    least = said.min(axis=0)
    return math.inf if np.any(least == 0) else float(np.log(said.max(axis=0) / least).max())


def gain_of_channel(eta: Floats, channel: Floats, payoff: Floats) -> Floats:
    """sum_s max_c payoff_c eta_c P(s | c) - max_c payoff_c eta_c; (..., C) -> (...). 003, Theorem 3.7.

    Summed over s as what the best guess after s is worth beyond the best guess before.
    """
    worth = payoff * eta
    best = worth.argmax(axis=-1)
    first = np.take_along_axis(worth, best[..., None], axis=-1)[..., 0]
    gain = np.zeros(best.shape)
    for said in np.moveaxis(channel, -1, 0):  # (C,), or (..., C) where the channel depends on the features
        told = worth * said
        kept = first * said[best] if said.ndim == 1 else np.take_along_axis(told, best[..., None], axis=-1)[..., 0]
        gain += functools.reduce(np.maximum, np.moveaxis(told, -1, 0)) - kept
    return gain
