"""eta(x) as the label frequencies among the nearest neighbours, the row itself left out (001, section 3).

It converges to eta slowly in many dimensions: a neighbourhood averages over people whose eta differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from ..core.eta import Eta, Neighborhoods
from .comparison import losses, ranked, smoothed
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
        lost: dict[int, Floats] = {}
        best: Neighborhoods | None = None
        for near in grid:
            lost[near.k] = losses(smoothed(near.counts), labels[near.rows])
            if best is None or lost[near.k].mean() < lost[best.k].mean():
                best = near
        assert best is not None
        eta = self.estimate(best, labels)
        return (
            eta
            if len(lost) == 1
            else replace(eta, tried=ranked({(self.name, k): one for k, one in lost.items()}), choices=len(lost))
        )

    def estimate(self, near: Neighborhoods, labels: npt.NDArray[np.uint8]) -> Eta:
        """labels (n,) of the whole table: those of the queries judge the estimate, which never saw them."""
        size = near.counts.sum(axis=1, keepdims=True)
        return Eta(
            probability=near.counts / size, counts=near.counts, rows=near.rows, k=near.k, n=near.n,
            estimator=self.name, log_loss=float(losses(smoothed(near.counts), labels[near.rows]).mean()),
            exact=near.exact, recall=near.recall, recall_low=near.recall_low,
            radius=near.radius, part=near.part, unseen=None if near.other is None else smoothed(near.other),
        )  # fmt: skip
