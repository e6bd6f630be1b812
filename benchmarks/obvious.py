"""What one would write without this tool: read, standardise, IndexIVFFlat, mean label of k neighbours, the J curve.

python -m benchmarks.obvious FILE RECALL
"""

from __future__ import annotations

import math
import sys

import faiss
import numpy as np
import pyarrow.parquet as pq

BATCH = 20_000  # so that the neighbour lists fit into memory


def main(path: str, wanted: float) -> None:
    table = pq.read_table(path)
    y = table.column("y").to_numpy().astype(np.uint8)
    columns = [name for name in table.column_names if name != "y"]
    x = np.stack([table.column(name).to_numpy() for name in columns], axis=1).astype(np.float32)
    x = np.ascontiguousarray((x - x.mean(axis=0)) / x.std(axis=0))
    n, d = x.shape
    k = round(math.sqrt(n))
    cells = round(4 * math.sqrt(n))
    quantizer = faiss.IndexFlatL2(d)
    index = faiss.IndexIVFFlat(quantizer, d, cells)
    index.train(x[np.random.default_rng(0).choice(n, min(n, 64 * cells), replace=False)])
    index.add(x)
    index.nprobe = probes(x, index, k, wanted)
    eta = np.empty(n)
    for start in range(0, n, BATCH):
        _, near = index.search(x[start : start + BATCH], k + 1)
        eta[start : start + BATCH] = y[near[:, 1:]].mean(axis=1)
    p, pi = y.mean(), 1 / (1 + math.e)
    with np.errstate(divide="ignore"):
        log_odds = np.log(eta) - np.log1p(-eta) - math.log(p / (1 - p))
    loss = (2 * eta - 1) * log_odds + (1 - 2 * pi) * math.log((1 - pi) / pi)
    for tau in np.arange(0, 10, 0.5):
        print(f"{tau:.1f} {np.mean(loss > tau):.5f}")


def probes(x: np.ndarray, index: faiss.IndexIVFFlat, k: int, wanted: float) -> int:
    """The fewest probes with the recall wanted on 200 queries, by bisection."""
    asked = x[np.random.default_rng(1).choice(len(x), 200, replace=False)]
    exact = faiss.IndexFlatL2(x.shape[1])
    exact.add(x)
    _, true = exact.search(asked, k)
    low, high = 0, index.nlist
    while high - low > 1:
        index.nprobe = (low + high) // 2
        _, found = index.search(asked, k)
        recall = np.mean([len(np.intersect1d(a, b)) for a, b in zip(true, found, strict=True)]) / k
        low, high = (low, index.nprobe) if recall >= wanted else (index.nprobe, high)
    print(f"nprobe {high}", file=sys.stderr)
    return high


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
