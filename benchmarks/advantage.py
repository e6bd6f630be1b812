"""The whole `advantage` command with nine mechanisms, after estimate-eta has searched once for all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from . import child
from .table import show

SIZES = (200_000, 1_000_000, 3_000_000)
MECHANISMS = ("rr:epsilon=0.5|1|2", "llp:k=2|8|64|512", "laplace-llp:k=8,epsilon=1|4")
KNN = "--estimator", "knn"
QUIET = ("--no-output", "--quiet", "-f", "json")


def main() -> None:
    options = [word for spec in MECHANISMS for word in ("--mechanism", spec)]
    rows = [(f"{n:,}", *(f"{part:.1f}" for part in _timed(n, options))) for n in SIZES]
    head = ("rows", "estimate-eta", "advantage", "reading alone", "without the file")
    show("advantage, nine mechanisms, 18 columns, 200 000 queries; seconds", head, rows)


def _timed(n: int, options: list[str]) -> tuple[float, float, float, float]:
    path = str(child.correlated(n, 18))
    with tempfile.TemporaryDirectory() as folder:
        search = "-m", "labeldp_audit", "estimate-eta", path, *KNN, "--quiet", "-f", "json", "-o", folder
        searched = child.run(*search).seconds
        file = ("--eta-file", str(Path(folder) / "eta.parquet"))
        run = ("-m", "labeldp_audit", "advantage", path, *KNN, *QUIET)
        child.run(*run, *file, *options)  # compiles where nothing has been compiled
        with_file = min(child.run(*run, *file, *options).seconds for _ in range(3))
        least = min(child.run(*run, *file, "--mechanism", "llp:k=1").seconds for _ in range(3))
        return searched, with_file, least, child.run(*run, *options).seconds


if __name__ == "__main__":
    main()
