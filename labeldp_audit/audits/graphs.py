"""The k-NN graph of a table: built, written, and read again for the table that it belongs to."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import hoeffding
from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Table
from ..data import pandas_frame, write
from ..data.graph_file import read_graph, write_graph
from ..engines.machine import ENCODED, available_cores, check_memory
from ..neighbors import FaissIndex, Graph, Lists, check_ks

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ..data import DataFrame

USUAL_K = 100
SPOT_CHECKS = 100  # rows of a graph of another tool whose distances are measured again
_SAME = 1e-3  # relative error of a distance that is measured again
_FEWEST = 0.5  # share of the nearest neighbours that a graph has to list
_MISS = 0.01  # of the lower limit of that share
_RENEW = "build it again with labeldp-audit graph, and the same options for the table"


@dataclass(frozen=True, repr=False)
class NeighborGraph(Graph):
    """The k nearest neighbours of every row, with all ties at the k-th distance; rows count from 0."""

    @cached_property
    def neighbors(self) -> list[npt.NDArray[np.int32]]:
        """The neighbours of each row, nearest first, as numbers of rows of the table."""
        return np.split(self._numbers, self.lists.start[1:-1])

    @cached_property
    def distances(self) -> list[npt.NDArray[np.float32]]:
        return np.split(self.lists.distances, self.lists.start[1:-1])

    @property
    def _numbers(self) -> npt.NDArray[np.int32]:
        return self.rows.astype(np.int32)[self.lists.ids]

    def class_counts(self, labels: npt.ArrayLike) -> Integers:
        """Count labels, of all rows of the table or of those in the graph, among the neighbours of each row in the
        graph: (n, classes), classes in sorted order."""
        given = np.asarray(labels)
        if len(given) != len(self.rows) and len(given) <= self.rows[-1]:
            raise DataError(f"{len(given):,} labels for a graph of {len(self.rows):,} rows")
        classes, codes = np.unique(given if len(given) == len(self.rows) else given[self.rows], return_inverse=True)
        counts, _ = self.lists.counts(np.arange(len(self.rows)), codes.reshape(-1), len(classes), [self.k])
        return counts[:, 0].astype(np.int64)

    def to_scipy(self) -> csr_array:
        """Return the distances as a sparse matrix (n, n); a stored 0 is a neighbour that is equal."""
        from scipy.sparse import csr_array

        n = len(self.rows)
        return csr_array((self.lists.distances, self.lists.ids, self.lists.start), shape=(n, n))

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of pandas with the columns of the file: row, neighbors, distances."""
        return pandas_frame({"row": self.rows, "neighbors": self.neighbors, "distances": self.distances})

    def facts(self) -> dict[str, object]:
        """Return what the graph is, without its neighbours."""
        size = np.diff(self.lists.start)
        known = {name: getattr(self, name) for name in ("k", "index", "recall", "recall_low")}
        counted = {"rows": len(size), "most": int(size.max()), "shortfall": int((size < self.k).sum())}
        return {**counted, **known, **self.about}

    def file(self, path: Path) -> write.File:
        lists = self.rows, self.lists.start, self._numbers, self.lists.distances
        about = self.facts() | {"lists_sha256": _digest(*lists)}
        return write.File(path, write.PRIVATE, lambda file: write_graph(file, *lists, about))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a Parquet file that only its owner may read."""
        write.write_all([self.file(Path(path))])
        return Path(path)

    def __repr__(self) -> str:
        return (
            f"<k-NN graph of {len(self.rows):,} rows, k = {self.k:,}, {self.index['class']}, recall {self.recall:.3f}>"
        )


def build(table: Table, settings: Settings, progress: Progress) -> NeighborGraph:
    """Find the nearest neighbours of each row."""
    n, k = len(table.labels), settings.k or USUAL_K
    check_ks((k,), n)
    check_memory(4 * n * table.width, ENCODED)
    index = FaissIndex.build(
        table.points, settings.index, (k,), settings.recall, groups=table.groups, seed=settings.seed,
        threads=settings.threads or available_cores(), progress=progress,
    )  # fmt: skip
    return NeighborGraph(**vars(index.graph(k, table.numbers, _digests(table), progress)))


def _digests(table: Table) -> dict[str, object]:
    """Return what binds a graph to its table: features, how they are encoded, and who is the same person."""
    assert table.fingerprints is not None
    encoded = repr([(one.role, one.width) for one in table.dataset.columns if one.width]).encode()
    people = np.arange(0) if table.groups is None else table.groups
    features = _digest(np.frombuffer(encoded, np.uint8), table.fingerprints, people)
    return {"table_sha256": table.dataset.sha256, "features_sha256": features}


def _digest(*arrays: npt.NDArray[Any]) -> str:
    found = hashlib.sha256()
    for one in arrays:
        found.update(np.ascontiguousarray(one, one.dtype.newbyteorder("<")).data)
    return found.hexdigest()


def graph_of_table(source: Any, table: Table, settings: Settings) -> Graph:
    """Return the graph of --graph, a file or in memory, if it belongs to the table."""
    if not isinstance(source, Graph | str):
        raise SpecError(f"a graph is a path, or what `graph` returned, and no {type(source).__name__}")
    graph, name = (source, "the graph") if isinstance(source, Graph) else (_read(source, table), Path(source).name)
    if not graph.about:
        return _spot_check(graph, table, settings, name)
    if graph.about.get("features_sha256") != _digests(table)["features_sha256"]:
        raise DataError("it is the graph of another table, or of other features or people", name, hint=_RENEW)
    return graph


def _read(path: str, table: Table) -> Graph:
    (rows, start, ids, distances, about), numbers, name = read_graph(path), table.numbers, Path(path).name
    if len(start) - 1 != len(numbers) or (rows is not None and not np.array_equal(rows, numbers)):
        what = f"its {len(start) - 1:,} rows are not the {len(numbers):,} of the table, in this order and from 0"
        raise DataError(what, name, hint=_RENEW)
    place = np.full(int(numbers[-1]) + 2, -1, np.int32)  # the last stands for no row
    place[numbers] = np.arange(len(numbers))
    if np.any((ids < -1) | (ids >= len(place) - 1)) or not np.all(distances >= 0):
        raise DataError("a neighbor is no row of the table, or its distance is none", name, hint="-1 stands for no row")
    if about and about.get("lists_sha256") != _digest(numbers, start, ids, distances):
        raise DataError("checksum mismatch: the graph was edited or damaged", name, hint=_RENEW)
    ids = place[ids] if len(numbers) <= numbers[-1] else ids
    lists = Lists(start, ids, distances) if about else _sort_lists(Lists(start, ids, distances), name)
    known = about or {"k": np.median(np.diff(lists.start)), "index": {"class": "of another tool"}}
    digests = {one: about[one] for one in ("table_sha256", "features_sha256") if one in about}
    recall, low = (float(known.get(one, 0)) for one in ("recall", "recall_low"))
    return Graph(max(1, int(known["k"])), lists, numbers, known["index"], recall, low, digests)


def _sort_lists(lists: Lists, name: str) -> Lists:
    """Return the lists nearest first, without gaps and without the row itself."""
    check_memory(48 * len(lists.ids), ("to put the graph in order needs", "a graph with fewer neighbours"))
    row = np.repeat(np.arange(len(lists.start) - 1), np.diff(lists.start))
    kept = (lists.ids >= 0) & (lists.ids != row)
    row, ids, distances = row[kept], lists.ids[kept], lists.distances[kept]
    if not len(ids):
        raise DataError("it lists no neighbours", name)
    by_id = np.lexsort((ids, row))
    if np.any((row[1:] == row[:-1]) & (ids[by_id][1:] == ids[by_id][:-1])):
        raise DataError("a row lists a neighbor twice", name)
    order = np.lexsort((distances, row))
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(lists.start) - 1))])
    return Lists(start, ids[order], distances[order])


# ---- graphs of other tools


def _spot_check(graph: Graph, table: Table, settings: Settings, name: str) -> Graph:
    """Return the graph with its recall, if the distances of some rows are those of the table.

    Distances may be between numbers as they are, or between encoded rows, and they may be squared.
    """
    check_memory(4 * len(table.labels) * table.width, ENCODED)
    n, lot = len(graph.rows), for_audit(settings.seed, "rows of a graph")
    some = np.sort(lot.choice(n, min(SPOT_CHECKS, n), replace=False))
    for points in (_numbers(table), table.points):
        shares = None if points is None else _shares(graph, points, some)
        if shares is None:
            continue
        if (mean := float(shares.mean())) < _FEWEST:
            what = f"of the nearest neighbours, ties included, it lists {mean:.2f}"
            raise DataError(what, name, hint=f"a graph has to list at least {_FEWEST} of them")
        return replace(graph, recall=mean, recall_low=hoeffding.share_lower(mean, len(some), _MISS))
    what = f"the distances of {len(some)} rows are not those of the table"
    raise DataError(what, name, hint="Euclidean, between numbers as they are, or between rows as `graph` encodes them")


def _numbers(table: Table) -> Any:
    """Return the numbers of the table in their own units, where it has nothing else."""
    columns = table.columns
    if columns is None or columns.categorical.any() or np.isnan(columns.values).any():
        return None
    return np.ascontiguousarray(columns.values * np.array([one.size for one in columns.readings], np.float32))


def _shares(graph: Graph, points: Any, rows: Integers) -> Floats | None:
    """Return the share of its nearest neighbours that each row lists, ties included; None where distances differ."""
    size = np.diff(graph.lists.start)[rows]
    place = np.concatenate([np.arange(graph.lists.start[row], graph.lists.start[row + 1]) for row in rows])
    apart = points[graph.lists.ids[place]].astype(np.float64) - np.repeat(points[rows], size, axis=0)
    squares, listed = np.square(apart).sum(axis=1), graph.lists.distances[place]
    if not any(np.allclose(listed, one, rtol=_SAME, atol=_SAME * float(one.mean())) for one in (squares**0.5, squares)):
        return None
    index = FaissIndex.build(points, "exact", (graph.k,), 1.0, seed=0, threads=available_cores(), progress=Silent())
    nearest = [lists for _, lists in index.blocks(rows, graph.k, Silent())]
    reach = np.concatenate([lists.distances[lists.start[1:] - 1] for lists in nearest])
    number = np.concatenate([np.diff(lists.start) for lists in nearest])
    near = squares <= np.repeat(reach * (1 + _SAME), size)
    return np.asarray(np.minimum(1.0, np.bincount(np.repeat(np.arange(len(rows)), size), near, len(rows)) / number))
