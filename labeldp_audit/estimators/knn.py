"""eta(x) as the label frequencies among the nearest neighbours, the row itself left out (001, section 3).

It converges to eta slowly in many dimensions: a neighbourhood averages over people whose eta differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..model import Eta, Floats, Neighborhoods
from .comparison import ranked
from .contract import About, Estimator, Learner


@dataclass(frozen=True)
class Neighbors(Estimator):
    name: ClassVar[str] = "knn"
    example: ClassVar[str] = "knn"
    advice: ClassVar[str] = "use --k, --recall and --queries"

    learns: ClassVar[bool] = False

    def learners(self, about: About) -> tuple[Learner, ...]:
        return ()

    def chosen(self, grid: Iterable[Neighborhoods], labels: npt.NDArray[np.uint8]) -> Eta:
        """By the k that guesses the queries' own labels best, which its counts do not hold. Grids are handed out one
        by one: only the best so far is kept."""
        losses: dict[int, Floats] = {}
        best: Neighborhoods | None = None
        for near in grid:
            losses[near.k] = _losses(near.counts, labels[near.rows])
            if best is None or losses[near.k].mean() < losses[best.k].mean():
                best = near
        assert best is not None
        eta = self.estimate(best, labels)
        return (
            eta
            if len(losses) == 1
            else replace(eta, tried=ranked({(self.name, k): lost for k, lost in losses.items()}), choices=len(losses))
        )

    def estimate(self, near: Neighborhoods, labels: npt.NDArray[np.uint8]) -> Eta:
        """labels (n,) of the whole table: those of the queries judge the estimate, which never saw them."""
        size = near.counts.sum(axis=1, keepdims=True)
        return Eta(
            probability=near.counts / size, counts=near.counts, rows=near.rows, k=near.k, n=near.n,
            estimator=self.name, log_loss=float(_losses(near.counts, labels[near.rows]).mean()), exact=near.exact,
            recall=near.recall, recall_low=near.recall_low,
            radius=near.radius, part=near.part, unseen=None if near.other is None else _smoothed(near.other),
        )  # fmt: skip


def _smoothed(counts: npt.NDArray[np.int64]) -> Floats:
    """Half a count added to each class: a row may have no neighbour in another part."""
    return np.asarray((counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 0.5 * counts.shape[1]))


def _losses(counts: npt.NDArray[np.int64], labels: npt.NDArray[np.uint8]) -> Floats:
    """-log of the probability of each label, half a count added to each class so that no surprise is infinite."""
    at_label = np.take_along_axis(counts, labels[:, None].astype(np.int64), axis=1)[:, 0]
    return np.asarray(-np.log((at_label + 0.5) / (counts.sum(axis=1) + 0.5 * counts.shape[1])))
