"""What a mechanism may look at beside labels, made of what is public."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Integers
from ..core.errors import SpecError
from ..core.mechanism import Mechanism, Need
from ..core.progress import Progress
from ..core.release import Guide
from ..core.settings import Settings
from ..core.table import Table
from ..data import ReadOptions, publish, read_table
from ..data.roles import known
from ..engines.machine import available_cores
from ..neighbors.clusters import clusters

LOT = 0  # of k-means, which is no secret
_FINER = 8  # parts of a cluster that features tell apart


@dataclass(frozen=True)
class Guidance:
    """What the mechanism gets, and parts of the clusters, by which the publisher learns how good they are."""

    guide: Guide
    cells: Integers | None = None


def guide_for(
    mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions, progress: Progress
) -> Guidance:
    """Of what the mechanism needs, and nothing else."""
    if missing := mechanism.needs - {Need.CLUSTERS}:
        raise SpecError(f"{mechanism.spec} needs {' and '.join(sorted(missing))}")
    classes = len(table.dataset.classes)
    if Need.CLUSTERS not in mechanism.needs:
        return Guidance(Guide(classes))
    if settings.cluster is not None:
        return Guidance(Guide(classes, clusters=_of_column(settings.cluster, data, table, options)))
    wanted = replace(options, labels_only=False, exclude=settings.exclude, categorical=settings.categorical)
    points = read_table(data, wanted, progress).with_points().points
    progress.stage("clustering", None, "rows")
    number, threads = int(mechanism.at()["clusters"]), settings.threads or available_cores()
    alike, finer = (clusters(points, many, LOT, threads) for many in (number, number * _FINER))
    cells = np.unique(alike * (int(finer.max()) + 1) + finer, return_inverse=True)[1].reshape(-1)
    return Guidance(Guide(classes, clusters=alike), cells)


def _of_column(name: str, data: object, table: Table, options: ReadOptions) -> Integers:
    """Rows with the same cell; those whose cell is missing are alike."""
    known("--cluster", (name,), publish.column_names(data, options))
    if name == table.dataset.label:
        raise SpecError(f"column {name!r} is the label and also named by --cluster")
    codes = publish.read_texts(data, name, options)[0]
    mine = codes if table.row_numbers is None else codes[table.row_numbers]
    return np.unique(mine, return_inverse=True)[1].reshape(-1)
