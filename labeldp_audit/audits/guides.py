"""What a mechanism may look at beside labels, made of what is public."""

from __future__ import annotations

from dataclasses import replace

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


def guide_for(
    mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions, progress: Progress
) -> Guide:
    """Of what the mechanism needs, and nothing else."""
    if missing := mechanism.needs - {Need.CLUSTERS}:
        raise SpecError(f"{mechanism.spec} needs {' and '.join(sorted(missing))}")
    alike = None
    if Need.CLUSTERS in mechanism.needs:
        alike = _clusters(mechanism, data, table, settings, options, progress)
    return Guide(len(table.dataset.classes), clusters=alike)


def _clusters(
    mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions, progress: Progress
) -> Integers:
    """(n,) of the rows that are released: by a column, or as many as the mechanism's `clusters` by k-means."""
    if settings.cluster is not None:
        return _of_column(settings.cluster, data, table, options)
    features = replace(options, labels_only=False, exclude=settings.exclude, categorical=settings.categorical)
    points = read_table(data, features, progress).with_points().points
    progress.stage("clustering", None, "rows")
    return clusters(points, int(mechanism.at()["clusters"]), LOT, settings.threads or available_cores())


def _of_column(name: str, data: object, table: Table, options: ReadOptions) -> Integers:
    """Rows with the same cell; those whose cell is missing are alike."""
    known("--cluster", (name,), publish.column_names(data, options))
    if name == table.dataset.label:
        raise SpecError(f"column {name!r} is the label and also named by --cluster")
    codes = publish.read_texts(data, name, options)[0]
    mine = codes if table.row_numbers is None else codes[table.row_numbers]
    return np.unique(mine, return_inverse=True)[1].reshape(-1)
