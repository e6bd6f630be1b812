"""eta(x) as the label frequencies among the nearest neighbours, the row itself left out (001, section 3).

It converges to eta slowly in many dimensions: a neighbourhood averages over people whose eta differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import measure_smoothness
from ..core.arrays import Floats, Integers
from ..core.budget import RADII_SHARE
from ..core.eta import Eta, Neighborhoods
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Points, Table
from ..engines.machine import ENCODED, available_cores, check_memory
from . import sampling
from .comparison import losses, ranked, smoothed
from .contract import Estimator, Task, Told

if TYPE_CHECKING:
    from ..neighbors.grid import Grid

NAME = "knn"


@dataclass(frozen=True)
class Neighbors(Estimator):
    name: ClassVar[str] = NAME
    example: ClassVar[str] = NAME
    advice: ClassVar[str] = "use --k, --recall and --queries"
    columns: ClassVar[bool] = False
    points: ClassVar[Points] = Points.NOW

    def suited(self, settings: Settings) -> Estimator:
        return self

    def estimate(self, task: Task) -> Told:
        table, settings = task.table, task.settings
        n, classes = len(table.labels), len(table.dataset.classes)
        queries = sampling.queries_of(n, settings)
        ks = _ks(n, settings, len(queries) * classes * (2 if task.halves else 1))
        if settings.smoothness is not None:  # met before the search, which may be long
            measure_smoothness.check(ks[0], len(queries), RADII_SHARE * (1 - settings.confidence))
        part = _halves(n, settings.seed) if task.halves else None
        return chosen(_counted(table, queries, ks, settings, task.progress, part), table.labels), ()


def glimpse(table: Table, rows: Integers, settings: Settings, progress: Progress) -> Eta:
    """At a few rows, to see whether neighbourhoods are worth it."""
    ks = _ks(len(table.labels), settings, 0)
    return chosen(_counted(table, rows, ks, settings, progress, None), table.labels)


def _counted(
    table: Table, rows: Integers, ks: tuple[int, ...], settings: Settings, progress: Progress,
    part: npt.NDArray[np.uint8] | None,
) -> Grid:  # fmt: skip
    from .. import neighbors

    if table.axes:
        check_memory(4 * len(table.labels) * table.width, ENCODED)
    return neighbors.count_grid(
        table.with_points().points, table.labels, len(table.dataset.classes), rows, ks=ks, recall=_recall(settings),
        seed=settings.seed, threads=settings.threads or available_cores(), progress=progress, part=part,
    )  # fmt: skip


def _ks(n: int, settings: Settings, counts: int) -> tuple[int, ...]:
    """One where it is said, and where --smoothness makes limits wider with each neighbour: labels know nothing of that
    price, and one k alone costs no confidence. counts: how many are kept for each k."""
    if settings.k is not None:
        return (settings.k,)
    ks = sampling.ks(n)
    alone = settings.smoothness is not None or len(ks) * counts > sampling.MOST_COUNTS
    return (sampling.default_k(n),) if alone else ks


def _recall(settings: Settings) -> float:
    """A smoothness constant speaks of the nearest rows, so these must be found, not near ones."""
    return settings.recall if settings.smoothness is None else 1.0


def _halves(n: int, seed: int) -> npt.NDArray[np.uint8]:
    """Which half each row is in: by lot, never by what it holds."""
    return for_audit(seed, "halves").integers(2, size=n, dtype=np.uint8)


# ---- from counts to eta; labels (n,) of the whole table: those of the queries judge, and no count holds them


def chosen(grid: Iterable[Neighborhoods], labels: npt.NDArray[np.uint8]) -> Eta:
    """By the k that guesses the queries' own labels best. Grids are handed out one by one: only the best so far is
    kept."""
    lost: dict[int, Floats] = {}
    best: Neighborhoods | None = None
    for near in grid:
        lost[near.k] = losses(smoothed(near.counts), labels[near.rows])
        if best is None or lost[near.k].mean() < lost[best.k].mean():
            best = near
    assert best is not None
    eta = frequencies(best, labels)
    if len(lost) == 1:
        return eta
    return replace(eta, tried=ranked({(NAME, k): one for k, one in lost.items()}), choices=len(lost))


def frequencies(near: Neighborhoods, labels: npt.NDArray[np.uint8]) -> Eta:
    """Frequencies of the classes among the neighbours of each query."""
    return Eta(
        probability=near.counts / near.counts.sum(axis=1, keepdims=True), counts=near.counts, rows=near.rows,
        k=near.k, n=near.n, estimator=NAME,
        log_loss=float(losses(smoothed(near.counts), labels[near.rows]).mean()),
        exact=near.exact, recall=near.recall, recall_low=near.recall_low,
        radius=near.radius, part=near.part, unseen=None if near.other is None else smoothed(near.other),
    )  # fmt: skip
