"""The scan against `faiss.IndexIVFFlat.search` and a label mean: the same cells, the same probes, the same queries.

Both run in this process, alternating, on all cores. FAISS gets the cells of this tool, each point in the same cell.
The ratio is that of the best of each side's runs; the label means must agree.
"""

from __future__ import annotations

import time

import faiss
import numpy as np

from labeldp_audit import neighbors
from labeldp_audit.core.progress import Silent
from labeldp_audit.engines.machine import available_cores

from . import worlds
from .table import show

N, QUERIES, RUNS = 1_000_000, 20_000, 3
CASES = (  # world, d, k
    (worlds.independent, 18, 1000),
    (worlds.correlated, 18, 1000),
    (worlds.correlated, 18, 100),
    (worlds.correlated, 18, 10_000),
    (worlds.correlated, 8, 100),
    (worlds.correlated, 8, 1000),
    (worlds.correlated, 8, 10_000),
    (worlds.correlated, 64, 100),
    (worlds.correlated, 64, 1000),
    (worlds.correlated, 64, 10_000),
)


def main() -> None:
    rows = [_case(*case) for case in CASES]
    show(
        f"scan of {N:,} points for {QUERIES:,} queries, {available_cores()} cores; seconds, best of {RUNS}",
        ("points", "d", "k", "cells", "probes", "recall", "FAISS", "scan", "ratio", "same eta"),
        rows,
    )


def _case(world, d: int, k: int) -> tuple:  # type: ignore[no-untyped-def, type-arg]
    threads = available_cores()
    points = world(N, d)
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    y = worlds.labels(points)
    index = neighbors._build(points, y, 2, (k,), 0, threads, Silent())
    asked = np.sort(np.random.default_rng(3).choice(N, QUERIES, replace=False)).astype(np.int32)
    # As if all million rows were asked: the number of probes of the real thing.
    search = neighbors._choose_search(index, N, 0.95, 0, threads)
    rival = _faiss(points, index)
    rival.nprobe = search.probes
    ours, theirs = [], []
    for _ in range(RUNS):
        started = time.perf_counter()
        found, *_ = neighbors._search(index, asked, search.probes, threads, Silent())
        counts = found[:, 0]
        ours.append(time.perf_counter() - started)
        faiss.omp_set_num_threads(threads)
        started = time.perf_counter()
        _, nearest = rival.search(points[asked], k + 1)
        mean = y[nearest].mean(axis=1)
        theirs.append(time.perf_counter() - started)
    agree = float(np.mean(np.abs(counts[:, 1] / counts.sum(axis=1) - mean) < 0.002))
    name = f"{world.__name__}"
    best, rival_best = min(ours), min(theirs)
    return (
        name, d, k, index.cells.count, search.probes, f"{search.recall[0]:.3f}", f"{rival_best:.2f}", f"{best:.2f}",
        f"{rival_best / best:.1f}", f"{agree:.1%}",
    )  # fmt: skip


def _faiss(points: np.ndarray, index) -> faiss.IndexIVFFlat:  # type: ignore[no-untyped-def]
    """An inverted file with the same points in the same cells."""
    d = points.shape[1]
    quantizer = faiss.IndexFlatL2(d)
    quantizer.add(index.cells.centroids)
    rival = faiss.IndexIVFFlat(quantizer, d, index.cells.count)
    cell = index.cells.cell_of_point[index.cells.point_of_row].astype(np.int64)
    points = np.ascontiguousarray(points)
    rival.add_core(len(points), faiss.swig_ptr(points), None, faiss.swig_ptr(cell))
    return rival


if __name__ == "__main__":
    main()
