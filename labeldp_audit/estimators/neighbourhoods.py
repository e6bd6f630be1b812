"""eta from neighbourhoods of features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import measure_smoothness
from ..core.arrays import Integers
from ..core.budget import RADII_SHARE
from ..core.eta import Eta
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Table
from ..engines.machine import ENCODED, available_cores, check_memory
from . import neighbour_numbers
from .knn import Neighbors
from .sampling import default_k, queries_of

if TYPE_CHECKING:
    from ..neighbors.grid import Grid


def of_table(table: Table, settings: Settings, progress: Progress, halves: bool) -> Eta:
    """And warnings. halves: eta is also estimated without the labels of half of the rows."""
    n, classes = len(table.labels), len(table.dataset.classes)
    queries = queries_of(n, settings)
    ks = _ks(n, settings, len(queries) * classes * (2 if halves else 1))
    if settings.smoothness is not None:  # met before the search, which may be long
        measure_smoothness.check(ks[0], len(queries), RADII_SHARE * (1 - settings.confidence))
    grid = _counted(table, queries, ks, settings, progress, _halves(n, settings.seed) if halves else None)
    return Neighbors().chosen(grid, table.labels)


def glimpse(table: Table, rows: Integers, settings: Settings, progress: Progress) -> Eta:
    """At a few rows, to see whether neighbourhoods are worth it."""
    grid = _counted(table, rows, _ks(len(table.labels), settings, 0), settings, progress, None)
    return Neighbors().chosen(grid, table.labels)


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
    ks = neighbour_numbers.ks(n)
    alone = settings.smoothness is not None or len(ks) * counts > neighbour_numbers.MOST_COUNTS
    return (default_k(n),) if alone else ks


def _recall(settings: Settings) -> float:
    """A smoothness constant speaks of the nearest rows, so these must be found, not near ones."""
    return settings.recall if settings.smoothness is None else 1.0


def _halves(n: int, seed: int) -> npt.NDArray[np.uint8]:
    """Which half each row is in: by lot, never by what it holds."""
    return for_audit(seed, "halves").integers(2, size=n, dtype=np.uint8)
