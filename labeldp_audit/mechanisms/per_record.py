"""Mechanisms that replace each label on its own: the channel says all about them."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import ONE_ROW, Labels, Mechanism
from ..core.randomness import Chance
from ..core.release import Guarantee, Guide, Outcomes, Release
from . import exact

_WELL_CONDITIONED = 1e8  # of a channel that is inverted
SUM = 1e-6  # how far a row may be from 1


class PerRecord(Mechanism):
    """Each label is replaced on its own. The channel says it all."""

    theorem: ClassVar[str] = "the largest log ratio of the channel's probabilities (001, Definition 1)"

    @abstractmethod
    def channel(self, classes: int) -> Floats:
        """P(say s | y), (C, S): a row for each true class."""

    def unfit(self, classes: int) -> str:
        rows = len(self.channel(classes))
        return "" if rows == classes else f"its channel has {rows} rows and the label {classes} classes"

    def claim(self, classes: int) -> float | None:
        return epsilon_of(self.channel(classes))

    def total_variation(self, classes: int) -> float:
        rows = self.channel(classes)
        return float(np.abs(rows[:, None] - rows).sum(axis=2).max() / 2)

    def numerators(self, classes: int) -> exact.Numerators:
        """The channel that labels are drawn by, over 2^64."""
        return exact.of_channel(self.channel(classes))

    def guarantees(self, classes: int) -> tuple[Guarantee, ...]:
        """Of the probabilities that labels are drawn by, which spend no more than was asked for."""
        epsilon = exact.epsilon_of(self.numerators(classes))
        return () if epsilon == math.inf else (Guarantee(epsilon, theorem=self.theorem, assumptions=(ONE_ROW,)),)

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        """The channel, and what corrects a loss for it: the sum of unbiased[said][y] loss(y) over all classes y has the
        expectation of the loss of the true label (Natarajan et al. 2013)."""
        numerators = self.numerators(classes)
        found = {"channel": self.channel(classes).tolist(), "unbiased": self.unbiased(classes)}
        drawn = {
            "numerators": [[str(one) for one in row] for row in numerators],
            "denominator": str(sum(numerators[0])),
        }
        return {**super().learner(release, classes), **found, "exact": drawn}

    def unbiased(self, classes: int) -> list[list[float]] | None:
        """(C, C) the inverse of the channel; None where it has none."""
        channel = self.channel(classes)
        if channel.shape[0] != channel.shape[1] or np.linalg.cond(channel) > _WELL_CONDITIONED:
            return None
        found: list[list[float]] = np.linalg.inv(channel).tolist()
        return found

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        return Release(exact.say(self.numerators(guide.classes), labels, rng), np.arange(len(labels)))

    def loglik(self, release: Release, eta: Floats) -> Floats:
        return loglik_of(release, self.channel(eta.shape[1]))

    def gain(self, eta: Floats, payoff: Floats) -> Floats | None:
        return gain_of_channel(eta, self.channel(eta.shape[-1]), payoff)


def loglik_of(release: Release, channel: Floats | None = None) -> Floats:
    """(n, C) log P(said | class), by the channel, or by those of the release where it has some of its own."""
    with np.errstate(divide="ignore"):
        if release.channels is not None and release.group is not None:
            return np.asarray(np.log(release.channels.transpose(0, 2, 1)[release.group, release.view]))
        assert channel is not None
        return np.asarray(np.log(channel.T[release.view]))


def shared_out(group: Integers, said: Integers, outputs: int, classes: int, labels: Labels | None) -> Outcomes:
    """Of records of which each group shares out what is said: who gets what has nothing to do with labels."""
    counts = np.bincount(group * outputs + said, minlength=outputs).astype(np.float64)
    counts = np.pad(counts, (0, -len(counts) % outputs)).reshape(-1, 1, outputs)
    law = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1)
    return Outcomes(group, said, law if labels is None else law.repeat(classes, axis=1), drawn=True)


def no_law(mechanism: Mechanism, classes: int = 2) -> str:
    """What keeps a row of its channel from being a distribution; empty where nothing does.

    Losses and gains are sums over what is said: with rows of less than 1 they would be too small. A channel that
    cannot be had is met where it is used.
    """
    try:
        channel = None if mechanism.unfit(classes) else mechanism.channel(classes)
        rows = None if channel is None else np.asarray(channel, np.float64)
    except Exception:
        return ""
    if rows is None or (rows.ndim == 2 and np.all(rows >= 0) and np.all(np.abs(rows.sum(axis=1) - 1) <= SUM)):
        return ""
    return "a row of its channel is no distribution: numbers of 0 or more that add up to 1"


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
