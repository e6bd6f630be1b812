"""The k-NN graph of a table: built, written, and read again for the table that it belongs to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..bounds.intervals import hoeffding
from ..core.arrays import Floats, Integers
from ..core.errors import DataError
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Table
from ..data import read_graph
from ..data.write import File
from ..engines.machine import ENCODED, available_cores, check_memory
from ..neighbors import FaissIndex, Graph, Lists, check_ks

USUAL_K = 100
SPOT_CHECKS = 100  # rows of a graph of another tool whose distances are measured again
_STORED = "the graph needs", "--k with fewer, or --estimator knn, which stores no neighbours"
_SAME = 1e-3  # relative error of a distance that is measured again
_MISS = 0.01  # of the lower limit of the recall
_FEWEST = 0.5  # share of the nearest neighbours that a graph has to list
_RENEW = "build it again with labeldp-audit graph, and the same table options"


def build(table: Table, settings: Settings, progress: Progress) -> Graph:
    """Find the nearest neighbours of each row; `table` has points."""
    n, k = len(table.labels), settings.k or USUAL_K
    check_ks((k,), n)
    check_memory(8 * n * k, _STORED)
    index = FaissIndex.build(
        table.points, settings.index, (k,), settings.recall, groups=table.groups, seed=settings.seed,
        threads=settings.threads or available_cores(), progress=progress,
    )  # fmt: skip
    return replace(index.graph(k, table.numbers, progress), about=_about(table))


def facts(graph: Graph) -> dict[str, object]:
    """Return what a graph is, without its neighbours."""
    most = int(np.diff(graph.lists.start).max())
    known = {name: getattr(graph, name) for name in ("k", "index", "recall", "recall_low", "shortfall")}
    return {"rows": len(graph.rows), "most": most, **known, **graph.about}


def to_file(graph: Graph, path: Path) -> File:
    from ..data.graph_file import graph_file

    ids = graph.rows.astype(np.int32)[graph.lists.ids]
    return graph_file(path, graph.rows, graph.lists.start, ids, graph.lists.distances, facts(graph))


def _about(table: Table) -> Mapping[str, object]:
    """Return what binds a graph to its table: distances depend on features alone."""
    assert table.fingerprints is not None
    features = hashlib.sha256(np.ascontiguousarray(table.fingerprints, "<u8").tobytes()).hexdigest()
    return {"table_sha256": table.dataset.sha256, "features_sha256": features}


def fitting(source: Any, table: Table, settings: Settings) -> Graph:
    """Return the graph of --graph, a file or what `graph` returned, if it belongs to the table."""
    source = getattr(source, "content", source)  # of what Python's `graph` returned
    name = "the graph" if isinstance(source, Graph) else Path(source).name
    graph = source if isinstance(source, Graph) else _read(source, table, name)
    if graph.about:
        if graph.about.get("features_sha256") != _about(table)["features_sha256"]:
            raise DataError("it is the graph of another table, or of other features", name, hint=_RENEW)
        return graph
    return _checked(graph, table, settings, name)


def _read(path: str, table: Table, name: str) -> Graph:
    rows, start, ids, distances, about = read_graph(path)
    numbers = table.numbers
    if len(start) - 1 != len(numbers):
        what = f"it has {len(start) - 1:,} rows and the table has {len(numbers):,}"
        raise DataError(what, name, hint=_RENEW)
    if rows is not None and not np.array_equal(rows, numbers):
        raise DataError("its rows are not those of the table, in this order and counted from 0", name, hint=_RENEW)
    place = np.full(int(numbers[-1]) + 1, -1, np.int32)
    place[numbers] = np.arange(len(numbers))
    if np.any((ids < -1) | (ids >= len(place))):
        raise DataError("a neighbor is no row of the table", name, hint="ids count from 0; -1 stands for none")
    lists = _sorted(Lists(start, np.where(ids < 0, -1, place[ids]), distances), name)
    k = int(about.get("k") or np.median(np.diff(lists.start)))
    recall, low = (float(about.get(one, 0.0)) for one in ("recall", "recall_low"))
    said = {one: about[one] for one in ("table_sha256", "features_sha256") if one in about}
    return Graph(max(k, 1), lists, numbers, about.get("index", {"class": "unknown"}), recall, low, said)


def _sorted(lists: Lists, name: str) -> Lists:
    """Return the lists without the row itself and without gaps, nearest first."""
    row = np.repeat(np.arange(len(lists.start) - 1), np.diff(lists.start))
    kept = (lists.ids >= 0) & (lists.ids != row)
    row, ids, distances = row[kept], lists.ids[kept], lists.distances[kept]
    if not np.all(distances >= 0):
        raise DataError("a distance is missing or below 0", name)
    same_row = row[1:] == row[:-1]
    if np.any(same_row & (distances[1:] < distances[:-1])):
        order = np.lexsort((distances, row))
        ids, distances = ids[order], distances[order]
    order = np.lexsort((ids, row))
    if np.any(same_row & (ids[order][1:] == ids[order][:-1])):
        raise DataError("a row lists a neighbor twice", name)
    size = np.bincount(row, minlength=len(lists.start) - 1)
    return Lists(np.concatenate([[0], np.cumsum(size)]), ids, distances)


# ---- graphs of other tools


def _checked(graph: Graph, table: Table, settings: Settings, name: str) -> Graph:
    """Return the graph with its recall, if the distances of some rows are those of the table.

    Distances may be between encoded rows, as this tool measures them, or between numbers as they are, and squared.
    """
    check_memory(4 * len(table.labels) * table.width, ENCODED)
    lot = for_audit(settings.seed, "rows of a graph")
    listed = np.flatnonzero(np.diff(graph.lists.start))
    some = np.sort(lot.choice(listed, min(SPOT_CHECKS, len(listed)), replace=False))
    for points in (_numbers(table), table.with_points().points):
        if points is not None and (shares := _shares(graph, points, some, settings)) is not None:
            if shares.mean() < _FEWEST:
                what = f"it lists {shares.mean():.0%} of the nearest neighbours".replace("%", " %")
                raise DataError(what, name, hint="neighbours are counted among the nearest rows alone")
            mean = float(shares.mean())
            return replace(graph, recall=mean, recall_low=hoeffding.share_lower(mean, len(some), _MISS))
    what = f"the distances of {len(some)} rows are not those of the table"
    raise DataError(what, name, hint="between encoded features, or numbers as they are; " + _RENEW)


def _numbers(table: Table) -> Any:
    """Return the numbers of the table in their own units, where it has nothing else."""
    columns = table.columns
    if columns is None or columns.categorical.any() or np.isnan(columns.values).any():
        return None
    return np.ascontiguousarray(columns.values * np.array([one.size for one in columns.readings], np.float32))


def _shares(graph: Graph, points: Any, rows: Integers, settings: Settings) -> Floats | None:
    """Return the share of its nearest neighbours that each row lists, ties included; None where distances differ."""
    size = np.diff(graph.lists.start)[rows]
    place = np.concatenate([np.arange(graph.lists.start[row], graph.lists.start[row + 1]) for row in rows])
    apart = points[graph.lists.ids[place]].astype(np.float64) - np.repeat(points[rows], size, axis=0)
    squares, listed = np.square(apart).sum(axis=1), graph.lists.distances[place]
    if not any(
        np.allclose(listed, true, rtol=_SAME, atol=_SAME * float(true.mean())) for true in (squares**0.5, squares)
    ):
        return None
    index = FaissIndex.build(points, "exact", (graph.k,), 1.0, seed=0, threads=available_cores(), progress=Silent())
    nearest = [lists for _, lists in index.blocks(rows, graph.k, Silent())]
    reach = np.concatenate([lists.distances[lists.start[1:] - 1] for lists in nearest])
    number = np.concatenate([np.diff(lists.start) for lists in nearest])
    near = squares <= np.repeat(reach * (1 + _SAME), size)
    found = np.bincount(np.repeat(np.arange(len(rows)), size), near, len(rows))
    return np.asarray(np.minimum(1.0, found / number))
