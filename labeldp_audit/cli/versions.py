"""What the tool is built on, for reports of bugs and for `--with-run-info`."""

from __future__ import annotations

import datetime
import getpass
import platform
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from .. import __version__
from ..engines.machine import available_cores

PARTS = ("numpy", "scipy", "numba", "pyarrow", "faiss-cpu", "lightgbm", "typer", "rich")


def told(verbose: bool) -> str:
    lines = [f"labeldp-audit {__version__}"]
    if verbose:
        lines.append(f"python {platform.python_version()}, {platform.system()} {platform.machine()}")
        lines += [f"{part} {version}{openmp}" for part, (version, openmp) in _parts().items()]
        lines.append(f"cores {available_cores()}")
    return "\n".join(lines) + "\n"


def _parts() -> dict[str, tuple[str, str]]:
    """Each one's version, and which OpenMP it brings: two in one process are a known cause of crashes."""
    found = dict.fromkeys(PARTS, ("not installed from a package", ""))
    for part in PARTS:
        try:
            there = metadata.distribution(part)
        except metadata.PackageNotFoundError:
            continue
        names = {file.name for file in there.files or []}
        openmp = sorted(name for name in names if name.startswith(("libgomp", "libomp", "libiomp")))
        found[part] = there.version, f" (brings {', '.join(openmp)})" if openmp else ""
    return found


def of_run(data: str, arguments: Sequence[str], started: float) -> dict[str, object]:
    """Who, when, where and with what: left out of reports unless it is asked for."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's number without a name
        user = "unknown"
    return {
        "started": datetime.datetime.fromtimestamp(started, datetime.UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - started, 3),
        "data": data if data == "-" else str(Path(data).absolute()),
        "arguments": list(arguments),
        "user": user,
        "host": platform.node(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": available_cores(),
        "versions": {part: version for part, (version, _) in _parts().items()},
    }
