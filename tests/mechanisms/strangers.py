"""Two mechanisms of other people, as a package of theirs would bring them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from labeldp_audit.core.mechanism import Mechanism
from labeldp_audit.core.parameters import parameter
from labeldp_audit.core.registry import number, spelled
from labeldp_audit.core.release import Release
from labeldp_audit.mechanisms.per_record import PerRecord


@dataclass(frozen=True)
class Silent(PerRecord):
    """Says the label or nothing: a channel alone."""

    name: ClassVar[str] = "silent"
    example: ClassVar[str] = "silent:share=0.5"
    summary: ClassVar[str] = "keeps a share of the labels to itself"

    share: float

    @classmethod
    def parse(cls, fields, classes):
        return cls(number(fields["share"], "share"))

    @property
    def spec(self):
        return f"silent:share={spelled(self.share)}"

    def at(self):
        return {"share": self.share}

    def channel(self, classes):
        return np.column_stack([np.eye(classes) * (1 - self.share), np.full(classes, self.share)])


@dataclass(frozen=True)
class Blurred(Mechanism):
    """The label plus normal noise: release and loglik alone, for two classes."""

    name: ClassVar[str] = "blurred"
    example: ClassVar[str] = "blurred:sigma=1"
    summary: ClassVar[str] = "the label plus normal noise"

    sigma: float = parameter(least=0, noise=1)

    def claim(self, classes):
        return None

    def release(self, labels, guide, *, rng):
        return Release(labels + rng.normal(0, self.sigma, len(labels)), np.arange(len(labels)))

    def loglik(self, release, eta):
        return -((release.view[:, None] - np.arange(eta.shape[1])) ** 2) / (2 * self.sigma**2)
