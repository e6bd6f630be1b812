"""Runs a command in a process of its own and says what it cost.

Linux counts the parent's memory at the moment of the fork as the child's. Whoever calls this stays small: no numpy.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    seconds: float
    megabytes: float  # largest resident set


def run(*arguments: str) -> Cost:
    """`python ARGUMENTS`, its output thrown away; an exit status other than 0 ends the benchmark."""
    started = time.perf_counter()
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen([sys.executable, *arguments], stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments}: exit status {process.returncode}")
    return Cost(time.perf_counter() - started, usage.ru_maxrss / 1000)


def estimate_j(path: Path, *options: str) -> Cost:
    return run("-m", "labeldp_audit", "estimate-j", str(path), "--no-output", "--quiet", "-f", "json", *options)


def search(path: Path, k: int, *options: str) -> Cost:
    """By neighbourhoods of one size."""
    return estimate_j(path, "--estimator", "knn", "--k", str(k), "--no-certify", *options)


def correlated(n: int, d: int) -> Path:
    """The file of benchmarks/worlds.py, kept for the next run and read into the file cache."""
    folder = Path(tempfile.gettempdir()) / "labeldp-audit-benchmarks"
    folder.mkdir(exist_ok=True)
    path = folder / f"correlated-{n}x{d}.parquet"
    if not path.exists():
        run("-m", "benchmarks.worlds", str(n), str(d), str(path))
    run("-c", f"from pathlib import Path; Path({str(path)!r}).read_bytes()")
    return path
