"""What the default estimator costs: several learners, five folds, on the sample tables and on large ones."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from . import child
from .table import show

SAMPLES = Path(__file__).parent.parent / "sample_data"
SIZES = {200_000: (60, 2000), 1_000_000: (240, 2000)}


def main() -> None:
    samples = [(SAMPLES / name, 10, 2000) for name in ("clinic.parquet", "clicks.csv")]
    large = [(child.correlated(n, 18), *limits) for n, limits in SIZES.items()]
    with tempfile.TemporaryDirectory() as empty:
        os.environ["NUMBA_CACHE_DIR"] = empty  # as on a machine where nothing has been compiled
        first = child.estimate_j(samples[0][0])
        del os.environ["NUMBA_CACHE_DIR"]
    child.estimate_j(samples[0][0])
    rows = [("the first, compiling", f"{first.seconds:.1f}", "", f"{first.megabytes:.0f}", "")]
    for path, seconds, megabytes in (*samples, *large):
        cost = child.estimate_j(path)
        rows.append((path.name, f"{cost.seconds:.1f}", f"{seconds}", f"{cost.megabytes:.0f}", f"{megabytes}"))
    show("estimate-j, default options", ("table", "seconds", "aim", "peak MB", "aim"), rows)


if __name__ == "__main__":
    main()
