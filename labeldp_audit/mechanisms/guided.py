"""Mechanisms that look at more than the labels: each label is replaced by a channel of its group of records, which
nobody knows before the release.

Until then, audits judge such a mechanism as the worst of its epsilon. For two classes that is randomized response:
whatever a mechanism of that epsilon says of a label, it can say of what randomized response made of the label (Kairouz,
Oh and Viswanath 2015; ERRATA C1), so no loss, no advantage and no divergence is larger (data processing). For more
classes no single mechanism gives away most; advantages are bounded by the total variation, tanh(epsilon / 2).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from ..core.mechanism import ONE_ROW, Labels, Mechanism
from ..core.randomness import Chance
from ..core.release import Guarantee, Guide, Release
from .per_record import epsilon_of, gain_of_channel, loglik_of
from .randomized_response import RandomizedResponse

PUBLIC = "what it looks at beside labels, such as clusters or a prior, depends on no label that is protected"
_ROUNDED, _NOTHING = 1 + 1e-9, 1e-12  # channels that are told as floating-point numbers
JUDGED_AS = (
    "judged by its epsilon alone: for two classes as randomized response, for more by the most that any mechanism of "
    "that epsilon adds; it may give away less, and lower limits are not its own"
)


class Guided(Mechanism):
    """One record a bag, a pure epsilon, and channels that the release brings along."""

    @abstractmethod
    def claim(self, classes: int) -> float: ...

    @abstractmethod
    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        """With `group` and `channels`."""

    @property
    def judged_as(self) -> str:
        return JUDGED_AS

    def channel(self, classes: int) -> Floats | None:
        """That of randomized response, which dominates; not that of a release."""
        return RandomizedResponse(self.claim(2)).channel(2) if classes == 2 else None

    def log_ratios(self) -> Floats:
        return RandomizedResponse(self.claim(2)).log_ratios()

    def guarantees(self, classes: int) -> tuple[Guarantee, ...]:
        return (Guarantee(self.claim(classes), theorem=self.theorem, assumptions=(ONE_ROW, PUBLIC)),)

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        """The channels too: column `channel` of the release says which of them replaced a label."""
        assert release.channels is not None
        return {**super().learner(release, classes), "channels": release.channels.tolist()}

    def untrue(self, release: Release) -> npt.NDArray[np.bool_] | None:
        if release.channels is None:
            return None
        claim = self.claim(release.channels.shape[1])
        return np.array([spent > claim * _ROUNDED + _NOTHING for spent in self.spent(release.channels, release)])

    def spent(self, channels: Floats, release: Release) -> list[float]:
        """The epsilon of each channel, and of what else is told of its records."""
        return [epsilon_of(one) for one in channels]

    def channels_told(self, learner: Mapping[str, Any]) -> Floats | None:
        return np.array(learner["channels"], np.float64)

    def loglik(self, release: Release, eta: Floats) -> Floats:
        """By the channels of the release, which count as known: what else they tell of a label, the epsilon bounds."""
        return loglik_of(release)

    def gain(self, eta: Floats, payoff: Floats) -> Floats:
        """The most that any mechanism of that epsilon gains. Two classes: what randomized response does. More: with
        a_c = payoff_c eta_c and a_b the largest, sum_s max_c a_c P(s | c) - a_b
        <= sum_{c != b} a_c sum_s (P(s | c) - P(s | b))_+ <= (sum_c a_c - a_b) tanh(epsilon / 2)."""
        classes = eta.shape[-1]
        channel = self.channel(classes)
        if channel is not None:
            return gain_of_channel(eta, channel, payoff)
        worth = payoff * eta
        rest = worth.sum(axis=-1) - worth.max(axis=-1)
        return np.asarray(self.total_variation(classes) * np.maximum(0.0, rest))
