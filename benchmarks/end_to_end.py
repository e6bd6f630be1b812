"""`labeldp-audit estimate-j` on a million rows, all of them queries, against the obvious script at the same recall."""

from __future__ import annotations

import tempfile
from pathlib import Path

from . import child, worlds
from .table import show

N, D = 1_000_000, 18
FOLDER = Path(tempfile.gettempdir()) / "labeldp-audit-benchmarks"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    path = worlds.parquet(N, D, FOLDER)
    child.estimate_j(path)  # compiles, and warms the file cache for both
    ours = child.estimate_j(path, "--queries", "all")
    theirs = child.run("-m", "benchmarks.obvious", str(path), "0.95")
    rows = [
        ("obvious script", f"{theirs.seconds:.1f}", f"{theirs.megabytes:.0f}", "1.0"),
        ("estimate-j", f"{ours.seconds:.1f}", f"{ours.megabytes:.0f}", f"{theirs.seconds / ours.seconds:.1f}"),
    ]
    show(f"end to end, {N:,} x {D}, every row a query", ("", "seconds", "peak MB", "times as fast"), rows)
