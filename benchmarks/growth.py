"""How the cost grows: 1, 3 and 10 million rows with the same number of queries."""

from __future__ import annotations

from . import child, worlds
from .end_to_end import FOLDER
from .table import show

SIZES = (1_000_000, 3_000_000, 10_000_000)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    costs = []
    for n in SIZES:
        path = worlds.parquet(n, 18, FOLDER)
        child.run("-c", f"from pathlib import Path; b = Path({str(path)!r}).read_bytes()")  # into the file cache
        costs.append(child.estimate_j(path, "--queries", "200000"))
    rows = [
        (f"{n:,}", f"{cost.seconds:.1f}", f"{cost.seconds / costs[0].seconds:.1f}", f"{cost.megabytes:.0f}")
        for n, cost in zip(SIZES, costs, strict=True)
    ]
    show("estimate-j, 18 columns, 200 000 queries", ("rows", "seconds", "times the first", "peak MB"), rows)
