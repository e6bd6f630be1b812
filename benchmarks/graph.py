"""Building a k-NN graph against FAISS's own search; and counting neighbours by the scan and by each index of FAISS.

All run in this process, on all cores. The first table takes the same parameters on both sides, alternating. In the
second a search is everything between points and counts: `build` is the time until the first row can be asked.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np

from labeldp_audit import neighbors
from labeldp_audit.core.progress import Silent
from labeldp_audit.engines.machine import available_cores
from labeldp_audit.neighbors import FaissIndex

from . import worlds
from .table import show

ROWS, COLUMNS, K, RUNS = 200_000, 18, 100, 3
SIZES, WIDTHS, KS = (20_000, 200_000, 1_000_000), (18, 100), (100, 1000, 10_000)
ASKED = {"scan": 2000, "exact": 2000, "ivf": 2000, "hnsw": 200}
MOST_LINKED = 200_000  # rows: linking a million points takes one core many minutes


def main() -> None:
    _searches(20_000, 18, 100)  # compiles
    show(
        f"graph of {ROWS:,} x {COLUMNS}, k = {K}, IndexIVFFlat, against its own search; best of {RUNS}",
        ("points", "nlist", "nprobe", "recall", "FAISS s", "graph s", "ratio", "graph MB", "peak MB"),
        [_graph(world) for world in (worlds.correlated, worlds.independent)],
    )
    show(
        "seconds to build, and for 1,000 rows asked; `correlated`, recall 0.95",
        ("rows", "columns", "k", *(f"{name} {part}" for name in ASKED for part in ("build", "ask"))),
        (_searches(n, d, k) for n, d, k in itertools.product(SIZES, WIDTHS, KS) if k < n),
    )


def _graph(world: Callable[[int, int], np.ndarray]) -> tuple[object, ...]:
    points, ours, theirs, threads = world(ROWS, COLUMNS), list[float](), list[float](), available_cores()
    peak, before = 0.0, 0.0
    for _ in range(RUNS):
        before = _megabytes()
        with _Peak() as watched:
            started = time.perf_counter()
            index = FaissIndex.build(points, "ivf", (K,), 0.95, seed=0, threads=threads, progress=Silent())
            graph = index.graph(K, np.arange(ROWS), {}, Silent())
            ours.append(time.perf_counter() - started)
        peak, size = watched.most - before, len(graph.lists.ids) * 8 / 1e6
        said = graph.index["nlist"], graph.index["nprobe"], f"{graph.recall:.3f}"
        del graph
        faiss.omp_set_num_threads(threads)
        index.index.nprobe = index.search.probes
        started = time.perf_counter()
        index.index.search(points, K + 1)
        theirs.append(time.perf_counter() - started)
        del index
    ratio = f"{min(ours) / min(theirs):.2f}"
    return (world.__name__, *said, f"{min(theirs):.1f}", f"{min(ours):.1f}", ratio, f"{size:.0f}", f"{peak:.0f}")


def _searches(n: int, d: int, k: int) -> tuple[object, ...]:
    points = worlds.correlated(n, d)
    labels = worlds.labels(points)
    found = [cell for name, asked in ASKED.items() for cell in _search(name, points, labels, k, asked)]
    return (f"{n:,}", d, f"{k:,}", *found)


def _search(name: str, points: np.ndarray, labels: np.ndarray, k: int, asked: int) -> tuple[str, str]:
    if name == "hnsw" and len(points) > MOST_LINKED:
        return "-", "-"
    threads, rows = available_cores(), np.sort(np.random.default_rng(3).choice(len(points), asked, replace=False))
    started = time.perf_counter()
    if name == "scan":
        how = {"ks": (k,), "recall": 0.95, "seed": 0, "threads": threads, "progress": Silent()}
        neighbors.count_grid(points, labels, 2, rows[:1], **how)
        built = time.perf_counter() - started
        neighbors.count_grid(points, labels, 2, rows, **how)
        return f"{built:.1f}", f"{(time.perf_counter() - started - 2 * built) / asked * 1000:.2f}"
    index = FaissIndex.build(points, name, (k,), 0.95, seed=0, threads=threads, progress=Silent())
    built = time.perf_counter() - started
    for block, lists in index.blocks(rows, k, Silent()):
        lists.counts(np.arange(len(block)), labels.astype(np.int64), 2, (k,))
    return f"{built:.1f}", f"{(time.perf_counter() - started - built) / asked * 1000:.2f}"


class _Peak(threading.Thread):
    """The most memory of this process while it is watched, in MB."""

    def __enter__(self) -> _Peak:
        self.most, self.over = 0.0, False
        self.start()
        return self

    def run(self) -> None:
        while not self.over:
            self.most = max(self.most, _megabytes())
            time.sleep(0.005)

    def __exit__(self, *_: object) -> None:
        self.over = True
        self.join()


def _megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


if __name__ == "__main__":
    main()
