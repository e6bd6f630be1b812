"""python -m benchmarks [NAME ...]: those of NAMES below that are named, all by default.

Some 10 minutes on two cores. Each runs in a fresh process, so that none counts another's memory.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import version

from labeldp_audit.engines.machine import available_cores

NAMES = ("start", "scan", "end_to_end", "growth", "graph", "bags", "advantage", "learning", "gate", "release")


def main(asked: list[str]) -> None:
    if unknown := set(asked) - set(NAMES):
        raise SystemExit(f"no benchmark {sorted(unknown)}; there are {', '.join(NAMES)}")
    packages = ", ".join(f"{name} {version(name)}" for name in ("faiss-cpu", "numba", "numpy", "pyarrow", "scipy"))
    print(
        f"{available_cores()} cores, {platform.machine()}, Python {platform.python_version()}, {packages}", flush=True
    )
    for name in asked or NAMES:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
