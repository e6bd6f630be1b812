"""eta(x) as the label frequencies among the nearest neighbours, the row itself left out (001, section 3).

It converges to eta slowly in many dimensions: a neighbourhood averages over people whose eta differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..errors import SpecError
from ..model import Eta, Floats, Neighborhoods


@dataclass(frozen=True)
class Neighbors:
    name: ClassVar[str] = "knn"
    example: ClassVar[str] = "knn"

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Neighbors:
        if fields:
            raise SpecError("knn has no parameters of its own", hint="use --k, --recall and --queries")
        return cls()

    def estimate(self, near: Neighborhoods, labels: npt.NDArray[np.uint8]) -> Eta:
        """labels (n,) of the whole table: those of the queries judge the estimate, which never saw them."""
        size = near.counts.sum(axis=1, keepdims=True)
        return Eta(
            probability=near.counts / size, counts=near.counts, rows=near.rows, k=near.k, n=near.n,
            estimator=self.name, log_loss=_log_loss(near.counts, labels[near.rows]), exact=near.exact,
            recall=near.recall, recall_low=near.recall_low,
            radius=near.radius, part=near.part, unseen=None if near.other is None else _smoothed(near.other),
        )  # fmt: skip


def _smoothed(counts: npt.NDArray[np.int64]) -> Floats:
    """Half a count added to each class: a row may have no neighbour in the other half."""
    return np.asarray((counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 0.5 * counts.shape[1]))


def _log_loss(counts: npt.NDArray[np.int64], labels: npt.NDArray[np.uint8]) -> float:
    """Mean -log of the probability of the label, half a count added to each class so that no surprise is infinite."""
    at_label = np.take_along_axis(counts, labels[:, None].astype(np.int64), axis=1)[:, 0]
    return float(-np.mean(np.log((at_label + 0.5) / (counts.sum(axis=1) + 0.5 * counts.shape[1]))))
