"""Tables to time things on."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BLOCK = 1_000_000


def independent(n: int, d: int, seed: int = 1) -> np.ndarray:
    """Independent normal columns: the hardest case, nothing for cells to hold on to."""
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


def correlated(n: int, d: int, seed: int = 1) -> np.ndarray:
    """Six hidden causes behind d columns, and noise: more like a real table."""
    rng = np.random.default_rng(seed)
    mix = rng.standard_normal((6, d))
    parts = []
    for start in range(0, n, BLOCK):
        m = min(BLOCK, n - start)
        x = np.tanh(0.7 * rng.standard_normal((m, 6)) @ mix) + 0.3 * rng.standard_normal((m, d))
        parts.append(x.astype(np.float32))
    return np.concatenate(parts)


def labels(points: np.ndarray, seed: int = 2) -> np.ndarray:
    """Drawn from a curved eta of the first two columns, a quarter positive."""
    eta = 1 / (1 + np.exp(-(2 * points[:, 0] + np.sin(3 * points[:, 1]) - 2)))
    return (np.random.default_rng(seed).random(len(points)) < eta).astype(np.uint8)


def write(n: int, d: int, path: Path) -> None:
    """`correlated` as a Parquet file with float64 columns and the label `y`."""
    points = correlated(n, d)
    y = labels(points)
    unfinished = path.with_suffix(".part")
    schema = pa.schema([*((f"x{f}", pa.float64()) for f in range(d)), ("y", pa.int8())])
    with pq.ParquetWriter(unfinished, schema) as file:
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            columns = [pa.array(points[rows, f].astype(np.float64)) for f in range(d)]
            file.write_table(pa.table([*columns, pa.array(y[rows].astype(np.int8))], schema=schema))
    unfinished.rename(path)


if __name__ == "__main__":
    write(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
