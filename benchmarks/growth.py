"""How the cost grows: 1, 3 and 10 million rows with the same number of queries."""

from __future__ import annotations

import math

from . import child
from .table import show

SIZES = (1_000_000, 3_000_000, 10_000_000)


def main() -> None:
    costs = [child.search(child.correlated(n, 18), round(math.sqrt(n)), "--queries", "200000") for n in SIZES]
    rows = [
        (f"{n:,}", f"{cost.seconds:.1f}", f"{cost.seconds / costs[0].seconds:.1f}", f"{cost.megabytes:.0f}")
        for n, cost in zip(SIZES, costs, strict=True)
    ]
    show(
        "estimate-j --estimator knn, 18 columns, 200 000 queries",
        ("rows", "seconds", "times the first", "peak MB"),
        rows,
    )


if __name__ == "__main__":
    main()
