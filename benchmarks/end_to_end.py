"""`labeldp-audit estimate-j --estimator knn` on a million rows, all of them queries, against
the obvious script at the same recall.
"""

from __future__ import annotations

from . import child
from .table import show

N, D, K = 1_000_000, 18, 1000


def main() -> None:
    path = child.correlated(N, D)
    child.search(path, K)  # compiles
    ours = child.search(path, K, "--queries", "all")
    theirs = child.run("-m", "benchmarks.obvious", str(path), "0.95")
    rows = [
        ("obvious script", f"{theirs.seconds:.1f}", f"{theirs.megabytes:.0f}", "1.0"),
        ("estimate-j", f"{ours.seconds:.1f}", f"{ours.megabytes:.0f}", f"{theirs.seconds / ours.seconds:.1f}"),
    ]
    show(f"end to end, {N:,} x {D}, every row a query", ("", "seconds", "peak MB", "times as fast"), rows)


if __name__ == "__main__":
    main()
