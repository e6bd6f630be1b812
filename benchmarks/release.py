"""A table of 10 million rows and 18 columns protected, and checked, against pyarrow that reads and writes the file.

The copy goes batch by batch, as the release does; each in a process of its own, alternating. And how many labels a
second each mechanism draws (draws.py); on a million rows, releases for which clusters or models are found, and the best
attacker.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from .child import correlated, run
from .table import show

ROWS, ATTACKED, COLUMNS, RUNS = 10_000_000, 1_000_000, 18, 2
COPY = """
import sys
import pyarrow.parquet as pq
source, to = sys.argv[1:]
with pq.ParquetFile(source) as file, pq.ParquetWriter(to, file.schema_arrow) as out:
    for batch in file.iter_batches(1 << 18):
        out.write_batch(batch)
"""


def main() -> None:
    source = correlated(ROWS, COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        copy, to = Path(folder) / "copy.parquet", Path(folder) / "out.parquet"
        tool = ("-m", "labeldp_audit")
        asked = ("--mechanism", "rr:epsilon=1", "--force", "-q")
        copies, releases, checks = [], [], []
        for _ in range(RUNS):
            copies.append(run("-c", COPY, str(source), str(copy)))
            copy.unlink()
            releases.append(run(*tool, "release", str(source), "--to", str(to), *asked))
            checks.append(run(*tool, "verify", str(to), "--original", str(source), "--no-output", "-q"))
        best = [min(each, key=lambda one: one.seconds) for each in (copies, releases, checks)]
        names = ("pyarrow copies it", "release", "verify")
        rows = [
            (name, f"{one.seconds:.1f}", f"{one.megabytes:.0f}", f"{one.seconds / best[0].seconds:.2f}")
            for name, one in zip(names, best, strict=True)
        ]
    show(f"{ROWS:,} rows x {COLUMNS} columns; best of {RUNS}", ("", "seconds", "peak MB", "times the copy"), rows)
    subprocess.run([sys.executable, "-m", "benchmarks.draws"], check=True)
    _released()
    _attacked()


def _released() -> None:
    """Clusters and models that are found for it, and all."""
    source, rows = correlated(ATTACKED, COLUMNS), []
    with tempfile.TemporaryDirectory() as folder:
        to = str(Path(folder) / "out.parquet")
        for spec in ("rr:epsilon=1", "cluster-rr:epsilon=1,clusters=100", "lp-mst:epsilon=1,stages=2"):
            asked = ("--mechanism", spec, "--force", "-q")
            cost = run("-m", "labeldp_audit", "release", str(source), "--to", to, *asked)
            rows.append((spec, f"{cost.seconds:.1f}", f"{cost.megabytes:.0f}"))
    show(f"release of {ATTACKED:,} rows", ("", "seconds", "peak MB"), rows)


def _attacked() -> None:
    """The best attacker, eta and all."""
    source, rows = correlated(ATTACKED, COLUMNS), []
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder) / "out.parquet"
        for spec in ("rr:epsilon=1", "llp:k=8"):
            run("-m", "labeldp_audit", "release", str(source), "--to", str(to), "--mechanism", spec, "--force", "-q")
            asked = ("--attacker", "optimal", "--no-output", "-q")
            cost = run("-m", "labeldp_audit", "attack", str(source), str(to), *asked)
            rows.append((spec, f"{cost.seconds:.1f}", f"{cost.megabytes:.0f}"))
            for one in Path(folder).iterdir():
                one.unlink()
    show(f"the optimal attacker on {ATTACKED:,} rows", ("", "seconds", "peak MB"), rows)


if __name__ == "__main__":
    main()
