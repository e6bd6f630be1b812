"""What a user waits for before anything is computed; learning is another matter (learning.py)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from . import child
from .table import show

KNN = "--estimator", "knn"
SAMPLE = Path(__file__).parent.parent / "sample_data" / "clinic.parquet"


def main() -> None:
    helped = min(child.run("-m", "labeldp_audit", "--help").seconds for _ in range(5))
    with tempfile.TemporaryDirectory() as empty:
        os.environ["NUMBA_CACHE_DIR"] = empty  # as on a machine where nothing has been compiled
        first = child.estimate_j(SAMPLE, *KNN).seconds
        later = min(child.estimate_j(SAMPLE, *KNN).seconds for _ in range(3))
        attacked = _advantage()  # some of it is compiled already
        again = min(_advantage() for _ in range(3))
        del os.environ["NUMBA_CACHE_DIR"]
    rows = [
        ("--help", f"{helped:.2f}", "0.5"),
        ("first estimate-j, compiling", f"{first:.1f}", "15"),
        ("later estimate-j", f"{later:.1f}", "4"),
        ("then the first advantage", f"{attacked:.1f}", "15"),
        ("later advantage", f"{again:.1f}", "4"),
    ]
    show("start, sample table", ("", "seconds", "must stay below"), rows)


def _advantage() -> float:
    asked = "-m", "labeldp_audit", "advantage", str(SAMPLE), *KNN, "--no-output", "--quiet", "-f", "json"
    return child.run(*asked).seconds


if __name__ == "__main__":
    main()
