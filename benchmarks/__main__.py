"""python -m benchmarks [scan] [end_to_end] [growth] [start]: all of them by default, some 15 minutes on two cores."""

from __future__ import annotations

import platform
import sys
from importlib import import_module
from importlib.metadata import version

from labeldp_audit.engine import available_cores

NAMES = ("start", "scan", "end_to_end", "growth")


def main(asked: list[str]) -> None:
    if unknown := set(asked) - set(NAMES):
        raise SystemExit(f"no benchmark {sorted(unknown)}; there are {', '.join(NAMES)}")
    packages = ", ".join(f"{name} {version(name)}" for name in ("faiss-cpu", "numba", "numpy", "pyarrow", "scipy"))
    print(f"{available_cores()} cores, {platform.machine()}, Python {platform.python_version()}, {packages}")
    for name in asked or NAMES:
        import_module(f".{name}", __package__).main()


if __name__ == "__main__":
    main(sys.argv[1:])
